/* SPDX-License-Identifier: Apache-2.0 */
/* convolve2d_separable/plain: each thread computes sums along rows, one after
 * another; then each computes pixels of y from these; in f64, as the definition
 * says. Any shape and type, any device. */
#include "image_plain.cuh"
#include "convolve2d_separable.cuh"

#pragma hone implements convolve2d_separable/plain reference "one thread for each pixel, rows, then columns, any device"

#pragma hone workspace sums: f64[batch*height*width]
#pragma hone let GRID = min(ceildiv(batch*height*width, 256), 1G)
#pragma hone launch plain_rows grid(GRID) block(256) args(x, along, sums, i64(height), i64(width), i64(pitch), i64(batch))
#pragma hone launch plain_columns grid(GRID) block(256) args(sums, down, y, i64(height), i64(width), i64(pitch_out), i64(batch))

extern "C" __global__ void __launch_bounds__(256)
plain_rows(const T *__restrict__ x, const float *__restrict__ along,
           double *__restrict__ sums, long long height, long long width,
           long long pitch, long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL)
        sums[i] = hone::plain_along<BORDER, SIZE / 2>(
            along, x + i / width * pitch, i % width, width);
}

extern "C" __global__ void __launch_bounds__(256)
plain_columns(const double *__restrict__ sums, const float *__restrict__ down,
              T *__restrict__ y, long long height, long long width,
              long long pitch_out, long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL) {
        const long long row = i / width; /* of all images */
        const long long image = row / height;

        y[row * pitch_out + i % width] =
            hone::plain_result<T>(hone::plain_down<BORDER, SIZE / 2>(
                down, sums + image * height * width, row % height, i % width,
                height, width));
    }
}
