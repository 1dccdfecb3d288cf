/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a matrix that groups of threads read, once or several times, and
 * write: how a row is cut into packs, how the packs are dealt to the threads of
 * a group, and where the row is kept between one pass over it and the next.
 *
 * A pack is WIDTH neighbouring elements at a multiple of their size. Thread l
 * of a group of TEAM has the packs l, l + TEAM, l + 2*TEAM, ..; ITEMS of them, a
 * chunk, are asked for before the first is used. A group is THREADS threads of a
 * block, or, in a cluster of CLUSTER blocks, all threads of all of them. Columns are counted
 * from the row's first element; where the row does not begin at a multiple of a
 * pack, the first pack begins at a column below 0.
 *
 * Elements outside of the row are never read or written; in packs they have the
 * value that a pass asks for.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROWS_CUH
#define HONE_NORMALISE_ROWS_CUH

#include "hone_pack.cuh"
#include "hone_reduce.cuh"

namespace hone {

/* Where a row is from its first pass on: in registers, ITEMS packs of a thread
 * being all it has; in shared memory; or nowhere, so that it is read again. */
enum class keep { registers, shared, reread };

/* Which packs of a row may lie partly outside: none, the last, or also the
 * first. The templates' parameters name these in the same order. */
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

/* One row of an array: x, y, or the weights, which are a row too. `head` is
 * that of x: the elements by which its first pack begins in front of it. */
template <typename E, int WIDTH, edge EDGE> struct row {
    using element = E;
    using a_pack = pack<E, WIDTH>;

    E *first;
    long long columns;
    bool fits; /* its packs are those of x */

    static __device__ int head_of(const void *p)
    {
        if constexpr (EDGE == edge::both)
            return int(reinterpret_cast<unsigned long long>(p) / sizeof(E) %
                       WIDTH);
        else
            return 0;
    }

    __device__ row(E *p, long long n, int head)
        : first(p), columns(n), fits(head_of(p) == head)
    {
    }

    /* Is the element `j` of the pack at column c in the row? */
    template <typename I> __device__ bool has(I c, int j) const
    {
        if constexpr (EDGE == edge::none)
            return c < I(columns);
        else if constexpr (EDGE == edge::tail)
            return c + j < I(columns);
        else
            return c + j >= 0 && c + j < I(columns);
    }
    /* The whole pack, where this row has it as one? */
    template <typename I> __device__ bool has_pack(I c) const
    {
        if constexpr (EDGE == edge::both)
            return fits && has(c, 0) && has(c, WIDTH - 1);
        else
            return has(c, WIDTH - 1);
    }

    template <access HOW = access::normal, typename N, typename I>
    __device__ pack<N, WIDTH> read(I c, N outside) const
    {
        using W = typename word<sizeof(N) * WIDTH>::type;
        pack<N, WIDTH> v;
        W bits;

        /* One of two words, not of two sets of elements: those of 16 bits
         * would be taken apart and put together by an instruction each. */
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            v.at[j] = outside;
        memcpy(&bits, &v, sizeof v);
        if (has_pack(c)) {
            bits = read_word<HOW>(reinterpret_cast<const W *>(first + c));
        } else if constexpr (EDGE != edge::none) {
#pragma unroll
            for (int j = 0; j < WIDTH; j++) {
                if (has(c, j))
                    v.at[j] = read_pack<1, HOW>(first + c + j).at[0];
            }
            memcpy(&bits, &v, sizeof v);
        }
        memcpy(&v, &bits, sizeof v);
        return v;
    }

    template <access HOW = access::normal, typename N, typename I>
    __device__ void write(I c, const pack<N, WIDTH> &v) const
    {
        if (has_pack(c)) {
            write_pack<HOW>(first + c, v);
        } else if constexpr (EDGE != edge::none) {
#pragma unroll
            for (int j = 0; j < WIDTH; j++) {
                if (has(c, j))
                    first[c + j] = v.at[j];
            }
        }
    }
};

/* What a thread has of one row of x, elements of E; H is what registers keep
 * them as, E or float. */
template <typename E, typename H, int WIDTH, edge EDGE, keep KEEP, int ITEMS,
          int THREADS, int CLUSTER = 1>
struct row_part {
    static constexpr int TEAM = THREADS * CLUSTER;
    /* Only a row that is read again may have more than 2^31 elements. */
    using I = typename index_of<KEEP == keep::reread>::type;
    static constexpr bool is_in_registers = KEEP == keep::registers;
    using element = E;
    /* The first pass over a row that is read again wants it to stay in the
     * caches. */
    template <access HOW>
    static constexpr access first = KEEP == keep::reread ? access::normal : HOW;
    static constexpr edge edges = EDGE;
    static constexpr int width = WIDTH, items = ITEMS, threads = THREADS;
    static constexpr int cluster = CLUSTER;

    row<const E, WIDTH, EDGE> x;
    int head, lane;
    I packs; /* of the row */
    pack<E, WIDTH> *shared;
    pack<H, WIDTH> kept[is_in_registers ? ITEMS : 1];

    /* `at` is where the row is kept in shared memory, if it is. A group
     * without a row has one of 0 columns. */
    __device__ row_part(const E *p, long long columns, void *at)
        : x(p, columns, row<const E, WIDTH, EDGE>::head_of(p)),
          head(row<const E, WIDTH, EDGE>::head_of(p)),
          lane(blockIdx.x % CLUSTER * THREADS + threadIdx.x % THREADS),
          packs(columns == 0 ? 0 : I((columns + head + WIDTH - 1) / WIDTH)),
          shared(static_cast<pack<E, WIDTH> *>(at))
    {
    }

    /* The column at which pack `i` of a chunk begins whose first is `first`. */
    __device__ I column(I first, int i) const
    {
        return (first + i * TEAM) * WIDTH - head;
    }
    __device__ bool has(I first, int i, int j) const
    {
        return x.has(column(first, i), j);
    }

    /* Where this block has pack `at`, which is one of this thread's. */
    __device__ pack<E, WIDTH> &shared_at(I at) const
    {
        return shared[(at - lane) / CLUSTER + threadIdx.x % THREADS];
    }
    __device__ pack<E, WIDTH> read_shared(I at, E outside) const
    {
        pack<E, WIDTH> v;

        if (at < packs)
            return shared_at(at);
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            v.at[j] = outside;
        return v;
    }

    /* f(chunk, first) for every chunk of this thread: chunk[i] is pack i. The
     * first pass reads global memory as HOW says, and so do all of a row that
     * is kept nowhere; `outside` is what is not in the row. What f writes into
     * a chunk is kept by registers alone. */
    template <bool FIRST, access HOW, typename F>
    __device__ void pass(E outside, F f)
    {
        if constexpr (is_in_registers) {
            if constexpr (FIRST) {
                pack<E, WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    v[i] = x.template read<HOW>(column(lane, i), outside);
#pragma unroll
                for (int i = 0; i < ITEMS; i++) {
#pragma unroll
                    for (int j = 0; j < WIDTH; j++)
                        kept[i].at[j] = held_as<H>(v[i].at[j]);
                }
            }
            f(kept, I(lane));
        } else {
#pragma unroll 1
            for (I first = lane; first < packs; first += ITEMS * TEAM) {
                pack<E, WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++) {
                    if constexpr (KEEP == keep::shared && !FIRST)
                        v[i] = read_shared(first + i * TEAM, outside);
                    else
                        v[i] = x.template read<HOW>(column(first, i), outside);
                }
                if constexpr (KEEP == keep::shared && FIRST) {
#pragma unroll
                    for (int i = 0; i < ITEMS; i++) {
                        if (first + i * TEAM < packs)
                            shared_at(first + i * TEAM) = v[i];
                    }
                }
                f(v, first);
            }
        }
    }
};

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
