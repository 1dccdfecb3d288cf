/* SPDX-License-Identifier: Apache-2.0 */
/* From n elements to one value: what the operations of this folder share.
 *
 * A reduction R says what is accumulated (accumulate.cuh has sums; extreme.cuh
 * has the first extreme, which takes its share in a way of its own):
 *   R::value                 what a thread keeps, 4, 8 or 16 bytes
 *   R::none()                the value of no elements
 *   R::loaded<W>             W neighbouring elements, as they come from memory
 *   r.read<W>(at)            those from element `at` on, a multiple of W
 *   r.take<W>(v, loaded, at) makes v that with them; they lie behind the others
 *   r(a, b)                  both together, in any order
 *
 * Every thread takes its share with UNROLL accesses under way before the first
 * is used; blocks join the values of their threads; what is left is one of the
 * ways of `finish`. No order depends on which block is first, and there are no
 * atomics on numbers: the result is the same in every run of a variant on
 * devices with as many multiprocessors.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_REDUCTION_CUH
#define HONE_REDUCTION_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"

namespace hone {

/* How the values of blocks become one:
 *   ticket      one launch. The block that draws the last ticket joins them.
 *   two_launch  a second launch of one block joins them.
 *   one_block   there is one block alone, and nothing to join.
 *   cluster     the blocks are one cluster (compute capability 9.0): the first
 *               of them is sent the values of the others.
 *   two_launch_early
 *               two_launch, whose second launch starts while the first runs and
 *               waits for its end (compute capability 9.0). */
enum class finish { ticket, two_launch, one_block, cluster, two_launch_early };

/* First of all in a kernel: its second launch need not wait any longer, where
 * that begins early. */
template <finish HOW> __device__ inline void begin_grid()
{
    if constexpr (HOW == finish::two_launch_early)
        start_next();
}

/* What elements are counted in: one block and one cluster have fewer than 32
 * bits count, and short ones, whose addresses shall not take long. */
template <finish HOW> struct count_for {
    using type = unsigned long long;
};
template <> struct count_for<finish::one_block> {
    using type = unsigned;
};
template <> struct count_for<finish::cluster> {
    using type = unsigned;
};

/* Thread `me` of `threads` takes its share of elements [first, last). Packs of
 * VEC are dealt one by one, so that accesses of neighbouring threads are
 * neighbours, and each has as many but for one. The edges, elements in front
 * of the first whole pack and behind the last, are dealt one by one too, and
 * asked for before anything else: a short sum waits for memory once. */
template <int VEC, int UNROLL, typename R, typename I>
__device__ inline typename R::value share_of(const R &r, I first, I last, I me,
                                             I threads)
{
    using V = typename R::value;
    const I start = (first + VEC - 1) / VEC;
    const I end = last / VEC > start ? last / VEC : start;
    /* Without a whole pack all that there is lies in front of `start`. */
    const I head = (start * VEC < last ? start * VEC : last) - first;
    const I edge = head + (last > end * VEC ? last - end * VEC : 0);
    const auto edge_at = [=](I i) {
        return i < head ? first + i : end * VEC + (i - head);
    };
    typename R::template loaded<1> at_edge = {};
    I at = start + me; /* of packs, as start and end */
    V v[UNROLL];

    if (VEC > 1 && me < edge)
        at_edge = r.template read<1>(edge_at(me));
#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        v[i] = R::none();
    for (; at + (UNROLL - 1) * threads < end; at += UNROLL * threads) {
        typename R::template loaded<VEC> packs[UNROLL];

#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            packs[i] = r.template read<VEC>((at + i * threads) * VEC);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            r.template take<VEC>(v[i], packs[i], (at + i * threads) * VEC);
    }
    /* Fewer than UNROLL packs are left: all asked for at once too. */
#pragma unroll
    for (int i = 0; i < UNROLL - 1; i++) {
        const I pack = at + i * threads;

        if (pack < end)
            r.template take<VEC>(v[i], r.template read<VEC>(pack * VEC),
                                 pack * VEC);
    }
    if (VEC > 1 && me < edge) {
        V of_edge = R::none();

        r.template take<1>(of_edge, at_edge, edge_at(me));
#pragma unroll 1
        for (I i = me + threads; i < edge; i += threads)
            r.template take<1>(of_edge, r.template read<1>(edge_at(i)),
                               edge_at(i));
        v[0] = r(v[0], of_edge);
    }
#pragma unroll
    for (int half = UNROLL / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; i++)
            v[i] = r(v[i], v[i + half]);
    }
    return v[0];
}

/* The value of `count` blocks, in every thread of warp 0. Other multiprocessors
 * wrote them: they are read past the level 1 cache. */
template <int BLOCK, typename R>
__device__ inline typename R::value join_blocks(const R &r,
                                                const typename R::value *blocks,
                                                int count)
{
    typename R::value v = R::none();

    for (int i = threadIdx.x; i < count; i += BLOCK)
        v = r(v, read_pack<1, access::l2>(blocks + i).at[0]);
    return block_reduce<BLOCK>(v, r);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/* The value of the blocks of a cluster that is the whole grid, of at most 16,
 * in every thread of warp 0 of block 0. All threads of all of them call it. */
template <typename R>
__device__ inline typename R::value join_cluster(const R &r,
                                                 typename R::value v)
{
    using V = typename R::value;
    __shared__ alignas(16) unsigned char bytes[16 * sizeof(V)];
    V *const of_block = reinterpret_cast<V *>(bytes);

    __cluster_barrier_arrive(); /* block 0 runs, its shared memory is there */
    __cluster_barrier_wait();
    if (threadIdx.x == 0)
        static_cast<V *>(
            __cluster_map_shared_rank(of_block, 0))[blockIdx.x] = v;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    const unsigned lane = threadIdx.x % 16;

    return lanes_reduce<16>(lane < gridDim.x ? of_block[lane] : R::none(), r);
}
#endif

/* What becomes of `mine`, the value of this thread. True in one thread of the
 * grid, whose `mine` then is the value of all; with a second launch in none.
 * `blocks` has a value for each block, `ticket` is is_last_block()'s; a way
 * that needs neither leaves them alone. */
template <int BLOCK, finish HOW, typename R>
__device__ inline bool join_grid(const R &r, typename R::value &mine,
                                 void *blocks, unsigned *ticket)
{
    using V = typename R::value;
    V *const of_block = static_cast<V *>(blocks);

    mine = block_reduce<BLOCK>(mine, r);
    if constexpr (HOW == finish::one_block)
        return threadIdx.x == 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (HOW == finish::cluster) {
        mine = join_cluster(r, mine);
        return blockIdx.x == 0 && threadIdx.x == 0;
    }
#endif
    if constexpr (HOW == finish::ticket || HOW == finish::two_launch ||
                  HOW == finish::two_launch_early) {
        if (threadIdx.x == 0)
            of_block[blockIdx.x] = mine;
    }
    if constexpr (HOW == finish::ticket) {
        if (is_last_block(ticket, gridDim.x)) {
            mine = join_blocks<BLOCK>(r, of_block, (int)gridDim.x);
            return threadIdx.x == 0;
        }
    }
    return false;
}

} /* namespace hone */

#endif
