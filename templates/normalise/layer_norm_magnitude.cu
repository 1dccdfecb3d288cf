/* SPDX-License-Identifier: Apache-2.0 */
/* How large the terms of layer_norm are that cancel, for its check: those that
 * layer_norm.cuh derives for each of its outputs. */
#include "hone_pack.cuh"
#include "normalise_plain.cuh"

#pragma hone op layer_norm_magnitude(rows, columns, T in {f16, bf16, f32} default f32, STATS in {0, 1}, pitch default columns, pitch_out default pitch) "the terms of layer_norm, for its check"
#pragma hone arg x: in T[min(rows*columns, 1)*((rows - 1)*pitch + columns)] normal(0.5, 2), gamma: in T[columns], beta: in T[columns], eps: f32 from 1e-6..1e-4
#pragma hone arg y: inout T[min(rows*columns, 1)*((rows - 1)*pitch_out + columns)], mean: out optional(STATS) f32[rows], rstd: out optional(STATS) f32[rows]
#pragma hone require pitch >= columns "pitch is less than a row of x (columns)"
#pragma hone require pitch_out >= columns "pitch_out is less than a row of y (columns)"
#pragma hone check none

#pragma hone launch layer_norm_magnitude grid(min(rows, 1G)) block(64) args(x, gamma, beta, eps, y, mean, rstd, i64(rows), i64(columns), i64(pitch), i64(pitch_out))

extern "C" __global__ void __launch_bounds__(64)
layer_norm_magnitude(const T *x, const T *gamma, const T *beta, float eps, T *y,
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
        const double terms = hone::plain_sum(columns, [=](long long c) {
            return fabs(hone::plain_value(in[c]));
        }) / columns;

        if (STATS && threadIdx.x == 0) {
            mean[r] = float(terms);
            rstd[r] = float(scale * (1.0 + terms * scale));
        }
        /* Of what lies between rows, nothing may change. */
        if (r + 1 < rows) {
            for (long long c = columns + threadIdx.x; c < pitch_out; c += 64)
                out[c] = hone::narrow<T>(0.0f);
        }
        for (long long c = threadIdx.x; c < columns; c += 64) {
            const double z = fabs((hone::plain_value(in[c]) - m) * scale);

            out[c] = hone::narrow<T>(
                float(fabs(hone::plain_value(gamma[c])) *
                          (z + (1.0 + z) * terms * scale) +
                      fabs(hone::plain_value(beta[c]))));
        }
    }
}
