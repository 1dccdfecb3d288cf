/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain implementations of this family share: sums and maxima over the
 * columns of a row in f64, by the 64 threads of a block.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_PLAIN_CUH
#define HONE_NORMALISE_PLAIN_CUH

#include "hone_pack.cuh"

namespace hone {

template <typename E> __device__ inline double plain_value(E v)
{
    return double(widen(v));
}

/* All threads' values to one, which every thread gets; the block has 64. */
template <typename OP> __device__ inline double plain_combine(double v, OP op)
{
    __shared__ double of_thread[64];

    __syncthreads(); /* nobody reads what an earlier call left */
    of_thread[threadIdx.x] = v;
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            of_thread[threadIdx.x] =
                op(of_thread[threadIdx.x], of_thread[threadIdx.x + half]);
    }
    __syncthreads();
    return of_thread[0];
}

/* The sum of term(c) over the columns c. */
template <typename F>
__device__ inline double plain_sum(long long columns, F term)
{
    double sum = 0.0;

    for (long long c = threadIdx.x; c < columns; c += 64)
        sum += term(c);
    return plain_combine(sum, [](double a, double b) { return a + b; });
}

/* The largest element of a row. */
template <typename E>
__device__ inline double plain_largest(const E *row, long long columns)
{
    double largest = plain_value(row[0]);

    for (long long c = threadIdx.x; c < columns; c += 64)
        largest = fmax(largest, plain_value(row[c]));
    return plain_combine(largest,
                         [](double a, double b) { return fmax(a, b); });
}

} /* namespace hone */

#endif
