/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_add/atomic: LANES threads take a row of x, ROWS rows at a time, and
 * add its elements to y by atomics, which the level 2 cache does: y is not read
 * into a multiprocessor.
 *
 * With VEC = 1 the atomics of a warp fall on neighbouring words and go as one;
 * wider accesses to x spread them. Sums of reals are not the same in every run
 * (scatter_add.cuh), so this one leaves sorted indexes to scatter_add/runs. */
#include "sparse_rows.cuh"
#include "scatter_add.cuh"

#pragma hone implements scatter_add/atomic "a group of threads for each row, atomics; sums of reals vary"

// Elements of one access to x; it wants rows of a multiple of it.
#pragma hone param VEC in {1, 2, 4} default 1
// Threads of a row, accesses of a thread in it, rows of a thread.
#pragma hone param LANES in pow2 1..256 default 32
#pragma hone param LOADS in {1, 2, 4} default 1
#pragma hone param ROWS in {1, 2, 4, 8} default 4
#pragma hone param BLOCK in pow2 64..512 default 256
// 0: a block for each tile. Else so many blocks for each multiprocessor walk
// over the rows together.
#pragma hone param RESIDENT in {0, 4, 8} default 0
// x is not needed again, and y stays in the cache.
#pragma hone param STREAM: bool default true

#pragma hone require SORTED == 0 || T == i32 "a sum of reals over sorted indexes is the same in every run"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require W % VEC == 0 "a row is no multiple of the vector"
#pragma hone require LANES <= BLOCK "more threads of a row than of a block"
#pragma hone require LANES == 32 || LANES*VEC < 2*W "half of the threads of a row have nothing to do"
#pragma hone require LANES*VEC*sizeof(T) >= min(32, W*sizeof(T)) "the threads of a row take less than a sector"
#pragma hone require LOADS == 1 || LANES*VEC*(LOADS - 1) < W "a thread's last accesses are behind the row"
#pragma hone require ROWS*LOADS*VEC*sizeof(T) <= 128 "a thread holds at most 128 bytes"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require RESIDENT == 0 || BLOCK*RESIDENT <= device.threads_sm "the blocks do not fit a multiprocessor"

#pragma hone let ROWS_BLOCK = BLOCK/LANES*ROWS
#pragma hone let TILE = LANES*VEC*LOADS
#pragma hone let FULL = min(ceildiv(n, ROWS_BLOCK), 1G)
#pragma hone let GRID = max(1, RESIDENT ? min(FULL, device.sm_count*RESIDENT) : FULL)
#pragma hone launch scatter_add_atomic grid(GRID, min(ceildiv(W, TILE), 65535)) block(BLOCK) args(x, index, y, i64(n), i64(W))

extern "C" __global__ void __launch_bounds__(BLOCK)
scatter_add_atomic(const T *__restrict__ x, const I *__restrict__ index, T *y,
                   long long n, long long W)
{
    constexpr hone::access how_read =
        STREAM ? hone::access::stream : hone::access::normal;
    constexpr int groups = BLOCK / LANES;
    const int group = threadIdx.x / LANES;
    const long long column0 =
        blockIdx.y * (long long)TILE + threadIdx.x % LANES * VEC;

#pragma unroll 1
    for (long long first = blockIdx.x * (long long)ROWS_BLOCK + group;
         first < n; first += gridDim.x * (long long)ROWS_BLOCK) {
        long long to[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const long long row = first + r * groups;

            to[r] = row < n ? (long long)__ldcs(index + row) : 0;
        }
#pragma unroll 1
        for (long long column = column0; column < W;
             column += gridDim.y * (long long)TILE) {
            hone::row_part<T, VEC, LOADS> part[ROWS];

#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (first + r * groups < n)
                    hone::read_row<how_read, LANES>(
                        part[r], x + (first + r * groups) * W, column, W);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
#pragma unroll
                for (int i = 0; i < LOADS; i++) {
                    const long long c = column + i * (LANES * VEC);

#pragma unroll
                    for (int v = 0; v < VEC; v++)
                        if (first + r * groups < n && c < W)
                            atomicAdd(y + to[r] * W + c + v,
                                      part[r].at[i].at[v]);
                }
            }
        }
    }
}
