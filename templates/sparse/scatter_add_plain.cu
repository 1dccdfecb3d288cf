/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_add/plain: every block reads all indexes and adds the rows that are
 * for its rows of y, in their order. Any size and type, any device, the same
 * result in every run. */
#include "scatter_add.cuh"

#pragma hone implements scatter_add/plain reference "each block adds what is for its rows, any device"

#pragma hone launch scatter_add_plain grid(min(m, 2048)) block(64) args(x, index, y, i64(n), i64(W))

extern "C" __global__ void __launch_bounds__(64)
scatter_add_plain(const T *__restrict__ x, const I *__restrict__ index,
                  T *__restrict__ y, long long n, long long W)
{
    for (long long i = 0; i < n; i++) {
        const long long to = index[i];

        if (to % gridDim.x == blockIdx.x) {
            for (long long c = threadIdx.x; c < W; c += 64)
                y[to * W + c] += x[i * W + c];
        }
    }
}
