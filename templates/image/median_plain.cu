/* SPDX-License-Identifier: Apache-2.0 */
/* median/plain: each thread computes pixels of y, one after another: it puts
 * the window's pixels in order, as far as the one in the middle. Any shape and
 * type, any device. */
#include "image_plain.cuh"
#include "median.cuh"

#pragma hone implements median/plain reference "one thread for each pixel, any device"

#pragma hone launch median_plain grid(min(ceildiv(batch*height*width, 256), 1G)) block(256) args(x, y, i64(height), i64(width), i64(pitch), i64(pitch_out), i64(batch))

extern "C" __global__ void __launch_bounds__(256)
median_plain(const T *__restrict__ x, T *__restrict__ y, long long height,
             long long width, long long pitch, long long pitch_out,
             long long batch)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x;
         i < batch * height * width; i += gridDim.x * 256LL) {
        const long long row = i / width, r = row % height; /* of all images */
        const long long c = i % width;
        float v[SIZE * SIZE];

        for (int k = 0; k < SIZE; k++) {
            const T *line = hone::plain_row<BORDER>(
                x + (row - r) * pitch, r + k - SIZE / 2, height, pitch);

            for (int j = 0; j < SIZE; j++) {
                const long long at = c + j - SIZE / 2;

                if (BORDER == 0 && (!line || at < 0 || at >= width))
                    v[k * SIZE + j] = 0.0f;
                else
                    v[k * SIZE + j] = float(hone::widen(
                        line[hone::plain_inside<BORDER>(at, width)]));
            }
        }
        /* The smallest of what is left comes to place k. */
        for (int k = 0; k <= SIZE * SIZE / 2; k++) {
            for (int j = k + 1; j < SIZE * SIZE; j++) {
                const float a = v[k], b = v[j];

                v[k] = b < a ? b : a;
                v[j] = b < a ? a : b;
            }
        }
        y[row * pitch_out + c] =
            hone::plain_result<T>(double(v[SIZE * SIZE / 2]));
    }
}
