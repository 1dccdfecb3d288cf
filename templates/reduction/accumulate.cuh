/* SPDX-License-Identifier: Apache-2.0 */
/* What is accumulated: sums of terms of one array or two. See reduction.cuh
 * for what a reduction has to have.
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

} /* namespace hone */

#endif
