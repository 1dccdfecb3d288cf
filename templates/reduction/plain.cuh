/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and extremes as one writes them down, for the plain implementations: one
 * block; every thread takes its terms one after another; sums are in f64. */
#ifndef HONE_REDUCTION_PLAIN_CUH
#define HONE_REDUCTION_PLAIN_CUH

namespace hone {

/* term(0) + ... + term(n - 1), in every thread of a block of THREADS, a power
 * of two. A call may follow another at once. */
template <int THREADS, typename TERM>
__device__ inline double plain_sum(long long n, TERM term)
{
    __shared__ double sums[THREADS];
    const int me = threadIdx.x;
    double sum = 0;

    for (long long i = me; i < n; i += THREADS)
        sum += term(i);
    __syncthreads(); /* nobody reads what an earlier call left */
    sums[me] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (me < half)
            sums[me] += sums[me + half];
        __syncthreads();
    }
    return sums[0];
}

/* Is a less than b, with MAX greater; is a NaN, and b a number? */
template <bool MAX, typename N> __device__ inline bool plain_is_better(N a, N b)
{
    if (b != b)
        return false;
    return a != a || (MAX ? a > b : a < b);
}

/* Where the best of element(0) .. element(n - 1) stands first, or -1 of none,
 * in thread 0 of a block of THREADS. */
template <int THREADS, bool MAX, typename ELEMENT>
__device__ inline long long plain_index(long long n, ELEMENT element)
{
    __shared__ long long found[THREADS];
    long long at = -1;

    for (long long i = threadIdx.x; i < n; i += THREADS)
        if (at < 0 || plain_is_better<MAX>(element(i), element(at)))
            at = i;
    found[threadIdx.x] = at;
    __syncthreads();
    if (threadIdx.x != 0)
        return -1;
    for (int i = 1; i < THREADS; i++) {
        const long long other = found[i];

        if (other >= 0 &&
            (plain_is_better<MAX>(element(other), element(at)) ||
             (!plain_is_better<MAX>(element(at), element(other)) &&
              other < at)))
            at = other;
    }
    return at;
}

} /* namespace hone */

#endif
