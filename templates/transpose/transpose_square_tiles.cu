/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_square/tiles: a block for each pair of tiles that change places:
 * both are in shared memory before one of them is written (turned_rows.cuh).
 *
 * Squares of tiles above the diagonal and on it are dealt to a grid that is half
 * as high: the rows of squares from the last one up are what is left of the
 * first ones. In a square on the diagonal the blocks below it have nothing. */
#include "turned_rows.cuh"
#include "transpose_square.cuh"

#pragma hone implements transpose_square/tiles "pairs of tiles in shared memory, wide accesses on both sides, any device"

// Bytes of the rows of a tile, which is a square.
#pragma hone param ROW_BYTES in {64, 128, 256} default 128
#pragma hone param BLOCK in pow2 64..512 default 128
// Where rows begin: `aligned`, at multiples of 16 bytes; `cut`, anywhere.
#pragma hone param ROWS in {cut, aligned} default cut
// Blocks take pairs square by square, of so many tiles a side.
#pragma hone param SQUARE in {1, 4, 8, 16} default 1
// What brings x into shared memory, and how x is read and written
// (hone::access).
#pragma hone param LOAD in {registers} for device sm >= 80 in {async}
#pragma hone param READ in {normal, stream, l2} default normal when LOAD == registers
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let SIDE = ROW_BYTES/sizeof(T)
#pragma hone let GROUP = 16/sizeof(T)
#pragma hone let TILES = ceildiv(n, SIDE)
#pragma hone let SQUARES = ceildiv(TILES, SQUARE)
#pragma hone let TILE = SIDE*SIDE*sizeof(T)
#pragma hone let CHUNKS = ROW_BYTES/16 + (ROWS == cut ? 1 : 0)
#pragma hone let APART = ROW_BYTES < 128 ? 128/ROW_BYTES : 1
#pragma hone let SHARED = SIDE/GROUP*(GROUP*CHUNKS + (9*APART - GROUP*CHUNKS % 8) % (2*APART))*16

#pragma hone require ROWS == cut || (pitch % GROUP == 0 && (batch == 1 || stride % GROUP == 0)) "rows do not begin at multiples of 16 bytes"
#pragma hone require ROWS == aligned || pitch % GROUP != 0 || (batch > 1 && stride % GROUP != 0) || ROW_BYTES == 128 "rows are aligned: words are turned in registers"
#pragma hone require TILE >= BLOCK*16*(ROWS == aligned ? max(1, 4/sizeof(T)) : 1) "threads would have nothing of a tile"
#pragma hone require TILE <= 256*BLOCK && (LOAD == async || TILE <= 128*BLOCK) "a thread has at most 256 bytes, 128 in registers"
#pragma hone require SQUARE == 1 || TILES >= 2*SQUARE "there are not so many tiles"
#pragma hone prefer ROW_BYTES <= 128 || SIDE < 2*n "tiles are larger than the matrix"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require 2*SHARED <= device.smem_optin "the tiles do not fit shared memory"

#pragma hone launch transpose_square grid((SQUARES + 1 - SQUARES % 2)*SQUARE*SQUARE, min(ceildiv(SQUARES + 1, 2), 65535), min(batch, 65535)) block(BLOCK) shared(2*SHARED) \
    args(x, i64(n), i64(batch), i64(pitch), i64(stride))

using tile = hone::turned_rows<T, SIDE, SIDE, BLOCK, 0,
                               ROWS == ROWS_values::cut>;
static_assert(tile::bytes == SHARED, "what is asked for at launch");

/* At most a tile of what is left. */
__device__ inline int at_most(long long left)
{
    return left < SIDE ? static_cast<int>(left) : SIDE;
}

/* Two tiles of a matrix change places, one that is on the diagonal with
 * itself: the tile in this row and column of tiles and its mirror image. */
__device__ inline void exchange(T *x, long long n, long long pitch,
                                long long row, long long column, const T *end,
                                unsigned char *shared)
{
    constexpr bool async = LOAD == LOAD_values::async;
    const int high = at_most(n - row * SIDE);
    const int wide = at_most(n - column * SIDE);
    T *above = x + row * SIDE * pitch + column * SIDE;
    T *below = x + column * SIDE * pitch + row * SIDE;
    const hone::tile_source<T> upper = {above, pitch, 0, high, wide, end};
    const hone::tile_source<T> lower = {below, pitch, 0, wide, high, end};

    tile::fetch<async, hone::access::@{READ}>(shared, upper);
    if (row != column)
        tile::fetch<async, hone::access::@{READ}>(shared + tile::bytes, lower);
    tile::arrived<async>();
    __syncthreads();
    tile::write<hone::access::@{WRITE}, 16, true>({below, pitch, 0, high, wide},
                                                  upper, shared);
    if (row != column)
        tile::write<hone::access::@{WRITE}, 16, true>(
            {above, pitch, 0, wide, high}, lower, shared + tile::bytes);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
transpose_square(T *x, long long n, long long batch, long long pitch,
                 long long stride)
{
    extern __shared__ __align__(16) unsigned char shared[];
    const T *end = x + (batch - 1) * stride + (n - 1) * pitch + n;
    const long long count = (n + SIDE - 1) / SIDE;
    const long long squares = (count + SQUARE - 1) / SQUARE;
    const long long even = squares % 2 == 0;
    const long long across = blockIdx.x / (SQUARE * SQUARE);
    const int in_square = blockIdx.x % (SQUARE * SQUARE);

    for (long long z = blockIdx.z; z < batch; z += gridDim.z)
        for (long long y = blockIdx.y; y < (squares + 1) / 2; y += gridDim.y) {
            const bool first = across >= y + even;
            const long long row =
                (first ? y : squares - even - y) * SQUARE + in_square / SQUARE;
            const long long column =
                (first ? across - even : squares - 1 - across) * SQUARE +
                in_square % SQUARE;

            if (SQUARE > 1 && (row > column || column >= count))
                continue;
            if (z != blockIdx.z || y != blockIdx.y)
                __syncthreads(); /* the last tiles have left shared memory */
            exchange(x + z * stride, n, pitch, row, column, end, shared);
        }
}
