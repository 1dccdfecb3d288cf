/* SPDX-License-Identifier: Apache-2.0 */
/* rms_norm/plain: a block takes a row, in two passes, as the definition says.
 * Sums are kept in f64: what is left is the rounding of the results. */
#include "hone_pack.cuh"
#include "normalise_plain.cuh"
#include "rms_norm.cuh"

#pragma hone implements rms_norm/plain reference "a block for each row, two passes in f64, any device"

#pragma hone launch rms_norm_plain grid(min(rows, 1G)) block(64) args(x, gamma, eps, y, rstd, i64(rows), i64(columns), i64(pitch), i64(pitch_out))

extern "C" __global__ void __launch_bounds__(64)
rms_norm_plain(const T *x, const T *gamma, float eps, T *y,
               float *rstd, long long rows, long long columns,
               long long pitch, long long pitch_out)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const T *in = x + r * pitch;
        T *out = y + r * pitch_out;
        const double squares = hone::plain_sum(columns, [=](long long c) {
            return hone::plain_value(in[c]) * hone::plain_value(in[c]);
        });
        const double scale = 1.0 / sqrt(squares / columns + eps);

        if (STATS && threadIdx.x == 0)
            rstd[r] = float(scale);
        for (long long c = threadIdx.x; c < columns; c += 64)
            out[c] = hone::narrow<T>(float(
                hone::plain_value(in[c]) * scale * hone::plain_value(gamma[c])));
    }
}
