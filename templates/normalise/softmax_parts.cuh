/* SPDX-License-Identifier: Apache-2.0 */
/* What softmax and log_softmax compute of a row: its largest element and the
 * sum of the exponentials of the distances from it.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_SOFTMAX_PARTS_CUH
#define HONE_SOFTMAX_PARTS_CUH

#include "row_copies.cuh"

namespace hone {

/* exp(d), d from -inf to 0, as a power of 2. */
__device__ inline float exponential(float d)
{
    return exp2f(d * 1.4426950408889634f);
}

/* The same as a term of a sum that has a term of 1: 0 below 2^-126. */
__device__ inline float term(float d)
{
    return exp2_fast(d * 1.4426950408889634f);
}

/* What stands for elements outside of a row. */
template <typename P> __device__ inline typename P::element least()
{
    return narrow<typename P::element>(minus_infinity());
}

/* The largest of some elements, and the sum of exp(element - largest). Of no
 * elements, and of -inf alone, it is (-inf, 0). */
struct softmax_sum {
    float largest, sum;
};

/* What a sum beside `from` is multiplied by so that it is beside `to`. Equal
 * ones may be infinite: their difference is no number. */
__device__ inline float rescale(float from, float to)
{
    return from == to ? 1.0f : term(from - to);
}

struct op_softmax {
    __device__ softmax_sum operator()(softmax_sum a, softmax_sum b) const
    {
        const float largest = fmaxf(a.largest, b.largest);

        return {largest, a.sum * rescale(a.largest, largest) +
                             b.sum * rescale(b.largest, largest)};
    }
};

struct op_largest {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

#if !defined(HONE_HOST) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HONE_MAX_OF_PAIRS
template <typename E> struct pair_of;
template <> struct pair_of<__half> {
    using type = __half2;
};
template <> struct pair_of<__nv_bfloat16> {
    using type = __nv_bfloat162;
};

/* The larger numbers of pairs, chunk by chunk, two at once; of a number and no
 * number it is the number, like fmaxf(). */
template <typename E, typename C, int COUNT>
__device__ inline float largest_of_pairs(float v, const C (&chunk)[COUNT])
{
    using pair = typename pair_of<E>::type;
    constexpr int pairs = sizeof(C) / sizeof(pair);
    pair largest[pairs];

    memcpy(largest, &chunk[0], sizeof largest);
#pragma unroll
    for (int i = 1; i < COUNT; i++) {
        pair next[pairs];

        memcpy(next, &chunk[i], sizeof next);
#pragma unroll
        for (int j = 0; j < pairs; j++)
            largest[j] = __hmax2(largest[j], next[j]);
    }
#pragma unroll
    for (int j = 1; j < pairs; j++)
        largest[0] = __hmax2(largest[0], largest[j]);
    return fmaxf(v, fmaxf(widen<E>(largest[0].x), widen<E>(largest[0].y)));
}
#endif

/* The largest of `v` and the numbers of a chunk. */
template <typename C, int COUNT>
__device__ inline float largest_of(float v, const C (&chunk)[COUNT])
{
#ifdef HONE_MAX_OF_PAIRS
    using E = typename made_of<C>::element;

    if constexpr (sizeof(E) == 2 && sizeof(C) > sizeof(E))
        return largest_of_pairs<E>(v, chunk);
#endif
    each(chunk, [&](int, int, auto e) { v = fmaxf(v, widen(e)); });
    return v;
}

/* Both in one pass: a chunk's maximum first, so that its exponentials are
 * taken once. */
template <access IN, int BLOCK, typename P>
__device__ inline softmax_sum softmax_online(P &x)
{
    softmax_sum all = {minus_infinity(), 0.0f};

    x.template pass<true, P::template first<IN>>(least<P>(), [&](const auto &chunk, auto) {
        const float largest = largest_of(all.largest, chunk);
        const float base = largest == minus_infinity() ? 0.0f : largest;
        float sum[P::width] = {};

        each(chunk, [&](int, int j, auto e) {
            sum[j] += term(widen(e) - base);
        });
        all.sum = all.sum * rescale(all.largest, largest) +
                  tree_sum(sum);
        all.largest = largest;
    });
    return row_reduce<BLOCK>(x, all, op_softmax());
}

/* A pass for each. With EXPS, registers have the exponentials from then on. */
template <bool EXPS, access IN, int BLOCK, typename P>
__device__ inline softmax_sum softmax_two_pass(P &x)
{
    softmax_sum all = {minus_infinity(), 0.0f};
    float sum[P::width] = {};

    x.template pass<true, P::template first<IN>>(least<P>(), [&](const auto &chunk, auto) {
        all.largest = largest_of(all.largest, chunk);
    });
    all.largest = row_reduce<BLOCK>(x, all.largest, op_largest());
    x.template pass<false, access::normal>(least<P>(), [&](auto &chunk, auto) {
        each(chunk, [&](int, int j, auto &v) {
            const float d = widen(v) - all.largest;
            const float e = EXPS ? exponential(d) : term(d);

            sum[j] += e;
            if constexpr (EXPS)
                v = e;
        });
    });
    all.sum = row_reduce<BLOCK>(x, tree_sum(sum), op_sum());
    return all;
}

/* y = result(value) for the elements of a row. */
template <access IN, access OUT, typename P, typename F>
__device__ inline void write_row(P &x, typename P::element *y, F result)
{
    x.template pass<false, IN>(least<P>(), [&](const auto &chunk, auto at) {
        write_chunk<OUT>(y, chunk, at, [&](int, const auto &v) {
            constexpr int width = sizeof v.at / sizeof v.at[0];
            pack<typename P::element, width> out;

#pragma unroll
            for (int j = 0; j < width; j++)
                out.at[j] = narrow<typename P::element>(result(widen(v.at[j])));
            return out;
        });
    });
}

} /* namespace hone */

#endif
