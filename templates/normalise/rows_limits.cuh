/* SPDX-License-Identifier: Apache-2.0 */
/* What has to hold of rows_space.cuh, the grid, and the types that follow. It
 * reads three numbers of the template: WEIGHT_BYTES of shared memory that a block
 * keeps beside its rows, HELD_ARRAYS that registers hold at once, and ALIKE, of
 * which rows of a block are a multiple. */
#pragma once

#pragma hone let SHARED = (KEEP == shared || COPIED ? BUFFERS*ROWS*KEPT : 0) + WEIGHT_BYTES

/* Right for rows of any length, wherever they begin: what is launched where
 * nothing else is known. */
#pragma hone let IS_DEFAULT = VEC == 4 && ITEMS == 4 && THREADS == 256 && BLOCK == 256 && KEEP == reread && EDGE == both && BLOCKS_PER_SM == 0
#pragma hone require VEC*sizeof(T) <= 16 "an access is at most 16 bytes"
#pragma hone require EDGE != none || columns % VEC == 0 "the last pack of a row is not complete"
#pragma hone require EDGE == both || (pitch % VEC == 0 && pitch_out % VEC == 0) "rows do not begin at a multiple of a pack"
#pragma hone require EDGE != both || (pitch - pitch_out) % VEC == 0 "rows of x and y are cut differently"
#pragma hone prefer IS_DEFAULT || EDGE == none || columns % VEC != 0 || pitch % VEC != 0 || pitch_out % VEC != 0 "all packs are complete"
#pragma hone require EDGE == none || THREADS >= 2*VEC "a thread has at most one element that is in no pack"
#pragma hone prefer IS_DEFAULT || EDGE == none || 2*VEC*sizeof(T) > 16 || 2*VEC > columns || (pitch - pitch_out) % (2*VEC) != 0 "wider packs fit the rows"
#pragma hone require IS_DEFAULT || EDGE == none || VEC <= columns "a row has no pack"
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

// The default variant deals rows to threads by their length, as with_kind() says:
// those that one geometry suits would be several times slower than they need at
// others. The last kind is right whatever there is. Packs of 16 bytes cut rows of
// x and y alike, or it is that one, too.
#pragma hone let WIDTH = sizeof(T) == 2 ? 8 : 4
#pragma hone let WIDE_PACKS = ceildiv(columns, WIDTH)
#pragma hone let KIND = !IS_DEFAULT ? 0 : (pitch - pitch_out) % WIDTH != 0 ? 10 : columns <= 64 ? 1 : columns <= 128 ? 2 : WIDE_PACKS <= 64 ? 3 : WIDE_PACKS <= 128 ? 4 : WIDE_PACKS <= 256 ? 5 : WIDE_PACKS <= 1024 ? 6 : WIDE_PACKS <= 2048 ? 7 : WIDE_PACKS <= 4096 ? 8 : columns*sizeof(T) + 8K <= device.smem_optin ? 9 : 10
#pragma hone let TAKERS = KIND == 0 ? THREADS : KIND == 1 ? 8 : KIND == 2 ? 16 : KIND <= 4 ? 32 : KIND == 5 ? 64 : KIND == 6 ? 256 : 512
#pragma hone let BLOCK_TAKEN = KIND == 0 ? BLOCK : TAKERS <= 32 ? 256 : TAKERS
#pragma hone let SHARED_TAKEN = KIND == 9 ? KEPT : SHARED
#pragma hone let KEPT_TAKEN = KIND == 10 || KIND == 0 && KEEP == reread ? 0 : KEPT
#pragma hone let FULL = min(ceildiv(rows, BLOCK_TAKEN/TAKERS), 256M)
// A cluster lies within one part of the device: more of them than fit would be
// another wave.
#pragma hone let PARTS = CLUSTER > 2 ? 8 : 1
#pragma hone let PLACES = device.sm_count/PARTS*BLOCKS_PER_SM/CLUSTER*PARTS
#pragma hone let GRID = (BLOCKS_PER_SM == 0 ? FULL : min(FULL, max(1, PLACES/ALIKE)*ALIKE))*CLUSTER

using held = hone::held<T, WIDE>::type;
/* How rows are dealt: COUNT packs of A_PACK elements of a thread at once, TEAM
 * threads of a row, SIZE of a block. */
template <hone::keep HOW, int A_PACK, int COUNT, int TEAM, int SIZE>
struct row_kind {
    using part = hone::row_part<T, held, A_PACK, hone::edge(EDGE), HOW, COUNT,
                                TEAM, CLUSTER>;
    static constexpr int block = SIZE, rows = SIZE / TEAM;
};
/* f(row_kind) with the kind of rows of so many columns: where they are few, what
 * their threads keep in registers; else what shared memory keeps. Of those that are
 * read again kept_bytes is 0. */
template <typename F>
__device__ inline void with_kind(long long columns, int kept_bytes, F f)
{
    using hone::keep;
    constexpr int W = WIDTH;
    const long long packs = (columns + W - 1) / W;

    if constexpr (!IS_DEFAULT)
        f(row_kind<keep(KEEP), VEC, ITEMS, THREADS, BLOCK>());
    else if (kept_bytes == 0)
        f(row_kind<keep::reread, 4, 4, 512, 512>());
    else if (columns <= 64)
        f(row_kind<keep::registers, 4, 2, 8, 256>());
    else if (columns <= 128)
        f(row_kind<keep::registers, 4, 2, 16, 256>());
    else if (packs <= 64)
        f(row_kind<keep::registers, W, 2, 32, 256>());
    else if (packs <= 128)
        f(row_kind<keep::registers, W, 4, 32, 256>());
    else if (packs <= 256)
        f(row_kind<keep::registers, W, 4, 64, 64>());
    else if (packs <= 1024)
        f(row_kind<keep::registers, W, 4, 256, 256>());
    else if (packs <= 2048)
        f(row_kind<keep::registers, W, 4, 512, 512>());
    else if (packs <= 4096)
        f(row_kind<keep::registers, W, 8, 512, 512>());
    else
        f(row_kind<keep::shared, W, 4, 512, 512>());
}
constexpr int MOST_THREADS = IS_DEFAULT ? 512 : BLOCK;
constexpr int LEAST_BLOCKS = IS_DEFAULT ? 2 : RESIDENT;
constexpr hone::access IN =
    READ == READ_values::stream ? hone::access::stream : hone::access::normal;
constexpr hone::access OUT =
    WRITE == WRITE_values::stream ? hone::access::stream : hone::access::normal;
