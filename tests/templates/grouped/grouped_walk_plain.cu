/* SPDX-License-Identifier: Apache-2.0 */
/* The number of each row's group, from 1 on, in all columns. */
#pragma hone op grouped_walk_plain(ROWS, N, GROUPS) "the number of each row's group"
#pragma hone arg OFFSETS: in i32[GROUPS + 1] offsets of ROWS, C: out i32[ROWS][N]
#pragma hone launch number_rows grid(ceildiv(ROWS*N, 64)) block(64) args(OFFSETS, C, i64(ROWS*N), i64(N), i32(GROUPS))
#pragma hone check none

extern "C" __global__ void
number_rows(const int *offsets, int *C, long long size, long long N, int groups)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;
    int group = 0;

    if (i >= size)
        return;
    while (group < groups && offsets[group + 1] <= i / N)
        group++;
    C[i] = group + 1;
}
