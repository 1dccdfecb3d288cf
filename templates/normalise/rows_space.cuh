/* SPDX-License-Identifier: Apache-2.0 */
/* What templates of rows are tuned by: how many threads take a row, what they
 * hold of it between two passes, and how it comes. What has to hold of these is
 * in rows_limits.cuh, below what a template adds. They read rows, columns,
 * pitch, pitch_out and T. */
#pragma once

// Elements of one access; packs of a thread that are asked for at once, and
// all that it has where registers keep the row.
#pragma hone param VEC in {1, 2, 4, 8} default 4
#pragma hone param ITEMS in {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16} default 4
// Threads of a row and of a block.
#pragma hone param THREADS in pow2 4..1024 default 256
#pragma hone param BLOCK in pow2 64..1024 default 256
// Blocks that share a row: each keeps its part, what they make of it goes
// through distributed shared memory.
#pragma hone param CLUSTER in {1} for device sm >= 90 in {2, 4, 8}
// Where a row is between two passes (`bulk`: in shared memory, by bulk copies;
// `ahead`: in registers, taken from bulk copies), and whether registers have it
// as f32.
#pragma hone param KEEP in {registers, shared, reread} default reread for device sm >= 90 in {bulk, ahead}
#pragma hone let COPIED = KEEP == bulk || KEEP == ahead
#pragma hone param WIDE: bool when KEEP == registers && sizeof(T) < 4
// Where a row has elements that make no whole pack.
#pragma hone param EDGE in {none, tail, both} default both
// How the last reading of a row, and y, pass the caches.
#pragma hone param READ in {normal, stream} default normal when !COPIED
#pragma hone param WRITE in {normal, stream} default normal
// Blocks of the grid for each multiprocessor; 0: as many as there are rows for.
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 4, 8} default 0 when KEEP == reread || COPIED
// Buffers of a group for bulk copies: all but one are for the rows that come, or
// all where registers take a row first.
#pragma hone param BUFFERS in {1, 2, 3} when COPIED && BLOCKS_PER_SM > 0
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 4} when KEEP == registers

#pragma hone let ROWS = BLOCK/THREADS
#pragma hone let PACKS = max(columns/VEC, 1)
#pragma hone let STEPS = ceildiv(PACKS, THREADS*CLUSTER)
#pragma hone let KEPT = align(CLUSTER == 1 ? PACKS*VEC*sizeof(T) : STEPS*THREADS*VEC*sizeof(T), 16)
#pragma hone let HELD = KEEP == registers || KEEP == ahead
