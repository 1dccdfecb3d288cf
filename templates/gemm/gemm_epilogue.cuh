/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm does to alpha*op(A)*op(B) + beta*C before it is rounded: a bias, one
 * number for each column of C, and an activation, as EPILOGUE of gemm.cuh says.
 * No name of a template parameter: see hone_device.cuh. */
#ifndef HONE_GEMM_EPILOGUE_CUH
#define HONE_GEMM_EPILOGUE_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {

/* relu(s): s, or 0 where that is less; NaN stays. */
template <typename W> __device__ inline W relu(W s)
{
    return s < W(0) ? W(0) : s;
}

/* gelu(s) by tanh, s/2 * (1 + tanh(u)) with u = sqrt(2/pi)*(s + 0.044715*s^3),
 * which is s/(1 + exp(-2*u)): within 16 roundings of s. Far below 0 the power is
 * infinite and this is 0. */
__device__ inline float gelu_fast(float s)
{
    return s *
           reciprocal_fast(
               1.0f + exp2_fast(s * (-2.3022082f - 0.10294324f * s * s)));
}

/* KIND: 0 nothing, 1 relu, 2 gelu. */
template <typename E, bool BIASED, int KIND> struct epilogue {
    static constexpr bool IS_NOTHING = !BIASED && KIND == 0;
    static constexpr bool IS_BIASED = BIASED;
    const E *bias; /* of column 0 */

    /* Of a column that is there, or not. */
    __device__ __forceinline__ float of(int column, bool there = true) const
    {
        if constexpr (BIASED)
            return there ? float(widen(bias[column])) : 0.0f;
        else
            return 0.0f;
    }

    static __device__ __forceinline__ float finish(float s, float b)
    {
        if constexpr (BIASED)
            s += b;
        return KIND == 1 ? relu(s) : KIND == 2 ? gelu_fast(s) : s;
    }
    static __device__ __forceinline__ float4 finish(const float4 &s,
                                                    const float4 &b)
    {
        return make_float4(finish(s.x, b.x), finish(s.y, b.y),
                           finish(s.z, b.z), finish(s.w, b.w));
    }
};

} /* namespace hone */

#endif
