/* SPDX-License-Identifier: Apache-2.0 */
/* Images dealt to the threads of a grid: each has PX pixels of PY rows of a
 * tile, whose windows it gets from memory or from a copy of the tile in shared
 * memory.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_IMAGE_TILES_CUH
#define HONE_IMAGE_TILES_CUH

#include "border_rows.cuh"

namespace hone {

/* What the functions of this family take as FORM, a structure of constants (and
 * what they say besides):
 *   pixel            the type of pixels
 *   BORDER           what lies behind a border
 *   VEC, HALO, EDGE  as of a window (image.cuh)
 *   PX, PY           pixels of a thread
 *   BLOCK_X, BLOCK_Y threads of a block
 *   SHARED, SPAN     tiles go through shared memory; pixels of a tile's row
 *   READ, WRITE      kinds of access */


/* Images that follow each other: `batch` of height x width pixels, rows of the
 * input `pitch` pixels apart, of the output `pitch_out`. */
struct shape_of_images {
    long long height, width, pitch, pitch_out, batch;
};

/* Write sums as pixels of an image, those of row i. CLAMP: they may lie outside
 * of what bytes hold. SECOND: the second byte of their bits is the pixel. */
template <typename T, int VEC, access HOW, bool CLAMP = true,
          bool SECOND = false>
struct sums_to_image {
    T *to; /* row 0 of them */
    long long pitch;
    long long left; /* columns of the image from there on */

    template <int PX>
    __device__ void operator()(int i, const float (&sum)[PX]) const
    {
        if constexpr (sizeof(T) == 1 && VEC % 4 == 0) {
            constexpr unsigned WHICH = SECOND ? 0x51 : 0x40;
            unsigned v[PX / 4], byte[PX];

#pragma unroll
            for (int p = 0; p < PX; p++)
                byte[p] = SECOND ? __float_as_uint(sum[p])
                                 : byte_of<CLAMP>(sum[p]);
#pragma unroll
            for (int p = 0; p < PX; p += 4)
                v[p / 4] =
                    __byte_perm(__byte_perm(byte[p], byte[p + 1], WHICH),
                                __byte_perm(byte[p + 2], byte[p + 3], WHICH),
                                0x5410);
            write_pixels<VEC, HOW>(to + i * pitch, v, left);
        } else {
            T v[PX];

#pragma unroll
            for (int p = 0; p < PX; p++)
                v[p] = as_pixel<T>(sum[p]);
            write_pixels<VEC, HOW>(to + i * pitch, v, left);
        }
    }
};

struct tile_place {
    long long image, row; /* of the batch; its first row of tiles */
};

/* Row of tiles `t` of a batch of images with `per_image` of them each. */
__device__ inline tile_place place_of_tile(long long t, long long per_image)
{
    tile_place p = {0, t};

    if (t >= per_image) {
        p.image = t / per_image;
        p.row = t % per_image;
    }
    return p;
}

/* Call body(rows, image, row, column) for each of a thread's parts of the
 * images: row `row` of image `image` is the first of its outputs, `column` their
 * first column; `rows` (rows_inside, rows_at_border or rows_of_tile) has the
 * windows around them, from RADIUS rows above. `tile` is shared memory where FORM::SHARED is
 * true. A grid of tiles: blocks along x have neighbours of a row, along y all
 * rows of tiles of all images, going round if need be. */
template <typename FORM, int RADIUS, int HALO, typename WINDOW, typename IN,
          typename BODY>
__device__ inline void for_tiles(const IN *x, IN *tile,
                                 const shape_of_images &shape,
                                 const BODY &body)
{
    constexpr int ROWS = FORM::BLOCK_Y * FORM::PY;
    const long long column =
        ((long long)blockIdx.x * FORM::BLOCK_X + threadIdx.x) * FORM::PX;
    const long long per_image = (shape.height + ROWS - 1) / ROWS;

    for (long long t = blockIdx.y; t < per_image * shape.batch;
         t += gridDim.y) {
        const tile_place at = place_of_tile(t, per_image);
        const long long first = at.row * ROWS;
        const long long row = first + threadIdx.y * FORM::PY;
        const image<const IN> from = {x + at.image * shape.height * shape.pitch,
                                      shape.height, shape.width, shape.pitch};

        if constexpr (FORM::SHARED) {
            constexpr int SIDE = (HALO + FORM::VEC - 1) / FORM::VEC * FORM::VEC;
            const long long corner =
                blockIdx.x * (long long)(FORM::BLOCK_X * FORM::PX) - SIDE;
            const rows_of_tile<FORM::SPAN, WINDOW, IN> rows = {
                tile + (int)threadIdx.y * FORM::PY * FORM::SPAN + SIDE +
                (int)threadIdx.x * FORM::PX};

            if (t != blockIdx.y)
                __syncthreads(); /* nobody reads the tile before */
            stage_tile<FORM::BORDER, ROWS + 2 * RADIUS, FORM::SPAN, FORM::VEC,
                       HALO, FORM::BLOCK_X * FORM::BLOCK_Y, FORM::READ>(
                tile, from, first - RADIUS, corner,
                (int)(threadIdx.y * FORM::BLOCK_X + threadIdx.x));
            __syncthreads();
            if (column < shape.width && row < shape.height)
                body(rows, at.image, row, column);
        } else if (column < shape.width && row < shape.height) {
            constexpr int ACROSS = FORM::BLOCK_X < 32 ? FORM::BLOCK_X : 32;

            with_rows<FORM::BORDER, FORM::READ, RADIUS, FORM::PY, ACROSS,
                      WINDOW>(from, row, column, [&](const auto &rows) {
                body(rows, at.image, row, column);
            });
        }
    }
}

} /* namespace hone */

#endif
