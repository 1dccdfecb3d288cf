/* SPDX-License-Identifier: Apache-2.0 */
/* threshold/plain: each thread computes elements, one after another. Any n and
 * type, any device. */
#include "hone_pack.cuh"
#include "threshold.cuh"

#pragma hone implements threshold/plain reference "one thread for each element, any device"

#pragma hone launch threshold_plain grid(min(ceildiv(n, 256), 1G)) block(256) args(limit, value, x, y, i64(n))

extern "C" __global__ void __launch_bounds__(256)
threshold_plain(T limit, T value, const T *__restrict__ x, T *__restrict__ y,
                long long n)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const T v = x[i];
        const bool above = hone::widen(v) > hone::widen(limit);

        if (MODE == 0)
            y[i] = above ? value : T(0.0f);
        else if (MODE == 1)
            y[i] = above ? v : T(0.0f);
        else
            y[i] = above ? limit : v;
    }
}
