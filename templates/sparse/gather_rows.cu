/* SPDX-License-Identifier: Apache-2.0 */
/* gather/rows: LANES threads copy a row, ROWS rows at a time.
 *
 * What is tuned is how the bytes in flight are made up: of wide accesses
 * (VEC), of several in a row (LOADS) or of several rows (ROWS), whose indexes
 * are read first. A row that is longer than a tile of LANES*VEC*LOADS elements
 * is shared by several blocks, the y of the grid. */
#include "sparse_rows.cuh"
#include "gather.cuh"

#pragma hone implements gather/rows "a group of threads for each row, several rows in flight"

// Elements of one access; it wants rows of a multiple of it.
#pragma hone param VEC in {1, 2, 4, 8, 16} default 1
// Threads of a row, accesses of a thread in it, rows of a thread.
#pragma hone param LANES in pow2 1..256 default 32
#pragma hone param LOADS in {1, 2, 4} default 1
#pragma hone param ROWS in {1, 2, 4, 8} default 4
#pragma hone param BLOCK in pow2 64..512 default 256
// 0: a block for each tile. Else so many blocks for each multiprocessor walk
// over the rows together.
#pragma hone param RESIDENT in {0, 4, 8} default 0
// How rows are read: through all caches, past level 1, or as what is not needed
// again; whether out is written as such.
#pragma hone param READ in {normal, l2, stream} default normal
#pragma hone param STREAM_OUT: bool default true

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC*sizeof(T) >= 4 || VEC == 1 "a wider access costs no more"
#pragma hone require W % VEC == 0 "a row is no multiple of the vector"
#pragma hone require LANES <= BLOCK "more threads of a row than of a block"
#pragma hone require LANES == 32 || LANES*VEC < 2*W "half of the threads of a row have nothing to do"
#pragma hone require LANES*VEC*sizeof(T) >= min(32, W*sizeof(T)) "the threads of a row take less than a sector"
#pragma hone require LOADS == 1 || LANES*VEC*(LOADS - 1) < W "a thread's last accesses are behind the row"
#pragma hone require ROWS*LOADS*max(VEC*sizeof(T), 4) <= 128 "a thread holds at most 128 bytes"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require RESIDENT == 0 || BLOCK*RESIDENT <= device.threads_sm "the blocks do not fit a multiprocessor"

#pragma hone let ROWS_BLOCK = BLOCK/LANES*ROWS
#pragma hone let TILE = LANES*VEC*LOADS
#pragma hone let FULL = min(ceildiv(n, ROWS_BLOCK), 1G)
#pragma hone let GRID = RESIDENT ? min(FULL, device.sm_count*RESIDENT) : FULL
#pragma hone launch gather_rows grid(GRID, min(ceildiv(W, TILE), 65535)) block(BLOCK) args(x, index, out, i64(n), i64(W))

extern "C" __global__ void __launch_bounds__(BLOCK)
gather_rows(const T *__restrict__ x, const I *__restrict__ index,
            T *__restrict__ out, long long n, long long W)
{
    constexpr hone::access how_read =
        READ == READ_values::l2       ? hone::access::l2
        : READ == READ_values::stream ? hone::access::stream
                                      : hone::access::normal;
    constexpr hone::access how_write =
        STREAM_OUT ? hone::access::stream : hone::access::normal;
    constexpr int groups = BLOCK / LANES;
    const int group = threadIdx.x / LANES;
    const long long column0 =
        blockIdx.y * (long long)TILE + threadIdx.x % LANES * VEC;

#pragma unroll 1
    for (long long first = blockIdx.x * (long long)ROWS_BLOCK + group;
         first < n; first += gridDim.x * (long long)ROWS_BLOCK) {
        long long from[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const long long row = first + r * groups;

            from[r] = row < n ? (long long)__ldcs(index + row) : 0;
        }
#pragma unroll 1
        for (long long column = column0; column < W;
             column += gridDim.y * (long long)TILE) {
            hone::row_part<T, VEC, LOADS> part[ROWS];

#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (first + r * groups < n)
                    hone::read_row<how_read, LANES>(part[r], x + from[r] * W,
                                                    column, W);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (first + r * groups < n)
                    hone::write_row<how_write, LANES>(
                        out + (first + r * groups) * W, part[r], column, W);
            }
        }
    }
}
