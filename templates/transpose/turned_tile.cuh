/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a matrix that goes through shared memory and comes out transposed:
 * what implementations of `transpose` and `transpose_square` share.
 *
 * The tile has ROWS x COLUMNS elements. Shared memory holds words of 4 bytes (8
 * of f64): 4, 2 or 1 elements of one column, one below the other. A thread
 * reads as many rows as a word has elements, packs of up to 16 bytes of each,
 * and turns them into words in its registers; then words of a column make
 * packs of up to 16 bytes again. So bytes move in wide accesses on both sides.
 *
 * Words of a column are neighbours in shared memory. SWIZZLED: their places are
 * exchanged in each column, so that both ways no two lanes of a warp meet in a
 * bank as long as rows and columns of the tile are 128 bytes and more;
 * otherwise a column is a word longer.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_TURNED_TILE_CUH
#define HONE_TURNED_TILE_CUH

#include "hone_pack.cuh"

namespace hone {

/* --- in registers ------------------------------------------------------------ */

/* UNIT rows of WIDTH elements, turned: w[k] is column k. */
template <typename E, int UNIT, int WIDTH, typename W>
__device__ inline void turn(const pack<E, WIDTH> (&row)[UNIT], W (&w)[WIDTH])
{
    if constexpr (UNIT == 1) {
        static_assert(sizeof(W) == sizeof(E), "a word is an element");
        memcpy(w, &row[0], sizeof w);
    } else {
        constexpr int words = WIDTH / UNIT;
        unsigned a[UNIT][words];

#pragma unroll
        for (int r = 0; r < UNIT; r++)
            memcpy(a[r], &row[r], sizeof a[r]);
#pragma unroll
        for (int i = 0; i < words; i++) {
            if constexpr (UNIT == 2) {
                w[2 * i] = __byte_perm(a[0][i], a[1][i], 0x5410);
                w[2 * i + 1] = __byte_perm(a[0][i], a[1][i], 0x7632);
            } else {
                const unsigned low = __byte_perm(a[0][i], a[1][i], 0x5140);
                const unsigned low2 = __byte_perm(a[2][i], a[3][i], 0x5140);
                const unsigned high = __byte_perm(a[0][i], a[1][i], 0x7362);
                const unsigned high2 = __byte_perm(a[2][i], a[3][i], 0x7362);

                w[4 * i] = __byte_perm(low, low2, 0x5410);
                w[4 * i + 1] = __byte_perm(low, low2, 0x7632);
                w[4 * i + 2] = __byte_perm(high, high2, 0x5410);
                w[4 * i + 3] = __byte_perm(high, high2, 0x7632);
            }
        }
    }
}

/* --- through shared memory ---------------------------------------------------- */

/* Where a tile lies: its first element, elements from a row to the next, what
 * the matrix has of it, and whether all its packs are aligned. */
template <typename E> struct place_of {
    E *first;
    long long pitch;
    int rows, columns;
    bool aligned;
};

template <typename E, int ROWS, int COLUMNS, int BLOCK, int BYTES_IN,
          int BYTES_OUT, bool SWIZZLED>
struct turned_tile {
    /* Elements of a word, words of a column and from one column to the next. */
    static constexpr int unit = sizeof(E) < 4 ? 4 / sizeof(E) : 1;
    static constexpr int word_bytes = unit * sizeof(E);
    static constexpr int words = ROWS / unit;
    static constexpr int pitch = SWIZZLED ? words : words + 1;
    /* Elements of a pack and packs of a row, read and written. */
    static constexpr int in = BYTES_IN / sizeof(E);
    static constexpr int in_packs = COLUMNS / in;
    static constexpr int out_words = BYTES_OUT / word_bytes;
    static constexpr int out = out_words * unit;
    static constexpr int out_packs = ROWS / out;
    /* What a thread has of them; `in` counts a pack of each row of a word. */
    static constexpr int in_items = words * in_packs / BLOCK;
    static constexpr int out_items = COLUMNS * out_packs / BLOCK;
    static constexpr int bytes = pitch * COLUMNS * word_bytes;

    using word_type = typename word<word_bytes>::type;

    struct held {
        pack<E, in> v[in_items][unit];
    };

    /* The place of word `at` of a column. The lanes of a warp that write have
     * neighbouring packs and then words, those that read have neighbouring
     * packs of words and then columns: the first exchange tells the packs of a
     * row apart, the second the columns of a pack, the third words of one
     * column that are a multiple of all banks apart. */
    __device__ static int place(int column, int at)
    {
        if constexpr (SWIZZLED) {
            constexpr int banks = 128 / word_bytes;
            constexpr int apart = in_packs < banks ? in_packs : banks;
            constexpr int over = words > banks ? words / banks : 1;
            constexpr int columns = over < out_words ? out_words / over : 1;
            const int exchange = column / in % apart * (banks / apart) ^
                                 column % in % columns ^
                                 at / banks * columns % out_words;

            at ^= exchange % words;
        }
        return column * pitch + at;
    }

    /* One pack of a row, or what the matrix has of it. */
    template <access READ>
    __device__ static pack<E, in> read_part(const place_of<const E> &from,
                                            int row, int column)
    {
        const E *p = from.first + row * from.pitch + column;
        pack<E, in> v = {};

        if (row >= from.rows)
            return v;
        if (from.aligned && column + in <= from.columns)
            return read_pack<in, READ>(p);
#pragma unroll
        for (int k = 0; k < in; k++)
            if (column + k < from.columns)
                v.at[k] = p[k];
        return v;
    }

    /* Does the matrix have all of the tile, in aligned packs? */
    template <typename P> __device__ static bool whole(const P &p, int rows,
                                                       int columns)
    {
        return p.aligned && p.rows >= rows && p.columns >= columns;
    }

    /* This thread's packs of a tile that is whole. */
    template <access READ>
    __device__ static void read(held &h, const place_of<const E> &from)
    {
#pragma unroll
        for (int i = 0; i < in_items; i++) {
            const int item = threadIdx.x + i * BLOCK;
            const E *p = from.first + item / in_packs * unit * from.pitch +
                         item % in_packs * in;

#pragma unroll
            for (int u = 0; u < unit; u++)
                h.v[i][u] = read_pack<in, READ>(p + u * from.pitch);
        }
    }

    /* The packs of an item are turned and put into shared memory. */
    __device__ static void put_item(word_type *shared,
                                    const pack<E, in> (&v)[unit], int item)
    {
        word_type w[in];

        turn(v, w);
#pragma unroll
        for (int k = 0; k < in; k++)
            shared[place(item % in_packs * in + k, item / in_packs)] = w[k];
    }

    __device__ static void put(word_type *shared, const held &h)
    {
#pragma unroll
        for (int i = 0; i < in_items; i++)
            put_item(shared, h.v[i], threadIdx.x + i * BLOCK);
    }

    /* A tile that is not whole, item by item: from memory to shared memory. */
    template <access READ>
    __device__ static void bring(word_type *shared,
                                 const place_of<const E> &from)
    {
#pragma unroll 1
        for (int i = 0; i < in_items; i++) {
            const int item = threadIdx.x + i * BLOCK;
            pack<E, in> v[unit];

#pragma unroll
            for (int u = 0; u < unit; u++)
                v[u] = read_part<READ>(from, item / in_packs * unit + u,
                                       item % in_packs * in);
            put_item(shared, v, item);
        }
    }

    /* Words of a column as a pack. */
    __device__ static pack<E, out> take(const word_type *shared, int item)
    {
        word_type w[out_words];
        pack<E, out> v;

#pragma unroll
        for (int j = 0; j < out_words; j++)
            w[j] = shared[place(item / out_packs,
                                item % out_packs * out_words + j)];
        memcpy(&v, w, sizeof v);
        return v;
    }

    /* The tile's columns are written as rows: `to` has COLUMNS x ROWS. */
    template <access WRITE>
    __device__ static void write(const place_of<E> &to, const word_type *shared)
    {
        if (whole(to, COLUMNS, ROWS)) {
#pragma unroll
            for (int i = 0; i < out_items; i++) {
                const int item = threadIdx.x + i * BLOCK;

                write_pack<WRITE>(to.first + item / out_packs * to.pitch +
                                      item % out_packs * out,
                                  take(shared, item));
            }
            return;
        }
#pragma unroll 1
        for (int i = 0; i < out_items; i++) {
            const int item = threadIdx.x + i * BLOCK;
            const int row = item / out_packs;
            const int column = item % out_packs * out;
            E *p = to.first + row * to.pitch + column;
            const pack<E, out> v = take(shared, item);

            if (row >= to.rows)
                continue;
            if (to.aligned && column + out <= to.columns) {
                write_pack<WRITE>(p, v);
                continue;
            }
#pragma unroll
            for (int k = 0; k < out; k++)
                if (column + k < to.columns)
                    p[k] = v.at[k];
        }
    }
};

} /* namespace hone */

#endif
