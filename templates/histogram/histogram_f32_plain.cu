/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_f32/plain: one launch zeroes the counts, in another each thread adds
 * 1 for each of its elements. Any size, any device. */
#include "histogram_bins.cuh"
#include "histogram_f32.cuh"

#pragma hone implements histogram_f32/plain reference "an atomic addition for each element, any device"

#pragma hone launch histogram_f32_zero grid(min(ceildiv(bins, 256), 1G)) block(256) args(counts, i32(bins))
#pragma hone launch histogram_f32_plain grid(max(1, min(ceildiv(n, 256), 65536))) block(256) args(x, lo, hi, counts, i64(n), i32(bins))

extern "C" __global__ void histogram_f32_zero(C *counts, int bins)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < bins;
         i += gridDim.x * 256)
        counts[i] = 0;
}

extern "C" __global__ void
histogram_f32_plain(const float *__restrict__ x, float lo, float hi, C *counts,
                    long long n, int bins)
{
    const hone::even_bins bin_of(lo, hi, bins);

    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL) {
        const int bin = bin_of(x[i]);

        if (bin >= 0)
            hone::add_count(counts + bin, 1);
    }
}
