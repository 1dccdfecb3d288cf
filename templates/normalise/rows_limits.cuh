/* SPDX-License-Identifier: Apache-2.0 */
/* What has to hold of rows_space.cuh, the grid, and the types that follow. It
 * reads three numbers of the template: WEIGHT_BYTES of shared memory that a block
 * keeps beside its rows, HELD_ARRAYS that registers hold at once, and ALIKE, of
 * which rows of a block are a multiple. */
#pragma once

#pragma hone let SHARED = (KEEP == shared || COPIED ? BUFFERS*ROWS*KEPT : 0) + WEIGHT_BYTES

/* Right for rows of any length, wherever they begin: what is launched where
 * nothing else is known. */
#pragma hone let IS_DEFAULT = VEC == 4 && ITEMS == 4 && THREADS == 256 && BLOCK == 256 && KEEP == reread && EDGE == both
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require EDGE != none || columns % VEC == 0 "the last pack of a row is not complete"
#pragma hone require EDGE == both || (pitch % VEC == 0 && pitch_out % VEC == 0) "rows do not begin at a multiple of a pack"
#pragma hone require EDGE != both || (pitch - pitch_out) % VEC == 0 "rows of x and y are cut differently"
#pragma hone prefer IS_DEFAULT || EDGE == none || columns % VEC != 0 || pitch % VEC != 0 || pitch_out % VEC != 0 "all packs are complete"
#pragma hone require EDGE == none || THREADS >= 2*VEC "a thread has at most one element that is in no pack"
#pragma hone prefer IS_DEFAULT || EDGE == none || 2*VEC*sizeof(T) > 16 || 2*VEC > columns || (pitch - pitch_out) % (2*VEC) != 0 "wider packs fit the rows"
#pragma hone require EDGE == none || VEC <= columns "a row has no pack"
#pragma hone require EDGE == none || VEC > 1 "single elements are always complete"
#pragma hone prefer EDGE != none || 2*VEC*sizeof(T) > 16 || columns <= 512 || columns % (2*VEC) != 0 || pitch % (2*VEC) != 0 || pitch_out % (2*VEC) != 0 "wider accesses fit the rows"
#pragma hone prefer VEC*sizeof(T) >= 8 || columns <= 512 || (pitch - pitch_out) % (2*VEC) != 0 "accesses are too narrow for long rows"
#pragma hone require BLOCK == THREADS || BLOCK <= 256 "a block of several rows is larger than is of use"
#pragma hone prefer IS_DEFAULT || KEEP != reread || columns*sizeof(T) > 32K && columns*sizeof(T) + 4K > device.smem_optin "so short a row fits the registers or shared memory"
#pragma hone require CLUSTER == 1 || KEEP == ahead || rows <= device.sm_count && (KEEP == bulk || KEEP == registers) "there are rows for all multiprocessors: blocks that share none, or look ahead, wait less"
#pragma hone require CLUSTER == 1 || BLOCK == THREADS && BLOCK >= 256 && KEEP != reread && columns*sizeof(T) >= 64K "a row is too short for several blocks"
#pragma hone require THREADS <= BLOCK "a row is dealt to the threads of one block"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone prefer THREADS <= 256 || THREADS*VEC <= 2*columns "most threads of a row would have nothing of it"
#pragma hone prefer THREADS >= 256 || STEPS <= 32 "too few threads for so long a row"
#pragma hone prefer THREADS*VEC*sizeof(T) >= 128 || THREADS*VEC >= columns "a row's threads ask for less than a line at once"
#pragma hone prefer KEEP == registers || columns*sizeof(T) > (COPIED ? 1K : 8K) || THREADS >= 256 "so short a row fits the registers"
#pragma hone prefer IS_DEFAULT || ITEMS <= 2 || ITEMS < 2*STEPS "a thread has fewer packs of a row"
#pragma hone require ITEMS*VEC*sizeof(T) <= (KEEP == ahead ? 256 : 128) "a thread holds at most so many bytes at once"
#pragma hone require !HELD || STEPS <= ITEMS "the row does not fit the threads' registers"
#pragma hone prefer !HELD || ITEMS <= STEPS + (STEPS > 12 ? 3 : STEPS/9) "fewer packs would do"
#pragma hone require HELD || ispow2(ITEMS) && (KEEP == shared || KEEP == bulk && ITEMS <= 4 || KEEP == reread && ITEMS >= 4) "chunks of another length differ in nothing, or are slower"
#pragma hone require !COPIED || VEC*sizeof(T) == 16 && THREADS >= 32 "bulk copies are of whole packs, for whole warps"
#pragma hone require KEEP != bulk || (BLOCKS_PER_SM > 0) == (BUFFERS > 1) "copies look ahead where blocks take several rows"
#pragma hone require KEEP != ahead || BLOCKS_PER_SM > 0 && BLOCK == THREADS "who takes one row only has nothing to look ahead to"
#pragma hone let RESIDENT = COPIED && BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM : MIN_BLOCKS
#pragma hone require !COPIED || 2*BLOCKS_PER_SM*BLOCK <= device.threads_sm "so many threads have too few registers"
#pragma hone require !COPIED || max(BLOCKS_PER_SM, 1)*(SHARED + 2K) <= device.smem_sm "the blocks of a multiprocessor do not fit its shared memory"
#pragma hone require !WIDE || ITEMS*VEC <= 64 "the row does not fit the threads' registers as f32"
#pragma hone require SHARED + 2K <= device.smem_optin "a block's rows do not fit shared memory"
#pragma hone require BLOCKS_PER_SM*BLOCK <= device.threads_sm "the persistent grid does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || CLUSTER == 1 || COPIED "clusters come and go with their rows"
#pragma hone require COPIED || BLOCKS_PER_SM <= 2 "so many rows at once do not stay in the level 2 cache"
#pragma hone require !COPIED || BLOCKS_PER_SM == 0 || BLOCKS_PER_SM*(KEEP == ahead ? BUFFERS : BUFFERS - 1)*ROWS*KEPT >= 24K "too few bytes on their way"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCKS_PER_SM*BLOCK >= (KEEP == bulk ? 256 : 512) "too few threads to keep the memory busy"
#pragma hone require KEEP != registers || BLOCK*MIN_BLOCKS*(24 + ITEMS*VEC*(WIDE ? 4 : sizeof(T))/4) <= device.regs_sm "the registers of so many blocks would not hold the rows"
#pragma hone require KEEP != ahead || BLOCK*BLOCKS_PER_SM*(28 + ITEMS*4*HELD_ARRAYS) <= device.regs_sm "the registers of so many blocks would not hold the rows"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"

// Up to so many columns the default variant gives a row a warp: with 256 threads
// for each of many short rows it would be tens of times slower than they need.
#pragma hone let SHORT = 1024
#pragma hone let AT_ONCE = IS_DEFAULT && columns <= SHORT ? BLOCK/32 : ROWS
#pragma hone let FULL = min(ceildiv(rows, AT_ONCE), 256M)
// A cluster lies within one part of the device: more of them than fit would be
// another wave.
#pragma hone let PARTS = CLUSTER > 2 ? 8 : 1
#pragma hone let PLACES = device.sm_count/PARTS*BLOCKS_PER_SM/CLUSTER*PARTS
#pragma hone let GRID = (BLOCKS_PER_SM == 0 ? FULL : min(FULL, max(1, PLACES/ALIKE)*ALIKE))*CLUSTER

using held = hone::held<T, WIDE>::type;
using part = hone::row_part<T, held, VEC, hone::edge(EDGE), hone::keep(KEEP),
                            ITEMS, THREADS, CLUSTER>;
/* The same of short rows, and how many of these a block has. */
constexpr int ROWS_SHORT = IS_DEFAULT ? BLOCK / 32 : ROWS;
using part_short = hone::row_part<T, held, VEC, hone::edge(EDGE), hone::keep(KEEP),
                                  ITEMS, IS_DEFAULT ? 32 : THREADS, CLUSTER>;
constexpr hone::access IN =
    READ == READ_values::stream ? hone::access::stream : hone::access::normal;
constexpr hone::access OUT =
    WRITE == WRITE_values::stream ? hone::access::stream : hone::access::normal;
