/* SPDX-License-Identifier: Apache-2.0 */
/* scan/tiles: tiles in registers, each of which learns the sum of those in
 * front of it. ALGORITHM:
 *   lookback     one launch. A block takes tiles in the order in which it
 *                draws tickets, publishes the sum of its tile and looks back
 *                at its predecessors until it knows the sum of all of them.
 *                Who waits does so for tickets drawn earlier, by blocks that
 *                run: it comes to an end in whatever order blocks start.
 *   reduce_scan  two launches: sums of as many parts as there are blocks,
 *                then the scan of each part. Reads x twice, the second time
 *                from the level 2 cache if x fits.
 *
 * LOAD async is a pipeline: a tile is published while the one in front of it
 * waits, and others are copied to shared memory. Nobody waits for long there,
 * if a look reaches back as far as all blocks together have tiles (LOOK):
 * what was published one round ago is known everywhere. In the other forms
 * each tile waits for all those before it to arrive from memory.
 *
 * What does not depend on timing: a result. The look-back (hone_lookback.cuh)
 * adds in an order of its own, not in that of arrival, so that every run of a
 * variant gives the same bits (reduce_scan: on devices with the same number of
 * multiprocessors).
 *
 * `control` has the number of the run in its upper half and the next ticket in
 * its lower one; who draws the last ticket of a run, begins the next. Two runs
 * that share a workspace must not overlap, and a run that was killed leaves a
 * workspace that must be zeroed. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "hone_device.cuh"
#include "hone_lookback.cuh"
#include "scan.cuh"

#pragma hone implements scan/tiles "one pass that looks back at earlier tiles, or two passes, any device"

#pragma hone param ALGORITHM in {lookback, reduce_scan} default lookback
#pragma hone param BLOCK in {64, 128, 256, 512} default 256
// Accesses of 16 bytes of a thread and tile.
#pragma hone param ROWS in {1, 2, 3, 4, 5, 6, 8} default 4
// Rows: each access of a warp is contiguous. Async: the same, by way of
// shared memory, STAGES tiles ahead. Blocked: each thread's accesses are
// neighbours.
#pragma hone param LOAD in {rows, blocked} default rows for device sm >= 80 in {async}
#pragma hone param STAGES in {2, 3, 4} default 2
// 0: a block for each tile. Else so many blocks for each multiprocessor,
// each taking tile after tile.
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 3, 4, 6, 8} default 0
// Tiles of a group, which a lane looks at; bytes of one of its accesses.
#pragma hone param LOOK in {1, 2, 4, 8, 16} default 4
#pragma hone param STATE in {8, 16} default 16
// Nanoseconds between two looks.
#pragma hone param BACKOFF in {0, 20, 100} default 20
// Mark lines as not needed again.
#pragma hone param STREAM: bool default false
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4, 6, 8} default 1

#pragma hone let ITEMS = ROWS*16/sizeof(T)
#pragma hone let TILE = BLOCK*ITEMS
#pragma hone let TILES = ceildiv(n, TILE)
#pragma hone let BLOCKS = BLOCKS_PER_SM == 0 ? TILES : min(TILES, device.sm_count*BLOCKS_PER_SM)
#pragma hone let SMEM = LOAD == async ? STAGES*16*ROWS*BLOCK : 0
#pragma hone let PART = ceildiv(TILES, BLOCKS)
#pragma hone let PARTS = ceildiv(TILES, PART)
// Bytes of a sum; words of 8 bytes that tell one, and a run, to other blocks.
#pragma hone let SUM_BYTES = max(4, sizeof(T))
#pragma hone let WORDS = SUM_BYTES/4

#pragma hone require ALGORITHM == lookback || BLOCKS_PER_SM > 0 "the parts are as many as blocks fit the device"
#pragma hone require ALGORITHM == lookback || (LOOK == 4 && STATE == 16 && BACKOFF == 20) "nothing is looked back at"
#pragma hone require ALGORITHM == lookback || n*sizeof(T) <= 2*device.l2 "x would be read twice from memory"
#pragma hone require LOOK*WORDS > 1 || STATE == 8 "one tile's word has 8 bytes"
#pragma hone require LOAD != async || BLOCKS_PER_SM > 0 "without a next tile nothing is asked for ahead"
#pragma hone require LOAD != async || ALGORITHM == lookback "the second reading comes from the cache"
#pragma hone require LOAD == async || STAGES == 2 "nothing is asked for ahead"
#pragma hone require LOAD != blocked || ROWS >= 2 "one access is the same in both orders"
#pragma hone require LOAD == blocked || LOAD == rows || !STREAM "asynchronous copies have no hint"
#pragma hone require BLOCK*ROWS >= 256 && BLOCK*ROWS <= 2048 "tiles of 4 to 32 KB"
#pragma hone require STREAM + (BACKOFF != 20) + (STATE != 16 && LOOK > 1) + (LOAD == blocked) + (BLOCK == 64) <= 1 "what seldom helps is tried one at a time"
#pragma hone require BLOCKS_PER_SM > 0 || MIN_BLOCKS == 1 || BLOCK*MIN_BLOCKS >= 1024 "so few threads have enough registers anyway"
#pragma hone require n < 1M || BLOCKS_PER_SM <= 1 || TILES > device.sm_count*BLOCKS_PER_SM "each block has one tile anyway"
#pragma hone require n*sizeof(T) < 32M || BLOCK*ROWS >= 1024 "tiles too small for so many elements"
#pragma hone require n*sizeof(T) < 32M || LOAD != blocked "accesses of a warp shall be contiguous"
#pragma hone require n*sizeof(T) < 32M || LOOK > 1 || LOAD != async "too few tiles are looked at"
#pragma hone require n*sizeof(T) < 32M || LOAD != async || BLOCKS_PER_SM*BLOCK*ROWS >= 4096 "too little is asked for ahead"
#pragma hone require n*sizeof(T) < 32M || LOAD != rows || BLOCKS_PER_SM == 0 || ALGORITHM != lookback "nothing is asked for ahead"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*max(BLOCKS_PER_SM, MIN_BLOCKS) <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require BLOCK*max(BLOCKS_PER_SM, MIN_BLOCKS) >= 256 "too few threads to keep the memory busy"
#pragma hone require BLOCKS_PER_SM == 0 || MIN_BLOCKS == BLOCKS_PER_SM "the blocks of a multiprocessor shall fit"
#pragma hone require BLOCK*MIN_BLOCKS*(5*ROWS + 28) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(BLOCKS_PER_SM, 1)*(SMEM + 1536) <= device.smem_sm "the blocks' tiles do not fit a multiprocessor"
#pragma hone require SMEM <= device.smem_optin "a tile does not fit shared memory"
#pragma hone require TILES <= 2000000000 "the number of tiles must fit 31 bits"

#pragma hone workspace control: u64[1] zero
#pragma hone workspace of_tile: u64[ALGORITHM == lookback ? align(TILES, 32*LOOK)*WORDS : 0] zero
#pragma hone workspace of_end: u64[ALGORITHM == lookback ? ceildiv(TILES, LOOK)*WORDS : 0] zero
#pragma hone workspace of_part: u64[ALGORITHM == lookback ? 0 : ceildiv(PARTS*SUM_BYTES, 8)]
#pragma hone launch scan_parts if(ALGORITHM == reduce_scan) grid(PARTS) block(BLOCK) args(x, of_part, i64(n), i32(PART))
#pragma hone launch scan grid(ALGORITHM == lookback ? BLOCKS : PARTS) block(BLOCK) shared(SMEM) args(x, y, exclusive, control, of_tile, of_end, of_part, i64(n), i32(TILES), i32(PART))

#if HONE_T == HONE_T_i32
using sum_type = unsigned; /* which may wrap around */
#elif HONE_T == HONE_T_i64
using sum_type = unsigned long long;
#else
using sum_type = float;
#endif

constexpr int kPerAccess = 16 / (int)sizeof(T);
constexpr bool kAsync = LOAD == LOAD_values::async;
constexpr bool kBlocked = LOAD == LOAD_values::blocked;
constexpr int kWarps = BLOCK / 32;

/* Elements that a thread holds in a row, between which those of the warp's
 * other threads stand, and how many such rows there are. */
constexpr int kRun = kBlocked ? ITEMS : kPerAccess;
constexpr int kRuns = kBlocked ? 1 : ROWS;

/* --- a tile's elements -------------------------------------------------- */

/* 16 bytes as they are in memory. */
union pack {
    uint4 bits;
    T of[kPerAccess];

    __device__ pack() : bits(make_uint4(0, 0, 0, 0))
    {
    }
};

/* Where in its tile this thread's access `row` begins. */
__device__ inline int place_of(int row)
{
    const int lane = threadIdx.x % 32;

    return (kBlocked ? threadIdx.x * ROWS + row
                     : (threadIdx.x - lane) * ROWS + row * 32 + lane) *
           kPerAccess;
}

/* This thread's part of the tile at `x`, which has `left` elements (maybe
 * more than a tile). What is behind them reads as 0. */
__device__ inline void load_tile(pack (&v)[ROWS], const T *x, long long left)
{
    if (left >= TILE) {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            v[row].bits = hone::load<STREAM>(
                reinterpret_cast<const uint4 *>(x + place_of(row)));
    } else {
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
#pragma unroll
            for (int i = 0; i < kPerAccess; i++) {
                const int at = place_of(row) + i;

                v[row].of[i] = at < left ? x[at] : T(0);
            }
        }
    }
}

/* Start copying a tile to `slot`, nothing of it if `left` is 0 or less. Each
 * thread reads back only what it has copied itself, so that no barrier is
 * needed. What is behind the end reads as 0. */
__device__ inline void prefetch_tile(uint4 *slot, const T *x, long long left)
{
    if (left >= TILE) {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            hone::copy16_async(slot + row * BLOCK + threadIdx.x,
                               x + place_of(row), true, true);
    } else if (left > 0) {
#pragma unroll 1
        for (int row = 0; row < ROWS; row++) {
            T *to = reinterpret_cast<T *>(slot + row * BLOCK + threadIdx.x);

#pragma unroll 1
            for (int i = 0; i < kPerAccess; i++)
                to[i] = place_of(row) + i < left ? x[place_of(row) + i]
                                                 : T(0);
        }
    }
    hone::copy_commit();
}

__device__ inline void take_tile(pack (&v)[ROWS], const uint4 *slot)
{
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        v[row].bits = slot[row * BLOCK + threadIdx.x];
}

__device__ inline sum_type element(const pack (&v)[ROWS], int run, int i)
{
    const int at = run * kRun + i;

    return (sum_type)v[at / kPerAccess].of[at % kPerAccess];
}

/* --- sums --------------------------------------------------------------- */

/* What stands in front of each run of this thread inside its warp's part of
 * the tile, and the sum of that part. */
__device__ inline void sum_warp(const pack (&v)[ROWS],
                                sum_type (&before)[kRuns], sum_type *of_warp)
{
    const int lane = threadIdx.x % 32;
    sum_type total = 0;

#pragma unroll
    for (int run = 0; run < kRuns; run++) {
        sum_type sum = element(v, run, 0);

#pragma unroll
        for (int i = 1; i < kRun; i++)
            sum += element(v, run, i);

        const sum_type up_to = hone::warp_scan(sum);
        const sum_type below = __shfl_up_sync(hone::all_lanes, up_to, 1);

        before[run] = total + (lane > 0 ? below : sum_type(0));
        total += __shfl_sync(hone::all_lanes, up_to, 31);
    }
    if (lane == 31)
        of_warp[threadIdx.x / 32] = total;
}

/* From the warps' sums: the sum of the warps in front of this one, and of
 * all. */
__device__ inline sum_type scan_warps(const sum_type *of_warp, sum_type &all)
{
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const sum_type up_to = hone::warp_scan(lane < kWarps ? of_warp[lane]
                                                   : sum_type(0));
    const sum_type below =
        __shfl_sync(hone::all_lanes, up_to, warp > 0 ? warp - 1 : 0);

    all = __shfl_sync(hone::all_lanes, up_to, kWarps - 1);
    return warp > 0 ? below : sum_type(0);
}

/* Write the scan of what `load_tile` read, `before` standing in front of each
 * run; row by row, which needs the fewest registers. WHOLE: all elements
 * exist, else `left` of them. */
template <bool WHOLE>
__device__ inline void store_tile(T *y, const pack (&v)[ROWS],
                                  const sum_type (&before)[kRuns],
                                  bool exclusive, long long left)
{
    sum_type sum = before[0];

#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        pack out;

        if constexpr (!kBlocked)
            sum = before[row];
#pragma unroll
        for (int i = 0; i < kPerAccess; i++) {
            const sum_type next = sum + (sum_type)v[row].of[i];

            out.of[i] = T(exclusive ? sum : next);
            sum = next;
        }
        if constexpr (WHOLE) {
            hone::store<STREAM>(reinterpret_cast<uint4 *>(y + place_of(row)),
                                out.bits);
        } else {
#pragma unroll
            for (int i = 0; i < kPerAccess; i++) {
                if (place_of(row) + i < left)
                    y[place_of(row) + i] = out.of[i];
            }
        }
    }
}

using shared_words = hone::lookback_words<sum_type, LOOK, STATE / 8>;

/* --- the kernels -------------------------------------------------------- */

/* What the threads of a block tell each other. */
struct pipeline {
    sum_type of_warp[32];
    sum_type before;
    unsigned run;          /* the number in the words of this run */
    int drawn[STAGES + 1]; /* a ring of tiles */
};

/* The sums of the threads, warps and the block, `before` being what stands in
 * front of each run inside the tile. Returns the sum of the tile. */
__device__ inline sum_type sum_tile(const pack (&v)[ROWS],
                                    sum_type (&before)[kRuns],
                                    sum_type *of_warp)
{
    sum_type all;

    sum_warp(v, before, of_warp);
    __syncthreads();

    const sum_type offset = scan_warps(of_warp, all);

#pragma unroll
    for (int run = 0; run < kRuns; run++)
        before[run] += offset;
    return all;
}

struct arguments {
    const T *x;
    T *y;
    int exclusive;
    hone::word *control;
    shared_words words;
    long long n;
    int n_tiles;

    /* A block's first tile, and the run. */
    __device__ int first_tile(unsigned n_draws, pipeline &block) const
    {
        if (threadIdx.x == 0) {
            const hone::word ticket = atomicAdd(control, 1ull);

            block.run = (unsigned)(ticket >> 32) + 1;
            block.drawn[0] = hone::take_ticket(control, n_draws, ticket);
        }
        __syncthreads();
        return block.drawn[0];
    }

    __device__ void publish(int tile, sum_type own, unsigned run) const
    {
        if (threadIdx.x == 0)
            words.publish(tile, own, run);
    }

    /* Wait for the sum in front of a tile; all threads get it. */
    __device__ sum_type wait(int tile, sum_type own, unsigned run,
                             pipeline &block) const
    {
        if (threadIdx.x < 32) {
            const sum_type sum = words.look_back(tile, run, own, BACKOFF);

            if (threadIdx.x == 0)
                block.before = sum;
        }
        __syncthreads();
        return block.before;
    }

    __device__ void finish(int tile, const pack (&v)[ROWS],
                           sum_type (&before)[kRuns], sum_type offset) const
    {
        const long long first = (long long)tile * TILE;

#pragma unroll
        for (int run = 0; run < kRuns; run++)
            before[run] += offset;
        if (n - first >= TILE)
            store_tile<true>(y + first, v, before, exclusive & 1, 0);
        else
            store_tile<false>(y + first, v, before, exclusive & 1, n - first);
    }
};

/* Tile after tile. Each ticket is asked for long before it is needed. */
__device__ inline void scan_in_turn(const arguments &args, pipeline &block)
{
    constexpr bool ONE_TILE = BLOCKS_PER_SM == 0;
    const unsigned n_draws = args.n_tiles + (ONE_TILE ? 0u : gridDim.x);
    int tile = args.first_tile(n_draws, block);
    const unsigned run = block.run;
    int place = 0;

#pragma unroll 1
    while (tile < args.n_tiles) {
        const long long first = (long long)tile * TILE;
        sum_type before[kRuns];
        hone::word ticket = 0;
        pack v[ROWS];

        if (!ONE_TILE && threadIdx.x == 0)
            ticket = atomicAdd(args.control, 1ull);
        load_tile(v, args.x + first, args.n - first);

        const sum_type own = sum_tile(v, before, block.of_warp);

        args.publish(tile, own, run);
        place ^= 1;
        if (!ONE_TILE && threadIdx.x == 0)
            block.drawn[place] =
                hone::take_ticket(args.control, n_draws, ticket);
        args.finish(tile, v, before, args.wait(tile, own, run, block));
        tile = ONE_TILE ? args.n_tiles : block.drawn[place];
    }
}

/* A pipeline: one tile waits for the sum in front of it, the next is added up
 * and published, STAGES - 2 more are under way. So the look-back of a tile
 * begins a whole round after its sum and those of its predecessors became
 * known. `drawn` is a ring of one more than there are slots: the tiles in
 * them and the one that was drawn for the slot that becomes free. */
__device__ inline void scan_ahead(const arguments &args, pipeline &block,
                                  uint4 *shared)
{
    constexpr int SLOT = ROWS * BLOCK;
    const unsigned n_draws = args.n_tiles + gridDim.x * STAGES;
    auto prefetch = [&](int slot, int tile) {
        const long long first = (long long)tile * TILE;

        prefetch_tile(shared + slot * SLOT, args.x + first, args.n - first);
    };
    int tile = args.first_tile(n_draws, block);
    const unsigned run = block.run;
    int slot = 0, at = 0;
    sum_type before[kRuns], own;
    pack v[ROWS];

    /* Drawn one after the other, so that all blocks have their first tile
     * before one has its second. */
    prefetch(0, tile);
#pragma unroll 1
    for (int i = 1; i < STAGES; i++) {
        if (threadIdx.x == 0)
            block.drawn[i] = hone::take_ticket(args.control, n_draws,
                                               atomicAdd(args.control, 1ull));
        __syncthreads();
        prefetch(i, block.drawn[i]);
    }
    if (tile >= args.n_tiles)
        return;
    hone::copy_wait(STAGES - 1);
    take_tile(v, shared);
    own = sum_tile(v, before, block.of_warp);
    args.publish(tile, own, run);
    __syncthreads();
#pragma unroll 1
    for (;;) {
        const int next_slot = slot + 1 < STAGES ? slot + 1 : 0;
        const int next_at = at < STAGES ? at + 1 : 0;
        const int free_at = at > 0 ? at - 1 : STAGES;
        const int next = block.drawn[next_at];
        sum_type next_before[kRuns], next_own = 0;
        hone::word ticket = 0;

        if (threadIdx.x == 0)
            ticket = atomicAdd(args.control, 1ull);
        if (next < args.n_tiles) {
            hone::copy_wait(STAGES - 2);
            take_tile(v, shared + next_slot * SLOT);
            next_own = sum_tile(v, next_before, block.of_warp);
            args.publish(next, next_own, run);
        } else {
            __syncthreads(); /* as in sum_tile: block.before has been read */
        }
        if (threadIdx.x == 0)
            block.drawn[free_at] =
                hone::take_ticket(args.control, n_draws, ticket);

        const sum_type offset = args.wait(tile, own, run, block);

        take_tile(v, shared + slot * SLOT);
        args.finish(tile, v, before, offset);
        if (next >= args.n_tiles)
            break;
        prefetch(slot, block.drawn[free_at]);
#pragma unroll
        for (int i = 0; i < kRuns; i++)
            before[i] = next_before[i];
        own = next_own;
        tile = next;
        slot = next_slot;
        at = next_at;
    }
}

/* The part of this block, behind those of which `of_part` has the sums. */
__device__ inline void scan_part(const arguments &args, pipeline &block,
                                 const sum_type *of_part, int n_part)
{
    const int first_tile = blockIdx.x * n_part;
    const int end = min(first_tile + n_part, args.n_tiles);
    sum_type carry, sum = 0;

    for (int i = threadIdx.x; i < (int)blockIdx.x; i += BLOCK)
        sum += __ldcg(of_part + i);
    sum = hone::warp_scan(sum);
    if (threadIdx.x % 32 == 31)
        block.of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    scan_warps(block.of_warp, carry);
#pragma unroll 1
    for (int tile = first_tile; tile < end; tile++) {
        const long long first = (long long)tile * TILE;
        sum_type before[kRuns];
        pack v[ROWS];

        load_tile(v, args.x + first, args.n - first);
        __syncthreads();

        const sum_type own = sum_tile(v, before, block.of_warp);

        args.finish(tile, v, before, carry);
        carry += own;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const T *__restrict__ x, T *__restrict__ y, int exclusive,
     hone::word *control, hone::word *of_tile, hone::word *of_end,
     const hone::word *of_part, long long n, int n_tiles, int n_part)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ pipeline block;
    const arguments args = {x,       y, exclusive, control, {of_tile, of_end},
                            n, n_tiles};

    if constexpr (ALGORITHM == ALGORITHM_values::reduce_scan)
        scan_part(args, block, reinterpret_cast<const sum_type *>(of_part),
                  n_part);
    else if constexpr (kAsync)
        scan_ahead(args, block, reinterpret_cast<uint4 *>(shared));
    else
        scan_in_turn(args, block);
}

#if HONE_ALGORITHM == HONE_ALGORITHM_reduce_scan
/* Sums of the parts, n_part tiles each. */
extern "C" __global__ void __launch_bounds__(BLOCK)
scan_parts(const T *__restrict__ x, hone::word *of_part, long long n,
           int n_part)
{
    __shared__ sum_type of_warp[32];
    const long long first = (long long)blockIdx.x * n_part * TILE;
    const long long end = min(first + (long long)n_part * TILE, n);
    sum_type sum = 0;

#pragma unroll 1
    for (long long at = first; at < end; at += TILE) {
        pack v[ROWS];

        load_tile(v, x + at, end - at);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            sum += (sum_type)v[i / kPerAccess].of[i % kPerAccess];
    }
    sum = hone::warp_scan(sum);
    if (threadIdx.x % 32 == 31)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();

    sum_type all;

    scan_warps(of_warp, all);
    if (threadIdx.x == 0)
        reinterpret_cast<sum_type *>(of_part)[blockIdx.x] = all;
}
#endif
