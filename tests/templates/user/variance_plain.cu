// SPDX-License-Identifier: Apache-2.0
// What variance.cu must give: one thread a row, two passes, in double.
#pragma hone op variance_plain(rows, columns, T in {f32, f64} default f32) "mean and variance of each row of x"
#pragma hone arg x: in T[rows][columns] from 1000..1001, mean: out T[rows], var: out T[rows]
#pragma hone param BLOCK in {64}
#pragma hone launch variance_plain grid(ceildiv(rows, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void variance_plain(const T *x, T *mean, T *var,
                                          long long rows, long long columns)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;
    double sum = 0, squares = 0;

    if (r >= rows)
        return;
    for (long long c = 0; c < columns; ++c)
        sum += x[r * columns + c];
    sum /= (double)columns;
    for (long long c = 0; c < columns; ++c)
        squares += (x[r * columns + c] - sum) * (x[r * columns + c] - sum);
    mean[r] = (T)sum;
    var[r] = (T)(squares / (double)columns);
}
