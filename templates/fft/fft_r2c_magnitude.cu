/* SPDX-License-Identifier: Apache-2.0 */
/* fft_r2c_magnitude: the 2-norm of the numbers, which the
 * errors of a transform are in proportion to.
 * No operation of use: the check of fft_r2c reads it. */
#include "norms.cuh"

#pragma hone op fft_r2c_magnitude(n in {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} default 1024, batch default 1) "how large the errors of fft_r2c may be: 2-norms of what is transformed"
#pragma hone arg x: in f32[batch][n], y: out c32[batch][n/2 + 1]
#pragma hone launch fft_r2c_magnitude grid(min(batch, 1G)) block(256) args(x, y, i64(batch))
#pragma hone check none

extern "C" __global__ void __launch_bounds__(256)
fft_r2c_magnitude(const float *__restrict__ x, float2 *__restrict__ y,
                  long long batch)
{
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const float norm = hone::norm_plain(x + b * n, n);

        for (int i = threadIdx.x; i < n / 2 + 1; i += blockDim.x)
            y[b * (n / 2 + 1) + i] = make_float2(norm, norm);
    }
}
