/* SPDX-License-Identifier: Apache-2.0 */
/* transpose/tiles: a block for each tile, which goes through shared memory
 * (turned_tile.cuh, turned_words.cuh). */
#include "turned_tile.cuh"
#include "turned_words.cuh"
#include "transpose.cuh"

#pragma hone implements transpose/tiles "tiles in shared memory, wide accesses on both sides, any device"

// Bytes of the rows of a tile in x, and in y.
#pragma hone param ROW_BYTES in {64, 128, 256, 512} default 128
#pragma hone param COLUMN_BYTES in {64, 128, 256, 512} default 128
#pragma hone param BLOCK in pow2 64..1024 default 128
// What moves: `packs` of BYTES_IN and BYTES_OUT, element by element where rows
// are not aligned to them; `words`, tiles being cut where memory has its sectors.
#pragma hone param FORM in {packs, words} default packs
#pragma hone param BYTES_IN in {4, 8, 16} default 16
#pragma hone param BYTES_OUT in {4, 8, 16} default 16
#pragma hone param SWIZZLED: bool default true
// The order of blocks: along the rows of x, along those of y, or square by
// square of so many tiles.
#pragma hone param ORDER in {along_x, along_y, squares} default along_x
#pragma hone param SQUARE in {1, 4, 8, 16} default 1
// How x is read and y written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let TILE_ROWS = COLUMN_BYTES/sizeof(T)
#pragma hone let TILE_COLUMNS = ROW_BYTES/sizeof(T)
#pragma hone let WORD = max(4, sizeof(T))
#pragma hone let SECTORS = FORM == words
#pragma hone let ACROSS = ceildiv(columns, TILE_COLUMNS)
#pragma hone let HIGH = ceildiv(rows + (SECTORS ? 32/sizeof(T) - 1 : 0), TILE_ROWS)
#pragma hone let GRID_X = ORDER == along_y ? HIGH : ceildiv(ACROSS, SQUARE)*SQUARE*SQUARE
#pragma hone let GRID_Y = min(ORDER == along_y ? ACROSS : ceildiv(HIGH, SQUARE), 65535)
#pragma hone let WIDTH_IN = FORM == words ? WORD : BYTES_IN
#pragma hone let WORDS_BLOCK = FORM == words ? BLOCK : 1K
#pragma hone let TILE = TILE_ROWS*TILE_COLUMNS*sizeof(T)
#pragma hone let WORDS = ((TILE_ROWS + 32/sizeof(T))*sizeof(T)/WORD + 1) | 1
#pragma hone let SHARED = SECTORS ? WORDS*TILE_COLUMNS*WORD : TILE + (SWIZZLED ? 0 : TILE_COLUMNS*WORD)

#pragma hone require (ORDER == squares) == (SQUARE > 1) "squares have more than one tile"
#pragma hone require FORM == packs || (BYTES_IN == 16 && BYTES_OUT == 16 && SWIZZLED) "words are not packed"
#pragma hone require FORM == packs || pitch_x*sizeof(T) % 16 != 0 || pitch_y*sizeof(T) % 16 != 0 "rows are aligned: packs move more at once"
#pragma hone require FORM == packs || (BLOCK*WORD >= ROW_BYTES && BLOCK*WORD >= COLUMN_BYTES) "threads share the columns of a tile"
#pragma hone require FORM == words || (pitch_x*sizeof(T) % BYTES_IN == 0 && pitch_y*sizeof(T) % BYTES_OUT == 0) || BYTES_IN == WORD || (ROW_BYTES == 128 && COLUMN_BYTES == 128) "rows that are not aligned move element by element"
#pragma hone require ORDER != squares || (ACROSS >= SQUARE && HIGH >= SQUARE) "there are not so many tiles"
#pragma hone require BYTES_IN >= WORD && BYTES_OUT >= WORD "an access has at least a word"
#pragma hone require TILE >= BLOCK*BYTES_OUT && TILE >= BLOCK*WIDTH_IN*(WORD/sizeof(T)) "threads would have nothing of a tile"
#pragma hone require TILE <= 128*BLOCK "a thread holds at most 128 bytes"
#pragma hone require SWIZZLED || BYTES_IN == WORD || BYTES_OUT == WORD "lanes would meet in the same banks"
#pragma hone require BYTES_IN == 16 || BYTES_OUT == 16 || BYTES_IN == BYTES_OUT "accesses are wide on one side at least, or narrow on both"
#pragma hone require ROW_BYTES + COLUMN_BYTES > 128 "tiles are too small"
#pragma hone require ROW_BYTES <= 128 || TILE_COLUMNS < 2*columns "tiles are wider than the matrix"
#pragma hone require COLUMN_BYTES <= 128 || TILE_ROWS < 2*rows "tiles are higher than the matrix"
#pragma hone require ORDER == along_x || (columns > TILE_COLUMNS && rows > TILE_ROWS) "one row of tiles has one order"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require SHARED <= device.smem_optin "the tile does not fit shared memory"

#pragma hone launch transpose grid(GRID_X, GRID_Y, min(batch, 65535)) block(BLOCK) shared(SHARED) \
    args(x, y, i64(rows), i64(columns), i64(batch), i64(pitch_x), i64(pitch_y), i64(stride_x), i64(stride_y))

using tile = hone::turned_tile<T, TILE_ROWS, TILE_COLUMNS, BLOCK, WIDTH_IN,
                               BYTES_OUT, SWIZZLED>;
using words =
    hone::turned_words<T, TILE_ROWS, TILE_COLUMNS, WORDS_BLOCK, true>;

/* At most `most` of what is left. */
__device__ inline int at_most(long long left, int most)
{
    return left < most ? static_cast<int>(left) : most;
}

/* One tile in words, its first row and column. What is written of it ends
 * where the tile below begins, at most a sector above. */
__device__ inline void transpose_words(const T *x, T *y, long long rows,
                                       long long columns, long long pitch_x,
                                       long long pitch_y, long long row,
                                       long long column,
                                       tile::word_type *shared)
{
    const int wide = at_most(columns - column, 2 * TILE_COLUMNS);
    const int high = at_most(rows - row, TILE_ROWS);
    const int lowest = row == 0 ? 0 : -TILE_ROWS;
    const hone::place_of<const T> from = {x + row * pitch_x + column, pitch_x,
                                          high, wide, false};

    words::fetch<hone::access::@{READ}>(shared, from, lowest);
    __syncthreads();
    words::write<hone::access::@{WRITE}>(
        {y + column * pitch_y + row, pitch_y, wide, high, false}, lowest,
        shared);
}

/* One tile in packs. */
__device__ inline void transpose_tile(const T *x, T *y, long long rows,
                                      long long columns, long long pitch_x,
                                      long long pitch_y, long long row,
                                      long long column, bool aligned_x,
                                      bool aligned_y, tile::word_type *shared)
{
    const int high = at_most(rows - row, TILE_ROWS);
    const int wide = at_most(columns - column, TILE_COLUMNS);
    const hone::place_of<const T> from = {x + row * pitch_x + column, pitch_x,
                                          high, wide, aligned_x};
    const hone::place_of<T> to = {y + column * pitch_y + row, pitch_y, wide,
                                  high, aligned_y};

    if (tile::whole(from, TILE_ROWS, TILE_COLUMNS)) {
        tile::held held;

        tile::read<hone::access::@{READ}>(held, from);
        tile::put(shared, held);
    } else {
        tile::bring<hone::access::@{READ}>(shared, from);
    }
    __syncthreads();
    tile::write<hone::access::@{WRITE}>(to, shared);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
transpose(const T *__restrict__ x, T *__restrict__ y, long long rows,
          long long columns, long long batch, long long pitch_x,
          long long pitch_y, long long stride_x, long long stride_y)
{
    extern __shared__ __align__(16) unsigned char tiles[];
    tile::word_type *shared = reinterpret_cast<tile::word_type *>(tiles);
    constexpr bool turned = ORDER == ORDER_values::along_y;
    const bool aligned_x =
        pitch_x % tile::in == 0 && (batch == 1 || stride_x % tile::in == 0);
    const bool aligned_y =
        pitch_y % tile::out == 0 && (batch == 1 || stride_y % tile::out == 0);
    const long long high =
        (rows + (FORM == FORM_values::words ? words::above - 1 : 0) +
         TILE_ROWS - 1) / TILE_ROWS;
    const long long tiles_y =
        turned ? (columns + TILE_COLUMNS - 1) / TILE_COLUMNS
               : (high + SQUARE - 1) / SQUARE;

    for (long long z = blockIdx.z; z < batch; z += gridDim.z)
        for (long long at = blockIdx.y; at < tiles_y; at += gridDim.y) {
            const int in_square = blockIdx.x % (SQUARE * SQUARE);
            const long long across =
                (long long)(blockIdx.x / (SQUARE * SQUARE)) * SQUARE +
                in_square % SQUARE;
            const long long down = at * SQUARE + in_square / SQUARE;
            const long long row = (turned ? across : down) * TILE_ROWS;
            const long long column = (turned ? down : across) * TILE_COLUMNS;

            if (row >= high * TILE_ROWS || column >= columns)
                continue; /* a square at the end is not whole */
            if (z != blockIdx.z || at != blockIdx.y)
                __syncthreads(); /* the last tile has left shared memory */
            if constexpr (FORM == FORM_values::words)
                transpose_words(x + z * stride_x, y + z * stride_y, rows,
                                columns, pitch_x, pitch_y, row, column, shared);
            else
                transpose_tile(x + z * stride_x, y + z * stride_y, rows,
                               columns, pitch_x, pitch_y, row, column,
                               aligned_x, aligned_y, shared);
        }
}
