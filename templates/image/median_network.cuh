/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of windows of 3x3 and 5x5 pixels in registers: pixels as lanes of
 * 32-bit words, and networks of comparisons, in which no step depends on the
 * values, for two neighbouring outputs at a time.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_MEDIAN_NETWORK_CUH
#define HONE_MEDIAN_NETWORK_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {

/* How registers hold pixels: each in one; or by twos, in 16 bits each, compared
 * as f16 (which bytes are the denormal numbers of, in the same order) or as
 * integers. The second of two is that half of a thread's pixels farther along
 * the row: then what is beside a word is a word, too. Bytes that are compared
 * as integers stand in both halves of their 16 bits, which keeps their order. */
enum class lanes { one, halves, shorts };

/* Of bytes that are put in order, the last is their sum less the others, found by
 * multiply-adds, which other units do than comparisons: never; where columns are
 * put in order; in all steps that use all of what they order. */
enum class sums { none, columns, all };

/* A word. */
template <typename T, lanes HOW> struct lane_word {
    using type = unsigned;
};
template <> struct lane_word<float, lanes::one> {
    using type = float;
};
template <> struct lane_word<__half, lanes::one> {
    using type = float;
};

/* --- units of a window (image.cuh) as words, and back ---------------------- */

/* Words, the first of which has pixel FIRST of units of PER pixels, and, where
 * it has two, the one APART behind it. */
template <lanes HOW, int PER, int FIRST, int APART, typename U, typename W,
          int COUNT, int WORDS>
__device__ inline void to_words(const U (&units)[COUNT], W (&w)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        const int a = FIRST + i, b = a + APART;

        if constexpr (HOW == lanes::one && PER == 1) {
            w[i] = (W)widen(units[a]);
        } else if constexpr (HOW == lanes::one) {
            w[i] = units[a / PER] >> 8 * (a % PER) & 255u;
        } else if constexpr (PER == 1) {
            w[i] = units[a] | (unsigned)units[b] << 16;
        } else if constexpr (PER == 2) {
            w[i] = __byte_perm(units[a / 2], units[b / 2],
                               (a % 2 ? 0x32u : 0x10u) |
                                   (b % 2 ? 0x7600u : 0x5400u));
        } else {
            w[i] = __byte_perm(units[a / 4], units[b / 4],
                               0x4400u + 0x11u * (unsigned)(a % 4) +
                                   0x1100u * (unsigned)(b % 4));
            if constexpr (HOW == lanes::halves)
                w[i] &= 0x00ff00ffu;
        }
    }
}

/* And back; the first unit begins with the first word's first pixel. */
template <lanes HOW, int PER, typename U, typename W, int COUNT, int WORDS>
__device__ inline void to_units(const W (&w)[WORDS], U (&units)[COUNT])
{
    static_assert(COUNT * PER == (HOW == lanes::one ? 1 : 2) * WORDS,
                  "as many pixels of units as of words");
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        if constexpr (HOW == lanes::one && PER == 1) {
            units[i] = narrow<U>((typename wide<U>::type)w[i]);
        } else if constexpr (PER == 1) {
            units[i] = (U)(w[i % WORDS] >> 16 * (i / WORDS) & 255u);
        } else if constexpr (HOW == lanes::one) {
            units[i] = __byte_perm(
                __byte_perm(w[4 * i], w[4 * i + 1], 0x0040),
                __byte_perm(w[4 * i + 2], w[4 * i + 3], 0x0040), 0x5410);
        } else if constexpr (WORDS < PER) {
            /* All in one: those of first lanes before those of second ones. */
            units[i] = PER == 2 ? w[0] : __byte_perm(w[0], w[WORDS - 1], 0x6240);
        } else {
            const int at = PER * i % WORDS;
            const unsigned which = PER * i < WORDS ? 0x5410 : 0x7632;

            if constexpr (PER == 2)
                units[i] = __byte_perm(w[at], w[at + 1], which);
            else
                units[i] = __byte_perm(
                    __byte_perm(w[at], w[at + 1], 0x6240),
                    __byte_perm(w[at + 2], w[at + 3], 0x6240), which);
        }
    }
}

/* --- networks: pairs of words to be put in order --------------------------- */

__device__ constexpr unsigned char kOrder3[3][2] = {{0, 1}, {1, 2}, {0, 1}};
__device__ constexpr unsigned char kOrder5[9][2] = {
    {0, 1}, {3, 4}, {2, 4}, {2, 3}, {0, 3}, {0, 2}, {1, 4}, {1, 3}, {1, 2}};
__device__ constexpr unsigned char kOrder4[5][2] = {
    {0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}};
/* One before four in order. */
__device__ constexpr unsigned char kInsert5[4][2] = {
    {0, 1}, {1, 2}, {2, 3}, {3, 4}};

/* Exchanges that merge five words in order with five more behind them, and the
 * places of the result (Batcher's odd-even merge). */
__device__ constexpr unsigned char kMerge[13][2] = {
    {0, 5}, {4, 9}, {4, 5}, {2, 7}, {2, 4}, {7, 5}, {1, 6},
    {3, 8}, {3, 6}, {1, 2}, {3, 4}, {6, 7}, {8, 5}};
__device__ constexpr unsigned char kMergePlaces[10] = {0, 1, 2, 3, 4,
                                                       6, 7, 8, 5, 9};

/* Those of the merge of ten words with ten more that the six in the middle of
 * the result, the 8th to the 13th, depend on; and the places of these. */
__device__ constexpr unsigned char kCore[25][2] = {
    {0, 10},  {8, 18}, {8, 10}, {4, 14}, {4, 8},   {14, 10}, {2, 12},
    {6, 16},  {6, 12}, {6, 8},  {12, 14}, {1, 11}, {9, 19},  {9, 11},
    {5, 15},  {5, 9},  {15, 11}, {3, 13}, {7, 17}, {7, 13},  {7, 9},
    {13, 15}, {7, 8},  {9, 12}, {13, 14}};
__device__ constexpr unsigned char kCorePlaces[6] = {7, 8, 9, 12, 13, 14};

/* --- comparisons ---------------------------------------------------------- */

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

/* Words compared lane by lane. ONE and MINUS are 1 and -1, which the compiler
 * must not know, or it makes additions of multiply-adds. */
template <lanes HOW, sums SUMS> struct comparisons {
    unsigned one, minus;

/* The smallest and the largest of three 16-bit lanes are one instruction. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200
    static constexpr bool THREE = HOW != lanes::one;
#else
    static constexpr bool THREE = false;
#endif

    __device__ static float lower(float a, float b)
    {
        return fminf(a, b);
    }
    __device__ static float upper(float a, float b)
    {
        return fmaxf(a, b);
    }
    __device__ static unsigned lower(unsigned a, unsigned b)
    {
        if constexpr (HOW == lanes::shorts)
            return __vminu2(a, b);
        else if constexpr (HOW == lanes::halves)
            return of_halves(__hmin2(as_halves(a), as_halves(b)));
        else
            return min(a, b);
    }
    __device__ static unsigned upper(unsigned a, unsigned b)
    {
        if constexpr (HOW == lanes::shorts)
            return __vmaxu2(a, b);
        else if constexpr (HOW == lanes::halves)
            return of_halves(__hmax2(as_halves(a), as_halves(b)));
        else
            return max(a, b);
    }

    /* Sums of words whose lanes hold them. */
    __device__ unsigned add(unsigned a, unsigned b) const
    {
        return multiply_add(a, one, b);
    }
    __device__ unsigned less(unsigned a, unsigned b) const
    {
        return multiply_add(b, minus, a);
    }

    /* Two in order; the second is found as a sum if SUM. */
    template <bool SUM, typename W> __device__ void order(W &a, W &b) const
    {
        const W low = lower(a, b);

        if constexpr (SUM)
            b = less(add(a, b), low);
        else
            b = upper(a, b);
        a = low;
    }
    /* The middle one of three of which the others are `low` and `high`. */
    __device__ unsigned rest(unsigned a, unsigned b, unsigned c, unsigned low,
                             unsigned high) const
    {
        return less(less(add(add(a, b), c), low), high);
    }
    template <typename W> __device__ W middle(W a, W b, W c) const
    {
        if constexpr (SUMS == sums::all)
            return rest(a, b, c, lower(lower(a, b), c), upper(upper(a, b), c));
        else
            return upper(lower(a, b), lower(upper(a, b), c));
    }

    /* Three or five words of a column in order. */
    template <typename W> __device__ void order_all(W (&v)[3]) const
    {
        if constexpr (SUMS == sums::none) {
            exchange<false>(v, kOrder3);
        } else {
            const W low = lower(lower(v[0], v[1]), v[2]);
            const W high = upper(upper(v[0], v[1]), v[2]);

            v[1] = rest(v[0], v[1], v[2], low, high);
            v[0] = low;
            v[2] = high;
        }
    }
    template <typename W> __device__ void order_all(W (&v)[5]) const
    {
        exchange<SUMS != sums::none>(v, kOrder5);
    }

    /* The column of one row of outputs in order, or, from six pixels, those of
     * two, which share four. */
    template <typename W, int SIZE>
    __device__ void order_rows(const W (&pixel)[SIZE], W (&column)[SIZE],
                               W (&)[SIZE]) const
    {
#pragma unroll
        for (int i = 0; i < SIZE; i++)
            column[i] = pixel[i];
        order_all(column);
    }
    template <typename W>
    __device__ void order_rows(const W (&six)[6], W (&above)[5],
                              W (&below)[5]) const
    {
        W v[4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = six[i + 1];
        exchange<SUMS != sums::none>(v, kOrder4);
#pragma unroll
        for (int i = 0; i < 4; i++)
            above[i + 1] = below[i + 1] = v[i];
        above[0] = six[0];
        below[0] = six[5];
        exchange<SUMS != sums::none>(above, kInsert5);
        exchange<SUMS != sums::none>(below, kInsert5);
    }

    /* Two columns of five, one behind the other, as ten words in order. */
    template <typename W> __device__ void merge(W (&v)[10]) const
    {
        W to[10];

        exchange<SUMS == sums::all>(v, kMerge);
#pragma unroll
        for (int i = 0; i < 10; i++)
            to[i] = v[kMergePlaces[i]];
#pragma unroll
        for (int i = 0; i < 10; i++)
            v[i] = to[i];
    }

    template <bool SUM, int COUNT, typename W, int WORDS>
    __device__ void exchange(W (&v)[WORDS],
                             const unsigned char (&steps)[COUNT][2]) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            order<SUM>(v[steps[i][0]], v[steps[i][1]]);
    }

    /* The medians of two neighbouring words from four columns in order, of
     * which each has three. */
    template <typename W>
    __device__ void medians(const W (&a)[3], const W (&b)[3], const W (&c)[3],
                            const W (&d)[3], W &left, W &right) const
    {
        const W low = lower(b[1], c[1]), high = upper(b[1], c[1]);
        const W middle_left = upper(low, lower(high, a[1]));
        const W middle_right = upper(low, lower(high, d[1]));

        if constexpr (THREE) {
            left = middle(upper(upper(a[0], b[0]), c[0]), middle_left,
                          lower(lower(a[2], b[2]), c[2]));
            right = middle(upper(upper(d[0], c[0]), b[0]), middle_right,
                           lower(lower(d[2], c[2]), b[2]));
        } else {
            const W most = upper(b[0], c[0]), least = lower(b[2], c[2]);

            left = middle(upper(a[0], most), middle_left, lower(a[2], least));
            right = middle(upper(d[0], most), middle_right, lower(d[2], least));
        }
    }
};

/* --- medians -------------------------------------------------------------- */

/* Medians of all windows of 3x3 of words next to each other, `column` being
 * their columns in order, from that left of the first word. */
template <typename C, typename W, int COLUMNS, int WORDS>
__device__ inline void medians_of_columns(const C &compare,
                                          const W (&column)[COLUMNS][3],
                                          W (&median)[WORDS])
{
#pragma unroll
    for (int i = 0; i < WORDS; i += 2) {
        const int last = i + 3 < COLUMNS ? i + 3 : COLUMNS - 1;
        W right;

        compare.medians(column[i], column[i + 1], column[i + 2], column[last],
                        median[i], right);
        if (i + 1 < WORDS)
            median[i + 1] = right;
    }
}

/* The middle one of six words in order and five in order. */
template <typename C, typename W>
__device__ inline W median_of_orders(const C &compare, const W (&six)[6],
                                     const W (&five)[5])
{
    W least = six[5];

#pragma unroll
    for (int i = 0; i < 5; i++)
        least = compare.lower(least, compare.upper(six[i], five[4 - i]));
    return least;
}

/* Of 5x5. Two neighbours share four columns; of the 20 pixels of these, the
 * seven smallest and the seven largest are not the middle of 25. The four are
 * merged by twos, which are shared by the next two neighbours. */
template <typename C, typename W, int COLUMNS, int WORDS>
__device__ inline void medians_of_columns(const C &compare,
                                          const W (&column)[COLUMNS][5],
                                          W (&median)[WORDS])
{
    W next[10] = {}; /* columns i + 1 and i + 2, in order */

#pragma unroll
    for (int i = -2; i < WORDS; i += 2) {
        W core[20], both[10], six[6];

#pragma unroll
        for (int k = 0; k < 10; k++) {
            both[k] = column[i + 3 + k / 5][k % 5];
            core[k] = next[k];
        }
        compare.merge(both);
#pragma unroll
        for (int k = 0; k < 10; k++)
            core[10 + k] = next[k] = both[k];
        if (i < 0)
            continue;
        compare.template exchange<false>(core, kCore);
#pragma unroll
        for (int k = 0; k < 6; k++)
            six[k] = core[kCorePlaces[k]];
        median[i] = median_of_orders(compare, six, column[i]);
        if (i + 1 < WORDS)
            median[i + 1] = median_of_orders(compare, six, column[i + 5]);
    }
}

} /* namespace hone */

#endif
