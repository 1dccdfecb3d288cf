/* SPDX-License-Identifier: Apache-2.0 */
/* What is accumulated: sums of terms of one array or two, and the first
 * extreme of an array. See reduction.cuh for what a reduction has to have.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_REDUCTION_ACCUMULATE_CUH
#define HONE_REDUCTION_ACCUMULATE_CUH

#include "hone_pack.cuh"

namespace hone {

/* --- terms ---------------------------------------------------------------- */

/* The elements of x, widened: 16 bits are added in f32. */
template <typename E, access HOW> struct elements {
    using value = typename wide<E>::type;
    template <int W> using loaded = pack<E, W>;

    const E *x;

    template <int W> __device__ loaded<W> read(long long at) const
    {
        return read_pack<W, HOW>(x + at);
    }
    template <int W>
    __device__ static value term(const loaded<W> &v, int i)
    {
        return widen(v.at[i]);
    }
};

/* Their squares. */
template <typename E, access HOW> struct squares : elements<E, HOW> {
    using value = typename wide<E>::type;

    template <int W> __device__ static value term(const pack<E, W> &v, int i)
    {
        const value e = widen(v.at[i]);

        return e * e;
    }
};

/* Products of the elements of x and y. */
template <typename E, access HOW> struct products {
    using value = typename wide<E>::type;
    template <int W> struct loaded {
        pack<E, W> a, b;
    };

    const E *x, *y;

    template <int W> __device__ loaded<W> read(long long at) const
    {
        return {read_pack<W, HOW>(x + at), read_pack<W, HOW>(y + at)};
    }
    template <int W>
    __device__ static value term(const loaded<W> &v, int i)
    {
        return widen(v.a.at[i]) * widen(v.b.at[i]);
    }
};

/* The sum of terms: those of a pack by halves, so that no element waits for
 * its neighbour, then the pack. */
template <typename TERMS> struct sum_of : TERMS {
    using value = typename TERMS::value;

    __device__ static value none()
    {
        return 0;
    }
    __device__ value operator()(value a, value b) const
    {
        return a + b;
    }
    template <int W>
    __device__ void take(value &sum,
                         const typename TERMS::template loaded<W> &v,
                         long long) const
    {
        value terms[W];

#pragma unroll
        for (int i = 0; i < W; i++)
            terms[i] = TERMS::template term<W>(v, i);
#pragma unroll
        for (int half = W / 2; half > 0; half /= 2) {
#pragma unroll
            for (int i = 0; i < half; i++)
                terms[i] += terms[i + half];
        }
        sum += terms[0];
    }
};

/* --- extremes ------------------------------------------------------------- */

/* An element and its place. Of no elements: the number that is no better than
 * any other, in no place. */
template <typename N> struct place {
    N best;
    long long at;
};
constexpr long long no_place = 0x7fffffffffffffff;

/* The first of the least elements of x, with MAX of the greatest. A NaN is
 * better than any number, so that the first NaN is found. */
template <typename E, access HOW, bool MAX> struct first_extreme
    : elements<E, HOW> {
    using number = typename wide<E>::type;
    using value = place<number>;

    __device__ static value none()
    {
        const number infinite = __int_as_float(0x7f800000);

        return {MAX ? -infinite : infinite, no_place};
    }
    /* Is a better than b, or one of them a NaN? */
    __device__ static bool may_be_better(number a, number b)
    {
        return MAX ? !(a <= b) : !(a >= b);
    }
    __device__ static bool is_better(number a, number b)
    {
        return may_be_better(a, b) && b == b;
    }
    __device__ value operator()(value a, value b) const
    {
        if (is_better(a.best, b.best))
            return a;
        if (is_better(b.best, a.best))
            return b;
        return a.at < b.at ? a : b;
    }
    /* Most packs hold nothing better, which costs one comparison for each
     * element to see. */
    template <int W>
    __device__ void take(value &v, const pack<E, W> &packed, long long at) const
    {
        bool look = false;

#pragma unroll
        for (int i = 0; i < W; i++)
            look |= may_be_better(widen(packed.at[i]), v.best);
        if (!look)
            return;
#pragma unroll
        for (int i = 0; i < W; i++) {
            const number e = widen(packed.at[i]);

            if (is_better(e, v.best))
                v = {e, at + i};
        }
    }
    /* What to tell of n elements: where none was better than none(), all are
     * as infinite as that, the first as well. Of no elements: 0, in place -1. */
    __device__ static value told(value v, long long n)
    {
        if (n == 0)
            return {0, -1};
        if (v.at == no_place)
            v.at = 0;
        return v;
    }
};

} /* namespace hone */

#endif
