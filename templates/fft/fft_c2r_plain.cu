/* SPDX-License-Identifier: Apache-2.0 */
/* fft_c2r/plain: a block for each transform writes all n complex numbers to a
 * workspace, transforms them as fft/plain does and keeps the real parts. Any n
 * and batch, any device: what the others are compared with, and what is left
 * where no other applies. */
#include "fft_c2r.cuh"
#include "radix2.cuh"

#pragma hone implements fft_c2r/plain reference "a complex transform of which the real parts are kept, any device"

#pragma hone let BLOCKS = min(batch, 4096)
#pragma hone workspace wide: c32[BLOCKS*2*n]
#pragma hone launch fft_c2r_plain grid(BLOCKS) block(256) args(x, y, wide, i64(batch))

extern "C" __global__ void __launch_bounds__(256)
fft_c2r_plain(const float2 *__restrict__ x, float *__restrict__ y,
              float2 *__restrict__ wide, long long batch)
{
    float2 *const from = wide + (long long)blockIdx.x * 2 * n, *const to = from + n;

    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const float2 *const half = x + b * (n / 2 + 1);

        for (int k = threadIdx.x; k < n; k += blockDim.x) {
            const float2 v = half[k <= n / 2 ? k : n - k];

            from[k] = make_float2(v.x, k % (n / 2) == 0 ? 0.0f
                                       : k < n / 2      ? v.y
                                                        : -v.y);
        }
        __syncthreads();
        hone::fft_plain(from, to, n, 1);
        __syncthreads();
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            y[b * n + j] = to[j].x;
        __syncthreads();
    }
}
