/* SPDX-License-Identifier: Apache-2.0 */
/* attention/plain: a block takes a query of a head, in two passes over its keys: what
 * the others are compared with, and what is left where no other applies. */
#include "hone_pack.cuh"
#include "attention_plain.cuh"
#include "attention.cuh"

#pragma hone implements attention/plain reference "a block for each query of a head, two passes, any device"

#pragma hone launch attention_plain grid(min(batch*HEADS*rows, 1G)) block(128) args(q, k, v, rows_of, keys_of, scale, out, lse, i32(rows), i32(heads), i32(group), i32(batch), i32(keys))

extern "C" __global__ void __launch_bounds__(128)
attention_plain(const T *q, const T *k, const T *v, const int *rows_of,
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
            hone::attend_plainly<false>(of, row, seen, q, k, v, scale);

        if (t < D)
            out[of.q_of(row) + t] =
                hone::narrow<T>(seen > 0 ? float(own.value / own.sum) : 0.0f);
        if (t == 0)
            lse[of.lse_of(row)] = seen > 0 ? float(scale * own.top + log(own.sum))
                                         : hone::minus_infinity();
    }
}
