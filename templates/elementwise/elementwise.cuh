/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that are read and written once, element by element, in packs: the
 * loop of all operations of this folder.
 *
 * An array is a batch of matrices of rows. A block of BLOCK threads takes a
 * tile of BLOCK/LANES * DOWN rows by LANES * ACROSS packs; a thread asks for
 * its ACROSS * DOWN packs of every input before it uses the first. Any grid of
 * one to three dimensions covers everything: what it has not enough blocks for,
 * blocks come back for.
 *
 * CUT false: all rows begin at multiples of a pack, and only their last
 * elements may be no whole pack. CUT true: in each row the packs begin where
 * memory has their multiples, at the same column in all arrays; elements
 * before and behind go one by one, and so do rows for which there is no such
 * column.
 *
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef HONE_ELEMENTWISE_CUH
#define HONE_ELEMENTWISE_CUH

#include "hone_pack.cuh"

namespace hone {

/* --- rows ------------------------------------------------------------------ */

/* Elements from one row, and from one matrix, to the next. */
struct layout {
    long long pitch, stride;

    __device__ long long at(long long matrix, long long row) const
    {
        return matrix * stride + row * pitch;
    }
};

/* Elements from p to the next multiple of a pack. */
template <int WIDTH, typename E> __device__ inline int to_pack(const E *p)
{
    constexpr unsigned bytes = sizeof(E) * WIDTH;

    return static_cast<int>(
        (0u - static_cast<unsigned>(reinterpret_cast<unsigned long long>(p))) %
        bytes / sizeof(E));
}

/* What a function needs of a column, the same in every row: nothing. */
struct no_columns {
    template <int WIDTH> struct columns {};

    template <int WIDTH> __device__ columns<WIDTH> look(long long) const
    {
        return {};
    }
};

/* A row of INPUTS arrays and what F makes of them, element by element. F gets
 * what it looked up for the columns and a pack of each input. */
template <typename E, int INPUTS, access READ, access WRITE, typename F>
struct mapped_row {
    const E *in[INPUTS];
    E *out;
    F f;

    template <int WIDTH> struct held {
        pack<E, WIDTH> v[INPUTS];
    };
    template <int WIDTH>
    using columns = typename F::template columns<WIDTH>;

    /* The column where packs of all arrays begin, -1 if there is none. */
    template <int WIDTH> __device__ int head() const
    {
        const int head = to_pack<WIDTH>(out);
        bool same = true;

#pragma unroll
        for (int i = 0; i < INPUTS; i++)
            same = same && to_pack<WIDTH>(in[i]) == head;
        return same ? head : -1;
    }

    template <int WIDTH> __device__ held<WIDTH> read(long long column) const
    {
        held<WIDTH> h;

#pragma unroll
        for (int i = 0; i < INPUTS; i++)
            h.v[i] = read_pack<WIDTH, READ>(in[i] + column);
        return h;
    }

    template <int WIDTH> __device__ columns<WIDTH> look(long long column) const
    {
        return f.template look<WIDTH>(column);
    }

    template <int WIDTH>
    __device__ void write(long long column, const columns<WIDTH> &c,
                          const held<WIDTH> &h) const
    {
        write_pack<WRITE>(out + column, f(c, h.v));
    }
};

/* Arrays of rows, which `stream` takes: at() gives one row of all. */
template <typename E, int INPUTS, access READ, access WRITE, typename F>
struct mapped {
    const E *in[INPUTS];
    layout in_layout[INPUTS];
    E *out;
    layout out_layout;
    F f;

    using row = mapped_row<E, INPUTS, READ, WRITE, F>;

    __device__ row at(long long matrix, long long of) const
    {
        row r = {{}, out + out_layout.at(matrix, of), f};

#pragma unroll
        for (int i = 0; i < INPUTS; i++)
            r.in[i] = in[i] + in_layout[i].at(matrix, of);
        return r;
    }
};

/* --- the loop --------------------------------------------------------------- */

/* What the rest of a row has one by one: `head` elements before its packs, where
 * there are packs, and those behind. */
template <int WIDTH, int LANES, typename ROW>
__device__ inline void stream_edges(const ROW &row, long long head,
                                    long long packs, long long columns)
{
    const long long inner = packs * WIDTH;
    const long long step = (long long)gridDim.x * LANES;
    long long at = (long long)blockIdx.x * LANES + threadIdx.x % LANES;

#pragma unroll 1
    for (; at < columns - inner; at += step) {
        const long long column = at < head ? at : at + inner;

        row.template write<1>(column, row.template look<1>(column),
                              row.template read<1>(column));
    }
}

/* The DOWN rows of this thread from `first` on, BLOCK/LANES rows apart. What is
 * looked up for the columns of the first serves all whose packs begin there. */
template <int WIDTH, int ACROSS, int DOWN, int LANES, int BLOCK, bool CUT,
          typename ARRAYS>
__device__ inline void stream_rows(const ARRAYS &arrays, long long matrix,
                                   long long first, long long rows,
                                   long long columns)
{
    using row = typename ARRAYS::row;
    constexpr int span = LANES * ACROSS; /* packs of a row in a tile */
    const int lane = threadIdx.x % LANES;
    const long long most = (columns + WIDTH - 1) / WIDTH;
    const long long step = (long long)gridDim.x * span;
    row of[DOWN];
    int head[DOWN];
    long long packs[DOWN];

#pragma unroll
    for (int j = 0; j < DOWN; j++) {
        const long long at = first + j * (BLOCK / LANES);

        of[j] = arrays.at(matrix, at < rows ? at : 0);
        head[j] = CUT ? of[j].template head<WIDTH>() : 0;
        packs[j] = at < rows && head[j] >= 0 && head[j] <= columns
                       ? (columns - head[j]) / WIDTH
                       : 0;
    }
    for (long long x = (long long)blockIdx.x * span; x < most; x += step) {
        typename row::template held<WIDTH> held[DOWN][ACROSS];
        typename row::template columns<WIDTH> first_columns[ACROSS];
        int left[DOWN]; /* packs of this tile, from this thread's first on */

#pragma unroll
        for (int j = 0; j < DOWN; j++) {
            left[j] =
                packs[j] - x < span ? static_cast<int>(packs[j] - x) : span;
            left[j] -= lane;
#pragma unroll
            for (int i = 0; i < ACROSS; i++)
                if (i * LANES < left[j])
                    held[j][i] = of[j].template read<WIDTH>(
                        head[j] + (x + lane + i * LANES) * WIDTH);
        }
#pragma unroll
        for (int i = 0; i < ACROSS; i++)
            if (i * LANES < left[0])
                first_columns[i] = of[0].template look<WIDTH>(
                    head[0] + (x + lane + i * LANES) * WIDTH);
#pragma unroll
        for (int j = 0; j < DOWN; j++) {
#pragma unroll
            for (int i = 0; i < ACROSS; i++) {
                const long long column =
                    head[j] + (x + lane + i * LANES) * WIDTH;

                if (i * LANES >= left[j])
                    continue;
                auto c = first_columns[i];

                if (CUT && j > 0 && head[j] != head[0])
                    c = of[j].template look<WIDTH>(column);
                of[j].template write<WIDTH>(column, c, held[j][i]);
            }
        }
    }
    if (WIDTH > 1 && (CUT || columns % WIDTH != 0)) {
#pragma unroll
        for (int j = 0; j < DOWN; j++)
            if (first + j * (BLOCK / LANES) < rows)
                stream_edges<WIDTH, LANES>(of[j], head[j], packs[j], columns);
    }
}

/* All of `batch` matrices of rows * columns elements. */
template <int WIDTH, int ACROSS, int DOWN, int LANES, int BLOCK, bool CUT,
          typename ARRAYS>
__device__ inline void stream(const ARRAYS &arrays, long long columns,
                              long long rows, long long batch)
{
    constexpr int tall = BLOCK / LANES * DOWN;

    for (long long z = blockIdx.z; z < batch; z += gridDim.z)
        for (long long y = (long long)blockIdx.y * tall; y < rows;
             y += (long long)gridDim.y * tall)
            stream_rows<WIDTH, ACROSS, DOWN, LANES, BLOCK, CUT>(
                arrays, z, y + threadIdx.x / LANES, rows, columns);
}

/* All of n elements one after another, the arrays at multiples of a pack. */
template <int WIDTH, int ITEMS, int BLOCK, typename ARRAYS>
__device__ inline void stream(const ARRAYS &arrays, long long n)
{
    stream_rows<WIDTH, ITEMS, 1, BLOCK, BLOCK, false>(arrays, 0, 0, 1, n);
}

/* --- functions --------------------------------------------------------------- */

/* Two neighbouring numbers of 16 bits. */
template <typename E> struct pair_of;
template <> struct pair_of<__half> {
    using type = __half2;
};
template <> struct pair_of<__nv_bfloat16> {
    using type = __nv_bfloat162;
};

/* v[0] + v[1], rounded once. PAIRS: two numbers of 16 bits by one instruction,
 * which gives the same. */
template <bool PAIRS> struct added : no_columns {
    template <typename E, int WIDTH>
    __device__ pack<E, WIDTH> operator()(const columns<WIDTH> &,
                                         const pack<E, WIDTH> (&v)[2]) const
    {
        pack<E, WIDTH> sum;

        if constexpr (PAIRS && WIDTH % 2 == 0) {
            using P = typename pair_of<E>::type;
            P a[WIDTH / 2], b[WIDTH / 2];

            memcpy(a, &v[0], sizeof a);
            memcpy(b, &v[1], sizeof b);
#pragma unroll
            for (int i = 0; i < WIDTH / 2; i++)
                a[i] = __hadd2(a[i], b[i]);
            memcpy(&sum, a, sizeof sum);
        } else {
#pragma unroll
            for (int i = 0; i < WIDTH; i++)
                sum.at[i] = narrow<E>(widen(v[0].at[i]) + widen(v[1].at[i]));
        }
        return sum;
    }
};

} /* namespace hone */

#endif
