/* SPDX-License-Identifier: Apache-2.0 */
/* What layer_norm and rms_norm compute of a row: sums of it, mean and variance,
 * and results with weights.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_NORM_PARTS_CUH
#define HONE_NORM_PARTS_CUH

#include "rows.cuh"

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

    x.template pass<FIRST, HOW>(zero<P>(), [&](const auto &chunk, auto first) {
#pragma unroll
        for (int i = 0; i < P::items; i++) {
#pragma unroll
            for (int j = 0; j < P::width; j++) {
                const float v = term(widen(chunk[i].at[j]));

                if (ZEROS || x.has(first, i, j))
                    sum[j] += v;
            }
        }
    });
    return row_reduce<P, BLOCK>(tree_sum(sum), op_sum());
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
template <typename P, typename C, typename I>
__device__ inline moments moments_of(const P &x, const C &chunk, I first)
{
    float count = 0.0f, sum[P::width] = {}, squares[P::width] = {};

#pragma unroll
    for (int i = 0; i < P::items; i++) {
#pragma unroll
        for (int j = 0; j < P::width; j++) {
            sum[j] += widen(chunk[i].at[j]);
            count += x.has(first, i, j) ? 1.0f : 0.0f;
        }
    }
    const float mean = count > 0.0f ? tree_sum(sum) / count : 0.0f;

#pragma unroll
    for (int i = 0; i < P::items; i++) {
#pragma unroll
        for (int j = 0; j < P::width; j++) {
            const float apart = widen(chunk[i].at[j]) - mean;

            if (x.has(first, i, j))
                squares[j] += apart * apart;
        }
    }
    return {count, mean, tree_sum(squares)};
}

/* A row's in one pass: of each chunk by itself, then together. */
template <access IN, int BLOCK, typename P>
__device__ inline moments moments_merged(P &x)
{
    moments all = {0.0f, 0.0f, 0.0f};

    x.template pass<true, P::template first<IN>>(
        zero<P>(), [&](const auto &chunk, auto first) {
            all = op_moments()(all, moments_of(x, chunk, first));
        });
    return row_reduce<P, BLOCK>(all, op_moments());
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

/* A row of weights as P has its row: EARLY ones are asked for when this is
 * made, before what depends on the row is known; P keeps it in registers. */
template <typename P, bool EARLY> struct weights {
    using element = typename P::element;

    row<const element, P::width, P::edges> all;
    pack<element, P::width> kept[EARLY ? P::items : 1];

    __device__ weights(const element *p, const P &x)
        : all(p, x.x.columns, x.head)
    {
        if constexpr (EARLY) {
#pragma unroll
            for (int i = 0; i < P::items; i++)
                kept[i] = all.read(x.column(x.lane, i), zero<P>());
        }
    }
    template <typename I>
    __device__ pack<element, P::width> at(I column, int i) const
    {
        if constexpr (EARLY)
            return kept[i];
        else
            return all.read(column, zero<P>());
    }
};

/* y = result(value, weight of that column by each of `w`). */
template <access IN, access OUT, typename P, typename Y, typename F,
          typename... W>
__device__ inline void write_weighted(P &x, const Y &y, F result,
                                      const W &...w)
{
    x.template pass<false, IN>(zero<P>(), [&](const auto &chunk, auto first) {
#pragma unroll
        for (int i = 0; i < P::items; i++) {
            const auto column = x.column(first, i);

            [&](const auto &...weight) {
                typename Y::a_pack v;

#pragma unroll
                for (int j = 0; j < P::width; j++)
                    v.at[j] = narrow<typename Y::element>(
                        result(widen(chunk[i].at[j]), widen(weight.at[j])...));
                y.template write<OUT>(column, v);
            }(w.at(column, i)...);
        }
    });
}

} /* namespace hone */

#endif
