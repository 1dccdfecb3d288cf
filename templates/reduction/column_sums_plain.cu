/* SPDX-License-Identifier: Apache-2.0 */
/* column_sums/plain: one thread for each column adds in f64. Any shape and
 * type, any device: what the others are compared with, and what is left where no
 * other applies. */
#include "hone_pack.cuh"
#include "column_sums.cuh"

#pragma hone implements column_sums/plain reference "a thread for each column, f64, any device"

#pragma hone launch column_sums_plain grid(max(1, min(ceildiv(columns, 128), 1G))) block(128) args(x, out, i64(rows), i64(columns), i64(PITCH))

extern "C" __global__ void __launch_bounds__(128)
column_sums_plain(const T *x, T *out, long long rows, long long columns, long long pitch)
{
    for (long long c = blockIdx.x * 128LL + threadIdx.x; c < columns; c += gridDim.x * 128LL) {
        double sum = 0;

        for (long long r = 0; r < rows; r++)
            sum += (double)hone::widen(x[r * pitch + c]);
        out[c] = hone::narrow<T>(sum);
    }
}
