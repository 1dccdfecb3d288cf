/* SPDX-License-Identifier: Apache-2.0 */
/* What matrices with a bias for each column are tuned by: tiles of packs, and
 * how many of them a thread has under way. It reads rows, columns, pitch_x,
 * pitch_y and T. */
#pragma once

// Bytes of an access; packs that a thread has under way along a row, rows.
#pragma hone param BYTES in {1, 2, 4, 8, 16} default 16
#pragma hone param ACROSS in {1, 2, 4, 8} default 1
#pragma hone param DOWN in {1, 2, 4, 8} default 2
// Threads of a block, and of them along a row.
#pragma hone param BLOCK in pow2 64..1024 default 256
#pragma hone param LANES in pow2 4..1024 default 32
// Where packs begin: `cut`, in each row where memory has their multiples;
// `aligned`, at the first column.
#pragma hone param ROWS in {cut, aligned} default cut
// 0: a block for each tile. Else so many blocks for each multiprocessor,
// which walk over the tiles together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// How inputs are read and the output written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let TILES_X = ceildiv(columns, LANES*ACROSS*max(VEC, 1))
#pragma hone let TILES_Y = ceildiv(rows, BLOCK/LANES*DOWN)
#pragma hone let MOST = BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : 2G - 1
#pragma hone let GRID_X = min(TILES_X, MOST)
#pragma hone let GRID_Y = min(TILES_Y, BLOCKS_PER_SM > 0 ? max(1, MOST/max(1, GRID_X)) : 65535)

#pragma hone require BYTES >= sizeof(T) "an access has at least one element"
#pragma hone require ROWS != aligned || (pitch_x % VEC == 0 && pitch_y % VEC == 0) "rows do not begin at multiples of a pack"
#pragma hone require ROWS != cut || VEC > 1 || BYTES == 16 "single elements are always aligned"
#pragma hone require LANES <= BLOCK "a row is dealt to the threads of a block"
#pragma hone prefer LANES <= 32 || LANES*VEC < 2*columns "most threads would have nothing of a row"
#pragma hone prefer LANES >= 32 || columns <= 512 "so few threads are for short rows"
#pragma hone prefer ACROSS == 1 || LANES*ACROSS*VEC < 2*columns "a thread would have fewer packs of a row"
#pragma hone prefer DOWN <= 2 || BLOCK/LANES*DOWN < 2*rows "a thread would have fewer rows"
#pragma hone require ACROSS*DOWN <= 8 && BYTES*ACROSS*DOWN <= 64 "a thread holds at most 8 packs and 64 bytes of an input"
#pragma hone require BYTES >= 4 || VEC == 1 "accesses are too narrow"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
