/* SPDX-License-Identifier: Apache-2.0 */
/* convolve2d/plain: each thread computes pixels of y, one after another, as the
 * definition says, in f64. Any shape and type, any device. */
#include "image_plain.cuh"
#include "convolve2d.cuh"

#pragma hone implements convolve2d/plain reference "one thread for each pixel, any device"

#pragma hone launch convolve2d_plain grid(min(ceildiv(batch*height*width, 256), 1G)) block(256) args(x, h, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))

extern "C" __global__ void __launch_bounds__(256)
convolve2d_plain(const T *__restrict__ x, const float *__restrict__ h,
                 T *__restrict__ y, long long height, long long width,
                 long long pitch, long long pitch_out, long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL) {
        const long long row = i / width, r = row % height; /* of all images */
        double sum = 0.0;

        for (int k = 0; k < SIZE; k++)
            sum += hone::plain_along<BORDER, SIZE / 2>(
                h + k * SIZE,
                hone::plain_row<BORDER>(x + (row - r) * pitch,
                                        r + SIZE / 2 - k, height, pitch),
                i % width, width);
        y[row * pitch_out + i % width] = hone::plain_result<T>(sum);
    }
}
