/* SPDX-License-Identifier: Apache-2.0 */
/* What layer_norm and rms_norm compute of a row: sums of it, mean and variance,
 * and results with weights.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORM_PARTS_CUH
#define HONE_NORM_PARTS_CUH

#include "row_copies.cuh"

namespace hone {

/* What stands for elements outside of a row: they add nothing to a sum. */
template <typename P> __device__ inline typename P::element zero()
{
    return narrow<typename P::element>(0.0f);
}

/* The sum of term(value) over a row. Outside of it values are 0; where term(0)
 * is not, ZEROS has to be false, and they are left out. */
template <bool FIRST, bool ZEROS, access HOW, int BLOCK, typename P, typename F>
__device__ inline float sum_of_row(P &x, F term)
{
    float sum[P::width] = {};

    x.template pass<FIRST, HOW>(zero<P>(), [&](const auto &chunk, auto at) {
        each(chunk, [&](int i, int j, auto e) {
            const float v = term(widen(e));

            if (ZEROS || at.has(i))
                sum[j] += v;
        });
    });
    return row_reduce<BLOCK>(x, tree_sum(sum), op_sum());
}

/* Of some numbers: how many, their mean, and the sum of the squares of the
 * distances from it. */
struct moments {
    float count, mean, squares;
};

/* Those of two sets together (Chan, Golub and LeVeque, Updating formulae and a
 * pairwise algorithm for computing sample variances, 1979). */
struct op_moments {
    __device__ moments operator()(moments a, moments b) const
    {
        const float count = a.count + b.count;
        const float share = count > 0.0f ? b.count / count : 0.0f;
        const float apart = b.mean - a.mean;

        return {count, a.mean + apart * share,
                a.squares + b.squares + apart * apart * a.count * share};
    }
};

/* The moments of a chunk, from its own mean. */
template <typename C, int COUNT, typename P>
__device__ inline moments moments_of(const C (&chunk)[COUNT], const P &at)
{
    constexpr int WIDTH = made_of<C>::width;
    float count = 0.0f, sum[WIDTH] = {}, squares[WIDTH] = {};

#pragma unroll
    for (int i = 0; i < COUNT; i++)
        count += at.has(i) ? float(WIDTH) : 0.0f;
    each(chunk, [&](int, int j, auto e) { sum[j] += widen(e); });
    const float mean = count > 0.0f ? tree_sum(sum) / count : 0.0f;

    each(chunk, [&](int i, int j, auto e) {
        const float apart = widen(e) - mean;

        if (at.has(i))
            squares[j] += apart * apart;
    });
    return {count, mean, tree_sum(squares)};
}

/* A row's in one pass: of each chunk by itself, then together. */
template <access IN, int BLOCK, typename P>
__device__ inline moments moments_merged(P &x)
{
    moments all = {0.0f, 0.0f, 0.0f};

    x.template pass<true, P::template first<IN>>(
        zero<P>(), [&](const auto &chunk, auto at) {
            all = op_moments()(all, moments_of(chunk, at));
        });
    return row_reduce<BLOCK>(x, all, op_moments());
}

/* A pass for the mean, and one for the squares. */
template <access IN, int BLOCK, typename P>
__device__ inline moments moments_two_pass(P &x, long long columns)
{
    const float count = float(columns);
    const float mean =
        sum_of_row<true, true, P::template first<IN>, BLOCK>(
            x, [](float v) { return v; }) /
        count;
    const float squares = sum_of_row<false, false, access::normal, BLOCK>(
        x, [=](float v) { return (v - mean) * (v - mean); });

    return {count, mean, squares};
}

/* The COUNT elements behind `ahead` of those of a and b: a shift. */
template <typename E, int COUNT>
__device__ inline pack<E, COUNT> shifted(const pack<E, COUNT> &a,
                                         const pack<E, COUNT> &b, int ahead)
{
    constexpr int words = sizeof a / 4, per_word = 4 / sizeof(E);
    unsigned w[2 * words];
    pack<E, COUNT> v;

    memcpy(w, &a, sizeof a);
    memcpy(w + words, &b, sizeof b);
    if constexpr (per_word == 2) {
#pragma unroll
        for (int i = 0; i + 1 < 2 * words; i++)
            w[i] = __funnelshift_r(w[i], w[i + 1], ahead % 2 * 16);
    }
#pragma unroll
    for (int by = 1; by < words; by *= 2) {
#pragma unroll
        for (int i = 0; i + by < 2 * words; i++)
            w[i] = ahead & by * per_word ? w[i + by] : w[i];
    }
    memcpy(&v, w, sizeof v);
    return v;
}

/* When weights are read: late, when results are written; early, before what
 * depends on the row is known; or once, for all rows of a block, into shared
 * memory. In the order of the templates' parameter. */
enum class when { late, early, shared };

/* The weights of what is at `at` of a row that P describes, pack or element i, or
 * zeros; their own row begins at a multiple of a pack. */
template <typename P, int WIDTH, typename A>
__device__ inline auto weights_at(const typename P::element *from, const A &at, int i)
{
    const auto whole = [&](auto column) {
        return read_pack<WIDTH>(from + column);
    };

    if constexpr (P::edges == edge::both && WIDTH > 1) {
        const int ahead = at.of.ahead;
        const auto a = P::template look<WIDTH>(
            at, i, zero<P>(), [&](auto c) { return whole(c - ahead); });
        const auto b = P::template look<WIDTH>(
            at, i, zero<P>(), [&](auto c) {
                return whole(ahead > 0 ? c - ahead + WIDTH : c);
            });

        return shifted(a, b, ahead);
    } else {
        return P::template look<WIDTH>(at, i, zero<P>(), whole);
    }
}

/* A row of weights. With `shared` a block has its part of it as P has its part
 * of a row, for rows that all begin as far in front of their first pack. */
template <typename P, when WHEN> struct weights {
    using element = typename P::element;

    const element *from;
    pack<element, P::width> *shared;
    pack<element, 1> apart;

    /* `at` is for a block's part, `x` one of its rows. All threads of the block;
     * they wait for each other once more before they read it. */
    __device__ weights(const element *p, void *at, const P &x)
        : from(p), shared(static_cast<pack<element, P::width> *>(at))
    {
        if constexpr (WHEN == when::shared) {
            apart = weights_at<P, 1>(p, typename P::place{x}, 0);
            for (typename P::I i = x.lane; i < x.packs; i += P::TEAM)
                write_pack<access::shared>(
                    shared[x.own(i)].at,
                    weights_at<P, P::width>(p, typename P::places{x, i}, 0));
        }
    }
};

/* Those of one row x: P keeps early ones in registers. */
template <typename P, when WHEN> struct row_weights {
    using element = typename P::element;
    using bits = typename P::template word_of<P::width>;

    const weights<P, WHEN> &all;
    bits kept[WHEN == when::early ? P::items : 1];
    pack<element, 1> apart;

    __device__ row_weights(const weights<P, WHEN> &w, const P &x) : all(w)
    {
        if constexpr (WHEN == when::shared)
            apart = w.apart;
        if constexpr (WHEN == when::early) {
            apart = weights_at<P, 1>(w.from, typename P::place{x}, 0);
#pragma unroll
            for (int i = 0; i < P::items; i++) {
                const auto v = weights_at<P, P::width>(
                    w.from, typename P::places{x, x.lane}, i);

                memcpy(&kept[i], &v, sizeof v);
            }
        }
    }
    template <int WIDTH, typename A>
    __device__ pack<element, WIDTH> at(const A &place, int i) const
    {
        if constexpr (WHEN == when::late)
            return weights_at<P, WIDTH>(all.from, place, i);
        else if constexpr (WIDTH == 1 && P::width > 1)
            return apart;
        else if constexpr (WHEN == when::early)
            return P::as_pack(kept[i]);
        else
            return P::template look<WIDTH>(place, i, zero<P>(), [&](auto) {
                return read_pack<WIDTH>(
                    all.shared[place.of.own(place.first + i * P::TEAM)].at);
            });
    }
};

/* y = result(value, weight of that column by each of `w`). */
template <access IN, access OUT, typename P, typename F, typename... W>
__device__ inline void write_weighted(P &x, typename P::element *y, F result,
                                      const W &...w)
{
    x.template pass<false, IN>(zero<P>(), [&](const auto &chunk, auto at) {
        write_chunk<OUT>(y, chunk, at, [&](int i, const auto &v) {
            constexpr int width = sizeof v.at / sizeof v.at[0];

            return [&](const auto &...weight) {
                pack<typename P::element, width> out;

#pragma unroll
                for (int j = 0; j < width; j++)
                    out.at[j] = narrow<typename P::element>(
                        result(widen(v.at[j]), widen(weight.at[j])...));
                return out;
            }(w.template at<width>(at, i)...);
        });
    });
}

} /* namespace hone */

#endif
