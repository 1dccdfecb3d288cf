/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d_magnitude: the 2-norm of each image, which the errors of its transform
 * are in proportion to. No operation of use: the check of fft2d reads it. */
#include "norms.cuh"

#pragma hone op fft2d_magnitude(rows in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, columns in {64, 128, 256, 512, 1024, 2048, 4096} default 1024, batch default 1, direction in {1, 2} default 1) "how large the errors of fft2d may be: the 2-norms of the images"
#pragma hone arg x: in c32[batch][rows][columns], y: out c32[batch][rows][columns]
#pragma hone launch fft2d_magnitude grid(min(batch, 1G)) block(256) args(x, y, i64(batch))
#pragma hone check none

extern "C" __global__ void __launch_bounds__(256)
fft2d_magnitude(const float2 *__restrict__ x, float2 *__restrict__ y,
                long long batch)
{
    constexpr long long size = (long long)rows * columns;

    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const float norm = hone::norm_plain(
            reinterpret_cast<const float *>(x + b * size), 2 * size);

        for (long long i = threadIdx.x; i < size; i += blockDim.x)
            y[b * size + i] = make_float2(norm, norm);
    }
}
