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

#include "row_chunks.cuh"
#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HONE_ROWS_BULK
#include "hone_hopper.cuh"
#endif

namespace hone {

/* Where a row is from its first pass on: in registers, ITEMS packs of a thread
 * being all it has; in shared memory; nowhere, so that it is read again; in
 * shared memory, where a bulk copy brings it before its first pass; or in
 * registers that take it from where a bulk copy brought it, so that the next row
 * is copied there while this one is worked on. The templates' parameters name
 * these in the same order. */
enum class keep { registers, shared, reread, bulk, ahead };

/* Where elements are that make no whole pack: nowhere, behind the last, or also
 * in front of the first. In the same order as the templates' parameters. */
enum class edge { none, tail, both };

template <bool LONG> struct index_of {
    using type = int;
};
template <> struct index_of<true> {
    using type = long long;
};

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
    static constexpr bool is_in_registers =
        KEEP == keep::registers || KEEP == keep::ahead;
    static constexpr bool is_copied = KEEP == keep::bulk || KEEP == keep::ahead;
    using element = E;
    template <int COUNT>
    using word_of = typename word<sizeof(pack<E, COUNT>)>::type;
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
    /* Rows that this group had before, and how often its threads made one value
     * of theirs for this one. */
    unsigned turn = 0, reductions = 0;
    static constexpr bool ARE_WORDS =
        is_in_registers && sizeof(H) == 2 && WIDTH > 1;
    pack<H, WIDTH> kept[is_in_registers && !ARE_WORDS ? ITEMS : 1];
    words<E, ARE_WORDS ? WIDTH : 2> kept_words[ARE_WORDS ? ITEMS : 1];
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

    /* Which of the packs that this block has is pack `at`, one of this thread's. */
    __device__ I own(I at) const
    {
        return (at - lane) / CLUSTER + threadIdx.x % THREADS;
    }
    __device__ pack<E, WIDTH> &shared_at(I at) const { return shared[own(at)]; }
    __device__ word_of<WIDTH> read_shared(I at) const
    {
        return reinterpret_cast<const word_of<WIDTH> &>(shared_at(at));
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
    /* What the thread has at `at` (places or a place), by `read(column)`: one of
     * two words, not of two sets of elements, because those of 16 bits would be
     * taken apart and put together by an instruction each. */
    template <int COUNT, typename P, typename F>
    __device__ static word_of<COUNT> look_word(const P &at, int i, E outside,
                                               F read)
    {
        pack<E, COUNT> v;
        word_of<COUNT> bits;

#pragma unroll
        for (int j = 0; j < COUNT; j++)
            v.at[j] = outside;
        memcpy(&bits, &v, sizeof v);
        if (at.has(i))
            bits = read(at.column(i));
        return bits;
    }
    /* The same as elements; `read` gives a pack. */
    template <int COUNT, typename P, typename F>
    __device__ static pack<E, COUNT> look(const P &at, int i, E outside, F read)
    {
        const auto bits = look_word<COUNT>(at, i, outside, [&](I column) {
            const pack<E, COUNT> there = read(column);
            word_of<COUNT> bits;

            memcpy(&bits, &there, sizeof bits);
            return bits;
        });
        return as_pack(bits);
    }
    template <typename W>
    __device__ static pack<E, sizeof(W) / sizeof(E)> as_pack(W bits)
    {
        pack<E, sizeof(W) / sizeof(E)> v;

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
    /* The element that a thread has apart, as a pack. */
    template <access HOW> __device__ pack<E, 1> read_apart(E outside) const
    {
        if constexpr (EDGE == edge::none)
            return {};
        else
            return read<HOW, 1>(place{*this}, 0, outside);
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

    /* Waits for the row's bulk copies. */
    __device__ void wait() const
    {
#ifdef HONE_ROWS_BULK
        barrier_wait(barrier, parity);
#endif
    }
    /* Has registers keep what the row's bulk copies brought. */
    __device__ void take(E outside)
    {
        const places at{*this, I(lane)};

        wait();
#pragma unroll
        for (int i = 0; i < (is_in_registers ? ITEMS : 1); i++)
            keep_word(i, look_word<WIDTH>(at, i, outside, [&](I) {
                          return read_shared(lane + i * TEAM);
                      }));
    }
    __device__ void keep_word(int i, word_of<WIDTH> bits)
    {
        if constexpr (ARE_WORDS) {
            memcpy(kept_words[i].of_two, &bits, sizeof bits);
        } else {
            kept[i] = hold(as_pack(bits));
        }
    }

    /* f(chunk, at) for every chunk of this thread, and for the element apart as
     * one of a single element: chunk[i] is at at.column(i), if at.has(i). The
     * first pass reads global memory as HOW says, and so do all of a row that
     * is kept nowhere; `outside` is what is not in the row. What f writes into
     * a chunk is kept by registers alone. Of a copied row kept_apart is there. */
    template <bool FIRST, access HOW, typename F>
    __device__ void pass(E outside, F f)
    {
        pack<E, 1> alone;

        if constexpr (FIRST && !is_copied)
            alone = read_apart<HOW>(outside);
        if constexpr (is_in_registers) {
            if constexpr (FIRST && !is_copied) {
                word_of<WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    v[i] = look_word<WIDTH>(
                        places{*this, I(lane)}, i, outside, [&](I column) {
                            return read_word<HOW>(
                                reinterpret_cast<const word_of<WIDTH> *>(x + column));
                        });
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    keep_word(i, v[i]);
            }
            if constexpr (ARE_WORDS)
                f(kept_words, places{*this, I(lane)});
            else
                f(kept, places{*this, I(lane)});
        } else {
            if constexpr (is_copied && FIRST)
                wait();
#pragma unroll 1
            for (I first = lane; first < packs; first += ITEMS * TEAM) {
                const places at{*this, first};
                pack<E, WIDTH> v[ITEMS];

#pragma unroll
                for (int i = 0; i < ITEMS; i++) {
                    if constexpr (KEEP == keep::bulk || (KEEP == keep::shared && !FIRST))
                        v[i] = as_pack(look_word<WIDTH>(at, i, outside, [&](I) {
                            return read_shared(first + i * TEAM);
                        }));
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
            if constexpr (FIRST && !is_copied)
                kept_apart[0] = hold(alone);
            f(kept_apart, place{*this});
        }
    }
};

} /* namespace hone */

#endif
