/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of gemm/simt: how tiles of A and B get to shared memory, and sums to C.
 * E is the element type of A and B, W that of sums and of what shared memory
 * holds. No name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_SIMT_PARTS_CUH
#define GEMM_SIMT_PARTS_CUH

#include <cstring>
#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {
namespace simt {

constexpr int least(int a, int b)
{
    return a < b ? a : b;
}

/* a*b + c; of words of four bytes, the sum of the products of these. */
__device__ inline float multiply_add(float a, float b, float c)
{
    return a * b + c;
}
__device__ inline double multiply_add(double a, double b, double c)
{
    return a * b + c;
}
__device__ inline int multiply_add(unsigned a, unsigned b, int c)
{
#ifdef HONE_HOST
    for (int i = 0; i < 32; i += 8)
        c = (int)((unsigned)c + (unsigned)((int)(signed char)(a >> i & 255u) *
                                           (int)(signed char)(b >> i & 255u)));
    return c;
#else
    return __dp4a((int)a, (int)b, c);
#endif
}

/* One thread's part in copying tiles of ROWS x COLS elements of a matrix to
 * shared memory, V neighbours at once: PASSES of rows and of groups, DOWN rows
 * and LANES groups apart. With TURNED the tile is transposed on the way, and K
 * runs along its rows; else K runs down. In shared memory a line belongs to one
 * k, PITCH elements from line to line. */
template <typename E, typename W, int ROWS, int COLS, int V, int THREADS,
          bool TURNED, int PITCH>
struct tile_reader {
    static constexpr int GROUPS = COLS / V;
    /* Eight neighbours along K: whole sectors of memory, and different banks. */
    static constexpr int LANES = least(GROUPS, TURNED ? 8 : THREADS);
    static constexpr int DOWN = THREADS / LANES;
    static constexpr int ACROSS = (GROUPS + LANES - 1) / LANES;
    static constexpr int COUNT = (ROWS + DOWN - 1) / DOWN * ACROSS;
    static constexpr int DEPTH = TURNED ? COLS : ROWS; /* of K */
    static constexpr int SIZE = DEPTH * PITCH;         /* of a tile */

    const E *at;               /* this thread's first group of the next tile */
    const E *now;              /* the group of the next pass */
    long long step, next;      /* elements from pass to pass, tile to tile */
    int rows_left, cols_left;  /* of the matrix, from `at` on */
    int row, col;              /* of the first group, in the tile */
    int first;                 /* its place in shared memory */
    pack<E, V> held[COUNT];    /* on the way through registers */

    /* `pitch` elements from row to row; the tile starts at (i, k) of a matrix
     * that ends before (i_end, k_end), i being across K. */
    __device__ tile_reader(const E *matrix, int pitch, int i, int k, int i_end,
                           int k_end)
        : row(threadIdx.x / LANES), col(threadIdx.x % LANES * V)
    {
        at = now = matrix + (long long)((TURNED ? i : k) + row) * pitch +
                   (TURNED ? k : i) + col;
        step = (long long)DOWN * pitch;
        next = TURNED ? DEPTH : (long long)DEPTH * pitch;
        rows_left = (TURNED ? i_end - i : k_end - k) - row;
        cols_left = (TURNED ? k_end - k : i_end - i) - col;
        first = TURNED ? col * PITCH + row : row * PITCH + col;
    }

    __device__ void move(int tiles)
    {
        at += tiles * next;
        now = at;
        (TURNED ? cols_left : rows_left) -= tiles * DEPTH;
    }

    /* Whether pass `n` of this thread has a group of the tile. */
    __device__ bool has(int n) const
    {
        const int r = n / ACROSS, c = n % ACROSS;

        return (THREADS % LANES == 0 || row < DOWN) &&
               ((r + 1) * DOWN <= ROWS || row + r * DOWN < ROWS) &&
               ((c + 1) * LANES <= GROUPS || col + c * LANES * V < COLS);
    }
    /* How many elements of it lie in the matrix; with INNER, for tiles that are
     * not the last along K, none or all: what follows them in the same row may
     * be read. */
    template <bool INNER> __device__ int inside(int n) const
    {
        const int r = n / ACROSS * DOWN, c = n % ACROSS * LANES * V;

        if (INNER)
            return (TURNED ? r < rows_left : c < cols_left) ? V : 0;
        return r < rows_left ? min(max(cols_left - c, 0), V) : 0;
    }
    /* Behind pass `n`. Step by step, or the compiler keeps the distances of all
     * passes in registers. */
    __device__ void pass(int n)
    {
        now += (n + 1) % ACROSS ? LANES * V : step - (ACROSS - 1) * (LANES * V);
        now = afresh(now);
    }
    /* Element `v` of pass `n` in shared memory, from the first one on. */
    static __device__ constexpr int place(int n, int v)
    {
        return n / ACROSS * DOWN * (TURNED ? 1 : PITCH) +
               (n % ACROSS * (LANES * V) + v) * (TURNED ? PITCH : 1);
    }

    /* If `wanted`, start copying pass `n`, one after the other, to a tile whose
     * element `first` is at `to`. */
    template <bool INNER> __device__ void copy(W *to, int n, bool wanted)
    {
        if constexpr (sizeof(E) >= 4)
            copy_async_part<V * sizeof(E)>(to + place(n, 0), now,
                                           inside<INNER>(n) * (int)sizeof(E),
                                           wanted && has(n));
        pass(n);
    }

    /* Through registers: ask for all of a tile, and put it to shared memory. */
    template <bool INNER> __device__ void load(bool wanted)
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            const int valid = wanted && has(n) ? inside<INNER>(n) : 0;

            held[n] = pack<E, V>{};
            if (valid == V) {
                held[n] = read_pack<V>(now);
            } else if (!INNER) {
#pragma unroll
                for (int v = 0; v < V - 1; v++)
                    if (v < valid)
                        held[n].at[v] = now[v];
            }
            pass(n);
        }
    }
    __device__ void store(W *to) const
    {
#pragma unroll
        for (int n = 0; n < COUNT; n++) {
            pack<W, V> v;

            if (!has(n))
                continue;
#pragma unroll
            for (int i = 0; i < V; i++)
                v.at[i] = widen(held[n].at[i]);
            if (TURNED) {
#pragma unroll
                for (int i = 0; i < V; i++)
                    to[place(n, i)] = v.at[i];
            } else {
                put(to + place(n, 0), v);
            }
        }
    }
    /* Up to 32 bytes: 16-bit elements are twice as long there. */
    static __device__ void put(W *to, const pack<W, V> &v)
    {
        constexpr int PART = least(V, 16 / (int)sizeof(W));

#pragma unroll
        for (int i = 0; i < V; i += PART) {
            pack<W, PART> part;

#pragma unroll
            for (int j = 0; j < PART; j++)
                part.at[j] = v.at[i + j];
            write_pack<access::shared>(to + i, part);
        }
    }
};

/* Which elements of its tile a thread has: rows and columns come in chunks of
 * CHUNK neighbours, 16 bytes, those of LANES_M x LANES_N lanes next to each
 * other. Two lanes that are neighbours have the same rows, the next pair has the
 * same columns: of 16-byte loads of either, half a warp's then are few enough
 * words to come at once. */
template <int LANES_M, int TM, int TN, int WARPS_N, int CHUNK> struct thread_tile {
    static constexpr int LANES_N = 32 / LANES_M;
    static constexpr int HEIGHT = LANES_M * TM; /* of a warp's tile */
    static constexpr int WIDTH = LANES_N * TN;
    int row, col; /* of the first element */

    __device__ thread_tile(int thread)
    {
        const int lane = thread % 32, warp = thread / 32, pair = lane / 4;

        row = warp / WARPS_N * HEIGHT +
              (pair / (LANES_N / 2) * 2 + lane / 2 % 2) * CHUNK;
        col = warp % WARPS_N * WIDTH +
              (pair % (LANES_N / 2) * 2 + lane % 2) * CHUNK;
    }
    /* Of row `i` of TM, and of the chunk that column `j` of TN begins. */
    __device__ int row_of(int i) const
    {
        return row + i / CHUNK * (LANES_M * CHUNK) + i % CHUNK;
    }
    __device__ int col_of(int j) const
    {
        return col + j / CHUNK * (LANES_N * CHUNK);
    }
};

/* A tile of C of which rows x cols lie in the matrix. `whole`: groups of
 * neighbours that lie in it begin at multiples of their size. */
template <typename OUT, typename W> struct tile_of_c {
    OUT *to;
    long long pitch;
    int rows, cols;
    bool whole;
    W alpha, beta;

    /* alpha times N neighbours' sums plus beta times what is there. */
    template <int N>
    __device__ void write(int row, int col, const pack<W, N> &sums) const
    {
        OUT *const p = to + row * pitch + col;

        if (row >= rows || col >= cols)
            return;
        if (whole && col + N <= cols) {
            pack<OUT, N> v;

            if (beta != W(0)) {
                const pack<OUT, N> old = read_pack<N>(p);

#pragma unroll
                for (int i = 0; i < N; i++)
                    v.at[i] = narrow<OUT>(alpha * sums.at[i] +
                                          beta * W(widen(old.at[i])));
            } else {
#pragma unroll
                for (int i = 0; i < N; i++)
                    v.at[i] = narrow<OUT>(alpha * sums.at[i]);
            }
            write_pack(p, v);
        } else {
#pragma unroll
            for (int i = 0; i < N; i++)
                if (col + i < cols)
                    p[i] = narrow<OUT>(
                        beta != W(0)
                            ? alpha * sums.at[i] + beta * W(widen(p[i]))
                            : alpha * sums.at[i]);
        }
    }
};

} /* namespace simt */
} /* namespace hone */

#endif
