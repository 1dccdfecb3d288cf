/* SPDX-License-Identifier: Apache-2.0 */
/* vector_add/plain: each thread adds elements, one after another. Any n and
 * type, any device: what the others are compared with, and what is left where
 * no other applies. */
#include "hone_pack.cuh"
#include "vector_add.cuh"

#pragma hone implements vector_add/plain reference "one thread for each element, any device"

#pragma hone launch vector_add_plain grid(min(ceildiv(n, 256), 1G)) block(256) args(x, y, z, i64(n))

extern "C" __global__ void __launch_bounds__(256)
vector_add_plain(const T *__restrict__ x, const T *__restrict__ y,
                 T *__restrict__ z, long long n)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL)
        z[i] = hone::narrow<T>(hone::widen(x[i]) + hone::widen(y[i]));
}
