/* SPDX-License-Identifier: Apache-2.0 */
/* A cell's next value, the same order of operations in all stencils of this
 * folder, so that all of their implementations give the same bits.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_STENCIL_CUH
#define HONE_STENCIL_CUH

#include "hone_pack.cuh"

namespace hone {

/* a*b + c, rounded once. */
__device__ inline float fused(float a, float b, float c)
{
    return fmaf(a, b, c);
}
__device__ inline double fused(double a, double b, double c)
{
    return fma(a, b, c);
}

/* centre*own + neighbour*(the sum of its neighbours); up and down are in the
 * rows before and behind. */
template <typename E>
__device__ inline E stencil_next(E centre, E neighbour, E own, E up, E down,
                                 E left, E right)
{
    return fused(neighbour, (up + down) + (left + right), centre * own);
}

/* front and back are in the planes before and behind. */
template <typename E>
__device__ inline E stencil_next(E centre, E neighbour, E own, E up, E down,
                                 E left, E right, E front, E back)
{
    return fused(neighbour,
                 ((up + down) + (left + right)) + (front + back),
                 centre * own);
}

/* Is it none of the first and last of n, which stay as they are? */
__device__ inline bool is_inner(long long at, long long n)
{
    return at > 0 && at < n - 1;
}

} /* namespace hone */

#endif
