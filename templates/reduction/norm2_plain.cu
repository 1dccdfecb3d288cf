/* SPDX-License-Identifier: Apache-2.0 */
/* norm2/plain: one block adds in f64. Any n and type, any device: what the others
 * are compared with, and what is left where no other applies. */
#include "hone_pack.cuh"
#include "plain.cuh"
#include "norm2.cuh"

#pragma hone implements norm2/plain reference "one block, f64, any device"

#pragma hone launch norm2_plain grid(1) block(256) args(x, out, i64(n))

extern "C" __global__ void __launch_bounds__(256)
norm2_plain(const T *x, T *out, long long n)
{
    const double sum = hone::plain_sum<256>(n, [=](long long i) {
        return (double)hone::widen(x[i]) * (double)hone::widen(x[i]);
    });

    if (threadIdx.x == 0)
        out[0] = hone::narrow<T>(sqrt(sum));
}
