/* SPDX-License-Identifier: Apache-2.0 */
/* Every tile that blocks of gemm_grouped take adds the number of its group to what it
 * has of C: right if each element has one tile, and that one's group is the row's.
 * Blocks of a cluster (DOWN x BESIDE) need not run at once for that; with TURNS = 2 the
 * tiles of a block are taken in turn by two, as SCHEDULE = in_turn does. */
#include "gemm_grouped_walk.cuh"

#pragma hone op grouped_walk(ROWS, N, GROUPS) "the number of the group of each row, by tiles"
#pragma hone arg OFFSETS: in i32[GROUPS + 1] offsets of ROWS, C: out i32[ROWS][N]
#pragma hone param BM in {4, 16} default 4
#pragma hone param BN in {4, 32} default 4
#pragma hone param DOWN in {1, 2}
#pragma hone param BESIDE in {1, 2}
#pragma hone param TURNS in {1, 2}
#pragma hone param RASTER in {along_m, along_n}
#pragma hone param BAND in {1, 4, 8} default 4
#pragma hone param UNITS in {1, 3, 16} default 3
#pragma hone require DOWN == 1 || BESIDE == 1 "a column of tiles, or a row"
#pragma hone launch clear grid(ceildiv(ROWS*N, 64)) block(64) args(C, i64(ROWS*N))
#pragma hone launch add_tiles grid(UNITS*DOWN*BESIDE) block(64) args(OFFSETS, C, i32(ROWS), i32(N), i32(GROUPS), i32(BAND))
#pragma hone check template.grouped_walk_plain tolerance(0)

extern "C" __global__ void clear(int *C, long long size)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;

    if (i < size)
        C[i] = 0;
}

/* A tile whose column or group is none counts where it is seen: in row 0. */
extern "C" __global__ void add_tiles(const int *offsets, int *C, int rows, int N,
                                     int groups, int band)
{
    for (int turn = 0; turn < TURNS; turn++) {
        hone::gemm::grouped_walk<BM, BN, DOWN, BESIDE> walk(
            offsets, groups, N, band, RASTER == RASTER_values::along_n);
        hone::gemm::grouped_tile t;

        if (TURNS == 2)
            walk.alternate(turn);
        while (walk.take(&t)) {
            const bool outside = t.col >= N + BN * (BESIDE - 1) ||
                                 t.row < 0 || t.end > rows;

            if (outside && threadIdx.x == 0)
                atomicAdd(C, 1);
            for (int i = threadIdx.x; i < BM * BN && !outside; i += 64) {
                const int row = t.row + i / BN, col = t.col + i % BN;

                if (row < t.end && col < N)
                    atomicAdd(C + (long long)row * N + col, t.group + 1);
            }
        }
    }
}
