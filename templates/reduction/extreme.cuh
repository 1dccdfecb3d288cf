/* SPDX-License-Identifier: Apache-2.0 */
/* The first of the least or greatest elements of an array: what min_index and
 * max_index share. A thread compares numbers; from there on they are integers
 * in whose order a greater one is better, which warps compare in one
 * instruction each for the value and its place.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_REDUCTION_EXTREME_CUH
#define HONE_REDUCTION_EXTREME_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"

namespace hone {

/* --- numbers as integers -------------------------------------------------- */

/* The unsigned integer of the size of N: its bits. */
template <typename N> struct bits_of;
template <> struct bits_of<float> {
    using type = unsigned;
};
template <> struct bits_of<double> {
    using type = unsigned long long;
};

/* A better number has a greater key: a greater number, with MAX false a lesser
 * one, a NaN the greatest. Both zeros have the same. Never 0. */
template <bool MAX, typename N>
__device__ inline typename bits_of<N>::type key_of(N number)
{
    using K = typename bits_of<N>::type;
    constexpr K sign = ~(~K(0) >> 1);
    const N up = MAX ? number + N(0) : N(0) - number; /* -0 becomes +0 */
    K bits;

    memcpy(&bits, &up, sizeof bits);
    bits ^= bits & sign ? ~K(0) : sign;
    return number != number ? ~K(0) : bits;
}

/* The number of a key; of either zero +0 or -0, of a NaN some NaN. */
template <bool MAX, typename K, typename N>
__device__ inline void number_of(K key, N &number)
{
    constexpr K sign = ~(~K(0) >> 1);
    const K bits = key ^ (key & sign ? sign : ~K(0)) ^ (MAX ? K(0) : sign);

    memcpy(&number, &bits, sizeof number);
}

/* A key and its place, of the type I, which is unsigned. Of no elements: 0 in
 * no place. */
template <typename K, typename I> struct place {
    K key;
    I at;
};
template <typename I> constexpr I no_place = ~I(0);

/* --- many places to one --------------------------------------------------- */

#if defined(HONE_HOST) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
/* Over the lanes of a warp, for all of them. */
__device__ inline unsigned greatest_of_lanes(unsigned v)
{
    return __reduce_max_sync(0xffffffffu, v);
}
__device__ inline unsigned long long greatest_of_lanes(unsigned long long v)
{
    const unsigned high = greatest_of_lanes((unsigned)(v >> 32));
    const unsigned low =
        greatest_of_lanes((unsigned)(v >> 32) == high ? (unsigned)v : 0u);

    return (unsigned long long)high << 32 | low;
}
#endif

/* What joins places: the better key, of equal ones the lesser place. */
struct better_place {
    template <typename K, typename I>
    __device__ place<K, I> operator()(place<K, I> a, place<K, I> b) const
    {
        /* Without branches: | and & compute both sides. */
        const bool b_is = (b.key > a.key) | ((b.key == a.key) & (b.at < a.at));

        return {b_is ? b.key : a.key, b_is ? b.at : a.at};
    }
};

/* As lanes_reduce() of hone_reduce.cuh, for places: OP is better_place. */
template <int LANES, typename K, typename I, typename OP>
__device__ inline place<K, I> lanes_reduce(place<K, I> v, OP op)
{
#if defined(HONE_HOST) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
    /* Fewer lanes hold the same as the others of the warp. */
    (void)op;
    const K best = greatest_of_lanes(v.key);

    return {best, ~greatest_of_lanes(v.key == best ? ~v.at : I(0))};
#else
#pragma unroll
    for (int step = 1; step < LANES; step *= 2)
        v = op(v, from_lane_xor(v, step));
    return v;
#endif
}

/* --- the elements of a thread --------------------------------------------- */

/* E are elements, HOW they are read, I is what places are counted in. It has
 * of reduction.cuh what joins the values of threads. */
template <typename E, access HOW, bool MAX, typename I>
struct first_extreme : better_place {
    using number = typename wide<E>::type;
    using value = place<typename bits_of<number>::type, I>;

    __device__ static value none()
    {
        return {0, no_place<I>};
    }
    __device__ static number worst()
    {
        const number infinite = __int_as_float(0x7f800000);

        return MAX ? -infinite : infinite;
    }
    /* b is no NaN. */
    __device__ static bool is_better(number a, number b)
    {
        return MAX ? !(a <= b) : !(a >= b);
    }
    __device__ static number better(number a, number b)
    {
        return MAX ? max_or_nan(a, b) : min_or_nan(a, b);
    }

    /* The first place among the elements of `packs` at which HIT is true of
     * one; there is one. Pack i stands `apart` packs behind pack i - 1. */
    template <int VEC, int UNROLL, typename HIT>
    __device__ static I first_hit(const pack<E, VEC> (&packs)[UNROLL], I pack,
                                  I apart, HIT hit)
    {
        I of_pack = pack;
        unsigned of_element = 0;

#pragma unroll
        for (int i = UNROLL - 1; i >= 0; i--) {
#pragma unroll
            for (int k = VEC - 1; k >= 0; k--) {
                if (hit(widen(packs[i].at[k])))
                    of_element = i * VEC + k;
            }
        }
        of_pack += (I)(of_element / VEC) * apart;
        return of_pack * VEC + (I)(of_element % VEC);
    }

    /* The first of the best of the share of thread `me` of `threads` in the n
     * elements at x: packs of VEC, dealt one by one, and one of the elements
     * behind the last. All accesses of UNROLL packs are under way before the
     * first is used, and which element it is, is looked for only where a pack
     * holds a better one. */
    template <int VEC, int UNROLL>
    __device__ static value of_share(const E *x, I n, I me, I threads)
    {
        const I packs_all = n / VEC;
        const I edge = packs_all * VEC + me;
        number best = worst(), at_edge = worst();
        I at = no_place<I>;

        if (VEC > 1 && edge < n)
            at_edge = widen(read_pack<1, HOW>(x + edge).at[0]);
#pragma unroll 1
        for (I first = me; first < packs_all; first += UNROLL * threads) {
            pack<E, VEC> packs[UNROLL];
            number of_pack[UNROLL];

#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                if (i == 0 || first + i * threads < packs_all) {
                    packs[i] =
                        read_pack<VEC, HOW>(x + (first + i * threads) * VEC);
                } else {
#pragma unroll
                    for (int k = 0; k < VEC; k++)
                        packs[i].at[k] = narrow<E>(worst());
                }
            }
#pragma unroll
            for (int i = 0; i < UNROLL; i++) {
                of_pack[i] = widen(packs[i].at[0]);
#pragma unroll
                for (int k = 1; k < VEC; k++)
                    of_pack[i] = better(of_pack[i], widen(packs[i].at[k]));
            }
#pragma unroll
            for (int i = 1; i < UNROLL; i++)
                of_pack[0] = better(of_pack[0], of_pack[i]);

            const number found = of_pack[0];

            if (is_better(found, best) && best == best) {
                best = found;
                if (found == found)
                    at = first_hit<VEC>(packs, first, threads,
                                        [=](number e) { return e == found; });
                else
                    at = first_hit<VEC>(packs, first, threads,
                                        [](number e) { return e != e; });
            }
        }
        if (VEC > 1 && is_better(at_edge, best) && best == best) {
            best = at_edge;
            at = edge;
        }
        return {key_of<MAX>(best), at};
    }

    /* Tell of n elements at x. Where none was better than worst(), all are as
     * infinite as that, the first as well; of no elements, 0 in place -1. */
    __device__ static void tell(value v, const E *x, I n, E *best,
                                long long *index)
    {
        number found;

        if (v.at == no_place<I>)
            v.at = 0;
        number_of<MAX>(v.key, found);
        index[0] = n > 0 ? (long long)v.at : -1;
        if (n == 0)
            best[0] = narrow<E>(0);
        else if (found < 0 || found > 0)
            best[0] = narrow<E>(found);
        else /* which zero, or NaN */
            best[0] = x[v.at];
    }
};

} /* namespace hone */

#endif
