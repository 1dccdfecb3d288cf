/* SPDX-License-Identifier: Apache-2.0 */
/* The warp group that fills the ring of gemm/sm90 where rows of an operand
 * begin anywhere: such an operand by way of raw lines (gemm_sm90_raw.cuh), for
 * which it asks some steps before it moves them to a slot, the other, if its
 * rows are aligned, by copies as ever. Behind gemm_sm90_raw.cuh; no name of a
 * template parameter: see hone_device.cuh. */
#ifndef GEMM_SM90_LOOSE_CUH
#define GEMM_SM90_LOOSE_CUH

namespace hone
{
namespace gemm
{

/* The steps of a block's tiles, one after the other. */
template <typename P> struct loose_steps {
    typename P::walk walk;
    tile t;
    int K, parts;
    int step = 0, end = 0;
    bool there = true;   /* there is one */
    bool begins = false; /* it is the first of its tile */

    __device__ __forceinline__ loose_steps(const typename P::walk &walk_,
                                           int K_, int parts_)
        : walk(walk_), t(), K(K_), parts(parts_)
    {
        take();
    }
    __device__ __forceinline__ void take()
    {
        step++;
        begins = step >= end;
        while (there && step >= end) {
            there = walk.take(&t);
            if (there) {
                const typename P::steps mine(K, t, parts);

                step = mine.first;
                end = mine.end;
            }
        }
    }
    __device__ __forceinline__ int k() const
    {
        return step * P::x::DEPTH;
    }
};

/* Both sides of an operand P, if it is `loose`. */
template <typename P> struct loose_operand {
    raw_asked<P> asked;
    raw_moved<P> moved;

    template <typename S>
    __device__ __forceinline__ void ask(const loose_array &m, bool loose,
                                        const S &steps, int row, unsigned to,
                                        unsigned tail)
    {
        if (!loose)
            return;
        if (steps.begins)
            asked.begin_tile(m, row, steps.k(), steps.t.batch);
        else
            asked.next_step(m);
        asked.ask(m, to, tail);
    }
    template <typename S>
    __device__ __forceinline__ void move(const loose_array &m, bool loose,
                                         const S &steps, int row, unsigned from,
                                         unsigned to)
    {
        if (!loose)
            return;
        if (steps.begins)
            moved.begin_tile(m, row, steps.k(), steps.t.batch);
        else
            moved.next_step();
        moved.move(from, to);
    }
};

/* The warp group fills the ring: what is `loose_x` or `loose_y` by way of
 * `raws` steps of raw lines, which begin 128 bytes behind `tails`, the rest by
 * copies that its first thread asks for. That one and four warps arrive at
 * `full`. `tails` is a multiple of 16. */
template <typename P>
__device__ __forceinline__ void
produce_loose(ring_place place, const typename P::walk &walk,
              const CUtensorMap &map_x, const CUtensorMap &map_y,
              const loose_array &x, const loose_array &y, bool loose_x,
              bool loose_y, int K, int parts, unsigned tails, int raws)
{
    using raw_x = raw_lines<typename P::x>;
    using raw_y = raw_lines<typename P::y>;
    const unsigned tail_x = tails + threadIdx.x / 32 * 32;
    const unsigned tail_y = tail_x + 16;
    const unsigned behind_x = loose_x ? raw_x::BYTES : 0;
    const unsigned of_step = behind_x + (loose_y ? raw_y::BYTES : 0);
    const unsigned first = tails + 128, end = first + raws * of_step;
    unsigned raw = first;
    loose_steps<P> steps(walk, K, parts), ahead = steps;
    loose_operand<typename P::x> of_x;
    loose_operand<typename P::y> of_y;

    if (threadIdx.x == 0 && !loose_x)
        hone::tensor_prefetch(map_x);
    if (threadIdx.x == 0 && !loose_y)
        hone::tensor_prefetch(map_y);
    loose_tail(x).store(tail_x);
    loose_tail(y).store(tail_y);
    __syncwarp();
#pragma unroll 1
    for (int asked = 1; steps.there; asked++) {
        if (ahead.there) {
            of_x.ask(x, loose_x, ahead, ahead.t.row, raw, tail_x);
            of_y.ask(y, loose_y, ahead, ahead.t.col, raw + behind_x, tail_y);
            ahead.take();
        }
        hone::copy_commit();
        raw = raw + of_step < end ? raw + of_step : first;
        if (asked < raws)
            continue;
        /* The step that was asked for first. */
        const unsigned to = place.slots + place.slot * P::SLOT;
        const unsigned full = place.own_full();

        hone::barrier_wait(place.own_empty(), place.round ^ 1);
        if (threadIdx.x == 0) {
            hone::barrier_expect(full, (loose_x ? 0 : P::x::BYTES) +
                                           (loose_y ? 0 : P::y::BYTES));
            if (!loose_x)
                P::x::load(to, map_x, steps.t.row, steps.k(), steps.t.batch, 0,
                           full);
            if (!loose_y)
                P::y::load(to + P::x::BYTES, map_y, steps.t.col, steps.k(),
                           steps.t.batch, 0, full);
        }
        hone::copy_wait(raws - 1);
        __syncwarp();
        of_x.move(x, loose_x, steps, steps.t.row, raw, to);
        of_y.move(y, loose_y, steps, steps.t.col, raw + behind_x,
                  to + P::x::BYTES);
        hone::async_fence();
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            hone::barrier_arrive(full);
        steps.take();
        place.advance();
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
