/* SPDX-License-Identifier: Apache-2.0 */
/* fft/plain: a block for each transform, radix 2 as in textbooks, in y itself:
 * no shared memory and nothing to align. Any n and batch, any device: what the
 * others are compared with, and what is left where no other applies. */
#include "fft.cuh"
#include "radix2.cuh"

#pragma hone implements fft/plain reference "radix 2 as in textbooks, a block for each transform, any device"

#pragma hone launch fft_plain grid(min(batch, 1G)) block(256) args(x, y, i64(batch), i64(STRIDE), i64(DISTANCE))

extern "C" __global__ void __launch_bounds__(256)
fft_plain(const float2 *__restrict__ x, float2 *__restrict__ y, long long batch,
          long long stride, long long distance)
{
    for (long long b = blockIdx.x; b < batch; b += gridDim.x)
        hone::fft_plain(x + b * distance, y + b * distance, n,
                        direction == 2 ? 1 : -1, stride);
}
