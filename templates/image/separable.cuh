/* SPDX-License-Identifier: Apache-2.0 */
/* A row filter and a column filter in one pass over an image, by threads that
 * go down columns: of each row a thread filters its pixels along the row, and
 * the latest results of so many rows as the column filter is long stand in
 * registers, where each new one completes an output. So a pixel is filtered
 * along its row once for every (PY + 2*RY) / PY rows, and nothing but pixels
 * goes through memory.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_SEPARABLE_CUH
#define HONE_SEPARABLE_CUH

#include "hone_device.cuh"
#include "image_tiles.cuh"

namespace hone {

/* FORM is that of image_tiles.cuh, and says besides:
 *   SIZE             weights of a filter
 *   UNROLL           rows of a thread's loop that are unrolled
 *   AHEAD            rows asked for before the one in front of them is used
 *   MAGIC            bytes are taken as they are for the f32 numbers of these
 *                    bits, which are 2^-149 of them; weights make up for it
 *   WHOLE            bytes are filtered along rows in whole numbers: windows
 *                    are words of four, weights symmetric, at least 0, and add up to 1
 *   CLAMP            sums may lie outside of what bytes hold */

/* What weights along rows and down columns are multiplied by: 2^149 together,
 * which f32 does not hold. */
constexpr float scale_along = 0x1p75f, scale_down = 0x1p74f;

/* Pixel i of units as f32, or 2^-149 of it. */
template <bool MAGIC, int N>
__device__ inline float pixel_of(const unsigned (&at)[N], int i)
{
    if constexpr (MAGIC)
        return __uint_as_float(
            __byte_perm(at[i / 4], 0, 0x4440u | (unsigned)(i % 4)));
    else
        return pixel<false>(at, i);
}
template <bool MAGIC, int N>
__device__ inline float pixel_of(const unsigned char (&at)[N], int i)
{
    if constexpr (MAGIC)
        return __uint_as_float((unsigned)at[i]);
    else
        return pixel<false>(at, i);
}
template <bool MAGIC, typename T, int N>
__device__ inline float pixel_of(const T (&at)[N], int i)
{
    return pixel<false>(at, i);
}

/* Of the filter along rows or down columns, in the order of the pixels. */
template <int TAPS> struct taps {
    float at[TAPS];
};
/* A filter that leaves what it meets as it is. */
__device__ inline taps<1> no_taps()
{
    return taps<1>{{1.0f}};
}

/* --- bytes in whole numbers ------------------------------------------------ */

/* Two taps are one instruction (dot_low), which takes weights of 16 bits and two
 * neighbouring bytes as they lie in a word. Weights are 2^15 times themselves,
 * rounded; sums begin as the bits of 2^23, so that they are those of the f32
 * number 2^23 + 2^15 * sum: 255 * (2^15 + 15/2) is less than 2^23. The filter
 * down columns makes 2^15 + 1/2 + result of them, whose second byte is the
 * result, rounded. So a sum is off by 255/2 * 2^-15 for each weight along the row,
 * 2^-9 for each step down the column, and 2^-10 for where these begin: in all
 * by less than (6*SIZE + 2)/1024. */
constexpr unsigned whole_origin = 0x4b000000u; /* 2^23 */

/* Weights by twos, which meet bytes from an even one on: `even` for windows that
 * begin there, `odd` for those that begin with the byte behind it. */
template <int TAPS> struct tap_pairs {
    static constexpr int COUNT = TAPS / 2 + 1;
    unsigned even[COUNT], odd[COUNT];

    __device__ explicit tap_pairs(const taps<TAPS> &t)
    {
        unsigned v[TAPS];

#pragma unroll
        for (int k = 0; k < TAPS; k++)
            v[k] = __float2uint_rn(t.at[k] * 32768.0f);
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            even[i] = v[2 * i] | (2 * i + 1 < TAPS ? v[2 * i + 1] << 16 : 0);
            odd[i] = (i > 0 ? v[2 * i - 1] : 0) | v[2 * i] << 16;
        }
    }
};

/* PX sums along a row, of windows of which the first begins with byte FIRST of
 * `at`. */
template <int FIRST, int TAPS, int N, int PX>
__device__ inline void whole_sums(const tap_pairs<TAPS> &weights,
                                  const unsigned (&at)[N], float (&to)[PX])
{
#pragma unroll
    for (int p = 0; p < PX; p++) {
        const int b = (FIRST + p) / 2; /* pair of bytes */
        unsigned sum = whole_origin;

#pragma unroll
        for (int i = 0; i < TAPS / 2 + 1; i++) {
            const unsigned w =
                (FIRST + p) % 2 ? weights.odd[i] : weights.even[i];

            sum = (b + i) % 2 ? dot_high(w, at[(b + i) / 2], sum)
                              : dot_low(w, at[(b + i) / 2], sum);
        }
        to[p] = __uint_as_float(sum);
    }
}

/* The rows of `from` one after another: next(w) reads the window of the next. */
template <typename ROWS> struct rows_in_turn {
    ROWS from;
    int i;

    __device__ explicit rows_in_turn(const ROWS &rows) : from(rows), i(0)
    {
    }
    template <typename WINDOW> __device__ void next(WINDOW &w)
    {
        from.read(w, i);
        /* An address that moves on costs less than one from a row's number. */
        if constexpr (ROWS::MOVES)
            from.at += from.pitch;
        else
            i++;
    }
};

/* The rows of `from` (image.cuh; row 0 is the column filter's radius above the
 * first output) filtered `along` and `down`.
 * to(0, v) takes a row of the outputs, of which there are `rows`, and to.to the
 * address of the next. */
template <typename FORM, int HALO, typename WINDOW, int KX, int KY,
          typename ROWS, typename TO>
__device__ inline void march(const ROWS &from, const taps<KX> &along,
                             const taps<KY> &down, long long rows, TO to)
{
    constexpr int PX = FORM::PX, COUNT = FORM::PY + KY - 1;
    /* Little code for what meets a border. */
    constexpr bool INSIDE = ROWS::INSIDE;
    constexpr int UNROLL =
        !INSIDE ? 1 : FORM::UNROLL < COUNT ? FORM::UNROLL : COUNT;
    constexpr int AHEAD = INSIDE && FORM::AHEAD < COUNT ? FORM::AHEAD : 1;
    /* Those under way and the one in use: where the loop is unrolled by as many
     * rows, each has its registers and none moves. */
    constexpr int SLOTS = UNROLL % KY == 0 && AHEAD < KY ? KY : AHEAD + 1;
    constexpr bool WHOLE = FORM::WHOLE;
    constexpr bool MAGIC = FORM::MAGIC && !WHOLE && KX > 1 && KY > 1;
    taps<KX> row;
    taps<KY> column;
    const tap_pairs<KX> pairs(along);
    float start = 0.0f; /* what sums down a column begin with */
    float ring[KY][PX] = {};
    WINDOW slots[SLOTS];
    rows_in_turn<ROWS> in_turn(from);

#pragma unroll
    for (int k = 0; k < KX; k++)
        row.at[k] = MAGIC ? along.at[k] * scale_along : along.at[k];
#pragma unroll
    for (int k = 0; k < KY; k++)
        column.at[k] = MAGIC   ? down.at[k] * scale_down
                       : WHOLE ? down.at[k] * 0x1p-15f
                               : down.at[k];
    if constexpr (WHOLE) {
        start = 32768.5f;
#pragma unroll
        for (int k = 0; k < KY; k++)
            start -= down.at[k] * 256.0f;
    }
#pragma unroll
    for (int i = 0; i < SLOTS; i++)
        slots[i].clear();
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        in_turn.next(slots[SLOTS - AHEAD + i]);
#pragma unroll UNROLL
    for (int i = 0; i < COUNT; i++) {
        if (i - (KY - 1) >= rows)
            break;
#pragma unroll
        for (int k = 0; k + 1 < SLOTS; k++)
            slots[k] = slots[k + 1];
        if (i + AHEAD < COUNT)
            in_turn.next(slots[SLOTS - 1]);

        const WINDOW &w = slots[SLOTS - 1 - AHEAD];

#pragma unroll
        for (int k = 0; k + 1 < KY; k++)
#pragma unroll
            for (int p = 0; p < PX; p++)
                ring[k][p] = ring[k + 1][p];

        if constexpr (WHOLE) {
            whole_sums<HALO - KX / 2>(pairs, w.at, ring[KY - 1]);
        } else {
            float in[PX + KX - 1];

#pragma unroll
            for (int c = 0; c < PX + KX - 1; c++)
                in[c] = pixel_of<MAGIC>(w.at, HALO - KX / 2 + c);
#pragma unroll
            for (int p = 0; p < PX; p++) {
                float sum = row.at[0] * in[p];

#pragma unroll
                for (int k = 1; k < KX; k++)
                    sum += row.at[k] * in[p + k];
                ring[KY - 1][p] = sum;
            }
        }
        if (i < KY - 1)
            continue;

        float out[PX];

#pragma unroll
        for (int p = 0; p < PX; p++) {
            out[p] = WHOLE ? start + column.at[0] * ring[0][p]
                           : column.at[0] * ring[0][p];
#pragma unroll
            for (int k = 1; k < KY; k++)
                out[p] += column.at[k] * ring[k][p];
        }
        to(0, out);
        to.to += to.pitch;
    }
}

/* Filter images along rows and down columns, in one pass. Functions return the
 * weights, `along()` and `down()`; they are called where pixels are already on
 * their way. KY: as many as `down()` has. */
template <typename FORM, typename IN, typename OUT, int VEC_OUT,
          typename WINDOW, int HALO, int KY, typename ALONG, typename DOWN>
__device__ inline void
filter_images(const IN *x, OUT *y, IN *tile, const ALONG &along,
              const DOWN &down, const shape_of_images &shape)
{
    for_tiles<FORM, KY / 2, HALO, WINDOW>(
        x, tile, shape,
        [&](const auto &rows, long long i, long long row, long long column) {
            const sums_to_image<OUT, VEC_OUT, FORM::WRITE, FORM::CLAMP,
                                FORM::WHOLE> to = {
                y + (i * shape.height + row) * shape.pitch_out + column,
                shape.pitch_out, rows.limit(shape.width - column)};

            march<FORM, HALO, WINDOW>(rows, along(), down(),
                                      rows.limit(shape.height - row), to);
        });
}

/* Both filters in one pass. */
template <typename FORM, typename ALONG, typename DOWN>
__device__ inline void
filter_both(const typename FORM::pixel *x, typename FORM::pixel *y,
            typename FORM::pixel *tile, const ALONG &along,
            const DOWN &down, const shape_of_images &shape)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;

    filter_images<FORM, T, T, FORM::VEC, WINDOW, FORM::HALO, FORM::SIZE>(
        x, y, tile, along, down, shape);
}

/* The filter along rows alone; sums are f32. */
template <typename FORM, typename ALONG>
__device__ inline void
filter_rows(const typename FORM::pixel *x, float *sums, const ALONG &along,
            const shape_of_images &shape)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;

    filter_images<FORM, T, float, VEC_SUMS, WINDOW, FORM::HALO, 1>(
        x, sums, (T *)nullptr, along, no_taps, shape);
}

/* The filter down columns of these sums. */
template <typename FORM, typename DOWN>
__device__ inline void
filter_columns(const float *sums, typename FORM::pixel *y, const DOWN &down,
               const shape_of_images &shape)
{
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;
    using WINDOW = window<float, float, FORM::PX, VEC_SUMS, 0, 1>;

    filter_images<FORM, float, typename FORM::pixel, FORM::VEC, WINDOW, 0,
                  FORM::SIZE>(sums, y, (float *)nullptr, no_taps, down, shape);
}

} /* namespace hone */

#endif
