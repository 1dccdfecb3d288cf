/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_csr/blocks: a block takes ROWS rows that follow each other, whose
 * elements do, too. All its threads read these in wide accesses, whatever the
 * rows are, and leave the products in shared memory, a tile at a time; then
 * LANES threads add up those of each row.
 *
 * For rows that are short and of about one length. A long row is added up by
 * its LANES threads alone while the rest of the block waits. */
#include "hone_reduce.cuh"
#include "sparse_entries.cuh"
#include "spmv_csr.cuh"

#pragma hone implements spmv_csr/blocks "rows of a block through shared memory, wide accesses"

#pragma hone param BLOCK in {64, 128, 256, 512} default 128
// Elements of an access, accesses of a thread for each tile.
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone param ITEMS in {1, 2, 4, 8} default 1
// Threads that add up a row, rows of such a group.
#pragma hone param LANES in pow2 1..32 default 1
#pragma hone param EACH in {1, 2, 4} default 1
// Leave out words of shared memory, against rows that begin in one bank.
#pragma hone param PADDED: bool default false
#pragma hone param STREAM: bool default true
#pragma hone param NEAR_X: bool default true

#pragma hone let TILE = BLOCK*VEC*ITEMS
#pragma hone let ROWS = BLOCK/LANES*EACH
#pragma hone let PAD = PADDED ? VEC : 0
#pragma hone let SLOTS = TILE + TILE/32*PAD

#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC*ITEMS*(sizeof(T) + 4) <= 128 "a thread holds at most 128 bytes"
#pragma hone require SLOTS*sizeof(T) <= 48K "a tile does not fit the shared memory"
#pragma hone require LANES == 1 || LANES <= 2*AVERAGE "more threads add up a row than it has elements"
#pragma hone require ROWS*AVERAGE*8 >= TILE "most of a tile is empty"
#pragma hone require ROWS <= 128 || ROWS*AVERAGE <= 16*TILE "too many rows for a block"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"

#pragma hone launch spmv_csr_blocks grid(min(ceildiv(rows, ROWS), 1G)) block(BLOCK) \
    args(start, column, value, x, y, i64(rows), i64(nnz))

extern "C" __global__ void __launch_bounds__(BLOCK)
spmv_csr_blocks(const I *__restrict__ start, const int *__restrict__ column,
                const T *__restrict__ value, const T *__restrict__ x,
                T *__restrict__ y, long long rows, long long nnz)
{
    constexpr hone::access matrix =
        STREAM ? hone::access::stream : hone::access::normal;
    constexpr hone::access vector =
        NEAR_X ? hone::access::normal : hone::access::l2;
    __shared__ alignas(16) T product[SLOTS];
    const int lane = threadIdx.x % LANES;

#pragma unroll 1
    for (long long row0 = blockIdx.x * (long long)ROWS; row0 < rows;
         row0 += gridDim.x * (long long)ROWS) {
        const long long behind = row0 + ROWS < rows ? row0 + ROWS : rows;
        const long long first = start[row0], last = start[behind];
        long long begin[EACH], end[EACH];
        T sum[EACH];

        /* Row after row to neighbouring groups: they read start together. */
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            const long long row =
                row0 + r * (BLOCK / LANES) + threadIdx.x / LANES;

            begin[r] = row < rows ? (long long)start[row] : 0;
            end[r] = row < rows ? (long long)start[row + 1] : 0;
            sum[r] = 0;
        }
#pragma unroll 1
        for (long long tile = first / VEC * VEC; tile < last; tile += TILE) {
            __syncthreads();
            hone::products_of_tile<matrix, vector, BLOCK, ITEMS, VEC, PAD>(
                product, value, column, x, tile, first, last, nnz);
            __syncthreads();
#pragma unroll
            for (int r = 0; r < EACH; r++) {
                const int from =
                    begin[r] > tile
                        ? (int)(begin[r] - tile < TILE ? begin[r] - tile : TILE)
                        : 0;
                const int to =
                    end[r] > tile
                        ? (int)(end[r] - tile < TILE ? end[r] - tile : TILE)
                        : 0;

                for (int k = from + lane; k < to; k += LANES)
                    sum[r] += product[hone::slot_of<PAD>(k)];
            }
        }
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            const long long row =
                row0 + r * (BLOCK / LANES) + threadIdx.x / LANES;
            const T all = hone::lanes_reduce<LANES>(sum[r], hone::op_sum());

            if (lane == 0 && row < rows)
                y[row] = all;
        }
    }
}
