// SPDX-License-Identifier: Apache-2.0
// What transpose.cu must give: one thread an element, read in order.
#pragma hone op transpose_plain(rows, columns, T in {f32, f64, i32, u8} default f32) "B[c][r] = A[r][c]"
#pragma hone arg A: in T[rows][columns], B: out T[columns][rows]
#pragma hone param BLOCK in {256}
#pragma hone launch transpose_plain grid(ceildiv(rows*columns, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void transpose_plain(const T *A, T *B, long long rows,
                                           long long columns)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (i < rows * columns)
        B[i % columns * rows + i / columns] = A[i];
}
