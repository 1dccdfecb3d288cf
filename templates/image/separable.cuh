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

#include "image_tiles.cuh"

namespace hone {

/* FORM is that of image_tiles.cuh, and says besides:
 *   UNROLL           rows of a thread's loop that are unrolled
 *   AHEAD            a row is asked for before the one in front is used
 *   MAGIC            how bytes become f32 (image.cuh) */

/* Of the filter along rows or down columns, in the order of the pixels. */
template <int TAPS> struct taps {
    float at[TAPS];
};
/* A filter that leaves what it meets as it is. */
__device__ inline taps<1> no_taps()
{
    return taps<1>{{1.0f}};
}

/* The rows of `from` (image.cuh; row 0 is the column filter's radius above the
 * first output) filtered `along` and `down`.
 * to(i, v) takes row i of the outputs, for i below `rows`. */
template <typename FORM, int HALO, typename WINDOW, int KX, int KY,
          typename ROWS, typename TO>
__device__ inline void march(const ROWS &from, const taps<KX> &along,
                             const taps<KY> &down, long long rows,
                             const TO &to)
{
    constexpr int PX = FORM::PX, COUNT = FORM::PY + KY - 1;
    constexpr int UNROLL = FORM::UNROLL < COUNT ? FORM::UNROLL : COUNT;
    float ring[KY][PX] = {};
    WINDOW w, next;

    next.clear();
    if constexpr (FORM::AHEAD)
        from.read(next, 0);
#pragma unroll UNROLL
    for (int i = 0; i < COUNT; i++) {
        if (i - (KY - 1) >= rows)
            break;
        w = next;
        if constexpr (FORM::AHEAD) {
            if (i + 1 < COUNT)
                from.read(next, i + 1);
        } else {
            from.read(w, i);
        }
#pragma unroll
        for (int k = 0; k + 1 < KY; k++)
#pragma unroll
            for (int p = 0; p < PX; p++)
                ring[k][p] = ring[k + 1][p];

        float in[PX + KX - 1];

#pragma unroll
        for (int c = 0; c < PX + KX - 1; c++)
            in[c] = pixel<FORM::MAGIC>(w.at, HALO - KX / 2 + c);
#pragma unroll
        for (int p = 0; p < PX; p++) {
            float sum = along.at[0] * in[p];

#pragma unroll
            for (int k = 1; k < KX; k++)
                sum += along.at[k] * in[p + k];
            ring[KY - 1][p] = sum;
        }
        if (i < KY - 1)
            continue;

        float out[PX];

#pragma unroll
        for (int p = 0; p < PX; p++) {
            out[p] = down.at[0] * ring[0][p];
#pragma unroll
            for (int k = 1; k < KY; k++)
                out[p] += down.at[k] * ring[k][p];
        }
        to(i - (KY - 1), out);
    }
}

/* Filter images `along` rows and `down` columns, in one pass. */
template <typename FORM, typename IN, typename OUT, int VEC_OUT,
          typename WINDOW, int HALO, int KX, int KY>
__device__ inline void
filter_images(const IN *x, OUT *y, IN *tile, const taps<KX> &along,
              const taps<KY> &down, const shape_of_images &shape)
{
    for_tiles<FORM, KY / 2, HALO, WINDOW>(
        x, tile, shape,
        [&](const auto &rows, long long i, long long row, long long column) {
            const sums_to_image<OUT, VEC_OUT, FORM::WRITE> to = {
                y + (i * shape.height + row) * shape.pitch_out + column,
                shape.pitch_out, rows.limit(shape.width - column)};

            march<FORM, HALO, WINDOW>(rows, along, down,
                                      rows.limit(shape.height - row), to);
        });
}

/* Both filters in one pass. */
template <typename FORM, int K>
__device__ inline void
filter_both(const typename FORM::pixel *x, typename FORM::pixel *y,
            typename FORM::pixel *tile, const taps<K> &along,
            const taps<K> &down, const shape_of_images &shape)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;

    filter_images<FORM, T, T, FORM::VEC, WINDOW, FORM::HALO>(x, y, tile, along,
                                                             down, shape);
}

/* The filter along rows alone; sums are f32. */
template <typename FORM, int K>
__device__ inline void
filter_rows(const typename FORM::pixel *x, float *sums, const taps<K> &along,
            const shape_of_images &shape)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;

    filter_images<FORM, T, float, VEC_SUMS, WINDOW, FORM::HALO>(
        x, sums, (T *)nullptr, along, no_taps(), shape);
}

/* The filter down columns of these sums. */
template <typename FORM, int K>
__device__ inline void
filter_columns(const float *sums, typename FORM::pixel *y, const taps<K> &down,
               const shape_of_images &shape)
{
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;
    using WINDOW = window<float, float, FORM::PX, VEC_SUMS, 0, 1>;

    filter_images<FORM, float, typename FORM::pixel, FORM::VEC, WINDOW, 0>(
        sums, y, (float *)nullptr, no_taps(), down, shape);
}

} /* namespace hone */

#endif
