/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a matrix that goes through shared memory and comes out transposed:
 * what implementations of `transpose` and `transpose_square` share. Its rows
 * lie there as memory has them (tile_rows.cuh). A thread walks down a column
 * and gathers the 16 bytes that it writes.
 *
 * CUT: what is written are aligned packs of y. Each column has rows of its own,
 * up to ABOVE rows higher than those of the tile. OWN, for matrices that are
 * transposed in place: a tile writes its own elements alone, those before and
 * behind the packs of a row one by one. CUT false: all rows are aligned, and
 * words of neighbours are turned in registers.
 *
 * Banks: eight lanes of a warp that are neighbours along y meet nowhere. The
 * others have other columns; where those begin at rows that undo this, the
 * lanes take the words of a pack in different order.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TURNED_ROWS_CUH
#define HONE_TURNED_ROWS_CUH

#include "tile_rows.cuh"

namespace hone {

/* UNIT rows of a word, turned: its UNIT columns. */
template <int UNIT, typename W>
__device__ inline void turn(const W (&row)[UNIT], W (&column)[UNIT])
{
    if constexpr (UNIT == 1) {
        column[0] = row[0];
    } else if constexpr (UNIT == 2) {
        column[0] = __byte_perm(row[0], row[1], 0x5410);
        column[1] = __byte_perm(row[0], row[1], 0x7632);
    } else {
        const unsigned low = __byte_perm(row[0], row[1], 0x5140);
        const unsigned low2 = __byte_perm(row[2], row[3], 0x5140);
        const unsigned high = __byte_perm(row[0], row[1], 0x7362);
        const unsigned high2 = __byte_perm(row[2], row[3], 0x7362);

        column[0] = __byte_perm(low, low2, 0x5410);
        column[1] = __byte_perm(low, low2, 0x7632);
        column[2] = __byte_perm(high, high2, 0x5410);
        column[3] = __byte_perm(high, high2, 0x7632);
    }
}

/* UNIT elements as a word, the first in its lowest bytes. */
template <typename W, int UNIT, typename B>
__device__ inline W join(const B (&e)[UNIT])
{
    if constexpr (UNIT == 1)
        return e[0];
    else if constexpr (UNIT == 2)
        return __byte_perm(e[0], e[1], 0x5410);
    else
        return __byte_perm(__byte_perm(e[0], e[1], 0x0040),
                           __byte_perm(e[2], e[3], 0x0040), 0x5410);
}

/* Where it is written: the place of its first element, elements from one row
 * of y to the next, and the rows and columns of the tile, as above. */
template <typename E> struct tile_target {
    E *first;
    long long pitch;
    int lowest, high, wide;
};

template <typename E, int ROWS, int COLUMNS, int BLOCK, int ABOVE, bool CUT>
struct turned_rows : tile_rows<E, ROWS, COLUMNS, BLOCK, ABOVE, CUT> {
    using rows = tile_rows<E, ROWS, COLUMNS, BLOCK, ABOVE, CUT>;
    using rows::unit, rows::group, rows::pack_words, rows::row_bytes;
    using rows::down, rows::across, rows::place;
    using typename rows::word_type, typename rows::element_bits;

    /* Warps, of them along y, and the others. */
    static constexpr int warps = BLOCK / 32;
    static constexpr int warps_down = ROWS / group / down;
    static constexpr int warps_across = warps / warps_down;

    static_assert(warps % warps_down == 0, "warps share columns");

    /* --- to memory, aligned ---------------------------------------------- */

    /* A pack of y, or what the matrix has of it. */
    template <access WRITE>
    __device__ static void write_part(E *p, const pack<E, group> &v, int left)
    {
        if (left >= group) {
            write_pack<WRITE>(p, v);
            return;
        }
#pragma unroll
        for (int k = 0; k < group; k++)
            if (k < left)
                p[k] = v.at[k];
    }

    template <access WRITE, bool WHOLE>
    __device__ static void write_turned(const tile_target<E> &to,
                                        const unsigned char *shared)
    {
        constexpr int steps = COLUMNS / unit / across / warps_across;
        const int warp = threadIdx.x / 32;
        const int row = (threadIdx.x % down + warp % warps_down * down) * group;
        const int first =
            (threadIdx.x % 32 / down + warp / warps_down * across) * unit;
        const unsigned char *from =
            shared + place(row) + first * static_cast<int>(sizeof(E));
        E *p = to.first + first * to.pitch + row;

        static_assert(steps > 0, "each warp has columns");
#pragma unroll(WHOLE ? steps : 1)
        for (int i = 0; i < steps; i++) {
            constexpr int next = across * warps_across * unit;
            word_type w[unit][pack_words];

#pragma unroll
            for (int k = 0; k < pack_words; k++) {
                word_type wide[unit], columns[unit];

#pragma unroll
                for (int u = 0; u < unit; u++)
                    wide[u] = *reinterpret_cast<const word_type *>(
                        from + (k * unit + u) * row_bytes +
                        i * next * static_cast<int>(sizeof(E)));
                turn(wide, columns);
#pragma unroll
                for (int u = 0; u < unit; u++)
                    w[u][k] = columns[u];
            }
#pragma unroll
            for (int u = 0; u < unit; u++) {
                pack<E, group> v;

                memcpy(&v, w[u], sizeof v);
                if constexpr (WHOLE)
                    write_pack<WRITE>(p + u * to.pitch, v);
                else if (first + i * next + u < to.wide)
                    write_part<WRITE>(p + u * to.pitch, v, to.high - row);
            }
            p += next * to.pitch;
        }
    }

    /* --- to memory, cut -------------------------------------------------- */

    /* Packs of the columns that begin at the same place of SECTOR bytes of y.
     * `x` tells where the rows that are in shared memory begin. */
    template <access WRITE, int SECTOR, bool OWN>
    __device__ static void write_packs(const tile_target<E> &to,
                                       const tile_source<E> &x,
                                       const unsigned char *shared)
    {
        constexpr int period = SECTOR / sizeof(E);
        constexpr int square = across * unit;
        constexpr int columns = square > period ? square : period;
        constexpr int classes = columns / across;
        constexpr int step =
            warps_across > classes ? warps_across / classes : 1;
        static_assert(COLUMNS / columns >= step, "each warp has columns");
        const int warp = threadIdx.x / 32;
        const int q = threadIdx.x % 32 / down;
        const int pack_row =
            (threadIdx.x % down + warp % warps_down * down) * group;
        const int x_at = bytes_behind<16>(x.first);
        const int x_next = static_cast<int>(x.pitch % group * sizeof(E));
        const unsigned rotated =
            (x.pitch & to.pitch & 1) ? threadIdx.x % 32 / down % pack_words : 0;

#pragma unroll 1
        for (int c = warp / warps_down % classes; c < classes;
             c += warps_across) {
            int column = q * unit + c % unit + c / unit * square;
            E *p = to.first + column * to.pitch;
            const int back =
                bytes_behind<SECTOR>(p) / static_cast<int>(sizeof(E));
            const int row = (OWN ? -back & (period - 1) : -back) + pack_row;
            const unsigned char *from[group];

            if (row < to.lowest || row + group > to.high)
                continue;
            column += warp / warps_down / classes * columns;
            p = to.first + column * to.pitch + row;
#pragma unroll
            for (int k = 0; k < group; k++) {
                const int r =
                    row + static_cast<int>((k + rotated * unit) % group);

                from[k] = shared + place(r) + ((x_at + r * x_next) & 15) +
                          column * static_cast<int>(sizeof(E));
            }
#pragma unroll
            for (int b = 0; b < COLUMNS / columns; b += step) {
                word_type w[pack_words];
                pack<E, group> v;

                if (column + b * columns >= to.wide)
                    break;
#pragma unroll
                for (int k = 0; k < pack_words; k++) {
                    element_bits e[unit];

#pragma unroll
                    for (int u = 0; u < unit; u++)
                        e[u] = *reinterpret_cast<const element_bits *>(
                            from[k * unit + u] +
                            b * columns * static_cast<int>(sizeof(E)));
                    w[k] = join<word_type>(e);
                }
#pragma unroll
                for (int by = 1; by < pack_words; by *= 2) {
                    word_type other[pack_words];

#pragma unroll
                    for (int k = 0; k < pack_words; k++)
                        other[k] = rotated & by
                                       ? w[(k + pack_words - by) % pack_words]
                                       : w[k];
                    memcpy(w, other, sizeof w);
                }
                memcpy(&v, w, sizeof v);
                write_pack<WRITE>(p, v);
                p += step * columns * to.pitch;
            }
        }
    }

    /* OWN, and the tile is whole: as many elements of each row of y as a pack
     * has, some before and the others behind its packs. */
    __device__ static void write_own_edges(const tile_target<E> &to,
                                           const tile_source<E> &x,
                                           const unsigned char *shared)
    {
        constexpr int step = BLOCK / group;
        const int at = threadIdx.x % group;
        const int behind_at = at + ROWS - group;
        const int x_at = bytes_behind<16>(x.first);
        const int x_next = static_cast<int>(x.pitch % group * sizeof(E));
        const int y_next = static_cast<int>(to.pitch % group);
        const unsigned char *first =
            shared + place(at) + ((x_at + at * x_next) & 15);
        const unsigned char *last =
            shared + place(behind_at) + ((x_at + behind_at * x_next) & 15);
        int c = threadIdx.x / group;
        int back =
            bytes_behind<16>(to.first) / static_cast<int>(sizeof(E)) +
            c * y_next;
        E *p = to.first + c * to.pitch + at;

        first += c * sizeof(E);
        last += c * sizeof(E);
#pragma unroll 4
        for (; c < COLUMNS; c += step) {
            const bool before = at < (-back & (group - 1));

            p[before ? 0 : ROWS - group] =
                *reinterpret_cast<const E *>(before ? first : last);
            first += step * sizeof(E);
            last += step * sizeof(E);
            back += step * y_next;
            p += step * to.pitch;
        }
    }

    /* The elements of the rows of y that no pack has, fewer than a pack before
     * and behind its packs. */
    template <int SECTOR, bool OWN>
    __device__ static void write_edges(const tile_target<E> &to,
                                       const tile_source<E> &x,
                                       const unsigned char *shared)
    {
        constexpr int period = SECTOR / sizeof(E);
        constexpr int edges = 2 * group;
        const int at = threadIdx.x % edges;

#pragma unroll 1
        for (int c = threadIdx.x / edges; c < to.wide; c += BLOCK / edges) {
            E *p = to.first + c * to.pitch;
            const int back =
                bytes_behind<SECTOR>(p) / static_cast<int>(sizeof(E));
            const int start = OWN ? -back & (period - 1) : -back;
            const int low = OWN ? 0 : max(to.lowest, start);
            const int high = OWN ? to.high : min(to.high, start + ROWS);
            const int packs =
                start + (max(low - start, 0) + group - 1) / group * group;
            const int before = min(packs, high) - low;
            const int end =
                packs < high ? packs + (high - packs) / group * group : high;
            const int row = at < before ? low + at : end + at - before;

            if (row < high)
                p[row] = *reinterpret_cast<const E *>(
                    shared + place(row) +
                    bytes_behind<16>(x.first + row * x.pitch) +
                    c * static_cast<int>(sizeof(E)));
        }
    }

    /* The tile's columns are written as rows of y. */
    template <access WRITE, int SECTOR, bool OWN>
    __device__ static void write(const tile_target<E> &to,
                                 const tile_source<E> &x,
                                 const unsigned char *shared)
    {
        if constexpr (!CUT) {
            if (to.high >= ROWS && to.wide >= COLUMNS)
                write_turned<WRITE, true>(to, shared);
            else
                write_turned<WRITE, false>(to, shared);
        } else {
            write_packs<WRITE, SECTOR, OWN>(to, x, shared);
            if (OWN && to.high >= ROWS && to.wide >= COLUMNS)
                write_own_edges(to, x, shared);
            else if (OWN || to.lowest > -ROWS || to.high < ROWS)
                write_edges<SECTOR, OWN>(to, x, shared);
        }
    }
};

} /* namespace hone */

#endif
