/* SPDX-License-Identifier: Apache-2.0 */
/* gather/plain: each thread copies elements of out, one after another, as the
 * definition says. Any size and type, any device. */
#include "gather.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma hone implements gather/plain reference "one thread for each element, any device"

#pragma hone launch gather_plain grid(min(ceildiv(n*W, 256), 1G)) block(256) args(x, index, out, i64(n), i64(W))

extern "C" __global__ void __launch_bounds__(256)
gather_plain(const T *__restrict__ x, const I *__restrict__ index,
             T *__restrict__ out, long long n, long long W)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n * W;
         i += gridDim.x * 256LL)
        out[i] = x[index[i / W] * (long long)W + i % W];
}
