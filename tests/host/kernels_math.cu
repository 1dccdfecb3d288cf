/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_math.c: functions and intrinsics as doubles, and
 * atomics from all threads of all blocks. */
#include "hone_cuda_host.h"

extern "C" __global__ void integers(double *out)
{
    int n = 0;

    out[n++] = __clz(0) + 100 * __clz(1) + 10000 * __clzll(1ll << 40);
    out[n++] = __popc(0xff00ff00u) + 100 * __popcll(~0ull);
    out[n++] = __ffs(0) + 100 * __ffs(8) + 10000 * __ffsll(1ll << 35);
    out[n++] = __brev(0x80000001u << 1);
    out[n++] = double(__brevll(1));
    out[n++] = __byte_perm(0x33221100u, 0x77665544u, 0x7250u);
    out[n++] = __umulhi(0xffffffffu, 0xffffffffu);
    out[n++] = __mulhi(-2, 1 << 30);
    out[n++] = double(__umul64hi(1ull << 63, 6));
    out[n++] = double(__mul64hi(-1, 1));
    out[n++] = __funnelshift_l(0x80000000u, 1, 1);
    out[n++] = __funnelshift_r(0x80000000u, 1, 4);
    out[n++] = __sad(-5, 7, 100u) + __usad(9, 4, 0);
    out[n++] = __dp4a(0x01ff02feu, 0x01010101u, 5u);
    out[n++] = __dp4a(int(0x01ff02fe), 0x01010101, 5);
    out[n++] = __mul24(-3, 5) + __hadd(3, 4) + __rhadd(3, 4);
    out[n++] = min(-1, 2) + 10 * max(3u, 2) + 100 * double(min(5ll, 4ll));
    out[n++] = min(1.5f, __int_as_float(0x7fc00000)) + max(2.0, 1.0f);
    out[n++] = double(__float_as_uint(1.0f)) + __int_as_float(0x40000000);
    out[n++] = __hiloint2double(0x3ff00000, 0) +
               __double2hiint(-0.0) + __double2loint(1.0);
    out[n++] = __vminu4(0x01ff807fu, 0x02fe7f80u);
    out[n++] = __vmaxu4(0x01ff807fu, 0x02fe7f80u);
    out[n++] = __vmins4(0x01ff807fu, 0x02fe7f80u);
    out[n++] = __vmaxs4(0x01ff807fu, 0x02fe7f80u);
    out[n++] = __vminu2(0x8000ffffu, 0x7fff0001u);
    out[n++] = __vmaxu2(0x8000ffffu, 0x7fff0001u);
    out[n++] = __vmins2(0x8000ffffu, 0x7fff0001u);
    out[n++] = __vmaxs2(0x8000ffffu, 0x7fff0001u);
}

extern "C" __global__ void reals(double *out)
{
    float s, c;
    int n = 0;

    out[n++] = rsqrtf(4.0f) + rsqrt(16.0) + __frsqrt_rn(1.0f);
    sincospif(0.5f, &s, &c);
    out[n++] = s + 10 * c;
    sincospif(-1.0f, &s, &c);
    out[n++] = s + 10 * c;
    out[n++] = sinpi(2.5) + 10 * cospi(3.0);
    out[n++] = fmaf(2, 3, 4) + fma(2.0, 3.0, 4.0) + fabsf(-1.0f) + abs(-2.5);
    out[n++] = floorf(-1.5f) + ceil(1.25) + truncf(-1.75f) + rint(2.5);
    out[n++] = __fadd_ru(1.0f, 1e-10f) > 1.0f;
    out[n++] = __fadd_rd(1.0f, 1e-10f) == 1.0f;
    out[n++] = __fadd_rz(-1.0f, -1e-10f) == -1.0f;
    out[n++] = __fmul_rn(3.0f, 0.5f) + __fdiv_rn(1.0f, 4.0f);
    out[n++] = __double2float_rd(-0.1) < -0.1;
    out[n++] = __float2int_rn(2.5f) + 10 * __float2int_rz(-2.7f) +
               100 * __float2int_ru(0.1f) + 1000 * __float2int_rd(-0.1f);
    out[n++] = __float2int_rz(1e20f);
    out[n++] = __float2uint_rz(-5.0f);
    out[n++] = __saturatef(1.5f) + __saturatef(-1.0f) + __saturatef(0.25f);
    out[n++] = exp10f(2.0f) + normcdf(0.0) + powf(2, 5) + pow(2.0, 3);
    out[n++] = isnan(nanf("")) + 2 * isinf(1.0f / 0.0f) + 4 * signbit(-0.0f);
    out[n++] = fmodf(7, 4) + hypot(3.0, 4.0) + copysign(1.0, -2.0);
    out[n++] = __fdividef(9, 3) + __expf(0) + __logf(1) + __powf(2, 2);
}

extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l,
                                   float *f, double *d, int *slots)
{
    const int t = int(blockIdx.x * blockDim.x + threadIdx.x);
    __shared__ int in_block;

    if (threadIdx.x == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd(&in_block, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&i[0], in_block);
    atomicSub(&i[1], 2);
    atomicMin(&i[2], t - 10);
    atomicMax_block(&i[3], t);
    atomicOr(&u[0], 1u << t % 32);
    atomicAnd(&u[1], ~(1u << t % 31));
    atomicXor(&u[2], unsigned(t));
    atomicInc(&u[3], 6);
    atomicDec(&u[4], 6);
    atomicAdd_system(&l[0], 1ull << 33);
    atomicMax(&l[1], (unsigned long long)t << 40);
    atomicAdd(&f[0], 0.5f);
    atomicAdd(&d[0], 0.25);
    slots[atomicAdd(&u[5], 1u)] = t;
    /* A lock by compare-and-swap and exchange. */
    while (atomicCAS(&i[4], 0, 1) != 0)
        __nanosleep(1);
    i[5] = i[5] + 1;
    __threadfence();
    atomicExch(&i[4], 0);
}

HONE_HOST_KERNELS(integers, reals, atomics)
