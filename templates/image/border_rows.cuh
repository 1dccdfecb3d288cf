/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of rows straight from an image, of those too that meet its border: the
 * pixels behind the border take the place of those of the halo, all else is as
 * inside, so that warps at the sides take little longer than others.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_BORDER_ROWS_CUH
#define HONE_BORDER_ROWS_CUH

#include "image.cuh"

namespace hone {

/* Windows (WINDOW, of image.cuh) of rows `row`, row + 1, .. whose centres begin
 * with pixel `column`, straight from memory through the caches. */
template <int BORDER, access HOW, typename WINDOW, typename T>
struct rows_at_border {
    static constexpr bool INSIDE = false, MOVES = false;
    static constexpr int PER = WINDOW::PER;
    static constexpr int HALO = WINDOW::SIDE * PER;
    static constexpr int CENTRE = WINDOW::CENTRE * PER;
    using UNIT = typename WINDOW::unit;

    image<const T> from;
    long long row, column;

    /* UNITS units from unit `first` on, which begin with pixel `pixel` of
     * `line`. One by one, through a thread's memory, so that there is little
     * code. */
    template <int UNITS>
    __device__ void gather(WINDOW &w, int first, const T *line,
                           long long pixel) const
    {
        alignas(16) T gathered[UNITS * PER];
        UNIT units[UNITS];

#pragma unroll 1
        for (int i = 0; i < UNITS * PER; i++) {
            long long c = pixel + i;

            /* Behind the halo of the last pixel nobody looks. */
            c = c < from.width + HALO ? border_index<BORDER>(c, from.width)
                                      : -1;
            gathered[i] = c < 0 ? T(0) : line[c];
        }
        memcpy(units, gathered, sizeof units);
#pragma unroll
        for (int i = 0; i < UNITS; i++)
            w.at[first + i] = units[i];
    }

    /* The units of a halo that lies outside as a whole, beside pixel `edge`. */
    __device__ void fill(WINDOW &w, int first, const T *edge) const
    {
        T same[PER];
        UNIT v;

#pragma unroll
        for (int i = 0; i < PER; i++)
            same[i] = BORDER == 0 ? T(0) : *edge;
        memcpy(&v, same, sizeof v);
#pragma unroll
        for (int i = 0; i < WINDOW::SIDE; i++)
            w.at[first + i] = v;
    }

    __device__ void read(WINDOW &w, int i) const
    {
        const long long r = border_index<BORDER>(row + i, from.height);
        const long long right = column + CENTRE;
        const T *line = from.first + r * from.pitch;
        const UNIT *at = reinterpret_cast<const UNIT *>(line + column);

        if (BORDER == 0 && r < 0) {
            w.clear();
            return;
        }
        if (right <= from.width)
            w.template read_centre<HOW>(at);
        else
            gather<WINDOW::CENTRE>(w, WINDOW::SIDE, line, column);
        if constexpr (HALO > 0)
            read_sides(w, line, at);
    }

    __device__ void read_sides(WINDOW &w, const T *line, const UNIT *at) const
    {
        const long long right = column + CENTRE;

        if (column >= HALO)
            w.template read_left<HOW>(at);
        else if (BORDER < 2 && column == 0)
            fill(w, 0, line);
        else
            gather<WINDOW::SIDE>(w, 0, line, column - HALO);

        if (right + HALO <= from.width)
            w.template read_right<HOW>(at);
        else if (BORDER < 2 && right >= from.width)
            fill(w, WINDOW::SIDE + WINDOW::CENTRE, line + from.width - 1);
        else
            gather<WINDOW::SIDE>(w, WINDOW::SIDE + WINDOW::CENTRE, line, right);
    }
    __device__ long long limit(long long n) const
    {
        return n;
    }
};

/* Windows of bytes in words, with halos of one word, of rows that exist and lie
 * inside but for their halos: at the sides of an image a byte permutation takes
 * these from the centre, so that all warps run the same instructions. */
template <int BORDER, access HOW, typename WINDOW, typename T>
struct rows_across {
    static constexpr bool INSIDE = true, MOVES = true;
    const T *at; /* the first pixel of row 0's centre */
    long long pitch;
    int left, right; /* pixels from there to the words of the halos */
    unsigned left_bytes, right_bytes;

    __device__ rows_across(const T *first, long long pitch_of_rows,
                           bool at_left, bool at_right)
        : at(first), pitch(pitch_of_rows)
    {
        constexpr int PX = WINDOW::CENTRE * 4;

        left = at_left ? 0 : -4;
        right = at_right ? PX - 4 : PX;
        /* Bytes 4 to 7 are those of the centre's outermost word, or zeros. */
        left_bytes = !at_left ? 0x3210 : BORDER == 2 ? 0x5677 : 0x4444;
        right_bytes = !at_right ? 0x3210 : BORDER == 2 ? 0x4456 : 0x7777;
    }

    __device__ void read(WINDOW &w, int i) const
    {
        const T *row = at + i * pitch;
        constexpr int LAST = WINDOW::CENTRE; /* word of the centre */

        w.template read_centre<HOW>(reinterpret_cast<const unsigned *>(row));
        w.template read_part<1, HOW>(
            reinterpret_cast<const unsigned *>(row + left), 0, 1);
        w.template read_part<1, HOW>(
            reinterpret_cast<const unsigned *>(row + right), LAST + 1, 1);
        w.at[0] = __byte_perm(w.at[0], BORDER == 0 ? 0u : w.at[1], left_bytes);
        w.at[LAST + 1] = __byte_perm(
            w.at[LAST + 1], BORDER == 0 ? 0u : w.at[LAST], right_bytes);
    }
    __device__ long long limit(long long) const
    {
        return 1LL << 40;
    }
};

/* Call body(rows) with the rows around PY rows of outputs from `row` on, of
 * which the centre begins with pixel `column`: row 0 is RADIUS above. Warps have
 * ACROSS neighbours of a row and do not part ways: all of one meets a border,
 * or nothing. */
template <int BORDER, access HOW, int RADIUS, int PY, int ACROSS,
          typename WINDOW, typename T, typename BODY>
__device__ inline void with_rows(const image<const T> &from, long long row,
                                 long long column, const BODY &body)
{
    constexpr int PX = WINDOW::CENTRE * WINDOW::PER;
    constexpr int HALO = WINDOW::SIDE * WINDOW::PER;
    constexpr bool BYTES = WINDOW::PER == 4 && sizeof(T) == 1 &&
                           WINDOW::SIDE == 1 && (RADIUS <= 3 || BORDER < 2);
    const long long corner = column - (long long)(threadIdx.x % ACROSS) * PX;
    const bool right = corner + ACROSS * PX + HALO <= from.width;
    const T *first = from.first + (row - RADIUS) * from.pitch + column;

    if (row >= RADIUS && row + PY + RADIUS <= from.height &&
        (BYTES ? right || from.width % PX == 0 : corner >= HALO && right)) {
        if constexpr (BYTES)
            body(rows_across<BORDER, HOW, WINDOW, T>(
                first, from.pitch, column == 0, column + PX == from.width));
        else
            body(rows_inside<HOW, WINDOW, T>{first, from.pitch});
    } else {
        body(rows_at_border<BORDER, HOW, WINDOW, T>{from, row - RADIUS,
                                                    column});
    }
}

} /* namespace hone */

#endif
