/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_csr/plain: a thread for each row, in f64. Any matrix, any device. */
#include "spmv_csr.cuh"

#pragma hone implements spmv_csr/plain reference "one thread for each row, any device"

#pragma hone launch spmv_csr_plain grid(min(ceildiv(rows, 256), 1G)) block(256) args(start, column, value, x, y, i64(rows))

extern "C" __global__ void __launch_bounds__(256)
spmv_csr_plain(const I *__restrict__ start, const int *__restrict__ column,
               const T *__restrict__ value, const T *__restrict__ x,
               T *__restrict__ y, long long rows)
{
    for (long long r = blockIdx.x * 256LL + threadIdx.x; r < rows;
         r += gridDim.x * 256LL) {
        double sum = 0;

        for (long long k = start[r]; k < start[r + 1]; k++)
            sum += (double)value[k] * (double)x[column[k]];
        y[r] = (T)sum;
    }
}
