/* SPDX-License-Identifier: Apache-2.0 */
/* layer_norm/plain: a block takes a row, in three passes, as the definition
 * says. Sums are kept in f64: what is left is the rounding of the results. */
#include "hone_pack.cuh"
#include "normalise_plain.cuh"
#include "layer_norm.cuh"

#pragma hone implements layer_norm/plain reference "a block for each row, three passes in f64, any device"

#pragma hone launch layer_norm_plain grid(min(rows, 1G)) block(64) args(x, gamma, beta, eps, y, mean, rstd, i64(rows), i64(columns), i64(pitch), i64(pitch_out))

extern "C" __global__ void __launch_bounds__(64)
layer_norm_plain(const T *x, const T *gamma, const T *beta, float eps, T *y,
                 float *mean, float *rstd, long long rows, long long columns,
                 long long pitch, long long pitch_out)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const T *in = x + r * pitch;
        T *out = y + r * pitch_out;
        const double m = hone::plain_sum(columns, [=](long long c) {
            return hone::plain_value(in[c]);
        }) / columns;
        const double squares = hone::plain_sum(columns, [=](long long c) {
            const double apart = hone::plain_value(in[c]) - m;

            return apart * apart;
        });
        const double scale = 1.0 / sqrt(squares / columns + eps);

        if (STATS && threadIdx.x == 0) {
            mean[r] = float(m);
            rstd[r] = float(scale);
        }
        for (long long c = threadIdx.x; c < columns; c += 64)
            out[c] = hone::narrow<T>(float(
                (hone::plain_value(in[c]) - m) * scale *
                    hone::plain_value(gamma[c]) +
                hone::plain_value(beta[c])));
    }
}
