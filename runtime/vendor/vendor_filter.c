/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of cufft.filter, as PTX: the driver compiles it for the GPU at
 * hand, and no NVRTC is needed where programs run. It is the following written
 * by hand, without what nobody needs and with short names: libhone would carry
 * them (docs/decisions.md, 249). Global memory has the same addresses in
 * generic addressing (PTX ISA, 5.4.1.1). k and a are scratch.
 *
 * extern "C" __global__ void __launch_bounds__(256)
 * hone_filter(float2 *y, const float2 *h, long long n, long long total)
 * {
 *     const long long i = 2 * (blockIdx.x * 256ll + threadIdx.x);
 *     const long long k = i % n;
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
    ".visible .entry hone_filter("
    ".param .u64 y,"
    ".param .u64 h,"
    ".param .u64 n,"
    ".param .u64 t"
    ")\n"
    ".maxntid 256,1,1\n"
    "{\n"
    ".reg .pred p;"
    ".reg .f32 f<12>;"
    ".reg .b32 r,s;"
    ".reg .b64 Y,H,N,T,i,j,k,a;"
    "ld.param.u64 Y,[y];"
    "ld.param.u64 H,[h];"
    "ld.param.u64 N,[n];"
    "ld.param.u64 T,[t];"
    "mov.u32 r,%ctaid.x;"
    "mov.u32 s,%tid.x;"
    "mul.wide.u32 i,s,2;"
    "mul.wide.u32 k,r,512;"
    "add.s64 i,i,k;"
    "or.b64 k,i,N;"
    "shr.u64 k,k,32;"
    "setp.eq.s64 p,k,0;"
    "@p bra A;"
    "rem.s64 j,i,N;"
    "bra B;"
    "A:"
    "cvt.u32.u64 r,i;"
    "cvt.u32.u64 s,N;"
    "rem.u32 r,r,s;"
    "cvt.u64.u32 j,r;"
    "B:"
    "and.b64 k,Y,15;"
    "setp.ne.s64 p,k,0;"
    "add.s64 k,i,1;"
    "setp.ge.or.s64 p,k,T,p;"
    "@p bra C;"
    "mad.lo.s64 a,i,8,Y;"
    "ld.global.v4.f32 {f4,f5,f6,f7},[a];"
    "mad.lo.s64 k,j,8,H;"
    "ld.global.v2.f32 {f0,f1},[k];"
    "add.s64 j,j,1;"
    "setp.eq.s64 p,j,N;"
    "@p mov.u64 j,0;"
    "mad.lo.s64 k,j,8,H;"
    "ld.global.v2.f32 {f2,f3},[k];"
    "mul.f32 f8,f0,f4;"
    "mul.f32 f9,f1,f5;"
    "sub.f32 f8,f8,f9;"
    "mul.f32 f9,f0,f5;"
    "fma.rn.f32 f9,f1,f4,f9;"
    "mul.f32 f10,f2,f6;"
    "mul.f32 f11,f3,f7;"
    "sub.f32 f10,f10,f11;"
    "mul.f32 f11,f2,f7;"
    "fma.rn.f32 f11,f3,f6,f11;"
    "st.global.v4.f32 [a],{f8,f9,f10,f11};"
    "ret;"
    "C:"
    "setp.ge.s64 p,i,T;"
    "@p ret;"
    "mad.lo.s64 k,j,8,H;"
    "ld.global.v2.f32 {f0,f1},[k];"
    "mad.lo.s64 k,i,8,Y;"
    "ld.global.v2.f32 {f4,f5},[k];"
    "mul.f32 f8,f0,f4;"
    "mul.f32 f9,f1,f5;"
    "sub.f32 f8,f8,f9;"
    "mul.f32 f9,f0,f5;"
    "fma.rn.f32 f9,f1,f4,f9;"
    "st.global.v2.f32 [k],{f8,f9};"
    "add.s64 j,j,1;"
    "setp.eq.s64 p,j,N;"
    "@p mov.u64 j,0;"
    "add.s64 i,i,1;"
    "and.b64 k,i,1;"
    "setp.ne.s64 p,k,0;"
    "@p bra C;"
    "ret;"
    "}\n";
/* clang-format on */
