/* SPDX-License-Identifier: Apache-2.0 */
/* embedding_bag/plain: each thread sums elements of out, one after another, as
 * the definition says. Any size and type, any device. */
#include "hone_pack.cuh"
#include "embedding_bag.cuh"

#pragma hone implements embedding_bag/plain reference "one thread for each element, any device"

#pragma hone launch embedding_bag_plain grid(min(ceildiv(bags*W, 256), 1G)) block(256) \
    args(table, index, start, out, i64(bags), i64(W))

extern "C" __global__ void __launch_bounds__(256)
embedding_bag_plain(const T *__restrict__ table, const I *__restrict__ index,
                    const I *__restrict__ start, T *__restrict__ out,
                    long long bags, long long W)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < bags * W;
         i += gridDim.x * 256LL) {
        const long long begin = start[i / W], end = start[i / W + 1];
        float sum = 0;

        for (long long k = begin; k < end; k++)
            sum += hone::widen(table[index[k] * (long long)W + i % W]);
        if (MEAN && end > begin)
            sum /= (float)(end - begin);
        out[i] = hone::narrow<T>(sum);
    }
}
