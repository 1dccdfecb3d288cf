/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a matrix that goes through shared memory and comes out transposed:
 * what implementations of `transpose` and `transpose_square` share.
 *
 * Shared memory holds the tile's rows as memory has them, in chunks of 16
 * bytes that no register turns: they are copied asynchronously where the device
 * can. A thread then walks down a column and gathers the 16 bytes that it writes.
 *
 * CUT: rows begin anywhere. Chunks are those of memory, so that each row is a
 * chunk longer, and its elements begin where they do in memory. What is
 * written are aligned packs of y: each column has rows of its own, up to
 * ABOVE rows higher than those of the tile. OWN, for matrices that are transposed
 * in place: a tile writes its own elements alone, those before and behind the
 * packs of a row one by one. CUT false: all rows are aligned, and words of
 * neighbours are turned in registers.
 *
 * Banks: as many rows as a pack has elements are a group, and groups are an odd
 * multiple of 16 bytes apart, so that eight lanes which read the same row of
 * eight groups meet nowhere. The other lanes of a warp have other columns. Where
 * those begin at rows that undo this, the lanes take the words of a pack in
 * different order.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TURNED_ROWS_CUH
#define HONE_TURNED_ROWS_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

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

/* Where a tile is read: its first element, elements from a row to the next, the
 * rows [lowest, high) and columns that the matrix has of it, and where the
 * array ends. */
template <typename E> struct tile_source {
    const E *first;
    long long pitch;
    int lowest, high, wide;
    const E *end;
};

/* Where it is written: the place of its first element, elements from one row
 * of y to the next, and the rows and columns of the tile, as above. */
template <typename E> struct tile_target {
    E *first;
    long long pitch;
    int lowest, high, wide;
};

template <typename E, int ROWS, int COLUMNS, int BLOCK, int ABOVE, bool CUT>
struct turned_rows {
    /* Elements of a word and of a pack, words of a pack. */
    static constexpr int unit = sizeof(E) < 4 ? 4 / sizeof(E) : 1;
    static constexpr int word_bytes = unit * sizeof(E);
    static constexpr int group = 16 / sizeof(E);
    static constexpr int pack_words = group / unit;
    /* Chunks of a row, bytes from one to the next. */
    static constexpr int chunks = COLUMNS * sizeof(E) / 16;
    static constexpr int row_chunks = chunks + CUT;
    static constexpr int row_bytes = row_chunks * 16;
    /* Lanes of a warp along y, and groups as far apart as they need. */
    static constexpr int down = ROWS / group < 8 ? ROWS / group : 8;
    static constexpr int across = 32 / down;
    static constexpr int apart = 8 / down;
    static constexpr int padding =
        (9 * apart - group * row_chunks % 8) % (2 * apart) * 16;
    static constexpr int group_bytes = group * row_bytes + padding;
    static constexpr int bytes = (ROWS + ABOVE) / group * group_bytes;
    /* Warps, of them along y, and the others. */
    static constexpr int warps = BLOCK / 32;
    static constexpr int warps_down = ROWS / group / down;
    static constexpr int warps_across = warps / warps_down;

    static_assert(ABOVE % group == 0, "groups above the tile are whole");
    static_assert(BLOCK % chunks == 0, "threads share chunks of rows");
    static_assert(warps % warps_down == 0, "warps share columns");

    using word_type = typename word<word_bytes>::type;
    using element_bits = typename word<sizeof(E)>::type;

    /* Bytes from the multiple of BYTES at or below p to p. */
    template <int BYTES> __device__ static int behind(const void *p)
    {
        return static_cast<int>(static_cast<unsigned>(
                   reinterpret_cast<unsigned long long>(p))) & (BYTES - 1);
    }

    /* Where a row begins in shared memory, -ABOVE the first. */
    __device__ static constexpr int place(int row)
    {
        const unsigned from = static_cast<unsigned>(row + ABOVE);

        return static_cast<int>(from * row_bytes + from / group * padding);
    }

    /* --- from memory --------------------------------------------------------- */

    /* The chunk at p, as far as the array goes. */
    template <access READ>
    __device__ static uint4 read_chunk(const char *p, const E *end)
    {
        const long long left = reinterpret_cast<const char *>(end) - p;
        element_bits e[group] = {};
        uint4 v;

        if (left >= 16)
            return read_word<READ>(reinterpret_cast<const uint4 *>(p));
#pragma unroll
        for (int k = 0; k < group; k++)
            if ((k + 1) * static_cast<int>(sizeof(E)) <= left)
                e[k] = reinterpret_cast<const element_bits *>(p)[k];
        memcpy(&v, e, sizeof v);
        return v;
    }

    __device__ static int bytes_left(const char *p, const E *end)
    {
        const long long left = reinterpret_cast<const char *>(end) - p;

        return left < 16 ? static_cast<int>(left) : 16;
    }

    /* Has the matrix all of the tile, and the array whole chunks of it? */
    __device__ static bool whole(const tile_source<E> &from)
    {
        return from.lowest <= -ABOVE && from.high >= ROWS &&
               from.wide >= COLUMNS &&
               (!CUT || from.end - (from.first + (ROWS - 1) * from.pitch +
                                    COLUMNS) >= group);
    }

    /* Copies into shared memory; ASYNC, they are under way. */
    template <bool ASYNC, access READ, bool WHOLE>
    __device__ static void fetch_rows(unsigned char *shared,
                                      const tile_source<E> &from)
    {
        constexpr int step = BLOCK / chunks;
        constexpr int total = ROWS + ABOVE;
        constexpr int items = (total + step - 1) / step;
        const int first = threadIdx.x / chunks;
        const char *p =
            reinterpret_cast<const char *>(from.first +
                                           (first - ABOVE) * from.pitch) +
            threadIdx.x % chunks * 16;
        unsigned char *to =
            shared + place(first - ABOVE) + threadIdx.x % chunks * 16;
        const long long next = step * from.pitch * (long long)sizeof(E);
        constexpr bool hold = WHOLE && !ASYNC;
        uint4 held[hold ? items : 1];

#pragma unroll(WHOLE ? items : 1)
        for (int i = 0; i < items; i++) {
            const int r = first + i * step - ABOVE;
            const char *chunk = p - behind<16>(p);
            unsigned char *at = to + place(i * step - ABOVE);
            bool wanted = total % step == 0 || r < ROWS;

            if constexpr (!WHOLE)
                wanted = wanted && r >= from.lowest && r < from.high &&
                         static_cast<int>(threadIdx.x % chunks * 16) -
                                 behind<16>(p) <
                             from.wide * static_cast<int>(sizeof(E));
            if constexpr (ASYNC)
                copy16_async_part(at, chunk,
                                  WHOLE ? 16 : bytes_left(chunk, from.end),
                                  wanted);
            else if (wanted && hold)
                held[hold ? i : 0] =
                    read_word<READ>(reinterpret_cast<const uint4 *>(chunk));
            else if (wanted)
                *reinterpret_cast<uint4 *>(at) =
                    read_chunk<READ>(chunk, from.end);
            p += next;
        }
        if constexpr (CUT) {
#pragma unroll 1
            for (int r = static_cast<int>(threadIdx.x) - ABOVE; r < ROWS;
                 r += BLOCK) {
                const E *row = from.first + r * from.pitch;
                const int before = behind<16>(row);
                const char *chunk = reinterpret_cast<const char *>(row) -
                                    before + chunks * 16;
                unsigned char *last = shared + place(r) + chunks * 16;
                bool wanted = before > 0;

                if constexpr (!WHOLE)
                    wanted = wanted && r >= from.lowest && r < from.high &&
                             chunks * 16 - before <
                                 from.wide * static_cast<int>(sizeof(E));
                if constexpr (ASYNC)
                    copy16_async_part(last, chunk,
                                      WHOLE ? 16 : bytes_left(chunk, from.end),
                                      wanted);
                else if (wanted)
                    *reinterpret_cast<uint4 *>(last) =
                        read_chunk<READ>(chunk, from.end);
            }
        }
        if constexpr (hold) {
#pragma unroll
            for (int i = 0; i < items; i++)
                if (total % step == 0 || first + i * step < total)
                    *reinterpret_cast<uint4 *>(to + place(i * step - ABOVE)) =
                        held[i];
        }
    }

    /* A tile into shared memory. Behind it comes arrived(), then a barrier. */
    template <bool ASYNC, access READ>
    __device__ static void fetch(unsigned char *shared,
                                 const tile_source<E> &from)
    {
        if (whole(from))
            fetch_rows<ASYNC, READ, true>(shared, from);
        else
            fetch_rows<ASYNC, READ, false>(shared, from);
    }

    template <bool ASYNC> __device__ static void arrived()
    {
        if constexpr (ASYNC) {
            copy_commit();
            copy_wait(0);
        }
    }

    /* --- to memory, aligned ------------------------------------------------- */

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
                word_type rows[unit], columns[unit];

#pragma unroll
                for (int u = 0; u < unit; u++)
                    rows[u] = *reinterpret_cast<const word_type *>(
                        from + (k * unit + u) * row_bytes +
                        i * next * static_cast<int>(sizeof(E)));
                turn(rows, columns);
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

    /* --- to memory, cut ----------------------------------------------------- */

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
        constexpr int step = warps_across > classes ? warps_across / classes : 1;
        static_assert(COLUMNS / columns >= step, "each warp has columns");
        const int warp = threadIdx.x / 32;
        const int q = threadIdx.x % 32 / down;
        const int pack_row =
            (threadIdx.x % down + warp % warps_down * down) * group;
        const int x_at = behind<16>(x.first);
        const int x_next = static_cast<int>(x.pitch % group * sizeof(E));
        const unsigned rotated =
            (x.pitch & to.pitch & 1) ? threadIdx.x % 32 / down % pack_words : 0;

#pragma unroll 1
        for (int c = warp / warps_down % classes; c < classes;
             c += warps_across) {
            int column = q * unit + c % unit + c / unit * square;
            E *p = to.first + column * to.pitch;
            const int back = behind<SECTOR>(p) / static_cast<int>(sizeof(E));
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

    /* The elements of the rows of y that no pack has, fewer than a pack before
     * and behind its packs. */
    template <int SECTOR, bool OWN>
    __device__ static void write_edges(const tile_target<E> &to,
                                       const tile_source<E> &x,
                                       const unsigned char *shared)
    {
        constexpr int period = SECTOR / sizeof(E);
        const bool few = OWN && to.lowest <= 0 && to.high == ROWS;
        const int edges = few ? group : 2 * group;
        const int at = threadIdx.x % edges;

#pragma unroll 1
        for (int c = threadIdx.x / edges; c < to.wide; c += BLOCK / edges) {
            E *p = to.first + c * to.pitch;
            const int back = behind<SECTOR>(p) / static_cast<int>(sizeof(E));
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
                    behind<16>(x.first + row * x.pitch) +
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
            if (OWN ? to.high < ROWS || behind<16>(to.first) != 0 ||
                          to.pitch % group != 0
                    : to.lowest > -ROWS || to.high < ROWS)
                write_edges<SECTOR, OWN>(to, x, shared);
        }
    }
};

} /* namespace hone */

#endif
