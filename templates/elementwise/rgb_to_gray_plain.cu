/* SPDX-License-Identifier: Apache-2.0 */
/* rgb_to_gray/plain: each thread computes pixels, one after another. Any shape,
 * any device. */
#include "rgb_to_gray.cuh"

#pragma hone implements rgb_to_gray/plain reference "one thread for each pixel, any device"

#pragma hone launch rgb_to_gray_plain grid(min(ceildiv(rows*columns, 256), 1G)) block(256) \
    args(rgb, gray, i64(columns), i64(rows), i64(pitch_rgb), i64(pitch_gray))

extern "C" __global__ void __launch_bounds__(256)
rgb_to_gray_plain(const unsigned char *__restrict__ rgb,
                  unsigned char *__restrict__ gray, long long columns,
                  long long rows, long long pitch_rgb, long long pitch_gray)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < rows * columns;
         i += gridDim.x * 256LL) {
        const long long r = i / columns;
        const long long c = i % columns;
        const unsigned char *p = rgb + r * pitch_rgb + 3 * c;

        gray[r * pitch_gray + c] = static_cast<unsigned char>(
            (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16);
    }
}
