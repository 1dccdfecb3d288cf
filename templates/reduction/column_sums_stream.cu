/* SPDX-License-Identifier: Apache-2.0 */
/* column_sums/stream: a thread has VEC neighbouring columns, a block WIDTH such
 * packs side by side and DEPTH rows at once, and the rows are dealt to PARTS
 * blocks, as many as the device needs to be busy. The sums of the parts are
 * added up by the block of a tile of columns that is last, or by a second
 * launch. */
#include "column_sums.cuh"
#include "columns.cuh"
#include "hone_reduce.cuh"

#pragma hone implements column_sums/stream "packs of columns, rows dealt to blocks, any device"

// Columns of a thread, rows of a thread before the first is used.
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 4
#pragma hone param BLOCK in pow2 64..1024 default 256
// Packs that a block has side by side.
#pragma hone param WIDTH in pow2 16..256 default 32
// Blocks for each multiprocessor, which says how many parts the rows have.
#pragma hone param BLOCKS_PER_SM in {1, 2, 4, 8, 16} default 4
// How the sums of parts become one.
#pragma hone param FINISH in {ticket, two_launch}
// How x is read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}
// Blocks the compiler must leave registers for. Without a number it makes room
// for more of them than what is in flight leaves.
#pragma hone param MIN_BLOCKS in {1, 2} when VEC*sizeof(T)*UNROLL >= 64

#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require VEC == 1 || PITCH % VEC == 0 "rows do not begin at multiples of an access"
#pragma hone require WIDTH <= BLOCK "a block is as wide as its threads at most"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid does not fit the device at once"
#pragma hone require BLOCK*MIN_BLOCKS*VEC*sizeof(T)*UNROLL <= 128K "what is in flight takes more than half of the registers"
#pragma hone prefer WIDTH*VEC <= 32 || WIDTH*VEC < 2*columns "a block is wider than the matrix"
#pragma hone prefer columns < 32 || WIDTH*VEC*sizeof(T) >= 32 "a row of a block is less than a sector"

#pragma hone let DEPTH = BLOCK/WIDTH
#pragma hone let TILES = max(1, ceildiv(columns, WIDTH*VEC))
#pragma hone let WANTED = ceildiv(device.sm_count*BLOCKS_PER_SM, TILES)
#pragma hone let PARTS = max(1, min(WANTED, ceildiv(rows, DEPTH*UNROLL), 65535))
#pragma hone workspace parts: u32[PARTS == 1 ? 0 : PARTS*columns*(max(sizeof(T), 4)/4)]
#pragma hone workspace tickets: u32[FINISH == ticket && PARTS > 1 ? TILES : 0] zero
#pragma hone launch column_sums grid(min(TILES, 1G), PARTS) block(BLOCK) args(x, out, parts, tickets, i64(rows), i64(columns), i64(PITCH))
#pragma hone launch column_sums_join if(FINISH == two_launch && PARTS > 1) grid(min(TILES, 1G)) block(BLOCK) args(parts, out, i64(PARTS), i64(columns))

using sum_type = hone::wide<T>::type;
using of_columns = hone::column_sums_of<sum_type, VEC, UNROLL, BLOCK, WIDTH>;

/* The sums of the parts of one tile's columns, to out. */
__device__ inline void add_parts(const void *parts, T *out, int n_parts, long long column, long long columns)
{
    sum_type sum[VEC] = {};

    of_columns::add_parts(sum, static_cast<const sum_type *>(parts), columns, n_parts, column, columns);
#pragma unroll
    for (int e = 0; e < VEC; e++)
        if (threadIdx.x < WIDTH && column + e < columns)
            out[column + e] = hone::narrow<T>(sum[e]);
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
column_sums(const T *x, T *out, void *parts, unsigned *tickets, long long rows, long long columns, long long pitch)
{
    const long long step = (long long)DEPTH * gridDim.y;

    for (long long tile = blockIdx.x; tile * (WIDTH * VEC) < columns; tile += gridDim.x) {
        const long long column = (tile * WIDTH + threadIdx.x % WIDTH) * VEC;
        sum_type sum[VEC] = {};

        of_columns::add_rows<VEC, static_cast<hone::access>(READ)>(sum, x + column, pitch, columns - column, blockIdx.y * DEPTH + threadIdx.x / WIDTH, step, rows, hone::count_once<sum_type>());
        of_columns::join_rows(sum);
#pragma unroll
        for (int e = 0; e < VEC; e++) {
            if (threadIdx.x < WIDTH && column + e < columns) {
                if (gridDim.y == 1)
                    out[column + e] = hone::narrow<T>(sum[e]);
                else
                    static_cast<sum_type *>(parts)[blockIdx.y * columns + column + e] = sum[e];
            }
        }
        if constexpr (FINISH == FINISH_values::ticket) {
            if (gridDim.y > 1 && hone::is_last_block(tickets + tile, gridDim.y))
                add_parts(parts, out, (int)gridDim.y, column, columns);
        }
    }
}

/* There with a ticket, too: whether it is launched depends on the size. */
extern "C" __global__ void __launch_bounds__(BLOCK)
column_sums_join(const void *parts, T *out, long long n_parts, long long columns)
{
    for (long long tile = blockIdx.x; tile * (WIDTH * VEC) < columns; tile += gridDim.x)
        add_parts(parts, out, (int)n_parts, (tile * WIDTH + threadIdx.x % WIDTH) * VEC, columns);
}
