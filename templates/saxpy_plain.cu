/* SPDX-License-Identifier: Apache-2.0 */
/* saxpy/plain: each thread computes elements of y, one after another, as the
 * definition says. Any n and type, any device: what the others are compared
 * with, and what is left where no other applies. */
#include "saxpy.cuh"

#pragma hone implements saxpy/plain reference "one thread for each element, any device"

#pragma hone launch saxpy_plain grid(min(ceildiv(n, 256), 1G)) block(256) args(alpha, x, y, i64(n))

extern "C" __global__ void __launch_bounds__(256)
saxpy_plain(T alpha, const T *__restrict__ x, T *__restrict__ y, long long n)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL)
        y[i] = alpha * x[i] + y[i];
}
