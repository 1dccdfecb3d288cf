// SPDX-License-Identifier: Apache-2.0
// What segsort.cu must give: one thread a row, by insertion.
#pragma hone op segsort_plain(rows, columns, T in {i32, f32} default i32) "each row of x in ascending order"
#pragma hone arg x: inout T[rows][columns]
#pragma hone param BLOCK in {64}
#pragma hone launch segsort_plain grid(ceildiv(rows, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void segsort_plain(T *x, long long rows,
                                         long long columns)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (r >= rows)
        return;
    T *row = x + r * columns;

    for (long long i = 1; i < columns; ++i) {
        const T key = row[i];
        long long to = i;

        for (; to > 0 && row[to - 1] > key; --to)
            row[to] = row[to - 1];
        row[to] = key;
    }
}
