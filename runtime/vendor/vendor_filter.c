/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of cufft.filter, as PTX: the driver compiles it for the GPU at
 * hand, and no NVRTC is needed where programs run. It is what nvcc makes of
 * the following for compute_75, with an older version number, without
 * comments, blanks and ends of lines that nobody needs, and with short names:
 * libhone would carry them. ptxas makes the same code of both.
 *
 * extern "C" __global__ void __launch_bounds__(256)
 * hone_filter(float2 *y, const float2 *h, long long n, long long total)
 * {
 *     const long long i = 2 * (blockIdx.x * 256ll + threadIdx.x);
 *     const long long k = (n & (n - 1)) == 0 ? i & (n - 1) : i % n;
 *     if (i + 1 < total && ((unsigned long long)y & 15) == 0) {
 *         const float2 a = h[k], b = h[k + 1 < n ? k + 1 : 0];
 *         const float4 v = *(const float4 *)(y + i);
 *         *(float4 *)(y + i) = make_float4(v.x * a.x - v.y * a.y,
 *                            v.x * a.y + v.y * a.x,
 *                            v.z * b.x - v.w * b.y,
 *                            v.z * b.y + v.w * b.x);
 *         return;
 *     }
 *     for (int j = 0; j < 2 && i + j < total; j++) {
 *         const float2 a = h[k + j < n ? k + j : 0], v = y[i + j];
 *         y[i + j] = make_float2(v.x * a.x - v.y * a.y, v.x * a.y + v.y * a.x);
 *     }
 * }
 */
#include "runtime/vendor/vendor_handles.h"

/* clang-format off */
const char hone__vendor_filter_ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry hone_filter(\n"
    ".param .u64 y,\n"
    ".param .u64 h,\n"
    ".param .u64 n,\n"
    ".param .u64 total\n"
    ")\n"
    ".maxntid 256,1,1\n"
    "{\n"
    ".reg .pred p<12>;"
    ".reg .f32 f<40>;"
    ".reg .b32 r<11>;"
    ".reg .b64 d<44>;"
    "ld.param.u64 d11,[y];"
    "ld.param.u64 d14,[h];"
    "ld.param.u64 d12,[n];"
    "ld.param.u64 d13,[total];"
    "cvta.to.global.u64 d1,d11;"
    "cvta.to.global.u64 d2,d14;"
    "mov.u32 r2,%ctaid.x;"
    "mul.wide.u32 d15,r2,256;"
    "mov.u32 r3,%tid.x;"
    "cvt.u64.u32 d16,r3;"
    "add.s64 d17,d15,d16;"
    "shl.b64 d3,d17,1;"
    "add.s64 d4,d12,-1;"
    "and.b64 d18,d4,d12;"
    "setp.eq.s64 p1,d18,0;"
    "@p1 bra B4;"
    "or.b64 d19,d3,d12;"
    "and.b64 d20,d19,-4294967296;"
    "setp.eq.s64 p2,d20,0;"
    "@p2 bra B3;"
    "rem.s64 d42,d3,d12;"
    "bra.uni B5;"
    "B4:"
    "and.b64 d42,d4,d3;"
    "bra.uni B5;"
    "B3:"
    "cvt.u32.u64 r4,d12;"
    "cvt.u32.u64 r5,d3;"
    "rem.u32 r6,r5,r4;"
    "cvt.u64.u32 d42,r6;"
    "B5:"
    "add.s64 d21,d3,1;"
    "setp.lt.s64 p3,d21,d13;"
    "and.b64 d22,d11,15;"
    "setp.eq.s64 p4,d22,0;"
    "and.pred p5,p4,p3;"
    "@p5 bra B9;"
    "bra.uni B6;"
    "B9:"
    "shl.b64 d34,d42,3;"
    "add.s64 d35,d2,d34;"
    "ld.global.v2.f32 {f14,f15},[d35];"
    "add.s64 d36,d42,1;"
    "setp.lt.s64 p11,d36,d12;"
    "selp.b64 d37,d36,0,p11;"
    "shl.b64 d38,d37,3;"
    "add.s64 d39,d2,d38;"
    "ld.global.v2.f32 {f18,f19},[d39];"
    "shl.b64 d40,d3,3;"
    "add.s64 d41,d1,d40;"
    "ld.global.v4.f32 {f22,f23,f24,f25},[d41];"
    "mul.f32 f30,f14,f22;"
    "mul.f32 f31,f15,f23;"
    "mul.f32 f32,f14,f23;"
    "mul.f32 f33,f18,f24;"
    "mul.f32 f34,f19,f25;"
    "mul.f32 f35,f18,f25;"
    "sub.f32 f36,f30,f31;"
    "sub.f32 f37,f33,f34;"
    "fma.rn.f32 f38,f15,f22,f32;"
    "fma.rn.f32 f39,f19,f24,f35;"
    "st.global.v4.f32 [d41],{f36,f38,f37,f39};"
    "bra.uni B10;"
    "B6:"
    "setp.ge.s64 p6,d3,d13;"
    "@p6 bra B10;"
    "mov.u32 r10,0;"
    "mov.u64 d43,0;"
    "B8:"
    "add.s64 d24,d43,d42;"
    "setp.lt.s64 p7,d24,d12;"
    "cvt.s64.s32 d25,r10;"
    "add.s64 d26,d42,d25;"
    "selp.b64 d27,d26,0,p7;"
    "shl.b64 d28,d27,3;"
    "add.s64 d29,d2,d28;"
    "ld.global.v2.f32 {f1,f2},[d29];"
    "mov.u32 r8,1;"
    "add.s64 d30,d3,d25;"
    "shl.b64 d31,d30,3;"
    "add.s64 d32,d1,d31;"
    "ld.global.v2.f32 {f5,f6},[d32];"
    "mul.f32 f9,f1,f5;"
    "mul.f32 f10,f2,f6;"
    "mul.f32 f11,f1,f6;"
    "fma.rn.f32 f12,f2,f5,f11;"
    "sub.f32 f13,f9,f10;"
    "st.global.v2.f32 [d32],{f13,f12};"
    "add.s32 r9,r10,1;"
    "setp.lt.u32 p8,r9,2;"
    "cvt.u64.u32 d43,r9;"
    "add.s64 d33,d3,d43;"
    "setp.lt.s64 p9,d33,d13;"
    "and.pred p10,p8,p9;"
    "mov.u32 r10,r8;"
    "@p10 bra B8;"
    "B10:"
    "ret;"
    "}\n";
/* clang-format on */
