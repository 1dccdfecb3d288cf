/* SPDX-License-Identifier: Apache-2.0 */
/* What errors of attention are in proportion to, for its check: see attention.cuh. */
#include "hone_pack.cuh"
#include "attention_plain.cuh"

#pragma hone op attention_magnitude(rows, heads default 1, group default 1, batch default 1, D in {64, 128} default 128, T in {f16, bf16} default f16, CAUSAL in {0, 1}, RAGGED in {0, 1}, keys from 0 default rows) "the terms of attention, for its check"
#pragma hone let HEADS = heads*group
#pragma hone arg q: in T[batch*rows*HEADS*D] normal(0, 1), k: in T[batch*keys*heads*D] normal(0, 1), v: in T[batch*keys*heads*D]
#pragma hone arg rows_of: in optional(RAGGED) i32[batch] from 0..rows, keys_of: in optional(RAGGED) i32[batch] from 0..keys
#pragma hone arg scale: f32 from 0.05..0.15, out: out T[batch*rows*HEADS*D], lse: out f32[batch*HEADS*rows]
#pragma hone check none

#pragma hone launch attention_magnitude grid(min(batch*HEADS*rows, 1G)) block(128) args(q, k, v, rows_of, keys_of, scale, out, lse, i32(rows), i32(heads), i32(group), i32(batch), i32(keys))

extern "C" __global__ void __launch_bounds__(128)
attention_magnitude(const T *q, const T *k, const T *v, const int *rows_of,
                    const int *keys_of, float scale, T *out, float *lse, int rows,
                    int heads, int group, int batch, int keys)
{
    const hone::sequences all = {rows, heads, group, keys,
                                 RAGGED ? rows_of : nullptr,
                                 RAGGED ? keys_of : nullptr};
    const int t = threadIdx.x;

    for (long long i = blockIdx.x;
         i < (long long)batch * heads * group * rows; i += gridDim.x) {
        const int row = (int)(i % (group * rows));
        const long long head = i / (group * rows);
        const hone::head<D, CAUSAL != 0> of(all, (int)(head / heads),
                                            (int)(head % heads));
        const int seen = of.seen(row);
        const hone::plain_query own =
            hone::attend_plainly<true>(of, row, seen, q, k, v, scale);
        const double sizes = seen > 0 ? own.sizes / own.sum : 0.0;

        if (t < D)
            out[of.q_of(row) + t] = hone::narrow<T>(
                seen > 0 ? float((4.0 * sqrt(own.squares) * (1.0 + sizes / 8.0) +
                                  fabs(own.value)) /
                                 own.sum)
                         : 0.0f);
        if (t == 0)
            lse[of.lse_of(row)] =
                seen > 0
                    ? float(1.0 + fabs(scale * own.top + log(own.sum)) + sizes)
                    : 1.0f;
    }
}
