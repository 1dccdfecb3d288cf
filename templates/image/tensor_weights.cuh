/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of a filter as whole numbers, and as the words that lanes of a warp have
 * of the matrices which multiply bytes of images on tensor cores (hone_device.cuh,
 * multiply_bytes).
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TENSOR_WEIGHTS_CUH
#define HONE_TENSOR_WEIGHTS_CUH

#include "hone_device.cuh"

namespace hone {

/* Weights as whole numbers: word i has the upper (or lower) bytes of weights i - 4
 * to i - 1, zeros for those that do not exist. */
template <int SIZE> struct weight_words {
    unsigned upper[SIZE + 5], lower[SIZE + 5];
};

/* Weight i of a Gaussian, 2^16 times itself. */
template <int SIZE> __device__ inline unsigned whole_weight(float sigma, int i)
{
    constexpr int R = SIZE / 2;
    const float scale = -0.5f / sigma / sigma;
    float own = 0.0f, sum = 0.0f;

    if (i < 0 || i >= SIZE)
        return 0;
#pragma unroll 1
    for (int k = 0; k < SIZE; k++) {
        const float d = (float)(k - R);
        /* sigma^2 may be 0 in f32. */
        const float g = k == R ? 1.0f : expf(d * d * scale);

        own = k == i ? g : own;
        sum += g;
    }
    return (unsigned)fminf(own / sum * 65536.0f + 0.5f, 65535.0f);
}

/* THREADS threads, of which the caller is `thread`, write all. */
template <int THREADS, int SIZE>
__device__ inline void write_weights(float sigma, weight_words<SIZE> &to,
                                     int thread)
{
    for (int i = thread; i < SIZE + 5; i += THREADS) {
        unsigned upper = 0, lower = 0;

#pragma unroll 1
        for (int b = 3; b >= 0; b--) {
            const unsigned w = whole_weight<SIZE>(sigma, i - 4 + b);

            upper = upper << 8 | w >> 8;
            lower = lower << 8 | (w & 255u);
        }
        to.upper[i] = upper;
        to.lower[i] = lower;
    }
}

/* Row of eight that lane 4*g + t reads: any order would do; this one reads from
 * all banks of shared memory. */
__device__ inline int row_of_eight(int g)
{
    return (g & 4) | (g & 1) << 1 | (g >> 1 & 1);
}

/* Weights as a lane's words of matrices. */
template <int SIZE> struct weight_matrices {
    static constexpr int R = SIZE / 2;

    /* For the upper and lower bytes of weights; for even and odd j; of words at
     * distances d = -2 and -1, 0 and 1 (j odd: -1 and 0, 1 and 2): rows g and
     * g + 8 of the first, then of the second. */
    unsigned along[2][2][2][4];
    /* For either part; the older of two times 16 rows first or last. */
    unsigned down[2][2][4];

    __device__ void load(const weight_words<SIZE> &from, int g, int t)
    {
#pragma unroll
        for (int part = 0; part < 2; part++) {
            const unsigned *words = part == 0 ? from.upper : from.lower;

#pragma unroll
            for (int odd = 0; odd < 2; odd++) {
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const int d = i / 4 * 2 - 2 + odd + i % 4 / 2;

                    /* Rows g and g + 8 are columns of lanes with t = g/2, whose
                     * windows have all that they need. */
                    along[part][odd][i / 4][i % 4] = word(
                        words, t != g / 2 ? -4
                                          : afresh(4 * d - g % 2 -
                                                         2 * (i % 2) + R));
                }
                /* Rows g and g + 8 of outputs; those of sums begin 8 above. */
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    unsigned w = 0;

#pragma unroll
                    for (int b = 3; b >= 0; b--) {
                        const int row = -8 + 16 * (i / 2) + 8 * (b / 2) +
                                        row_of_eight(2 * t + b % 2);

                        w = w << 8 |
                            (word(words,
                                  afresh(row - (g + 8 * (i % 2)) + R)) &
                             255u);
                    }
                    down[part][odd][odd ? i ^ 2 : i] = w;
                }
            }
        }
    }

    /* Four weights from weight i on. */
    __device__ static unsigned word(const unsigned *words, int i)
    {
        return words[min(max(i, -4), SIZE) + 4];
    }
};

} /* namespace hone */

#endif
