/* SPDX-License-Identifier: Apache-2.0 */
/* fft_r2c/plain: a block for each transform takes the numbers as complex ones
 * into a workspace, transforms them as fft/plain does and keeps half of the
 * result. Any n and batch, any device: what the others are compared with, and
 * what is left where no other applies. */
#include "fft_r2c.cuh"
#include "radix2.cuh"

#pragma hone implements fft_r2c/plain reference "a complex transform of which half is kept, any device"

#pragma hone let BLOCKS = min(batch, 4096)
#pragma hone workspace wide: c32[BLOCKS*2*n]
#pragma hone launch fft_r2c_plain grid(BLOCKS) block(256) args(x, y, wide, i64(batch))

extern "C" __global__ void __launch_bounds__(256)
fft_r2c_plain(const float *__restrict__ x, float2 *__restrict__ y,
              float2 *__restrict__ wide, long long batch)
{
    float2 *const from = wide + (long long)blockIdx.x * 2 * n, *const to = from + n;

    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            from[j] = make_float2(x[b * n + j], 0.0f);
        __syncthreads();
        hone::fft_plain(from, to, n, -1);
        __syncthreads();
        for (int k = threadIdx.x; k <= n / 2; k += blockDim.x)
            y[b * (n / 2 + 1) + k] =
                make_float2(to[k].x, k % (n / 2) ? to[k].y : 0.0f);
        __syncthreads();
    }
}
