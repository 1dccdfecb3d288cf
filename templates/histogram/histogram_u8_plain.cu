/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_u8/plain: one launch zeroes the counts, in another each thread adds
 * 1 for each of its elements. Any size, any device. */
#include "histogram_bins.cuh"
#include "histogram_u8.cuh"

#pragma hone implements histogram_u8/plain reference "an atomic addition for each element, any device"

#pragma hone launch histogram_u8_zero grid(min(ceildiv(256, 256), 1G)) block(256) args(counts, i32(256))
#pragma hone launch histogram_u8_plain grid(max(1, min(ceildiv(n, 256), 65536))) block(256) args(x, counts, i64(n))

extern "C" __global__ void histogram_u8_zero(C *counts, int bins)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < bins;
         i += gridDim.x * 256)
        counts[i] = 0;
}

extern "C" __global__ void
histogram_u8_plain(const unsigned char *__restrict__ x, C *counts, long long n)
{
    const hone::byte_bins bin_of;

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const int bin = bin_of(x[i]);

        if (bin >= 0)
            hone::add_count(counts + bin, 1);
    }
}
