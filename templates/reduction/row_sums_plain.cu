/* SPDX-License-Identifier: Apache-2.0 */
/* row_sums/plain: one block for each row adds in f64. Any shape and type, any
 * device: what the others are compared with, and what is left where no other
 * applies. */
#include "hone_pack.cuh"
#include "plain.cuh"
#include "row_sums.cuh"

#pragma hone implements row_sums/plain reference "a block for each row, f64, any device"

#pragma hone launch row_sums_plain grid(max(1, min(rows, 1G))) block(256) args(x, out, i64(rows), i64(columns), i64(PITCH))

extern "C" __global__ void __launch_bounds__(256)
row_sums_plain(const T *x, T *out, long long rows, long long columns, long long pitch)
{
    for (long long r = blockIdx.x; r < rows; r += gridDim.x) {
        const double sum = hone::plain_sum<256>(
            columns, [=](long long i) { return (double)hone::widen(x[r * pitch + i]); });

        if (threadIdx.x == 0)
            out[r] = hone::narrow<T>(sum);
    }
}
