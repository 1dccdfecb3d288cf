/* SPDX-License-Identifier: Apache-2.0 */
/* How large the terms of log_softmax are: |x - m| + log(s) + 1. They cancel, and
 * do not move with x, where one element of a row is far above the others. */
#include "hone_pack.cuh"
#include "normalise_plain.cuh"

#pragma hone op log_softmax_magnitude(rows, columns, T in {f16, bf16, f32} default f32, pitch default columns, pitch_out default pitch) "the terms of log_softmax, for its check"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0, 3), y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)]
#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"
#pragma hone check none

#pragma hone launch log_softmax_magnitude grid(min(rows, 1G)) block(64) args(x, y, i64(rows), i64(columns), i64(pitch), i64(pitch_out))

extern "C" __global__ void __launch_bounds__(64)
log_softmax_magnitude(const T *x, T *y, long long rows, long long columns,
                      long long pitch, long long pitch_out)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const T *in = x + r * pitch;
        T *out = y + r * pitch_out;
        const double m = hone::plain_largest(in, columns);
        const double log_s = log(hone::plain_sum(columns, [=](long long c) {
            return exp(hone::plain_value(in[c]) - m);
        }));

        for (long long c = threadIdx.x; c < columns; c += 64)
            out[c] = hone::narrow<T>(
                float(m - hone::plain_value(in[c]) + log_s + 1.0));
        /* Of what lies between rows, nothing may change. */
        if (r + 1 < rows) {
            for (long long c = columns + threadIdx.x; c < pitch_out; c += 64)
                out[c] = hone::narrow<T>(0.0f);
        }
    }
}
