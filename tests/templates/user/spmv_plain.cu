// SPDX-License-Identifier: Apache-2.0
// What spmv.cu must give: one thread a row.
#pragma hone op spmv_plain(rows, columns, nnz, T in {f32, f64} default f32) "y = A*x, A in CSR"
#pragma hone arg start: in i32[rows + 1] offsets of nnz, \
    column: in i32[nnz] from 0..columns - 1, value: in T[nnz], \
    x: in T[columns], y: out T[rows]
#pragma hone param BLOCK in {64}
#pragma hone launch spmv_plain grid(ceildiv(rows, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void spmv_plain(const int *start, const int *column,
                                      const T *value, const T *x, T *y,
                                      long long rows, long long columns,
                                      long long nnz)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;
    T sum = 0;

    if (r >= rows)
        return;
    for (int i = start[r]; i < start[r + 1]; ++i)
        sum += value[i] * x[column[i]];
    y[r] = sum;
}
