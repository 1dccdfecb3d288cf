/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of rows that meet a border of an image, for filters that compute so
 * much of a window that warps at the sides are to do it once: the pixels behind
 * the border take the place of those of the halo, all else is as inside.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_MEDIAN_ROWS_CUH
#define HONE_MEDIAN_ROWS_CUH

#include "image_tiles.cuh"

namespace hone {

/* Windows (WINDOW, of image.cuh, and its VEC and EDGE) of rows `row`, row + 1,
 * .. whose centres begin with pixel `column`; as rows_of_image. */
template <int BORDER, int VEC, int EDGE, typename WINDOW, typename UNIT,
          typename T>
struct rows_at_border {
    static constexpr int PER = WINDOW::PER;
    static constexpr int HALO = WINDOW::SIDE * PER;
    static constexpr int CENTRE = WINDOW::CENTRE * PER;

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
            w.template read_part<VEC / PER, access::normal>(at, WINDOW::SIDE,
                                                            WINDOW::CENTRE);
        else
            gather<WINDOW::CENTRE>(w, WINDOW::SIDE, line, column);

        if (column >= HALO)
            w.template read_part<EDGE, access::normal>(at - WINDOW::SIDE, 0,
                                                       WINDOW::SIDE);
        else if (BORDER < 2 && column == 0)
            fill(w, 0, line);
        else
            gather<WINDOW::SIDE>(w, 0, line, column - HALO);

        if (right + HALO <= from.width)
            w.template read_part<EDGE, access::normal>(
                at + WINDOW::CENTRE, WINDOW::SIDE + WINDOW::CENTRE,
                WINDOW::SIDE);
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

} /* namespace hone */

#endif
