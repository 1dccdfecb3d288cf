// SPDX-License-Identifier: Apache-2.0
// What gather.cu must give: one thread an entry.
#pragma hone op gather_plain(n, entries, width, T in {f32, f64, i32} default f32) "y[i][..] = table[index[i]][..]"
#pragma hone arg table: in T[entries][width], index: in i32[n] from 0..entries - 1, y: out T[n][width]
#pragma hone param BLOCK in {64}
#pragma hone launch gather_plain grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void gather_plain(const T *table, const int *index, T *y,
                                        long long n, long long entries,
                                        long long width)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    for (long long c = 0; i < n && c < width; ++c)
        y[i * width + c] = table[index[i] * width + c];
}
