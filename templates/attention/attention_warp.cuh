/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp of attention/mma computes: FRAGS times 16 rows of queries, with their sums
 * in registers, against tiles of COUNT keys and values in shared memory.
 *
 * Lane 4*g + t has of each product's result columns 2*t and 2*t + 1 of rows g and
 * g + 8. That is what the next product takes of its left side: scores become weights, of
 * 16 bits, where they are, and what belongs to a row is shared by 4 lanes.
 *
 * Weights are powers of 2, relative to a `base` of each row: a maximum of its scores, in
 * units of their exponents, but not always of all so far. Only when a new maximum is more
 * than 8 above the base of some row of the warp do bases become the maxima of today, and
 * sums are brought to them; weights are then up to 256, which f16 holds as
 * precisely as 1. Most tiles so multiply no sum.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ATTENTION_WARP_CUH
#define HONE_ATTENTION_WARP_CUH

#include "attention_tiles.cuh"

namespace hone {

/* Below all scores, and finite, so that a difference from it is a number. */
constexpr float NO_SCORE = -0x1p126f;
constexpr float LN2 = 0.693147181f;

template <typename E, int D, int COUNT, int FRAGS, bool KEEP_Q>
struct warp_rows {
    using tile = tile_rows<D>;
    using scores = float[FRAGS][COUNT / 8][4];
    using weights = unsigned[FRAGS][COUNT / 16][4];

    float out[FRAGS][D / 8][4];
    float base[FRAGS][2], sum[FRAGS][2]; /* sum: of this lane's columns */
    unsigned q[KEEP_Q ? FRAGS : 1][KEEP_Q ? D / 16 : 1][4];
    int by_rows, by_keys; /* of tile_rows */

    __device__ void clear()
    {
        by_rows = tile::by_rows();
        by_keys = tile::by_keys();
#pragma unroll
        for (int f = 0; f < FRAGS; f++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                base[f][h] = NO_SCORE;
                sum[f][h] = 0.0f;
            }
#pragma unroll
            for (int n = 0; n < D / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    out[f][n][i] = 0.0f;
        }
    }

    /* With KEEP_Q, the warp's queries to registers. */
    __device__ void keep_queries(shared_place queries)
    {
        if constexpr (KEEP_Q) {
#pragma unroll
            for (int f = 0; f < FRAGS; f++)
#pragma unroll
                for (int step = 0; step < D / 16; step++)
                    load_matrices<false>(q[f][step],
                                         queries + f * 16 * tile::BYTES +
                                             tile::in_step(by_rows, step));
        }
    }

    /* Scores of a tile of keys, not scaled: columns 8*n + .. of lanes. Addresses
     * of all steps, computed ahead, would take registers that sums need. */
    __device__ void multiply_keys(scores &s, shared_place queries,
                                  shared_place keys) const
    {
        const int q_at = afresh(by_rows), k_at = afresh(by_keys);

#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int n = 0; n < COUNT / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    s[f][n][i] = 0.0f;
#pragma unroll
        for (int step = 0; step < D / 16; step++) {
            const int at = tile::in_step(k_at, step);
            unsigned a[FRAGS][4];

#pragma unroll
            for (int f = 0; f < FRAGS; f++) {
                if constexpr (KEEP_Q) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        a[f][i] = q[f][step][i];
                } else {
                    load_matrices<false>(a[f],
                                         queries + f * 16 * tile::BYTES +
                                             tile::in_step(q_at, step));
                }
            }
#pragma unroll
            for (int n = 0; n < COUNT / 16; n++) {
                unsigned b[4];

                load_matrices<false>(b, keys + n * 16 * tile::BYTES + at);
#pragma unroll
                for (int f = 0; f < FRAGS; f++) {
                    multiply_pairs<E>(s[f][2 * n], a[f], b[0], b[1]);
                    multiply_pairs<E>(s[f][2 * n + 1], a[f], b[2], b[3]);
                }
            }
        }
    }

    /* Keys that rows do not see get no weight; seen: keys of the lane's rows from
     * the tile's first on. */
    static __device__ void mask(scores &s, const int (&seen)[FRAGS][2])
    {
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int left = seen[f][h] - threadIdx.x % 4 * 2;

#pragma unroll
                for (int n = 0; n < COUNT / 8; n++)
#pragma unroll
                    for (int i = 0; i < 2; i++)
                        if (8 * n + i >= left)
                            s[f][n][2 * h + i] = minus_infinity();
            }
    }

    /* New bases where a row of the warp needs one; scale2: of scores to
     * exponents. */
    __device__ void raise(const scores &s, float scale2)
    {
        float top[FRAGS][2];
        bool above = false;

#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float v = s[f][0][2 * h];

#pragma unroll
                for (int n = 0; n < COUNT / 8; n++)
#pragma unroll
                    for (int i = 0; i < 2; i++)
                        v = fmaxf(v, s[f][n][2 * h + i]);
                v = fmaxf(v, __shfl_xor_sync(~0u, v, 1));
                v = fmaxf(v, __shfl_xor_sync(~0u, v, 2));
                top[f][h] = v * scale2;
                above |= top[f][h] > base[f][h] + 8.0f;
            }
        if (!__any_sync(~0u, above))
            return;
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const float next = fmaxf(base[f][h], top[f][h]);
                const float factor = exp2_fast(base[f][h] - next);

                base[f][h] = next;
                sum[f][h] *= factor;
#pragma unroll
                for (int n = 0; n < D / 8; n++) {
                    out[f][n][2 * h] *= factor;
                    out[f][n][2 * h + 1] *= factor;
                }
            }
    }

    /* Scores become weights, packed as a product takes them. */
    __device__ void weigh(weights &p, const scores &s, float scale2)
    {
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int n = 0; n < COUNT / 8; n++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const float low =
                        exp2_fast(fmaf(s[f][n][2 * h], scale2, -base[f][h]));
                    const float high = exp2_fast(
                        fmaf(s[f][n][2 * h + 1], scale2, -base[f][h]));

                    sum[f][h] += low + high;
                    p[f][n / 2][n % 2 * 2 + h] = narrow_pair<E>(low, high);
                }
    }

    __device__ void multiply_values(const weights &p, shared_place values)
    {
        const int v_at = afresh(by_rows);

#pragma unroll
        for (int step = 0; step < COUNT / 16; step++)
#pragma unroll
            for (int n = 0; n < D / 16; n++) {
                unsigned b[4];

                load_matrices<true>(b, values + step * 16 * tile::BYTES +
                                           tile::in_step(v_at, n));
#pragma unroll
                for (int f = 0; f < FRAGS; f++) {
                    multiply_pairs<E>(out[f][2 * n], p[f][step], b[0], b[1]);
                    multiply_pairs<E>(out[f][2 * n + 1], p[f][step], b[2],
                                      b[3]);
                }
            }
    }

    /* When all tiles have passed: sums of rows, and outputs. */
    __device__ void divide()
    {
#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float all = sum[f][h];

                all += __shfl_xor_sync(~0u, all, 1);
                all += __shfl_xor_sync(~0u, all, 2);
                sum[f][h] = all;

                const float share = all > 0.0f ? 1.0f / all : 0.0f;

#pragma unroll
                for (int n = 0; n < D / 8; n++) {
                    out[f][n][2 * h] *= share;
                    out[f][n][2 * h + 1] *= share;
                }
            }
    }

    /* The logarithm of a row's sum, behind divide(). */
    __device__ float log_of(int f, int h) const
    {
        return sum[f][h] > 0.0f ? fmaf(base[f][h], LN2, logf(sum[f][h]))
                                : minus_infinity();
    }

    /* Outputs to shared memory, rounded, as queries lie there. */
    __device__ void put(unsigned char *rows) const
    {
        const int lane = threadIdx.x % 32;

#pragma unroll
        for (int f = 0; f < FRAGS; f++)
#pragma unroll
            for (int n = 0; n < D / 8; n++)
#pragma unroll
                for (int h = 0; h < 2; h++)
                    *reinterpret_cast<unsigned *>(
                        rows + tile::piece(f * 16 + h * 8 + lane / 4, n) +
                        lane % 4 * 4) =
                        narrow_pair<E>(out[f][n][2 * h],
                                       out[f][n][2 * h + 1]);
    }
};

} /* namespace hone */

#endif
