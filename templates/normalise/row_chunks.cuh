/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks: packs of a row that a thread works on at once, from memory or as
 * registers keep them.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORMALISE_ROW_CHUNKS_CUH
#define HONE_NORMALISE_ROW_CHUNKS_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {

/* What registers keep elements of E as: f32 if WIDE, else as they are. */
template <typename E, bool WIDE> struct held {
    using type = E;
};
template <typename E> struct held<E, true> {
    using type = float;
};

/* Elements of 16 bits as registers keep them from one pass to the next. Each pass
 * takes them apart again: a compiler that may keep them as f32, or one to a
 * register, uses twice the registers. */
template <typename E, int WIDTH> struct words {
    int of_two[WIDTH / 2];

    __device__ pack<E, WIDTH> again() const
    {
        int now[WIDTH / 2];
        pack<E, WIDTH> v;

#pragma unroll
        for (int i = 0; i < WIDTH / 2; i++)
            now[i] = afresh(of_two[i]);
        memcpy(&v, now, sizeof now);
        return v;
    }
};

/* An element as registers keep it: as it is, or as f32. */
template <typename H, typename E> __device__ inline H held_as(E v)
{
    if constexpr (sizeof(H) == sizeof(E))
        return v;
    else
        return widen(v);
}

/* Pack i of a chunk. */
template <typename N, int WIDTH> __device__ inline const pack<N, WIDTH> &
pack_of(const pack<N, WIDTH> &p)
{
    return p;
}
template <typename N, int WIDTH>
__device__ inline pack<N, WIDTH> pack_of(const words<N, WIDTH> &p)
{
    return p.again();
}

/* What a chunk is made of. */
template <typename C> struct made_of;
template <typename N, int WIDTH> struct made_of<pack<N, WIDTH>> {
    using element = N;
    static constexpr int width = WIDTH;
};
template <typename N, int WIDTH>
struct made_of<words<N, WIDTH>> : made_of<pack<N, WIDTH>> {};

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
template <typename C, int COUNT, typename F>
__device__ inline void each(const C (&chunk)[COUNT], F f)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const auto &v = pack_of(chunk[i]);

#pragma unroll
        for (int j = 0; j < made_of<C>::width; j++)
            f(i, j, v.at[j]);
    }
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

/* Pack i of the row y = result(i, pack i) for a chunk, which is at `at`. */
template <access OUT, typename E, typename C, int COUNT, typename P, typename F>
__device__ inline void write_chunk(E *y, const C (&chunk)[COUNT], const P &at,
                                   F result)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const auto v = result(i, pack_of(chunk[i]));

        if (at.has(i))
            write_pack<OUT>(y + at.column(i), v);
    }
}

} /* namespace hone */

#endif
