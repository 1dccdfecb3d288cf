/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a matrix that groups of threads read, once or several times, and
 * write: how a row is cut into packs, how the packs are dealt to the threads of
 * a group, and where the row is kept between one pass over it and the next.
 *
 * A pack is WIDTH neighbouring elements at a multiple of their size. Thread l
 * of a group of TEAM has the packs l, l + TEAM, l + 2*TEAM, ..; ITEMS of them, a
 * chunk, are asked for before the first is used. A group is THREADS threads of a
 * block, or, in a cluster of CLUSTER blocks, all threads of all of them.
 *
 * Packs are whole: elements in front of the first and behind the last are apart,
 * and a thread has one of them at most. So packs are read without branches, and
 * the loads of a chunk are on their way at once. Columns are counted from the
 * row's first element.
 *
 * Elements outside of the row are never read or written; in chunks they have the
 * value that a pass asks for.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROWS_CUH
#define HONE_NORMALISE_ROWS_CUH

#include "hone_pack.cuh"
#include "hone_reduce.cuh"
#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HONE_ROWS_BULK
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#endif

namespace hone {

/* Where a row is from its first pass on: in registers, ITEMS packs of a thread
 * being all it has; in shared memory; nowhere, so that it is read again; or in
 * shared memory, where a bulk copy brings it before its first pass. The
 * templates' parameters name these in the same order. */
enum class keep { registers, shared, reread, bulk };

/* Where elements are that make no whole pack: nowhere, behind the last, or also
 * in front of the first. In the same order as the templates' parameters. */
enum class edge { none, tail, both };

template <bool LONG> struct index_of {
    using type = int;
};
template <> struct index_of<true> {
    using type = long long;
};

/* What registers keep elements of E as: f32 if WIDE, else as they are. */
template <typename E, bool WIDE> struct held {
    using type = E;
};
template <typename E> struct held<E, true> {
    using type = float;
};

/* An element as registers keep it: as it is, or as f32. */
template <typename H, typename E> __device__ inline H held_as(E v)
{
    if constexpr (sizeof(H) == sizeof(E))
        return v;
    else
        return widen(v);
}

/* f(i, j, element) for the elements of a chunk: j of pack i. */
template <typename N, int WIDTH, int COUNT, typename F>
__device__ inline void each(pack<N, WIDTH> (&chunk)[COUNT], F f)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            f(i, j, chunk[i].at[j]);
    }
}
template <typename N, int WIDTH, int COUNT, typename F>
__device__ inline void each(const pack<N, WIDTH> (&chunk)[COUNT], F f)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            f(i, j, chunk[i].at[j]);
    }
}

/* Elements by which the first pack begins behind p. */
template <int WIDTH, edge EDGE, typename E>
__device__ inline int ahead_of(const E *p)
{
    if constexpr (EDGE == edge::both)
        return int((0 - reinterpret_cast<unsigned long long>(p) / sizeof(E)) %
                   WIDTH);
    else
        return 0;
}

/* What a thread has of one row of x, elements of E; H is what registers keep
 * them as, E or float. */
template <typename E, typename H, int WIDTH, edge EDGE, keep KEEP, int ITEMS,
          int THREADS, int CLUSTER = 1>
struct row_part {
    static constexpr int TEAM = THREADS * CLUSTER;
    /* Only a row that is read again may have more than 2^31 elements. */
    using I = typename index_of<KEEP == keep::reread>::type;
    static constexpr bool is_in_registers = KEEP == keep::registers;
    static constexpr bool is_copied = KEEP == keep::bulk;
    using element = E;
    /* The first pass over a row that is read again wants it to stay in the
     * caches. */
    template <access HOW>
    static constexpr access first = KEEP == keep::reread ? access::normal : HOW;
    static constexpr edge edges = EDGE;
    static constexpr int width = WIDTH, items = ITEMS, threads = THREADS;
    static constexpr int cluster = CLUSTER;

    /* Of a chunk whose first pack is `first`: where pack i begins, and whether
     * there is one. */
    struct places {
        const row_part &of;
        I first;

        __device__ I column(int i) const
        {
            return (first + i * TEAM) * WIDTH + of.ahead;
        }
        __device__ bool has(int i) const
        {
            return first + i * TEAM < of.packs;
        }
    };
    /* The same of the element that a thread has apart from packs. */
    struct place {
        const row_part &of;

        __device__ I column(int) const
        {
            return of.lane < of.ahead ? I(of.lane)
                                      : of.packs * WIDTH + of.lane;
        }
        __device__ bool has(int) const { return of.lane < of.apart; }
    };

    const E *x;
    int lane, ahead;
    I packs;   /* of the row */
    int apart; /* elements in front of the packs and behind them */
    pack<E, WIDTH> *shared;
    unsigned barrier, parity; /* of the bulk copies of this row */
    pack<H, WIDTH> kept[is_in_registers ? ITEMS : 1];
    pack<H, 1> kept_apart[1];

    /* `at` is where the row is kept in shared memory, if it is. A group
     * without a row has one of 0 columns. Where packs begin behind the row's
     * first element, one more is left out: a pack of a row of weights, which
     * begins at a multiple of a pack, then lies in two that are both whole. */
    __device__ row_part(const E *p, long long columns, void *at)
        : x(p), lane(blockIdx.x % CLUSTER * THREADS + threadIdx.x % THREADS),
          ahead(ahead_of<WIDTH, EDGE>(p)),
          packs(I(columns / WIDTH) - (ahead > 0 && columns >= WIDTH ? 1 : 0)),
          apart(EDGE == edge::none ? 0 : int(columns - (long long)packs * WIDTH)),
          shared(static_cast<pack<E, WIDTH> *>(at))
    {
    }

    /* Where this block has pack `at`, which is one of this thread's. */
    __device__ pack<E, WIDTH> &shared_at(I at) const
    {
        return shared[(at - lane) / CLUSTER + threadIdx.x % THREADS];
    }
    /* Has what this block keeps of the row copied to shared memory. All threads
     * call it; where there are no bulk copies (the cpu device), each copies what
     * it will read. */
    __device__ void copy() const
    {
#ifdef HONE_ROWS_BULK
        if (threadIdx.x % THREADS >= 32)
            return;
        const int in_group = threadIdx.x % THREADS;
        const int before = lane - in_group;
        const int rest = packs % TEAM - before;
        const int own = packs / TEAM * THREADS +
                        (rest < 0 ? 0 : rest < THREADS ? rest : THREADS);
        const int step = CLUSTER > 1 ? THREADS : own;

        if (in_group == 0)
            barrier_expect(barrier, own * sizeof(pack<E, WIDTH>));
        __syncwarp();
        for (int i = in_group; i * step < own; i += 32)
            bulk_load(shared_address(shared + i * step),
                      x + ahead + (i * TEAM + before) * WIDTH,
                      (own - i * step < step ? own - i * step : step) *
                          sizeof(pack<E, WIDTH>),
                      barrier);
#else
        for (I at = lane; at < packs; at += TEAM)
            shared_at(at) = read_pack<WIDTH>(x + at * WIDTH + ahead);
#endif
    }
    /* What the thread has at `at` (places or a place), by `read(column)`. */
    template <int COUNT, typename P, typename F>
    __device__ static pack<E, COUNT> look(const P &at, int i, E outside, F read)
    {
        pack<E, COUNT> v;

#pragma unroll
        for (int j = 0; j < COUNT; j++)
            v.at[j] = outside;
        /* One of two words, not of two sets of elements: those of 16 bits
         * would be taken apart and put together by an instruction each. */
        typename word<sizeof v>::type bits;

        memcpy(&bits, &v, sizeof v);
        if (at.has(i)) {
            const pack<E, COUNT> there = read(at.column(i));

            memcpy(&bits, &there, sizeof v);
        }
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    template <access HOW, int COUNT, typename P>
    __device__ pack<E, COUNT> read(const P &at, int i, E outside) const
    {
        return look<COUNT>(at, i, outside, [&](I column) {
            return read_pack<COUNT, HOW>(x + column);
        });
    }
    template <int COUNT>
    __device__ static pack<H, COUNT> hold(const pack<E, COUNT> &v)
    {
        pack<H, COUNT> h;

#pragma unroll
        for (int j = 0; j < COUNT; j++)
            h.at[j] = held_as<H>(v.at[j]);
        return h;
    }

    /* f(chunk, at) for every chunk of this thread, and for the element apart as
     * one of a single element: chunk[i] is at at.column(i), if at.has(i). The
     * first pass reads global memory as HOW says, and so do all of a row that
     * is kept nowhere; `outside` is what is not in the row. What f writes into
     * a chunk is kept by registers alone. */
    template <bool FIRST, access HOW, typename F>
    __device__ void pass(E outside, F f)
    {
        pack<E, 1> alone;

        if constexpr (FIRST && EDGE != edge::none)
            alone = read<HOW, 1>(place{*this}, 0, outside);
        if constexpr (is_in_registers) {
            if constexpr (FIRST) {
                pack<E, WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    v[i] = read<HOW, WIDTH>(places{*this, I(lane)}, i, outside);
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    kept[i] = hold(v[i]);
            }
            f(kept, places{*this, I(lane)});
        } else {
#ifdef HONE_ROWS_BULK
            if constexpr (KEEP == keep::bulk && FIRST)
                barrier_wait(barrier, parity);
#endif
#pragma unroll 1
            for (I first = lane; first < packs; first += ITEMS * TEAM) {
                const places at{*this, first};
                pack<E, WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++) {
                    if constexpr (KEEP == keep::bulk || (KEEP == keep::shared && !FIRST))
                        v[i] = look<WIDTH>(at, i, outside, [&](I) {
                            return shared_at(first + i * TEAM);
                        });
                    else
                        v[i] = read<HOW, WIDTH>(at, i, outside);
                }
                if constexpr (KEEP == keep::shared && FIRST) {
#pragma unroll
                    for (int i = 0; i < ITEMS; i++) {
                        if (at.has(i))
                            shared_at(first + i * TEAM) = v[i];
                    }
                }
                f(v, at);
            }
        }
        if constexpr (EDGE != edge::none) {
            if constexpr (FIRST)
                kept_apart[0] = hold(alone);
            f(kept_apart, place{*this});
        }
    }
};

/* Pack i of the row y = result(i, pack i) for a chunk, which is at `at`. */
template <access OUT, typename E, typename N, int WIDTH, int COUNT, typename P,
          typename F>
__device__ inline void write_chunk(E *y, const pack<N, WIDTH> (&chunk)[COUNT],
                                   const P &at, F result)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const pack<E, WIDTH> v = result(i, chunk[i]);

        if (at.has(i))
            write_pack<OUT>(y + at.column(i), v);
    }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/* group_reduce() of a block, then over the blocks of a cluster, in their order. */
template <int CLUSTER, int BLOCK, typename V, typename OP>
__device__ inline V cluster_reduce(V v, OP op)
{
    __shared__ alignas(16) unsigned char bytes[CLUSTER * sizeof(V)];
    V *const of_block = reinterpret_cast<V *>(bytes);

    __syncwarp(); /* warps arrive whole */
    __cluster_barrier_arrive();
    v = group_reduce<BLOCK, BLOCK>(v, op);
    __cluster_barrier_wait(); /* all run, and have read what a call left */
    if (threadIdx.x < CLUSTER)
        static_cast<V *>(__cluster_map_shared_rank(
            of_block, threadIdx.x))[blockIdx.x % CLUSTER] = v;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    v = of_block[0];
#pragma unroll
    for (int i = 1; i < CLUSTER; i++)
        v = op(v, of_block[i]);
    return v;
}
#endif

/* Over the threads that share a row, as P has it; every one gets it. All
 * threads of the block, or of the cluster, call it. */
template <typename P, int BLOCK, typename V, typename OP>
__device__ inline V row_reduce(V v, OP op)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (P::cluster > 1)
        return cluster_reduce<P::cluster, BLOCK>(v, op);
#endif
    return group_reduce<P::threads, BLOCK>(v, op);
}

/* a[0] + .. + a[COUNT-1], COUNT a power of two, as a tree; a is used up. */
template <int COUNT> __device__ inline float tree_sum(float (&a)[COUNT])
{
#pragma unroll
    for (int half = COUNT / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; i++)
            a[i] += a[i + half];
    }
    return a[0];
}

} /* namespace hone */

#endif
