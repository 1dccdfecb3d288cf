/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of A and B in shared memory and the numbers in them, for gemm_small_parts.cuh:
 * as they lie in the matrices, so that they are copied and nothing is transposed. A
 * thread reads 16 bytes at once, CHUNK elements, along K where K runs along the rows
 * that are stored, else along M or N.
 * E is the element type of A and B, W that of sums and of what shared memory
 * holds: float, double or float2, a complex number.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef GEMM_SMALL_TILE_CUH
#define GEMM_SMALL_TILE_CUH

#include "hone_device.cuh"
#include "hone_pack.cuh"

namespace hone {
namespace small {

/* --- numbers -------------------------------------------------------------- */

template <typename W> __device__ inline bool is_zero(W a)
{
    return a == 0;
}
__device__ inline bool is_zero(float2 a)
{
    return a.x == 0 && a.y == 0;
}

/* sum += a*b; of complex numbers the conjugates of a or b, if asked for. */
template <bool, bool, typename W> __device__ inline void add_product(W &sum, W a, W b)
{
    sum += a * b;
}
template <bool CONJ_A, bool CONJ_B> __device__ inline void add_product(float2 &sum, float2 a, float2 b)
{
    const float a_y = CONJ_A ? -a.y : a.y, b_y = CONJ_B ? -b.y : b.y;

    sum.x += a.x * b.x;
    sum.y += a.x * b_y;
    sum.x -= a_y * b_y;
    sum.y += a_y * b.x;
}

/* An element of memory as it is counted in, and back. */
template <typename E> struct as_sum {
    using type = typename wide<E>::type;

    static __device__ type of(E v)
    {
        return widen(v);
    }
    static __device__ E back(type v)
    {
        return narrow<E>(v);
    }
};
template <> struct as_sum<float2> {
    using type = float2;

    static __device__ float2 of(float2 v)
    {
        return v;
    }
    static __device__ float2 back(float2 v)
    {
        return v;
    }
};

/* --- matrices in shared memory -------------------------------------------- */

/* A tile of ROWS x COLS of a matrix as it is stored. ALONG: K runs along its rows,
 * else down. THREADS copy it, V elements at once; a thread has T elements across K
 * of it, those of LANES threads being next to each other. ASYNC: copied without
 * registers. WHOLE: no tile reaches beyond its matrix, so nothing asks where that ends. */
template <typename E, int ROWS, int COLS, bool ALONG, int THREADS, int V, int T, int LANES, bool ASYNC, bool WHOLE> struct tile {
    using W = typename as_sum<E>::type;
    static constexpr int CHUNK = 16 / sizeof(W);
    static constexpr bool IS_ALONG = ALONG, IS_WHOLE = WHOLE;
    /* An odd number of 16 bytes: neighbouring rows lie in other banks. */
    static constexpr int GROUPS = (COLS + CHUNK - 1) / CHUNK;
    static constexpr int PITCH = (ALONG ? GROUPS | 1 : GROUPS) * CHUNK;
    static constexpr int SIZE = ROWS * PITCH;
    static constexpr int ACROSS = (COLS + V - 1) / V; /* accesses to a row */
    static constexpr int TIMES = (ROWS * ACROSS + THREADS - 1) / THREADS;
    static constexpr bool EVEN = THREADS % ACROSS == 0;
    /* Asked for before the first arrives, on the way through registers. */
    static constexpr int BATCH = TIMES < 32 / V ? TIMES : 32 / V;

    /* Whole rows to all threads at once, of which a thread copies the same place. */
    static constexpr int DOWN = EVEN ? THREADS / ACROSS : 1;

    /* Which elements across K thread `lane` of LANES has: number `i` of T. */
    static __device__ int place(int lane, int i)
    {
        return ALONG ? lane + i * LANES : (lane + i / CHUNK * LANES) * CHUNK + i % CHUNK;
    }

    /* Copies a tile of which rows x cols lie in the matrix, and zeros behind it
     * as far as K goes by chunks. ASYNC: it arrives when the caller has waited.
     * `from`: the tile, and first_of() further. */
    static __device__ void copy(W *to, const E *from, long long pitch, int rows, int cols, int me)
    {
        if (WHOLE) {
            rows = ROWS;
            cols = COLS;
        }
        const int end_row = min(ROWS, ALONG ? rows : (rows + CHUNK - 1) / CHUNK * CHUNK);
        const int end_col = min(COLS, ALONG ? (cols + CHUNK - 1) / CHUNK * CHUNK : cols);
        const auto row_of = [=](int n) { return EVEN ? me / ACROSS + n * (THREADS / ACROSS) : (me + n * THREADS) / ACROSS; };
        const auto col_of = [=](int n) { return (EVEN ? me % ACROSS : (me + n * THREADS) % ACROSS) * V; };

        if constexpr (KNOWN) {
            copy_whole(to, from, pitch, me);
        } else if constexpr (ASYNC && EVEN) {
            copy_columns(to, from, pitch, rows, cols, end_row, end_col, me);
        } else if constexpr (ASYNC) {
            static_assert(sizeof(E) == sizeof(W), "they arrive as they are");
#pragma unroll 4
            for (int n = 0; n < TIMES; n++) {
                const int row = row_of(n), col = col_of(n);
                const int valid = row < rows ? min(max(cols - col, 0), V) : 0;
                const E *const at = from + (valid > 0 ? row : 0) * pitch + (valid > 0 ? col : 0);

                copy_async_part<V * (int)sizeof(E)>(to + row * PITCH + col, at, valid * (int)sizeof(E), row < end_row && col < end_col);
            }
        } else {
#pragma unroll 1
            for (int first = 0; first < TIMES; first += BATCH) {
                pack<E, V> held[BATCH] = {};

#pragma unroll
                for (int n = 0; n < BATCH; n++) {
                    const int row = row_of(first + n), col = col_of(first + n);

                    if (first + n < TIMES && row < rows && row < ROWS) {
                        if (col + V <= cols) {
                            held[n] = read_pack<V>(from + row * pitch + col);
                        } else if (V > 1) {
#pragma unroll
                            for (int v = 0; v < V - 1; v++)
                                if (col + v < cols)
                                    held[n].at[v] = from[row * pitch + col + v];
                        }
                    }
                }
#pragma unroll
                for (int n = 0; n < BATCH; n++) {
                    const int row = row_of(first + n), col = col_of(first + n);

                    if (first + n < TIMES && row < end_row && col < end_col)
                        put(to + row * PITCH + col, held[n]);
                }
            }
        }
    }
    /* What a thread copies first of a whole tile is known to the caller, who goes from
     * tile to tile; then an access is two additions and the copy. */
    static constexpr bool KNOWN = WHOLE && EVEN && ASYNC;

    static __device__ long long first_of(long long pitch, int me)
    {
        return KNOWN ? me / ACROSS * pitch + me % ACROSS * V : 0;
    }
    /* The same of tiles that may reach beyond, a thread staying in its columns: what
     * of them lies in the matrix is asked once. Copies of nothing name the tile. */
    static __device__ void copy_columns(W *to, const E *from, long long pitch, int rows, int cols, int end_row, int end_col, int me)
    {
        const int row = me / ACROSS, col = me % ACROSS * V;
        const int valid = min(max(cols - col, 0), V) * (int)sizeof(E);
        const int last = valid > 0 ? rows : 0, end = col < end_col ? end_row : 0;
        const E *at = from + row * pitch + col;

        static_assert(sizeof(E) == sizeof(W), "they arrive as they are");
        to += row * PITCH + col;
#pragma unroll 8
        for (int n = 0; n < TIMES; n++) {
            const bool within = row + n * DOWN < last;

            copy_async_part<V * (int)sizeof(E)>(to + n * DOWN * PITCH, within ? at : from, within ? valid : 0, row + n * DOWN < end);
            at += DOWN * pitch;
        }
    }
    static __device__ void copy_whole(W *to, const E *from, long long pitch, int me)
    {
        constexpr int TOGETHER = TIMES <= 32 ? TIMES : 8;

        static_assert(sizeof(E) == sizeof(W), "they arrive as they are");
        to += me / ACROSS * PITCH + me % ACROSS * V;
#pragma unroll TOGETHER
        for (int n = 0; n < TIMES; n++) {
            if (ROWS % DOWN == 0 || me / ACROSS + n * DOWN < ROWS)
                copy_async_part<V * (int)sizeof(E)>(to + n * DOWN * PITCH, from, V * (int)sizeof(E), true);
            from += DOWN * pitch;
        }
    }
    static __device__ void put(W *to, const pack<E, V> &v)
    {
        constexpr int PART = V < CHUNK ? V : CHUNK;

#pragma unroll
        for (int i = 0; i < V; i += PART) {
            pack<W, PART> part;

#pragma unroll
            for (int j = 0; j < PART; j++)
                part.at[j] = as_sum<E>::of(v.at[i + j]);
            write_pack<access::shared>(to + i, part);
        }
    }

    /* The T elements of thread `lane` of CHUNK steps of K, from k on. */
    static __device__ void get(W (&v)[CHUNK][T], const W *from, int lane, int k)
    {
        if constexpr (ALONG) {
#pragma unroll
            for (int i = 0; i < T; i++) {
                const pack<W, CHUNK> p = read_pack<CHUNK>(from + place(lane, i) * PITCH + k);

#pragma unroll
                for (int c = 0; c < CHUNK; c++)
                    v[c][i] = p.at[c];
            }
        } else {
#pragma unroll
            for (int c = 0; c < CHUNK; c++)
#pragma unroll
                for (int i = 0; i < T; i += CHUNK) {
                    const pack<W, CHUNK> p = read_pack<CHUNK>(from + (k + c) * PITCH + place(lane, i));

#pragma unroll
                    for (int e = 0; e < CHUNK; e++)
                        v[c][i + e] = p.at[e];
                }
        }
    }
};

} /* namespace small */
} /* namespace hone */

#endif
