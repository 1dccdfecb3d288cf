/* SPDX-License-Identifier: Apache-2.0 */
/* One query of a head as the definition says, by the 128 threads of a block: the
 * largest score first, then weights, their sum and sums of weighted values, a key after
 * the other. Scores are sums in f32, all others in f64; weights are not rounded.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ATTENTION_PLAIN_CUH
#define HONE_ATTENTION_PLAIN_CUH

#include "attention_parts.cuh"
#include "hone_pack.cuh"

namespace hone {

/* The scores of a key; with SIZES the sum of the sizes of its terms. */
template <int D, bool SIZES, typename E>
__device__ inline float plain_score(const float *query, const E *key)
{
    float sum = 0.0f;

    for (int d = 0; d < D; d += 8) {
        const pack<E, 8> some = read_pack<8>(key + d);

        for (int i = 0; i < 8; i++) {
            const float term = query[d + i] * widen(some.at[i]);

            sum += SIZES ? fabsf(term) : term;
        }
    }
    return sum;
}

/* What a thread has of a query: of all keys, and of element threadIdx.x of the
 * values. Weights are relative to the largest. */
struct plain_query {
    double top, sum;    /* of scores (not scaled), of weights */
    double value;       /* of weights times values */
    double squares;     /* of these terms' squares, with SIZES */
    double sizes;       /* of weights times plain_score<SIZES> */
};

/* Row `row` of a head, which sees `seen` keys, all threads of a block. */
template <bool SIZES, typename E, int D, bool CAUSAL>
__device__ inline plain_query attend_plainly(const head<D, CAUSAL> &of, int row,
                                             int seen, const E *q, const E *k,
                                             const E *v, float scale)
{
    constexpr int THREADS = 128;
    __shared__ float query[D], largest[THREADS], size[SIZES ? THREADS : 1];
    __shared__ double weight[THREADS];
    const int t = threadIdx.x;
    plain_query all = {minus_infinity(), 0.0, 0.0, 0.0, 0.0};

    __syncthreads(); /* nobody reads what an earlier call left */
    if (t < D)
        query[t] = widen(q[of.q_of(row) + t]);
    __syncthreads();
    largest[t] = minus_infinity();
    for (int j = t; j < seen; j += THREADS)
        largest[t] =
            fmaxf(largest[t], plain_score<D, false>(
                                  query, k + of.kv + j * of.key_step));
    __syncthreads();
    for (int j = 0; j < min(seen, THREADS); j++)
        all.top = fmax(all.top, (double)largest[j]);
    for (int first = 0; first < seen; first += THREADS) {
        const int n = min(THREADS, seen - first);
        const E *key = k + of.kv + (first + t) * of.key_step;

        __syncthreads(); /* the last weights were read */
        if (t < n) {
            weight[t] = exp((double)scale *
                            (plain_score<D, false>(query, key) - all.top));
            if (SIZES)
                size[t] = scale * plain_score<D, true>(query, key);
        }
        __syncthreads();
        for (int j = 0; j < n; j++) {
            all.sum += weight[j];
            if (SIZES)
                all.sizes += weight[j] * size[j];
            if (t < D) {
                const double term =
                    weight[j] *
                    (double)widen(v[of.kv + (first + j) * of.key_step + t]);

                all.value += term;
                all.squares += term * term;
            }
        }
    }
    return all;
}

} /* namespace hone */

#endif
