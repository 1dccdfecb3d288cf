/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of cufft.filter, as PTX: the driver compiles it for the GPU at
 * hand, and no NVRTC is needed where programs run. It is what nvcc makes of
 * the following for compute_75, with an older version number and without
 * comments and blanks after commas, which libhone would carry.
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
    ".reg .pred %p<12>;\n"
    ".reg .f32 %f<40>;\n"
    ".reg .b32 %r<11>;\n"
    ".reg .b64 %rd<44>;\n"
    "ld.param.u64 %rd11,[y];\n"
    "ld.param.u64 %rd14,[h];\n"
    "ld.param.u64 %rd12,[n];\n"
    "ld.param.u64 %rd13,[total];\n"
    "cvta.to.global.u64 %rd1,%rd11;\n"
    "cvta.to.global.u64 %rd2,%rd14;\n"
    "mov.u32 %r2,%ctaid.x;\n"
    "mul.wide.u32 %rd15,%r2,256;\n"
    "mov.u32 %r3,%tid.x;\n"
    "cvt.u64.u32 %rd16,%r3;\n"
    "add.s64 %rd17,%rd15,%rd16;\n"
    "shl.b64 %rd3,%rd17,1;\n"
    "add.s64 %rd4,%rd12,-1;\n"
    "and.b64 %rd18,%rd4,%rd12;\n"
    "setp.eq.s64 %p1,%rd18,0;\n"
    "@%p1 bra $B4;\n"
    "or.b64 %rd19,%rd3,%rd12;\n"
    "and.b64 %rd20,%rd19,-4294967296;\n"
    "setp.eq.s64 %p2,%rd20,0;\n"
    "@%p2 bra $B3;\n"
    "rem.s64 %rd42,%rd3,%rd12;\n"
    "bra.uni $B5;\n"
    "$B4:\n"
    "and.b64 %rd42,%rd4,%rd3;\n"
    "bra.uni $B5;\n"
    "$B3:\n"
    "cvt.u32.u64 %r4,%rd12;\n"
    "cvt.u32.u64 %r5,%rd3;\n"
    "rem.u32 %r6,%r5,%r4;\n"
    "cvt.u64.u32 %rd42,%r6;\n"
    "$B5:\n"
    "add.s64 %rd21,%rd3,1;\n"
    "setp.lt.s64 %p3,%rd21,%rd13;\n"
    "and.b64 %rd22,%rd11,15;\n"
    "setp.eq.s64 %p4,%rd22,0;\n"
    "and.pred %p5,%p4,%p3;\n"
    "@%p5 bra $B9;\n"
    "bra.uni $B6;\n"
    "$B9:\n"
    "shl.b64 %rd34,%rd42,3;\n"
    "add.s64 %rd35,%rd2,%rd34;\n"
    "ld.global.v2.f32 {%f14,%f15},[%rd35];\n"
    "add.s64 %rd36,%rd42,1;\n"
    "setp.lt.s64 %p11,%rd36,%rd12;\n"
    "selp.b64 %rd37,%rd36,0,%p11;\n"
    "shl.b64 %rd38,%rd37,3;\n"
    "add.s64 %rd39,%rd2,%rd38;\n"
    "ld.global.v2.f32 {%f18,%f19},[%rd39];\n"
    "shl.b64 %rd40,%rd3,3;\n"
    "add.s64 %rd41,%rd1,%rd40;\n"
    "ld.global.v4.f32 {%f22,%f23,%f24,%f25},[%rd41];\n"
    "mul.f32 %f30,%f14,%f22;\n"
    "mul.f32 %f31,%f15,%f23;\n"
    "mul.f32 %f32,%f14,%f23;\n"
    "mul.f32 %f33,%f18,%f24;\n"
    "mul.f32 %f34,%f19,%f25;\n"
    "mul.f32 %f35,%f18,%f25;\n"
    "sub.f32 %f36,%f30,%f31;\n"
    "sub.f32 %f37,%f33,%f34;\n"
    "fma.rn.f32 %f38,%f15,%f22,%f32;\n"
    "fma.rn.f32 %f39,%f19,%f24,%f35;\n"
    "st.global.v4.f32 [%rd41],{%f36,%f38,%f37,%f39};\n"
    "bra.uni $B10;\n"
    "$B6:\n"
    "setp.ge.s64 %p6,%rd3,%rd13;\n"
    "@%p6 bra $B10;\n"
    "mov.u32 %r10,0;\n"
    "mov.u64 %rd43,0;\n"
    "$B8:\n"
    "add.s64 %rd24,%rd43,%rd42;\n"
    "setp.lt.s64 %p7,%rd24,%rd12;\n"
    "cvt.s64.s32 %rd25,%r10;\n"
    "add.s64 %rd26,%rd42,%rd25;\n"
    "selp.b64 %rd27,%rd26,0,%p7;\n"
    "shl.b64 %rd28,%rd27,3;\n"
    "add.s64 %rd29,%rd2,%rd28;\n"
    "ld.global.v2.f32 {%f1,%f2},[%rd29];\n"
    "mov.u32 %r8,1;\n"
    "add.s64 %rd30,%rd3,%rd25;\n"
    "shl.b64 %rd31,%rd30,3;\n"
    "add.s64 %rd32,%rd1,%rd31;\n"
    "ld.global.v2.f32 {%f5,%f6},[%rd32];\n"
    "mul.f32 %f9,%f1,%f5;\n"
    "mul.f32 %f10,%f2,%f6;\n"
    "mul.f32 %f11,%f1,%f6;\n"
    "fma.rn.f32 %f12,%f2,%f5,%f11;\n"
    "sub.f32 %f13,%f9,%f10;\n"
    "st.global.v2.f32 [%rd32],{%f13,%f12};\n"
    "add.s32 %r9,%r10,1;\n"
    "setp.lt.u32 %p8,%r9,2;\n"
    "cvt.u64.u32 %rd43,%r9;\n"
    "add.s64 %rd33,%rd3,%rd43;\n"
    "setp.lt.s64 %p9,%rd33,%rd13;\n"
    "and.pred %p10,%p8,%p9;\n"
    "mov.u32 %r10,%r8;\n"
    "@%p10 bra $B8;\n"
    "$B10:\n"
    "ret;\n"
    "}\n";
/* clang-format on */
