/* SPDX-License-Identifier: Apache-2.0 */
/* dot/plain: one block adds in f64. Any n and type, any device: what the others
 * are compared with, and what is left where no other applies. */
#include "hone_pack.cuh"
#include "plain.cuh"
#include "dot.cuh"

#pragma hone implements dot/plain reference "one block, f64, any device"

#pragma hone launch dot_plain grid(1) block(256) args(x, y, out, i64(n))

extern "C" __global__ void __launch_bounds__(256)
dot_plain(const T *x, const T *y, T *out, long long n)
{
    const double sum = hone::plain_sum<256>(n, [=](long long i) {
        return (double)hone::widen(x[i]) * (double)hone::widen(y[i]);
    });

    if (threadIdx.x == 0)
        out[0] = hone::narrow<T>(sum);
}
