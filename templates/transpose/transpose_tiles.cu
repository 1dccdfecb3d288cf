/* SPDX-License-Identifier: Apache-2.0 */
/* transpose/tiles: a block for each tile, which goes through shared memory
 * (turned_rows.cuh). */
#include "turned_rows.cuh"
#include "transpose.cuh"

#pragma hone implements transpose/tiles "tiles in shared memory, wide accesses on both sides, any device"

// Bytes of the rows of a tile in x, and in y.
#pragma hone param ROW_BYTES in {128, 256, 512} default 256
#pragma hone param COLUMN_BYTES in {64, 128, 256} default 128
#pragma hone param BLOCK in pow2 64..512 default 128
// Where rows begin: `aligned`, at multiples of 16 bytes; `cut`, anywhere, and
// tiles are cut where memory has multiples of SECTOR bytes.
#pragma hone param ROWS in {cut, aligned} default cut
#pragma hone param SECTOR in {16, 32} default 32 when ROWS == cut
// The order of blocks: along the rows of x, along those of y, or square by
// square of so many tiles.
#pragma hone param ORDER in {along_x, along_y, squares} default along_x
#pragma hone param SQUARE in {1, 4, 8, 16} default 1
// What brings x into shared memory, and how x is read and y written
// (hone::access).
#pragma hone param LOAD in {registers} for device sm >= 80 in {async}
#pragma hone param READ in {normal, stream, constant} default normal when LOAD == registers
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let TILE_ROWS = COLUMN_BYTES/sizeof(T)
#pragma hone let TILE_COLUMNS = ROW_BYTES/sizeof(T)
#pragma hone let GROUP = 16/sizeof(T)
#pragma hone let ABOVE = ROWS == cut ? SECTOR/sizeof(T) : 0
#pragma hone let ACROSS = ceildiv(columns, TILE_COLUMNS)
#pragma hone let HIGH = ceildiv(rows + (ROWS == cut ? ABOVE - 1 : 0), TILE_ROWS)
#pragma hone let GRID_X = ORDER == along_y ? HIGH : ceildiv(ACROSS, SQUARE)*SQUARE*SQUARE
#pragma hone let GRID_Y = min(ORDER == along_y ? ACROSS : ceildiv(HIGH, SQUARE), 65535)
#pragma hone let TILE = TILE_ROWS*TILE_COLUMNS*sizeof(T)
#pragma hone let CHUNKS = ROW_BYTES/16 + (ROWS == cut ? 1 : 0)
#pragma hone let APART = COLUMN_BYTES < 128 ? 128/COLUMN_BYTES : 1
#pragma hone let SHARED = (TILE_ROWS + ABOVE)/GROUP*(GROUP*CHUNKS + (9*APART - GROUP*CHUNKS % 8) % (2*APART))*16

#pragma hone require ROWS == cut || (pitch_x % GROUP == 0 && pitch_y % GROUP == 0 && (batch == 1 || (stride_x % GROUP == 0 && stride_y % GROUP == 0))) "rows do not begin at multiples of 16 bytes"
#pragma hone require ROWS == aligned || pitch_x % GROUP != 0 || pitch_y % GROUP != 0 || (batch > 1 && (stride_x % GROUP != 0 || stride_y % GROUP != 0)) || (ROW_BYTES == 256 && COLUMN_BYTES == 128) "rows are aligned: words are turned in registers"
#pragma hone require (ORDER == squares) == (SQUARE > 1) "squares have more than one tile"
#pragma hone require ORDER != squares || (ACROSS >= SQUARE && HIGH >= SQUARE) "there are not so many tiles"
#pragma hone require TILE >= BLOCK*16*(ROWS == aligned ? max(1, 4/sizeof(T)) : 1) "threads would have nothing of a tile"
#pragma hone require TILE <= 256*BLOCK && (LOAD == async || TILE <= 128*BLOCK) "a thread has at most 256 bytes, 128 in registers"
#pragma hone prefer ROW_BYTES <= 256 || TILE_COLUMNS < 2*columns "tiles are wider than the matrix"
#pragma hone prefer COLUMN_BYTES <= 128 || TILE_ROWS < 2*rows "tiles are higher than the matrix"
#pragma hone require ORDER == along_x || (columns > TILE_COLUMNS && rows > TILE_ROWS) "one row of tiles has one order"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require SHARED <= device.smem_optin "the tile does not fit shared memory"

#pragma hone launch transpose grid(GRID_X, GRID_Y, min(batch, 65535)) block(BLOCK) shared(SHARED) \
    args(x, y, i64(rows), i64(columns), i64(batch), i64(pitch_x), i64(pitch_y), i64(stride_x), i64(stride_y))

using tile = hone::turned_rows<T, TILE_ROWS, TILE_COLUMNS, BLOCK, ABOVE,
                               ROWS == ROWS_values::cut>;
static_assert(tile::bytes == SHARED, "what is asked for at launch");

/* At most `most` of what is left. */
__device__ inline int at_most(long long left, int most)
{
    return left < most ? static_cast<int>(left) : most;
}

/* One tile of a matrix, its first row and column. What is written of it may
 * end where the tile below begins, ABOVE rows higher at most. */
__device__ inline void transpose_tile(const T *x, T *y, long long rows,
                                      long long columns, long long pitch_x,
                                      long long pitch_y, long long row,
                                      long long column, const T *end,
                                      unsigned char *shared)
{
    const int high = at_most(rows - row, TILE_ROWS);
    const int wide = at_most(columns - column, TILE_COLUMNS);
    const int lowest = row == 0 ? 0 : -TILE_ROWS;
    const hone::tile_source<T> from = {x + row * pitch_x + column, pitch_x,
                                       lowest, high, wide, end};

    tile::fetch<LOAD == LOAD_values::async, hone::access::@{READ}>(shared,
                                                                   from);
    tile::arrived<LOAD == LOAD_values::async>();
    __syncthreads();
    tile::write<hone::access::@{WRITE}, SECTOR, false>(
        {y + column * pitch_y + row, pitch_y, lowest, high, wide}, from,
        shared);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
transpose(const T *__restrict__ x, T *__restrict__ y, long long rows,
          long long columns, long long batch, long long pitch_x,
          long long pitch_y, long long stride_x, long long stride_y)
{
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr bool turned = ORDER == ORDER_values::along_y;
    constexpr int over = ABOVE > 0 ? ABOVE - 1 : 0;
    const T *end =
        x + (batch - 1) * stride_x + (rows - 1) * pitch_x + columns;
    const long long high = (rows + over + TILE_ROWS - 1) / TILE_ROWS;
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
            transpose_tile(x + z * stride_x, y + z * stride_y, rows, columns,
                           pitch_x, pitch_y, row, column, end, shared);
        }
}
