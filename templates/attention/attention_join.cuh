/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the keys of a row, each with sums of its own, merged (flash-decoding).
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ATTENTION_JOIN_CUH
#define HONE_ATTENTION_JOIN_CUH

#include "attention_warp.cuh"

namespace hone {

/* Rows of all heads, D/2 threads of a block for each, which take the parts in their
 * order. sums: outputs of a part, divided by its sum of weights, whose logarithm `logs`
 * has; both [parts][sequence][head][row]. */
template <int D, typename E>
__device__ inline void join_parts(const float *sums, const float *logs, E *out,
                                  float *lse, int batch, int heads, int rows,
                                  int parts)
{
    const long long all = (long long)batch * heads * rows;

    for (long long i = blockIdx.x; i < all; i += gridDim.x) {
        float top = minus_infinity(), sum = 0.0f;
        float2 value = make_float2(0.0f, 0.0f);

        for (int p = 0; p < parts; p++)
            top = fmaxf(top, logs[p * all + i]);
        for (int p = 0; p < parts && top > minus_infinity(); p++) {
            const float weight = exp2_fast((logs[p * all + i] - top) * LOG2E);
            const float2 of = reinterpret_cast<const float2 *>(
                sums + (p * all + i) * D)[threadIdx.x];

            sum += weight;
            value.x = fmaf(weight, of.x, value.x);
            value.y = fmaf(weight, of.y, value.y);
        }
        const float share = sum > 0.0f ? 1.0f / sum : 0.0f;
        const long long sequence = i / rows / heads, head = i / rows % heads;

        reinterpret_cast<unsigned *>(
            out + ((sequence * rows + i % rows) * heads + head) *
                      D)[threadIdx.x] =
            narrow_pair<E>(value.x * share, value.y * share);
        if (threadIdx.x == 0)
            lse[i] = sum > 0.0f ? top + logf(sum) : minus_infinity();
    }
}

} /* namespace hone */

#endif
