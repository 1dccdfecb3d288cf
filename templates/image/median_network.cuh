/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of windows of 3x3 and 5x5 pixels in registers: pixels as lanes of
 * 32-bit words, and the networks of comparisons, in which no step depends on
 * the values.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_MEDIAN_NETWORK_CUH
#define HONE_MEDIAN_NETWORK_CUH

#include "hone_pack.cuh"

namespace hone {

/* How registers hold pixels: each in one; bytes by fours; bytes by twos, in 16
 * bits each, compared as integers or as f16 (which bytes are the denormal
 * numbers of, in the same order); f16 by twos. The templates' parameters name
 * these in the same order. */
enum class lanes { one, bytes, shorts, halves };

/* A word, and PIXELS of them in it. */
template <typename T, lanes HOW> struct lane_word {
    using type = unsigned;
    static constexpr int PIXELS = HOW == lanes::bytes ? 4
                                  : HOW == lanes::one ? 1
                                                      : 2;
};
template <> struct lane_word<float, lanes::one> {
    using type = float;
    static constexpr int PIXELS = 1;
};
template <> struct lane_word<__half, lanes::one> {
    using type = float;
    static constexpr int PIXELS = 1;
};

template <lanes HOW> __device__ inline float lower(float a, float b)
{
    return fminf(a, b);
}
template <lanes HOW> __device__ inline float upper(float a, float b)
{
    return fmaxf(a, b);
}
__device__ inline __half2 as_halves(unsigned v)
{
    __half2 h;

    memcpy(&h, &v, sizeof h);
    return h;
}
__device__ inline unsigned of_halves(__half2 h)
{
    unsigned v;

    memcpy(&v, &h, sizeof v);
    return v;
}
template <lanes HOW> __device__ inline unsigned lower(unsigned a, unsigned b)
{
    if constexpr (HOW == lanes::bytes)
        return __vminu4(a, b);
    else if constexpr (HOW == lanes::shorts)
        return __vminu2(a, b);
    else if constexpr (HOW == lanes::halves)
        return of_halves(__hmin2(as_halves(a), as_halves(b)));
    else
        return min(a, b);
}
template <lanes HOW> __device__ inline unsigned upper(unsigned a, unsigned b)
{
    if constexpr (HOW == lanes::bytes)
        return __vmaxu4(a, b);
    else if constexpr (HOW == lanes::shorts)
        return __vmaxu2(a, b);
    else if constexpr (HOW == lanes::halves)
        return of_halves(__hmax2(as_halves(a), as_halves(b)));
    else
        return max(a, b);
}

template <typename U> struct is_packed {
    static constexpr bool value = false;
};
template <> struct is_packed<unsigned> {
    static constexpr bool value = true;
};

/* Units of a window (image.cuh) as words. A word of one pixel holds it as a
 * number. */
template <typename U, typename W, int COUNT, int WORDS>
__device__ inline void to_words(const U (&units)[COUNT], W (&w)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        if constexpr (!is_packed<U>::value)
            w[i] = (W)widen(units[i]);
        else if constexpr (WORDS == COUNT)
            w[i] = units[i];
        else if constexpr (WORDS == 2 * COUNT)
            w[i] = __byte_perm(units[i / 2], 0, i % 2 ? 0x4342 : 0x4140);
        else
            w[i] = units[i / 4] >> 8 * (i % 4) & 255u;
    }
}

/* And back. */
template <typename U, typename W, int COUNT, int WORDS>
__device__ inline void to_units(const W (&w)[WORDS], U (&units)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if constexpr (!is_packed<U>::value)
            units[i] = narrow<U>((typename wide<U>::type)w[i]);
        else if constexpr (WORDS == COUNT)
            units[i] = w[i];
        else if constexpr (WORDS == 2 * COUNT)
            units[i] = __byte_perm(w[2 * i], w[2 * i + 1], 0x6420);
        else
            units[i] = __byte_perm(
                __byte_perm(w[4 * i], w[4 * i + 1], 0x0040),
                __byte_perm(w[4 * i + 2], w[4 * i + 3], 0x0040), 0x5410);
    }
}

/* The word that begins with pixel `pixel` of words. */
template <int PIXELS, typename W, int WORDS>
__device__ inline W word_at(const W (&w)[WORDS], int pixel)
{
    const int i = pixel / PIXELS, skip = pixel % PIXELS;

    if constexpr (PIXELS > 1) {
        if (skip != 0)
            return __funnelshift_r(w[i], w[i + 1],
                                   (unsigned)(32 / PIXELS * skip));
    }
    return w[i];
}

template <lanes HOW, typename W> __device__ inline void order(W &a, W &b)
{
    const W low = lower<HOW>(a, b);

    b = upper<HOW>(a, b);
    a = low;
}
template <lanes HOW, typename W> __device__ inline W middle(W a, W b, W c)
{
    return upper<HOW>(lower<HOW>(a, b), lower<HOW>(upper<HOW>(a, b), c));
}

/* Three or five words in order. */
template <lanes HOW, typename W> __device__ inline void order_all(W (&v)[3])
{
    order<HOW>(v[0], v[1]);
    order<HOW>(v[1], v[2]);
    order<HOW>(v[0], v[1]);
}
template <lanes HOW, typename W> __device__ inline void order_all(W (&v)[5])
{
    order<HOW>(v[0], v[1]);
    order<HOW>(v[3], v[4]);
    order<HOW>(v[2], v[4]);
    order<HOW>(v[2], v[3]);
    order<HOW>(v[0], v[3]);
    order<HOW>(v[0], v[2]);
    order<HOW>(v[1], v[4]);
    order<HOW>(v[1], v[3]);
    order<HOW>(v[1], v[2]);
}

/* The median of nine, v[rank][column], columns in order. */
template <lanes HOW, typename W>
__device__ inline W median_of_columns(const W (&v)[3][3])
{
    return middle<HOW>(
        upper<HOW>(upper<HOW>(v[0][0], v[0][1]), v[0][2]),
        middle<HOW>(v[1][0], v[1][1], v[1][2]),
        lower<HOW>(lower<HOW>(v[2][0], v[2][1]), v[2][2]));
}

/* Exchanges after which, if columns of v[5 * rank + column] were in order, the
 * median of the 25 stands in place kMedianPlace. First the ranks are put in
 * order as far as needed: an element with more than 12 that cannot be less, or
 * more, is out of the question, which leaves 13. Of these, smallest and largest
 * go by pairs; exchanges that never change anything are left out. That it is
 * right was found by trying all 6^5 columns of zeros and ones in order, which
 * is enough (the 0-1 principle). The compiler drops the results that nobody
 * uses: 104 minima and maxima are left. */
constexpr int kMedianPlace = 21;
__device__ constexpr unsigned char kMedianSteps[64][2] = {
    {0, 1}, {3, 4}, {2, 4}, {2, 3}, {0, 3}, {1, 4}, {1, 3}, {5, 6}, {8, 9},
    {7, 9}, {7, 8}, {5, 8}, {5, 7}, {6, 9}, {6, 8}, {6, 7}, {10, 11}, {13, 14},
    {12, 14}, {12, 13}, {10, 13}, {10, 12}, {11, 14}, {11, 13}, {11, 12},
    {15, 16}, {18, 19}, {17, 19}, {17, 18}, {15, 18}, {15, 17}, {16, 19},
    {16, 18}, {16, 17}, {20, 21}, {23, 24}, {22, 24}, {22, 23}, {20, 23},
    {20, 22}, {21, 24}, {21, 23}, {21, 22}, {3, 11}, {7, 15}, {12, 16},
    {12, 8}, {11, 15}, {16, 9}, {12, 11}, {16, 15}, {16, 21}, {8, 15},
    {21, 15}, {16, 8}, {21, 13}, {16, 11}, {21, 8}, {8, 17}, {8, 4}, {11, 8},
    {8, 21}, {8, 20}, {21, 20}};

template <lanes HOW, typename W>
__device__ inline W median_of_columns(const W (&v)[5][5])
{
    W all[25];

#pragma unroll
    for (int i = 0; i < 25; i++)
        all[i] = v[i / 5][i % 5];
#pragma unroll
    for (int i = 0; i < 64; i++)
        order<HOW>(all[kMedianSteps[i][0]], all[kMedianSteps[i][1]]);
    return all[kMedianPlace];
}

} /* namespace hone */

#endif
