// SPDX-License-Identifier: Apache-2.0
// What softmax.cu must give: one thread a row, three loops.
#pragma hone op softmax_plain(rows, columns, T in {f32, f64} default f32) "y[r][c] = exp(x[r][c]) / sum over the row"
#pragma hone arg x: in T[rows][columns] normal(0, 3), y: out T[rows][columns]
#pragma hone param BLOCK in {64}
#pragma hone launch softmax_plain grid(ceildiv(rows, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void softmax_plain(const T *x, T *y, long long rows,
                                         long long columns)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (r >= rows)
        return;
    T largest = x[r * columns], sum = 0;

    for (long long c = 1; c < columns; ++c)
        largest = max(largest, x[r * columns + c]);
    for (long long c = 0; c < columns; ++c)
        sum += exp(x[r * columns + c] - largest);
    for (long long c = 0; c < columns; ++c)
        y[r * columns + c] = exp(x[r * columns + c] - largest) / sum;
}
