/* SPDX-License-Identifier: Apache-2.0 */
/* fft2d/plain: a block for each row, into a workspace, then a block for each
 * column, by the transform of fft/plain. Few threads, so that the cpu device
 * has few to take turns with. Any shape, any device: what the
 * others are compared with, and what is left where no other applies. */
#include "fft2d.cuh"
#include "radix2.cuh"

#pragma hone implements fft2d/plain reference "radix 2 as in textbooks, rows and then columns, any device"

#pragma hone workspace between: c32[batch*rows*columns]
#pragma hone launch fft2d_rows grid(min(batch*rows, 1G)) block(64) args(x, between, i64(batch))
#pragma hone launch fft2d_columns grid(min(batch*columns, 1G)) block(64) args(between, y, i64(batch))

constexpr int sign = direction == 2 ? 1 : -1;

extern "C" __global__ void __launch_bounds__(64)
fft2d_rows(const float2 *__restrict__ x, float2 *__restrict__ between,
           long long batch)
{
    for (long long r = blockIdx.x; r < batch * rows; r += gridDim.x)
        hone::fft_plain(x + r * columns, between + r * columns, columns, sign);
}

extern "C" __global__ void __launch_bounds__(64)
fft2d_columns(const float2 *__restrict__ between, float2 *__restrict__ y,
              long long batch)
{
    for (long long i = blockIdx.x; i < batch * columns; i += gridDim.x) {
        const long long first = i / columns * rows * columns + i % columns;

        hone::fft_plain(between + first, y + first, rows, sign, columns);
    }
}
