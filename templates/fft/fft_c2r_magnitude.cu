/* SPDX-License-Identifier: Apache-2.0 */
/* fft_c2r_magnitude: the 2-norm of the n numbers that are transformed, which the
 * errors of a transform are in proportion to (at most: all
 * but two of the numbers count twice).
 * No operation of use: the check of fft_c2r reads it. */
#include "norms.cuh"

#pragma hone op fft_c2r_magnitude(n in {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} default 1024, batch default 1) "how large the errors of fft_c2r may be: 2-norms of what is transformed"
#pragma hone arg x: in c32[batch][n/2 + 1], y: out f32[batch][n]
#pragma hone launch fft_c2r_magnitude grid(min(batch, 1G)) block(256) args(x, y, i64(batch))
#pragma hone check none

extern "C" __global__ void __launch_bounds__(256)
fft_c2r_magnitude(const float2 *__restrict__ x, float *__restrict__ y,
                  long long batch)
{
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const float norm = 1.41421356f * hone::norm_plain(
            reinterpret_cast<const float *>(x + b * (n / 2 + 1)), n + 2);

        for (int i = threadIdx.x; i < n; i += blockDim.x)
            y[b * (n) + i] = norm;
    }
}
