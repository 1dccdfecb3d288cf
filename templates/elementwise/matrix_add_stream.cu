/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_add/stream: tiles of packs, several packs of a thread under way; rows
 * that follow each other without gaps may be taken as one. */
#include "elementwise.cuh"
#include "matrix_add.cuh"

#pragma hone implements matrix_add/stream "wide accesses, several in flight, any device"

// Bytes of an access; packs that a thread has under way along a row, rows.
#pragma hone param BYTES in {1, 2, 4, 8, 16} default 16
#pragma hone param ACROSS in {1, 2, 4, 8} default 1
#pragma hone param DOWN in {1, 2, 4, 8} default 2
// Threads of a block, and of them along a row.
#pragma hone param BLOCK in pow2 64..1024 default 256
#pragma hone param LANES in pow2 4..1024 default 32
// Where packs begin: `cut`, in each row where memory has their multiples;
// `aligned`, at the first column; `whole`, all is one row.
#pragma hone param ROWS in {cut, aligned, whole} default cut
// 0: a block for each tile. Else so many blocks for each multiprocessor,
// which walk over the tiles together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// Two numbers of 16 bits at once, or one by one in f32.
#pragma hone param PAIRS: bool default true when sizeof(T) == 2
// How inputs are read and the output written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let WIDE = ROWS == whole ? batch*rows*columns : columns
#pragma hone let HIGH = ROWS == whole ? 1 : rows
#pragma hone let DEEP = ROWS == whole ? 1 : batch
#pragma hone let TILES_X = ceildiv(WIDE, LANES*ACROSS*max(VEC, 1))
#pragma hone let TILES_Y = ceildiv(HIGH, BLOCK/LANES*DOWN)
#pragma hone let MOST = BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : 2G - 1
#pragma hone let GRID_X = min(TILES_X, MOST)
#pragma hone let GRID_Y = min(TILES_Y, BLOCKS_PER_SM > 0 ? max(1, MOST/max(1, GRID_X)) : 65535)
#pragma hone let GRID_Z = min(DEEP, BLOCKS_PER_SM > 0 ? max(1, MOST/max(1, GRID_X*GRID_Y)) : 65535)

#pragma hone require BYTES >= sizeof(T) "an access has at least one element"
#pragma hone require ROWS != whole || ((rows == 1 || (pitch_a == columns && pitch_b == columns && pitch_c == columns)) && (batch == 1 || (stride_a == rows*columns && stride_b == rows*columns && stride_c == rows*columns))) "the rows do not follow each other"
#pragma hone require ROWS != whole || (LANES == BLOCK && DOWN == 1) "there is one row alone"
#pragma hone require ROWS != aligned || (pitch_a % VEC == 0 && pitch_b % VEC == 0 && pitch_c % VEC == 0 && (batch == 1 || (stride_a % VEC == 0 && stride_b % VEC == 0 && stride_c % VEC == 0))) "rows do not begin at multiples of a pack"
#pragma hone require ROWS != cut || VEC > 1 || BYTES == 16 "single elements are always aligned"
#pragma hone require LANES <= BLOCK "a row is dealt to the threads of a block"
#pragma hone require LANES <= 32 || LANES*VEC < 2*WIDE "most threads would have nothing of a row"
#pragma hone require LANES >= 32 || columns <= 512 "so few threads are for short rows"
#pragma hone require ACROSS == 1 || LANES*ACROSS*VEC < 2*WIDE "a thread would have fewer packs of a row"
#pragma hone require DOWN <= 2 || BLOCK/LANES*DOWN < 2*HIGH "a thread would have fewer rows"
#pragma hone require ACROSS*DOWN <= 8 && BYTES*ACROSS*DOWN <= 64 "a thread holds at most 8 packs and 64 bytes of an input"
#pragma hone require BYTES >= 4 || VEC == 1 "accesses are too narrow"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
#pragma hone launch matrix_add grid(GRID_X, GRID_Y, GRID_Z) block(BLOCK) \
    args(A, B, C, i64(WIDE), i64(HIGH), i64(DEEP), i64(pitch_a), i64(pitch_b), i64(pitch_c), i64(stride_a), i64(stride_b), i64(stride_c))

extern "C" __global__ void __launch_bounds__(BLOCK)
matrix_add(const T *__restrict__ A, const T *__restrict__ B, T *__restrict__ C,
           long long columns, long long rows, long long batch,
           long long pitch_a, long long pitch_b, long long pitch_c,
           long long stride_a, long long stride_b, long long stride_c)
{
    using F = hone::added<sizeof(T) == 2 && PAIRS>;
    const hone::mapped<T, 2, hone::access::@{READ}, hone::access::@{WRITE}, F>
        arrays = {{A, B},
                  {{pitch_a, stride_a}, {pitch_b, stride_b}},
                  C,
                  {pitch_c, stride_c},
                  {}};

    hone::stream<VEC, ACROSS, DOWN, LANES, BLOCK, ROWS == ROWS_values::cut>(
        arrays, columns, rows, batch);
}
