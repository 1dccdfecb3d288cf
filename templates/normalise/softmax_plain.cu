/* SPDX-License-Identifier: Apache-2.0 */
/* softmax/plain: a block takes a row, in three passes, as the definition says.
 * Exponentials and sums are kept in f64: what is left is the rounding of the
 * result. */
#include "hone_pack.cuh"
#include "normalise_plain.cuh"
#include "softmax.cuh"

#pragma hone implements softmax/plain reference "a block for each row, three passes in f64, any device"

#pragma hone launch softmax_plain grid(min(rows, 1G)) block(64) args(x, y, i64(rows), i64(columns), i64(pitch), i64(pitch_out))

extern "C" __global__ void __launch_bounds__(64)
softmax_plain(const T *x, T *y, long long rows, long long columns,
              long long pitch, long long pitch_out)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const T *in = x + r * pitch;
        T *out = y + r * pitch_out;
        const double m = hone::plain_largest(in, columns);
        const double s = hone::plain_sum(columns, [=](long long c) {
            return exp(hone::plain_value(in[c]) - m);
        });

        for (long long c = threadIdx.x; c < columns; c += 64)
            out[c] = hone::narrow<T>(
                float(exp(hone::plain_value(in[c]) - m) / s));
    }
}
