/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of the kernels on wgmma: what a slot holds, how it is filled, multiplied
 * and given back. gemm/sm90, gemm/sm90_f32, gemm_f8/sm90 and gemm_grouped/sm90 are
 * made of these. Behind hone_hopper.cuh and gemm_sm90_parts.cuh; no name of a
 * template parameter: see hone_device.cuh.
 *
 * A slot has a tile of X and behind it one of Y, each an `operand`. Two barriers hand
 * it over: `full` counts the bytes that arrive, `empty` the warps that are done with
 * it. A kernel says what it multiplies by a type P, which has, besides what it takes
 * from `tiling`,
 *
 *   PENDING                   products that may be under way while a warp group
 *                             goes on, 0 or 1: that slot is given back later
 *   multiply(d, a, b, sum)    one product of 64 rows of X and all of Y by 32 bytes
 *                             of K, of operands described by a and b, into the SUMS
 *                             sums d of each thread; with `sum` 0 it forgets what
 *                             they were
 *
 * No function call may remain between products, so everything here is inlined. */
#ifndef GEMM_SM90_SLOTS_CUH
#define GEMM_SM90_SLOTS_CUH

namespace hone {
namespace gemm {

/* --- what a kernel is made of --------------------------------------------- */

/* One operand's part of a slot: LINES of M or N by DEEP of K, in rows of 128 bytes
 * whose eight pieces of 16 bytes are exchanged by the row's number (swizzle).
 * Without ACROSS a row has ELEMENTS of K, with it one k of 64 elements of M or N,
 * each of 16 bits. SHARED blocks of the cluster read the same one; there are OTHERS
 * times as many, and the ranks of those that share are APART. */
template <bool ACROSS, int LINES, int DEEP, int ELEMENTS, int SHARED,
          int OTHERS = 1, int APART = 1>
struct operand {
    static_assert(!ACROSS || ELEMENTS == 64, "wgmma reads 16 bits across K");
    static constexpr bool IS_ACROSS = ACROSS;
    static constexpr int ROWS = LINES, DEPTH = DEEP;
    static constexpr int BLOCKS = SHARED; /* that read the same one */
    static constexpr int BOXES = ACROSS ? (ROWS + 63) / 64 : DEEP / ELEMENTS;
    static constexpr int BOX_ROWS = ACROSS ? DEEP : ROWS;
    static constexpr int BYTES = BOXES * BOX_ROWS * 128;
    static constexpr int STEPS = DEEP / (ELEMENTS / 4); /* of 32 bytes of K */
    /* From 64 rows of M or N to the next, bytes. */
    static constexpr int HEIGHT = ACROSS ? DEEP * 128 : 64 * 128;
    /* From one row of M or N to the next, bytes: of 64 or more. */
    static constexpr int ROW = HEIGHT / 64;
    /* What wgmma has to know of it besides its address. Where K is contiguous:
     * eight rows of 128 bytes of K follow each other (1024 bytes). Across K: the
     * same of eight k, and the next 64 elements of M or N lie DEEP rows further
     * on. */
    static constexpr unsigned long long DESCRIPTOR =
        1ull << 62 | 64ull << 32 |
        (unsigned long long)(ACROSS ? DEEP * 128 / 16 : 1) << 16;

    /* Bits of the blocks that share it, from that of the first one on. */
    static constexpr int EVERY = ((1 << SHARED * APART) - 1) /
                                 ((1 << APART) - 1);

    /* Where the k-th 32 bytes of K are, bytes. */
    static __device__ __forceinline__ constexpr int at(int k)
    {
        return ACROSS ? k * 2048 : k / 4 * ROWS * 128 + k % 4 * 32;
    }

    /* Asks the copy engine for it: each block that shares it for its part of every
     * box, for all of them. */
    static __device__ __forceinline__ void load(unsigned to,
                                                const CUtensorMap &map, int row,
                                                int k, int matrix, int rank,
                                                unsigned barrier)
    {
        const int turn = OTHERS > 1 ? rank / APART % SHARED : rank;
        const int first = SHARED > 1 ? turn * (BOX_ROWS / SHARED) : 0;

#pragma unroll
        for (int i = 0; i < BOXES; i++) {
            const unsigned at = to + (i * BOX_ROWS + first) * 128;
            const int x = ACROSS ? row + i * 64 : k + i * ELEMENTS;
            const int y = (ACROSS ? k : row) + first;

            if constexpr (SHARED > 1)
                hone::tensor_load_all(
                    at, map, x, y, matrix, barrier,
                    OTHERS > 1 ? EVERY << (rank - turn * APART) : EVERY);
            else
                hone::tensor_load(at, map, x, y, matrix, barrier);
        }
    }
};

/* Tiles of X::ROWS x Y::ROWS, of which each of GROUPS warp groups has GROUP_ROWS
 * rows, or with TURNS takes all of every second one. SHARED_K blocks of the cluster
 * have parts of a tile's K. */
template <typename X, typename Y, int GROUP_ROWS, int GROUPS, bool TURNS,
          int SHARED_K = 1>
struct tiling {
    using x = X;
    using y = Y;
    static constexpr bool IN_TURN = TURNS;
    static constexpr int GROUP_COUNT = GROUPS;
    static constexpr int BLOCKS = X::BLOCKS * Y::BLOCKS; /* that share slots */
    static constexpr int K_BLOCKS = SHARED_K; /* that share a tile's K */
    /* That fill a block's slots: those of its row and of its column. */
    static constexpr int SOURCES = X::BLOCKS + Y::BLOCKS - 1;
    static constexpr int WARPS = TURNS ? 4 : GROUPS * 4; /* that read a slot */
    static constexpr int SLOT = X::BYTES + Y::BYTES;
    static constexpr int ARRIVALS = 1; /* at `full` */
    static constexpr int ROWS_OF_GROUP = GROUP_ROWS;
    static constexpr int HEIGHTS = GROUP_ROWS / 64; /* products over these */
    static constexpr int SUMS = Y::ROWS / 2;        /* a thread's, of a product */
    using sums = float[HEIGHTS][SUMS];

    /* Tiles follow no others in runs. */
    template <typename S>
    static __device__ __forceinline__ void begin_runs(S &, const ring_place &,
                                                      int, int)
    {
    }
};

/* --- before the first tile ------------------------------------------------ */

/* The ring in a block's shared memory, and its barriers, of up to MOST slots, behind
 * it and `between` more bytes. The swizzle wants multiples of 1024. */
template <typename P, int MOST>
__device__ __forceinline__ ring_place ring_in(const void *shared, int stages,
                                              int between)
{
    ring_place place;

    place.stages = stages;
    place.slots = (hone::shared_address(shared) + 1023u) / 1024u * 1024u;
    place.full = place.slots + stages * P::SLOT + between;
    place.empty = place.full + MOST * 8;
    place.turns = place.empty + MOST * 8;
    place.writes = place.turns + 16;
    return place;
}

/* The tiles of the thread that fills the ring. Before barriers are ready it finds the
 * first and asks for the descriptions; other threads have none. */
template <typename P> struct filling {
    typename P::walk walk;
    tile t;
    bool there;

    __device__ __forceinline__ filling(const typename P::walk &all,
                                       bool is_filler, const CUtensorMap &map_a,
                                       const CUtensorMap &map_b)
        : walk(all), t(), there(false)
    {
        if (is_filler) {
            hone::tensor_prefetch(map_a);
            hone::tensor_prefetch(map_b);
            next();
            asm volatile("" : "+r"(t.row), "+r"(t.col)); /* not later */
        }
    }
    __device__ __forceinline__ void next() { there = walk.take(&t); }
};

/* Barriers of the ring, TURNS for groups that take turns, and those that tell of
 * COPIES of what C holds, from `copies` on. Then all blocks of a cluster run, and
 * what was launched before is done. */
template <typename P, int TURNS, int COPIES>
__device__ __forceinline__ void begin(const ring_place &place, unsigned copies)
{
    if (threadIdx.x == 32) { /* thread 0 finds its first tile meanwhile */
        for (int i = 0; i < place.stages; i++) {
            hone::barrier_init(place.full + 8 * i, P::ARRIVALS);
            hone::barrier_init(place.empty + 8 * i, P::WARPS * P::SOURCES);
        }
        for (int i = 0; i < TURNS; i++)
            hone::barrier_init(place.turns + 8 * i, 4);
        for (int i = 0; i < COPIES; i++)
            hone::barrier_init(copies + 8 * i, 1);
        hone::barrier_init_done();
    }
    if constexpr (P::BLOCKS > 1) {
        __syncwarp();
        hone::cluster_arrive(); /* barrier_init_done() orders what matters */
        hone::cluster_wait();
    } else {
        __syncthreads();
    }
    hone::wait_for_previous();
}

/* The warp group that fills the ring meets the others of the cluster while these add
 * up parts of K. */
template <typename P> __device__ __forceinline__ void stand_by()
{
    if constexpr (P::K_BLOCKS > 1) {
        __syncwarp();
        hone::cluster_arrive();
        hone::cluster_wait();
        hone::cluster_arrive();
    }
}

/* The thread that filled the ring of a block of a cluster leaves when all that it sent
 * is done with: until then others tell its barriers. A barrier of the whole cluster
 * would wait for what is written to C, too. */
template <typename P> __device__ __forceinline__ void drain(ring_place place)
{
    static_assert(P::BLOCKS == 1 || P::K_BLOCKS == 1, "a cluster shares one");
    if constexpr (P::BLOCKS > 1) {
#pragma unroll 1
        for (int i = 0; i < place.stages; i++) {
            hone::barrier_wait(place.own_empty(), place.round ^ 1);
            place.advance();
        }
    }
}

/* Blocks that share K leave together. */
template <typename P> __device__ __forceinline__ void end()
{
    if constexpr (P::K_BLOCKS > 1) {
        __syncwarp();
        hone::cluster_wait();
    }
}

/* --- slots ---------------------------------------------------------------- */

/* The thread that fills the ring waits until the slot is empty, and says how many
 * bytes it is about to ask for. */
__device__ __forceinline__ void expect(const ring_place &place, int bytes)
{
    hone::barrier_wait(place.own_empty(), place.round ^ 1);
    hone::barrier_expect(place.own_full(), bytes);
}

/* A warp is done with a slot and says so to all BLOCKS that fill it. */
template <int BLOCKS>
__device__ __forceinline__ void release(const ring_place &place, int slot)
{
    const int lane = threadIdx.x % 32;

    if constexpr (BLOCKS > 1) {
        if (lane < BLOCKS)
            hone::barrier_arrive_at(place.empty + 8 * slot, lane);
    } else if (lane == 0) {
        hone::barrier_arrive(place.empty + 8 * slot);
    }
}

/* The same where a cluster has rows and columns of tiles; `rank` is the block's. */
template <typename P>
__device__ __forceinline__ void release_all(const ring_place &place, int slot,
                                            int rank)
{
    constexpr int OF_COLUMN = P::y::BLOCKS; /* ranks next to each other */
    const int lane = threadIdx.x % 32;

    if constexpr (P::SOURCES == P::BLOCKS) {
        release<P::BLOCKS>(place, slot);
    } else if (lane < P::SOURCES) {
        const int own = rank % OF_COLUMN;
        const int of_row = own + OF_COLUMN * lane;
        const int in_column = lane - P::x::BLOCKS;
        const int to = lane < P::x::BLOCKS
                           ? of_row
                           : rank - own + in_column + (in_column >= own);

        hone::barrier_arrive_at(place.empty + 8 * slot, to);
    }
}

/* The products of one slot, of HEIGHTS times 64 rows. `a` and `b` describe where a
 * warp group's part of the first slot starts; `old` is 0 for the first slot of a
 * tile. */
template <typename P, int HEIGHTS>
__device__ __forceinline__ void multiply_slot(typename P::sums &sums,
                                              unsigned long long a,
                                              unsigned long long b, int slot,
                                              int old)
{
    a += slot * (P::SLOT / 16);
    b += slot * (P::SLOT / 16);
    hone::wgmma_begin();
#pragma unroll
    for (int k = 0; k < P::x::STEPS; k++) {
        const int of_a = P::x::at(k), of_b = P::y::at(k);

#pragma unroll
        for (int i = 0; i < HEIGHTS; i++)
            P::multiply(sums[i], a + (of_a + i * P::x::HEIGHT) / 16,
                        b + of_b / 16, k > 0 ? 1 : old);
    }
    hone::wgmma_commit();
}

/* Those of a tile's slots, from step `first` to before `end`; each slot is given back
 * when its products are done. finish_slots() gives back the last, which this returns. */
template <typename P, int HEIGHTS = P::HEIGHTS>
__device__ __forceinline__ int
multiply_slots(typename P::sums &sums, ring_place &place, unsigned long long a,
               unsigned long long b, int first, int end, int rank = 0)
{
    int last = 0;

#pragma unroll 1
    for (int step = first; step < end; step++) {
        hone::barrier_wait(place.own_full(), place.round);
        multiply_slot<P, HEIGHTS>(sums, a, b, place.slot, step > first);
        hone::wgmma_wait<P::PENDING>();
        if (P::PENDING == 0 || step > first)
            release_all<P>(place, P::PENDING == 0 ? place.slot : last, rank);
        last = place.slot;
        place.advance();
    }
    return last;
}

/* Behind it the sums may be read. */
template <typename P, int HEIGHTS = P::HEIGHTS>
__device__ __forceinline__ void finish_slots(typename P::sums &sums,
                                             const ring_place &place, int last,
                                             int rank = 0)
{
    hone::wgmma_wait<0>();
    if (P::PENDING > 0)
        release_all<P>(place, last, rank);
#pragma unroll
    for (int i = 0; i < HEIGHTS; i++)
        hone::wgmma_result(sums[i]);
}

/* --- before and behind a tile's slots -------------------------------------- */

template <int HEIGHTS, int ALL, int SUMS>
__device__ __forceinline__ void clear(float (&sums)[ALL][SUMS])
{
#pragma unroll
    for (int i = 0; i < HEIGHTS * SUMS; i++)
        sums[i / SUMS][i % SUMS] = 0.0f;
}

/* A product takes the sums, although the first forgets what they are: where they
 * are most of the registers, zeros free these for the way to C. */
template <int HEIGHTS, int ALL, int SUMS>
__device__ __forceinline__ void forget(float (&sums)[ALL][SUMS])
{
    if constexpr (HEIGHTS * SUMS > 128)
        clear<HEIGHTS>(sums);
}

/* In turn, a group waits for its slots only when the other has seen all that come
 * before: a barrier tells a phase from the next by its parity, not from the one
 * after. `turn` changes from tile to tile. */
template <typename P>
__device__ __forceinline__ void await_turn(const ring_place &place, int group,
                                           unsigned turn)
{
    if (P::IN_TURN)
        hone::barrier_wait(place.turns + 8 * group, turn);
}

/* It has seen its slots; the next ones, `steps` of them, are the other group's. */
template <typename P>
__device__ __forceinline__ void pass_turn(ring_place &place, int other,
                                          int steps)
{
    if (P::IN_TURN) {
        if (threadIdx.x % 32 == 0)
            hone::barrier_arrive(place.turns + 8 * other);
        place.skip(steps);
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
