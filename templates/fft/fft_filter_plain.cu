/* SPDX-License-Identifier: Apache-2.0 */
/* fft_filter/plain: a block for each signal: there into a workspace, times h,
 * and back into y, by the transform of fft/plain. Any n and batch, any device:
 * what the others are compared with, and what is left where no other
 * applies. */
#include "fft_filter.cuh"
#include "radix2.cuh"

#pragma hone implements fft_filter/plain reference "radix 2 as in textbooks, a block for each signal, any device"

#pragma hone workspace product: c32[n*batch]
#pragma hone launch fft_filter_plain grid(min(batch, 1G)) block(256) args(x, h, y, product, i64(batch))

extern "C" __global__ void __launch_bounds__(256)
fft_filter_plain(const float2 *__restrict__ x, const float2 *__restrict__ h,
                 float2 *__restrict__ y, float2 *__restrict__ product,
                 long long batch)
{
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        float2 *mine = product + b * n;

        hone::fft_plain(x + b * n, mine, n, -1);
        __syncthreads();
        for (int k = threadIdx.x; k < n; k += blockDim.x)
            mine[k] = make_float2(mine[k].x * h[k].x - mine[k].y * h[k].y,
                                  mine[k].x * h[k].y + mine[k].y * h[k].x);
        __syncthreads();
        hone::fft_plain(mine, y + b * n, n, 1);
    }
}
