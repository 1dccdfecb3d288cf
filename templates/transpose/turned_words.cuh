/* SPDX-License-Identifier: Apache-2.0 */
/* A tile whose rows begin anywhere in memory, through shared memory and out
 * transposed: words of 4 bytes (8 of f64), aligned ones, on both sides, of which
 * neighbours are shifted into each other where elements are narrower.
 *
 * SECTORS: each row that is written begins at the multiple of 32 bytes at or
 * below the tile's first element, and ends at such a multiple: no sector is
 * written twice. For that a tile reads some rows above itself, as the tile above
 * does, so it has to write into another array. Otherwise a tile reads and writes
 * its own elements alone, those at the ends of a row one by one.
 *
 * Words of a column are neighbours in shared memory, columns an odd number of
 * words apart. Lanes that write have `unit` columns each, and begin with
 * different ones so that they do not meet in a bank.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TURNED_WORDS_CUH
#define HONE_TURNED_WORDS_CUH

#include "turned_tile.cuh"

namespace hone {

template <typename E, int ROWS, int COLUMNS, int BLOCK, bool SECTORS>
struct turned_words {
    /* Elements of a word, rows of x that are read above the tile. */
    static constexpr int unit = sizeof(E) < 4 ? 4 / sizeof(E) : 1;
    static constexpr int word_bytes = unit * sizeof(E);
    static constexpr int above =
        SECTORS ? 32 / sizeof(E) : (unit > 1 ? unit : 0);
    /* Words of a column, from one to the next; words of a row that is read and
     * of one that is written, whose ends may be parts of words. */
    static constexpr int words = (ROWS + above) / unit;
    static constexpr int pitch = (words + 1) | 1;
    static constexpr int in_words = COLUMNS / unit;
    static constexpr int out_words = ROWS / unit + (!SECTORS && unit > 1);
    /* What is read, and a thread has of it: words of one column. */
    static constexpr int read_above = SECTORS ? above : 0;
    static constexpr int in_total = (ROWS + read_above) / unit * in_words;
    static constexpr int in_items = (in_total + BLOCK - 1) / BLOCK;
    static constexpr int in_step = BLOCK / in_words * unit;
    static_assert(BLOCK % in_words == 0, "threads share columns");
    static constexpr int bytes = pitch * COLUMNS * word_bytes;

    using word_type = typename word<word_bytes>::type;

    struct held {
        word_type v[in_items][unit];
    };

    /* Elements from the multiple of BYTES at or below p to p. */
    template <int BYTES, typename P> __device__ static int behind(const P *p)
    {
        return static_cast<int>(reinterpret_cast<unsigned long long>(p) %
                                BYTES / sizeof(E));
    }

    /* `unit` elements from p on, which lie in two words. */
    template <access READ> __device__ static word_type read_shifted(const E *p)
    {
        if constexpr (unit == 1) {
            return read_word<READ>(reinterpret_cast<const word_type *>(p));
        } else {
            const int shift = behind<4>(p);
            const unsigned *w = reinterpret_cast<const unsigned *>(p - shift);

            return __funnelshift_r(read_word<READ>(w), read_word<READ>(w + 1),
                                   shift * 8 * sizeof(E));
        }
    }

    /* Where an item lies: its first row and column. */
    __device__ static int row_of(int item)
    {
        return item / in_words * unit - read_above;
    }
    __device__ static int column_of(int item)
    {
        return item % in_words * unit;
    }

    /* Does the matrix have all columns of the tile, and a word behind them? */
    __device__ static bool inside(const place_of<const E> &from)
    {
        return from.columns >= COLUMNS + (unit > 1 ? unit : 0);
    }

    /* Has the matrix all rows that are read, too? */
    __device__ static bool whole(const place_of<const E> &from, int lowest)
    {
        return inside(from) && from.rows >= ROWS && lowest <= -read_above;
    }

    /* This thread's words of such a tile, or, WHOLE false, of one that is
     * inside: its rows are [lowest, from.rows), and for others something is
     * read, which nobody will write. */
    template <access READ, bool WHOLE>
    __device__ static void read(held &h, const place_of<const E> &from,
                                int lowest)
    {
        const int row = row_of(threadIdx.x);
        const E *column = from.first + column_of(threadIdx.x);
        const E *p = column + row * from.pitch;

#pragma unroll
        for (int i = 0; i < in_items; i++) {
#pragma unroll
            for (int u = 0; u < unit; u++) {
                const int r = row + i * in_step + u;

                if constexpr (!WHOLE)
                    p = column +
                        max(lowest, min(r, from.rows - 1)) * from.pitch;
                if ((i + 1) * BLOCK <= in_total ||
                    threadIdx.x + i * BLOCK < in_total)
                    h.v[i][u] = read_shifted<READ>(p);
                p += from.pitch;
            }
            p += (in_step - unit) * from.pitch;
        }
    }

    /* A tile by the way that does for it, into shared memory. */
    template <access READ>
    __device__ static void fetch(word_type *shared,
                                 const place_of<const E> &from, int lowest)
    {
        if (inside(from)) {
            held h;

            if (whole(from, lowest))
                read<READ, true>(h, from, lowest);
            else
                read<READ, false>(h, from, lowest);
            put(shared, h);
        } else {
            bring(shared, from, lowest);
        }
    }

    /* Any other tile, item by item: from memory to shared memory. */
    __device__ static void bring(word_type *shared,
                                 const place_of<const E> &from, int lowest)
    {
#pragma unroll 1
        for (int item = threadIdx.x; item < in_total; item += BLOCK) {
            const int r = row_of(item);
            const int c = column_of(item);
            word_type v[unit];

#pragma unroll
            for (int u = 0; u < unit; u++) {
                pack<E, unit> row = {};

#pragma unroll
                for (int k = 0; k < unit; k++)
                    if (r + u >= lowest && r + u < from.rows &&
                        c + k < from.columns)
                        row.at[k] = from.first[(r + u) * from.pitch + c + k];
                memcpy(&v[u], &row, sizeof row);
            }
            put_item(shared, v, item);
        }
    }

    __device__ static void put_item(word_type *shared,
                                    const word_type (&v)[unit], int item)
    {
        pack<E, unit> rows[unit];
        const int first = unit > 1 ? threadIdx.x % 32 / (32 / unit) : 0;
        word_type *to = shared + column_of(item) * pitch + item / in_words +
                        (above - read_above) / unit;
        word_type w[unit];

        memcpy(rows, v, sizeof rows);
        turn(rows, w);
#pragma unroll
        for (int by = 1; by < unit; by *= 2) {
            word_type turned[unit];

#pragma unroll
            for (int k = 0; k < unit; k++)
                turned[k] = first & by ? w[(k + by) % unit] : w[k];
            memcpy(w, turned, sizeof w);
        }
#pragma unroll
        for (int k = 0; k < unit; k++)
            to[(k + first) % unit * pitch] = w[k];
    }

    __device__ static void put(word_type *shared, const held &h)
    {
#pragma unroll
        for (int i = 0; i < in_items; i++)
            if ((i + 1) * BLOCK <= in_total ||
                threadIdx.x + i * BLOCK < in_total)
                put_item(shared + i * (in_step / unit), h.v[i], threadIdx.x);
    }

    /* The ends of a row, where its words are not whole: `unit` elements, those
     * before the first whole word from its first word, the others its last. */
    __device__ static void write_ends(E *p, int back, const word_type *column)
    {
        pack<E, unit> first, last;

        memcpy(&first, column, sizeof first);
        memcpy(&last, column + ROWS / unit - 1, sizeof last);
#pragma unroll
        for (int k = 0; k < unit; k++) {
            const bool before = k < unit - back;

            p[before ? k : ROWS - unit + k] = before ? first.at[k] : last.at[k];
        }
    }

    /* write() of a tile that is whole: a thread has the same word of some rows. */
    template <access WRITE>
    __device__ static void write_whole(const place_of<E> &to,
                                       const word_type *shared)
    {
        constexpr int across = ROWS / unit;
        constexpr int step = BLOCK / across;
        constexpr int sector = SECTORS ? 32 : word_bytes;
        const int k = threadIdx.x % across;
        int c = threadIdx.x / across;
        E *p = to.first + c * to.pitch;
        const word_type *from = shared + c * pitch + above / unit;

        static_assert(BLOCK % across == 0, "threads share words of rows");
#pragma unroll 4
        for (; c < COLUMNS; c += step) {
            const int back = behind<sector>(p);
            E *at = p - back + k * unit;

            if constexpr (unit == 1) {
                write_word<WRITE>(reinterpret_cast<word_type *>(at),
                                  from[k - back]);
            } else if (!SECTORS && k == 0 && back > 0) {
                write_ends(p, back, from);
            } else {
                const int begin = above - back;
                const word_type *w = from - above / unit + begin / unit + k;

                write_word<WRITE>(
                    reinterpret_cast<word_type *>(at),
                    __funnelshift_r(w[0], w[1], begin % unit * 8 * sizeof(E)));
            }
            p += step * to.pitch;
            from += step * pitch;
        }
    }

    /* The tile's columns, which shared memory has, as rows of `to`: elements
     * [lowest, to.columns) of them, where 0 is the tile's first. */
    template <access WRITE>
    __device__ static void write(const place_of<E> &to, int lowest,
                                 const word_type *shared)
    {
        if (to.rows >= COLUMNS && to.columns >= ROWS && lowest <= -read_above) {
            write_whole<WRITE>(to, shared);
            return;
        }
#pragma unroll 1
        for (int item = threadIdx.x; item < out_words * COLUMNS;
             item += BLOCK) {
            const int c = item / out_words;
            E *p = to.first + c * to.pitch;
            const int at = item % out_words * unit -
                           behind<SECTORS ? 32 : word_bytes>(p);
            const word_type *from = shared + c * pitch + (at + above) / unit;
            word_type bits;
            pack<E, unit> v;

            if (c >= to.rows || at + unit <= lowest || at >= to.columns)
                continue;
            if constexpr (unit == 1)
                bits = *from;
            else
                bits = __funnelshift_r(from[0], from[1],
                                       (at + above) % unit * 8 * sizeof(E));
            memcpy(&v, &bits, sizeof v);
            if (unit == 1 || (at >= lowest && at + unit <= to.columns)) {
                write_pack<WRITE>(p + at, v);
                continue;
            }
#pragma unroll
            for (int k = 0; k < unit; k++)
                if (at + k >= lowest && at + k < to.columns)
                    p[at + k] = v.at[k];
        }
    }
};

} /* namespace hone */

#endif
