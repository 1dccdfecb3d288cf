/* SPDX-License-Identifier: Apache-2.0 */
/* max_index/plain: one block; a thread looks at its elements one after
 * another, then one thread at what the others found. Any n and type, any
 * device: what the others are compared with, and what is left where no other
 * applies. */
#include "hone_pack.cuh"
#include "max_index.cuh"
#include "plain.cuh"

#pragma hone implements max_index/plain reference "one block, any device"

#pragma hone launch max_index_plain grid(1) block(256) args(x, value, index, i64(n))

extern "C" __global__ void __launch_bounds__(256)
max_index_plain(const T *x, T *value, long long *index, long long n)
{
    const long long at = hone::plain_index<256, true>(n, [=](long long i) { return hone::widen(x[i]); });

    if (threadIdx.x == 0) {
        index[0] = at;
        value[0] = at < 0 ? hone::narrow<T>(0) : x[at];
    }
}
