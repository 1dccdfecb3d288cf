/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian/plain: one thread computes the weights; then each computes sums along
 * rows, one after another, and pixels of y from these; in f64, as the definition
 * says. Any shape and type, any device. */
#include "image_plain.cuh"
#include "gaussian.cuh"

#pragma hone implements gaussian/plain reference "one thread for each pixel, rows, then columns, any device"

#pragma hone workspace weights: f64[SIZE]
#pragma hone workspace sums: f64[batch*height*width]
#pragma hone let GRID = min(ceildiv(batch*height*width, 256), 1G)
#pragma hone launch plain_weights grid(1) block(1) args(sigma, weights)
#pragma hone launch plain_rows grid(GRID) block(256) args(x, weights, sums, i64(height), i64(width), i64(pitch), i64(batch))
#pragma hone launch plain_columns grid(GRID) block(256) args(sums, weights, y, i64(height), i64(width), i64(pitch_out), i64(batch))

extern "C" __global__ void
plain_weights(float sigma, double *weights)
{
    double sum = 0.0;

    for (int i = 0; i < SIZE; i++) {
        const double d = i - SIZE / 2;

        weights[i] = exp(-d * d / (2.0 * double(sigma) * double(sigma)));
        sum += weights[i];
    }
    for (int i = 0; i < SIZE; i++)
        weights[i] /= sum;
}

extern "C" __global__ void __launch_bounds__(256)
plain_rows(const T *__restrict__ x, const double *__restrict__ weights,
           double *__restrict__ sums, long long height, long long width,
           long long pitch, long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL)
        sums[i] = hone::plain_along<BORDER, SIZE / 2>(
            weights, x + i / width * pitch, i % width, width);
}

extern "C" __global__ void __launch_bounds__(256)
plain_columns(const double *__restrict__ sums,
              const double *__restrict__ weights, T *__restrict__ y, long long height, long long width,
              long long pitch_out, long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL) {
        const long long row = i / width; /* of all images */
        const long long image = row / height;

        y[row * pitch_out + i % width] =
            hone::plain_result<T>(hone::plain_down<BORDER, SIZE / 2>(
                weights, sums + image * height * width, row % height, i % width,
                height, width));
    }
}
