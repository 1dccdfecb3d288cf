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

#include "image.cuh"

namespace hone {

/* What the functions below take as FORM, a structure of constants:
 *   pixel            the type of pixels
 *   BORDER, R        what lies behind a border, radius of the filters
 *   VEC, HALO, EDGE  as of a window (image.cuh)
 *   PX, PY           pixels of a thread
 *   BLOCK_X, BLOCK_Y threads of a block
 *   UNROLL           rows of a thread's loop that are unrolled
 *   AHEAD            a row is asked for before the one in front is used
 *   MAGIC            how bytes become f32 (image.cuh)
 *   SHARED, SPAN     tiles go through shared memory; pixels of a tile's row
 *   READ, WRITE      kinds of access */

/* Of the filter along rows or down columns, in the order of the pixels. */
template <int TAPS> struct taps {
    float at[TAPS];
};
/* A filter that leaves what it meets as it is. */
__device__ inline taps<1> no_taps()
{
    return taps<1>{{1.0f}};
}

/* The rows of `from` (rows_of_image or rows_of_tile; row 0 is the column
 * filter's radius above the first output) filtered `along` and `down`.
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

/* Write sums as pixels of an image, those of row `row` + i and of columns from
 * `column`. */
template <typename T, int VEC, access HOW> struct sums_to_image {
    image<T> to;
    long long row, column;

    template <int PX>
    __device__ void operator()(int i, const float (&sum)[PX]) const
    {
        T v[PX];

#pragma unroll
        for (int p = 0; p < PX; p++)
            v[p] = as_pixel<T>(sum[p]);
        write_pixels<VEC, HOW>(to.first + (row + i) * to.pitch + column, v,
                               to.width - column);
    }
};

/* A thread's part of filtering `x` to `y`: rows of images of `height` x
 * `width` pixels, `batch` of them, the rows of all following each other. `tile`
 * is shared memory where FORM::SHARED is true. A grid of tiles: blocks along x
 * have neighbours of a row, along y all rows of tiles of all images. */
template <typename FORM, typename IN, typename OUT, int VEC_OUT, int KX, int KY,
          typename WINDOW, int HALO>
__device__ inline void
filter_images(const IN *x, OUT *y, IN *tile, const taps<KX> &along,
              const taps<KY> &down, long long height, long long width,
              long long pitch, long long pitch_out, long long batch)
{
    constexpr int ROWS = FORM::BLOCK_Y * FORM::PY;
    constexpr int R = KY / 2;
    const long long column =
        ((long long)blockIdx.x * FORM::BLOCK_X + threadIdx.x) * FORM::PX;
    const long long per_image = (height + ROWS - 1) / ROWS;

    for (long long t = blockIdx.y; t < per_image * batch; t += gridDim.y) {
        const tile_place at = place_of_tile(t, per_image);
        const long long first = at.row * ROWS;
        const long long row = first + threadIdx.y * FORM::PY;
        const image<const IN> from = {x + at.image * height * pitch, height,
                                      width, pitch};
        const sums_to_image<OUT, VEC_OUT, FORM::WRITE> to = {
            {y + at.image * height * pitch_out, height, width, pitch_out},
            row,
            column};

        if constexpr (FORM::SHARED) {
            constexpr int SIDE = (HALO + FORM::VEC - 1) / FORM::VEC * FORM::VEC;
            const long long corner = blockIdx.x *
                                         (long long)(FORM::BLOCK_X * FORM::PX) -
                                     SIDE;
            const rows_of_tile<FORM::SPAN, WINDOW, IN> rows = {
                tile + (int)threadIdx.y * FORM::PY * FORM::SPAN + SIDE +
                (int)threadIdx.x * FORM::PX};

            if (t != blockIdx.y)
                __syncthreads();
            stage_tile<FORM::BORDER, ROWS + 2 * R, FORM::SPAN, FORM::VEC, HALO,
                       FORM::BLOCK_X * FORM::BLOCK_Y, FORM::READ>(
                tile, from, first - R, corner,
                (int)(threadIdx.y * FORM::BLOCK_X + threadIdx.x));
            __syncthreads();
            if (column < width)
                march<FORM, HALO, WINDOW>(rows, along, down, height - row, to);
        } else if (column < width && row < height) {
            const rows_of_image<FORM::BORDER, FORM::READ, WINDOW, IN> rows(
                from, row - R, column);

            march<FORM, HALO, WINDOW>(rows, along, down, height - row, to);
        }
    }
}

/* Both filters in one pass. */
template <typename FORM, int K>
__device__ inline void
filter_both(const typename FORM::pixel *x, typename FORM::pixel *y,
            typename FORM::pixel *tile, const taps<K> &along,
            const taps<K> &down, long long height, long long width,
            long long pitch, long long pitch_out, long long batch)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;

    filter_images<FORM, T, T, FORM::VEC, K, K, WINDOW, FORM::HALO>(
        x, y, tile, along, down, height, width, pitch, pitch_out, batch);
}

/* The filter along rows alone; sums are f32. */
template <typename FORM, int K>
__device__ inline void
filter_rows(const typename FORM::pixel *x, float *sums, const taps<K> &along,
            long long height, long long width, long long pitch,
            long long pitch_sums, long long batch)
{
    using T = typename FORM::pixel;
    using UNIT = typename unit<T, FORM::VEC>::type;
    using WINDOW =
        window<T, UNIT, FORM::PX, FORM::VEC, FORM::HALO, FORM::EDGE>;
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;

    filter_images<FORM, T, float, VEC_SUMS, K, 1, WINDOW, FORM::HALO>(
        x, sums, (typename FORM::pixel *)nullptr, along, no_taps(), height,
        width, pitch, pitch_sums, batch);
}

/* The filter down columns of these sums. */
template <typename FORM, int K>
__device__ inline void
filter_columns(const float *sums, typename FORM::pixel *y, const taps<K> &down,
               long long height, long long width, long long pitch_sums,
               long long pitch_out, long long batch)
{
    constexpr int VEC_SUMS = FORM::VEC < 4 ? FORM::VEC : 4;
    using WINDOW = window<float, float, FORM::PX, VEC_SUMS, 0, 1>;

    filter_images<FORM, float, typename FORM::pixel, FORM::VEC, 1, K, WINDOW,
                  0>(sums, y, (float *)nullptr, no_taps(), down, height, width,
                     pitch_sums, pitch_out, batch);
}

} /* namespace hone */

#endif
