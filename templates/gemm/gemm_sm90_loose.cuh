/* SPDX-License-Identifier: Apache-2.0 */
/* The warp groups that fill the ring of gemm/sm90 where rows of an operand
 * begin anywhere: such an operand by way of raw lines (gemm_sm90_raw.cuh), for
 * which they ask some steps before they move them to a slot, the other, if its
 * rows are aligned, by copies as ever. Behind gemm_sm90_raw.cuh; no name of a
 * template parameter: see hone_device.cuh.
 *
 * A warp has lines of its own, so it runs what depends on what it did before, an
 * instruction in some six clocks: a second group, which has nothing but barriers in
 * common with the first, has clocks left to run in. Where that is what products wait
 * for it takes up to a seventh off them. Which operands are loose is told once, before
 * the loop.
 * Where the number of slots is odd, a group meets a slot every second round alone. It is
 * not mistaken about the parity of a barrier: what was in the slot two rounds ago came
 * back before what it waited for last, since slots come back in order, unless groups
 * that multiply take turns. */
#ifndef GEMM_SM90_LOOSE_CUH
#define GEMM_SM90_LOOSE_CUH

namespace hone
{
namespace gemm
{

/* Every APART-th step of a block's tiles, one after the other, from number `first`
 * of all on; take() before the first one. */
template <typename P, int APART> struct loose_steps {
    typename P::walk walk;
    tile t;
    int K, parts;
    int step, end = 0;
    bool there = false; /* there is one */

    __device__ __forceinline__ loose_steps(const typename P::walk &walk_,
                                           int K_, int parts_, int first)
        : walk(walk_), t(), K(K_), parts(parts_), step(first - APART)
    {
    }
    /* The next one; true if it is the first that it has of a tile. */
    __device__ __forceinline__ bool take()
    {
        step += APART;
        if (__builtin_expect(step < end, 1))
            return false;
        find();
        return there;
    }
    __device__ __forceinline__ void find()
    {
#pragma unroll 1
        do {
            there = walk.take(&t);
            if (!there)
                return;
            const typename P::steps mine(K, t, parts);

            step += mine.first - end;
            end = mine.end;
        } while (step >= end);
    }
    __device__ __forceinline__ int k() const
    {
        return step * P::x::DEPTH;
    }
};

/* An operand P in both of a step's places: asked for, and moved. Nothing where it is
 * not LOOSE. */
template <typename P, bool LOOSE, int APART> struct loose_operand {
    const loose_array &m;
    loose_tail tail;
    raw_asked<P> asked;
    raw_moved<P> moved;

    __device__ __forceinline__ loose_operand(const loose_array &m_, unsigned at)
        : m(m_), tail(m_, at)
    {
    }
    template <typename S>
    __device__ __forceinline__ void ask_in(const S &steps, int row)
    {
        asked.begin_tile(m, row, steps.k(), steps.t.batch);
    }
    __device__ __forceinline__ void ask(unsigned to)
    {
        asked.ask(m, tail, to);
        asked.template next_step<APART>(m);
    }
    template <typename S>
    __device__ __forceinline__ void move_in(const S &steps, int row)
    {
        moved.begin_tile(m, row, steps.k(), steps.t.batch);
    }
    __device__ __forceinline__ void move(unsigned from, unsigned to)
    {
        moved.move(from, to);
        moved.template next_step<APART>();
    }
};
template <typename P, int APART> struct loose_operand<P, false, APART> {
    __device__ __forceinline__ loose_operand(const loose_array &, unsigned) {}
    template <typename S>
    __device__ __forceinline__ void ask_in(const S &, int)
    {
    }
    __device__ __forceinline__ void ask(unsigned) {}
    template <typename S>
    __device__ __forceinline__ void move_in(const S &, int)
    {
    }
    __device__ __forceinline__ void move(unsigned, unsigned) {}
};

/* What produce_loose() does where X, Y or both are loose. */
template <typename P, int GROUPS, bool LOOSE_X, bool LOOSE_Y>
__device__ __forceinline__ void
fill_loose(ring_place place, const typename P::walk &walk,
           const CUtensorMap &map_x, const CUtensorMap &map_y,
           const loose_array &x, const loose_array &y, int K, int parts,
           unsigned memory, int raws, int group)
{
    constexpr unsigned BEHIND_X = LOOSE_X ? raw_lines<typename P::x>::BYTES : 0;
    constexpr unsigned OF_STEP =
        BEHIND_X + (LOOSE_Y ? raw_lines<typename P::y>::BYTES : 0);
    constexpr int COPIED =
        (LOOSE_X ? 0 : P::x::BYTES) + (LOOSE_Y ? 0 : P::y::BYTES);
    const unsigned tail = memory + (group * 4 + threadIdx.x % 128 / 32) * 32;
    const unsigned first = memory + GROUPS * 128 + group * raws * OF_STEP;
    const unsigned end = first + raws * OF_STEP;
    unsigned raw = first;
    loose_operand<typename P::x, LOOSE_X, GROUPS> of_x(x, tail);
    loose_operand<typename P::y, LOOSE_Y, GROUPS> of_y(y, tail + 16);
    loose_steps<P, GROUPS> steps(walk, K, parts, group), ahead = steps;

    place.skip(group);
#pragma unroll 1
    for (int missing = raws - 1;; missing--) {
        if (ahead.take()) {
            of_x.ask_in(ahead, ahead.t.row);
            of_y.ask_in(ahead, ahead.t.col);
        }
        if (ahead.there) {
            of_x.ask(raw);
            of_y.ask(raw + BEHIND_X);
        }
        hone::copy_commit();
        raw = raw + OF_STEP < end ? raw + OF_STEP : first;
        if (missing > 0)
            continue;
        /* The step that was asked for first. */
        if (steps.take()) {
            of_x.move_in(steps, steps.t.row);
            of_y.move_in(steps, steps.t.col);
        }
        if (!steps.there)
            return;
        const unsigned to = place.slots + place.slot * P::SLOT;
        const unsigned full = place.own_full();

        hone::barrier_wait(place.own_empty(), place.round ^ 1);
        if (threadIdx.x % 128 == 0) {
            hone::barrier_expect(full, COPIED);
            if (!LOOSE_X)
                P::x::load(to, map_x, steps.t.row, steps.k(), steps.t.batch, 0,
                           full);
            if (!LOOSE_Y)
                P::y::load(to + P::x::BYTES, map_y, steps.t.col, steps.k(),
                           steps.t.batch, 0, full);
        }
        hone::copy16_wait(raws - 1);
        __syncwarp();
        of_x.move(raw, to);
        of_y.move(raw + BEHIND_X, to + P::x::BYTES);
        hone::async_fence();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            hone::barrier_arrive(full);
        place.hop(GROUPS);
    }
}

/* One of GROUPS warp groups that fill the ring in turn, a step each: what is
 * `loose_x` or `loose_y` by way of `raws` steps of raw lines of its own, the rest by
 * copies that its first thread asks for. That one and four warps arrive at
 * `full`. From `memory` on, a multiple of 16, are 128 bytes for each group, and the raw
 * lines of each. */
template <typename P, int GROUPS>
__device__ __forceinline__ void
produce_loose(const ring_place &place, const typename P::walk &walk,
              const CUtensorMap &map_x, const CUtensorMap &map_y,
              const loose_array &x, const loose_array &y, bool loose_x,
              bool loose_y, int K, int parts, unsigned memory, int raws,
              int group)
{
    if (threadIdx.x == 0 && !loose_x)
        hone::tensor_prefetch(map_x);
    if (threadIdx.x == 0 && !loose_y)
        hone::tensor_prefetch(map_y);
    if (loose_x && loose_y)
        fill_loose<P, GROUPS, true, true>(place, walk, map_x, map_y, x, y, K,
                                          parts, memory, raws, group);
    else if (loose_x)
        fill_loose<P, GROUPS, true, false>(place, walk, map_x, map_y, x, y, K,
                                           parts, memory, raws, group);
    else if (loose_y)
        fill_loose<P, GROUPS, false, true>(place, walk, map_x, map_y, x, y, K,
                                           parts, memory, raws, group);
    else
        fill_loose<P, GROUPS, false, false>(place, walk, map_x, map_y, x, y, K,
                                            parts, memory, raws, group);
}

} /* namespace gemm */
} /* namespace hone */

#endif
