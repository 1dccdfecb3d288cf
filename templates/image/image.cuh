/* SPDX-License-Identifier: Apache-2.0 */
/* Images as kernels of this family read and write them: what lies behind a
 * border, windows of neighbouring pixels of a row in registers, tiles in shared
 * memory, pixels as f32 and back.
 *
 * Registers hold a window as units: pixels, or, where bytes are read by fours
 * or more, words of four of them, the first in the lowest bits. What a thread
 * computes is the window's centre; HALO pixels lie on either side, read by
 * accesses of EDGE units, the centre by accesses of VEC pixels.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_IMAGE_CUH
#define HONE_IMAGE_CUH

#include "hone_pack.cuh"

namespace hone {

/* --- borders -------------------------------------------------------------- */

/* The pixel that stands for pixel i of n, or -1 for a zero. BORDER 0: zero; 1:
 * the nearest pixel; 2: reflected in the edge pixel, which is not repeated, as
 * often as it takes (2 1 0 1 2 1 0 1 ..; a single pixel stands for all). */
template <int BORDER>
__device__ inline long long border_index(long long i, long long n)
{
    if constexpr (BORDER == 0) {
        return i >= 0 && i < n ? i : -1;
    } else if constexpr (BORDER == 1) {
        return i < 0 ? 0 : i < n ? i : n - 1;
    } else {
        if (n == 1)
            return 0;
        while (i < 0 || i >= n)
            i = i < 0 ? -i : 2 * (n - 1) - i;
        return i;
    }
}

/* One image of a batch; `first` is its pixel in row 0 and column 0. */
template <typename T> struct image {
    T *first;
    long long height, width, pitch;
};

/* --- pixels --------------------------------------------------------------- */

/* Pixel i of units as f32. MAGIC: bytes become the low bits of 2^23, from which
 * that is subtracted, in place of a conversion, which multiprocessors do at a
 * quarter of the rate or less. */
template <bool MAGIC> __device__ inline float byte_as_f32(unsigned word, int i)
{
    if constexpr (MAGIC)
        return __uint_as_float(__byte_perm(word, 0x4b000000u,
                                           0x7440u | (unsigned)i)) -
               8388608.0f;
    else
        return (float)(word >> 8 * i & 255u);
}
template <bool MAGIC, int N>
__device__ inline float pixel(const unsigned (&at)[N], int i)
{
    return byte_as_f32<MAGIC>(at[i / 4], i % 4);
}
template <bool MAGIC, int N>
__device__ inline float pixel(const unsigned char (&at)[N], int i)
{
    return byte_as_f32<MAGIC>(at[i], 0);
}
template <bool MAGIC, int N>
__device__ inline float pixel(const __half (&at)[N], int i)
{
    return __half2float(at[i]);
}
template <bool MAGIC, int N>
__device__ inline float pixel(const float (&at)[N], int i)
{
    return at[i];
}

/* A result as a pixel: rounded to nearest, ties to even; bytes are clamped to
 * 0..255, of a NaN 0. */
template <typename T> __device__ inline T as_pixel(float v)
{
    return narrow<T>(v);
}
/* A byte in the lowest bits of a word, with others above. */
template <bool CLAMP> __device__ inline unsigned byte_of(float v)
{
    if (CLAMP)
        v = fminf(fmaxf(v, 0.0f), 255.0f);
    /* The sum with 2^23 has no bits behind the point: it is rounded. */
    return __float_as_uint(v + 8388608.0f);
}
template <>
__device__ inline unsigned char as_pixel<unsigned char>(float v)
{
    return (unsigned char)(byte_of<true>(v) & 255u);
}

/* What windows of T are held as that are read by accesses of VEC pixels. */
template <typename T, int VEC> struct unit {
    using type = T;
};
template <> struct unit<unsigned char, 4> {
    using type = unsigned;
};
template <> struct unit<unsigned char, 8> {
    using type = unsigned;
};
template <> struct unit<unsigned char, 16> {
    using type = unsigned;
};

/* --- windows -------------------------------------------------------------- */

/* PIXELS neighbouring pixels and HALO on either side. PIXELS is a multiple of
 * VEC, VEC of a unit's pixels, HALO of EDGE units, VEC of EDGE units. */
template <typename T, typename UNIT, int PIXELS, int VEC, int HALO, int EDGE>
struct window {
    static constexpr int PER = (int)(sizeof(UNIT) / sizeof(T));
    static constexpr int SIDE = HALO / PER;
    static constexpr int CENTRE = PIXELS / PER;
    static constexpr int COUNT = CENTRE + 2 * SIDE;
    static_assert(PIXELS % VEC == 0 && VEC % (PER * EDGE) == 0 &&
                      HALO % (PER * EDGE) == 0,
                  "accesses are aligned");
    using unit = UNIT;
    UNIT at[COUNT];

    template <int WIDTH, access HOW>
    __device__ void read_part(const UNIT *from, int first, int count)
    {
#pragma unroll
        for (int i = 0; i < count; i += WIDTH) {
            const pack<UNIT, WIDTH> v = read_pack<WIDTH, HOW>(from + i);
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                at[first + i + j] = v.at[j];
        }
    }

    /* The centre, which begins at `from`, and what is left and right of it. */
    template <access HOW> __device__ void read_centre(const UNIT *from)
    {
        read_part<VEC / PER, HOW>(from, SIDE, CENTRE);
    }
    template <access HOW> __device__ void read_left(const UNIT *from)
    {
        read_part<EDGE, HOW>(from - SIDE, 0, SIDE);
    }
    template <access HOW> __device__ void read_right(const UNIT *from)
    {
        read_part<EDGE, HOW>(from + CENTRE, SIDE + CENTRE, SIDE);
    }

    /* All of it exists; `centre` is the centre's first pixel. */
    template <access HOW> __device__ void read(const T *centre)
    {
        const UNIT *from = reinterpret_cast<const UNIT *>(centre);

        if constexpr (HALO > 0)
            read_left<HOW>(from);
        read_centre<HOW>(from);
        if constexpr (HALO > 0)
            read_right<HOW>(from);
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            at[i] = UNIT(0);
    }
};

/* What all kinds of rows have (also border_rows.cuh): read(w, i), the window of row i; INSIDE,
 * none of them meets a border; MOVES, `at` is the address of row 0,
 * and the next `pitch` behind it; and limit(n), the outputs that exist where n are
 * left, a large constant where all do, so that nothing is asked between one row
 * and the next. */

/* Windows that lie inside of an image, straight from memory through the caches,
 * from that whose centre begins at `at`. */
template <access HOW, typename WINDOW, typename T> struct rows_inside {
    static constexpr bool INSIDE = true, MOVES = true;
    const T *at;
    long long pitch;

    __device__ void read(WINDOW &w, int i) const
    {
        w.template read<HOW>(at + i * pitch);
    }
    __device__ long long limit(long long) const
    {
        return 1LL << 40;
    }
};

/* --- tiles in shared memory ----------------------------------------------- */

/* Windows of a tile whose rows are SPAN pixels apart. `at` is the first pixel
 * of the centre of the first. */
template <int SPAN, typename WINDOW, typename T> struct rows_of_tile {
    static constexpr bool INSIDE = true, MOVES = false;
    const T *at;

    __device__ void read(WINDOW &w, int i) const
    {
        w.template read<access::normal>(at + i * SPAN);
    }
    __device__ long long limit(long long n) const
    {
        return n;
    }
};

/* VEC pixels of a row of `width`, of which some may lie outside. Behind
 * width + REACH nobody looks. */
template <int BORDER, int VEC, int REACH, access HOW, typename T>
__device__ inline pack<T, VEC> read_columns(const T *row, long long column,
                                            long long width)
{
    if (column >= 0 && column + VEC <= width)
        return read_pack<VEC, HOW>(row + column);

    pack<T, VEC> v;

#pragma unroll 1
    for (int i = 0; i < VEC; i++) {
        long long c = column + i;

        c = c < width + REACH ? border_index<BORDER>(c, width) : -1;
        v.at[i] = c < 0 ? T(0) : row[c];
    }
    return v;
}

/* Copy ROWS rows of SPAN pixels, the first of which is pixel (row, column) of
 * the image, to shared memory. THREADS threads call it; `thread` is the
 * caller's number. SPAN and `column` are multiples of VEC. Pixels more than
 * REACH behind the last one are never looked at. */
template <int BORDER, int ROWS, int SPAN, int VEC, int REACH, int THREADS,
          access HOW, typename T>
__device__ inline void stage_tile(T *tile, const image<const T> &from,
                                  long long row, long long column, int thread)
{
    constexpr int PACKS = SPAN / VEC;
    constexpr int COUNT = ROWS * PACKS;

    if (row >= 0 && row + ROWS <= from.height && column >= 0 &&
        column + SPAN <= from.width) {
        const T *corner = from.first + row * from.pitch + column;

#pragma unroll 4
        for (int i = thread; i < COUNT; i += THREADS)
            write_pack<access::shared>(
                tile + i / PACKS * SPAN + i % PACKS * VEC,
                read_pack<VEC, HOW>(corner + i / PACKS * from.pitch +
                                    i % PACKS * VEC));
    } else {
#pragma unroll 1
        for (int i = thread; i < COUNT; i += THREADS) {
            long long r = row + i / PACKS;
            pack<T, VEC> v;

            r = r < from.height + REACH ? border_index<BORDER>(r, from.height)
                                        : -1;
            if (r >= 0) {
                v = read_columns<BORDER, VEC, REACH, HOW>(
                    from.first + r * from.pitch, column + i % PACKS * VEC,
                    from.width);
            } else {
#pragma unroll
                for (int j = 0; j < VEC; j++)
                    v.at[j] = T(0);
            }
            write_pack<access::shared>(
                tile + i / PACKS * SPAN + i % PACKS * VEC, v);
        }
    }
}

/* --- results -------------------------------------------------------------- */

/* Write PIXELS pixels, held as units, or the first `left` of them. */
template <int VEC, access HOW, typename T, typename UNIT, int UNITS>
__device__ inline void write_pixels(T *to, const UNIT (&v)[UNITS],
                                    long long left)
{
    constexpr int PER = (int)(sizeof(UNIT) / sizeof(T));
    constexpr int WIDTH = VEC / PER;

    if (left >= UNITS * PER) {
#pragma unroll
        for (int i = 0; i < UNITS; i += WIDTH) {
            pack<UNIT, WIDTH> p;

#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                p.at[j] = v[i + j];
            write_pack<HOW>(reinterpret_cast<UNIT *>(to) + i, p);
        }
    } else {
#pragma unroll
        for (int i = 0; i < UNITS * PER; i++) {
            if (i >= left)
                continue;
            if constexpr (PER == 1)
                to[i] = v[i];
            else if constexpr (sizeof(T) == 1)
                to[i] = (T)(v[i / PER] >> 8 * (i % PER) & 255u);
            else
                reinterpret_cast<unsigned short *>(to)[i] =
                    (unsigned short)(v[i / PER] >> 16 * (i % PER));
        }
    }
}

} /* namespace hone */

#endif
