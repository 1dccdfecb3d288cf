/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_half.c: conversions and arithmetic on bits. */
#include "hone_cuda_host.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static __device__ long long thread_number()
{
    return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void half_to_float(const unsigned short *in, float *out)
{
    out[thread_number()] = __half2float(__ushort_as_half(in[thread_number()]));
}
extern "C" __global__ void float_to_half(const float *in, unsigned short *out)
{
    out[thread_number()] =
        __half_as_ushort(__float2half(in[thread_number()]));
}
extern "C" __global__ void double_to_half(const double *in,
                                          unsigned short *out)
{
    out[thread_number()] =
        __half_as_ushort(__double2half(in[thread_number()]));
}
extern "C" __global__ void float_to_bfloat16(const float *in,
                                             unsigned short *out)
{
    out[thread_number()] =
        __bfloat16_as_ushort(__float2bfloat16(in[thread_number()]));
}
extern "C" __global__ void double_to_bfloat16(const double *in,
                                              unsigned short *out)
{
    out[thread_number()] =
        __bfloat16_as_ushort(__double2bfloat16(in[thread_number()]));
}

/* a+b, a-b, a*b, a/b, fma(a, b, c), min, max, comparisons. */
extern "C" __global__ void half_arithmetic(const unsigned short *in,
                                           unsigned short *out)
{
    const long long i = thread_number();
    const __half a = __ushort_as_half(in[3 * i]);
    const __half b = __ushort_as_half(in[3 * i + 1]);
    const __half c = __ushort_as_half(in[3 * i + 2]);
    unsigned short *mine = out + 8 * i;

    mine[0] = __half_as_ushort(__hadd(a, b));
    mine[1] = __half_as_ushort(a - b);
    mine[2] = __half_as_ushort(__low2half(__hmul2(__half2(a, c),
                                                  __half2half2(b))));
    mine[3] = __half_as_ushort(__hdiv(a, b));
    mine[4] = __half_as_ushort(__hfma(a, b, c));
    mine[5] = __half_as_ushort(__hmin(a, b));
    mine[6] = __half_as_ushort(__hmax(a, b));
    mine[7] = __hlt(a, b) | __hge(a, b) << 1 | (a == b) << 2 |
              __hltu(a, b) << 3 | __hisnan(a) << 4;
}

extern "C" __global__ void bfloat16_arithmetic(const unsigned short *in,
                                               unsigned short *out)
{
    const long long i = thread_number();
    const __nv_bfloat16 a = __ushort_as_bfloat16(in[2 * i]);
    const __nv_bfloat16 b = __ushort_as_bfloat16(in[2 * i + 1]);

    out[2 * i] = __bfloat16_as_ushort(a + b);
    out[2 * i + 1] = __bfloat16_as_ushort(__hmul(a, b));
}

/* Integers and the rest, as many doubles. */
extern "C" __global__ void various(double *out)
{
    int n = 0;

    out[n++] = __half2int_rn(__float2half(2.5f));
    out[n++] = __half2int_rz(__float2half(-2.75f));
    out[n++] = __half2uint_rn(__float2half(-3.0f));
    out[n++] = __half2float(__int2half_rn(2049));
    out[n++] = __half2float(__ll2half_rn(1ll << 60));
    out[n++] = __half2float(hsqrt(__float2half(2.25f)));
    out[n++] = __half22float2(__floats2half2_rn(1.5f, 2.5f)).y;
    out[n++] = __bfloat162float(__int2bfloat16_rn(257));
    out[n++] = float(half(0.5f) * half(3));
    out[n++] = __half2float(__hadd_sat(half(0.75f), half(0.5f)));
    out[n++] = sizeof(half2) + alignof(half2);
}


/* Of 8 bits: a number of each type, and back from it and its half. */
template <typename T>
static __device__ void both_ways(const unsigned char *in, const float *from,
                                 float *out, unsigned char *back)
{
    const long long i = thread_number();
    T v;

    v.__x = in[i];
    out[i] = float(v);
    back[2 * i] = T(from[2 * i]).__x;
    back[2 * i + 1] = T(double(from[2 * i + 1])).__x;
}
extern "C" __global__ void e4m3_both_ways(const unsigned char *in,
                                          const float *from, float *out,
                                          unsigned char *back)
{
    both_ways<__nv_fp8_e4m3>(in, from, out, back);
}
extern "C" __global__ void e5m2_both_ways(const unsigned char *in,
                                          const float *from, float *out,
                                          unsigned char *back)
{
    both_ways<__nv_fp8_e5m2>(in, from, out, back);
}

HONE_HOST_KERNELS(half_to_float, float_to_half, double_to_half,
                  float_to_bfloat16, double_to_bfloat16, half_arithmetic,
                  bfloat16_arithmetic, various,
                  e4m3_both_ways, e5m2_both_ways)
