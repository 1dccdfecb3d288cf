/* SPDX-License-Identifier: Apache-2.0 */
/* Small products, many at once: what gemm/small and gemm_complex/tiles share. Some
 * neighbouring threads have a tile of C of BM x BN, a thread TM x TN of it in
 * registers; tiles of A and B lie in shared memory as they lie in the matrices, so
 * that they are copied and nothing is transposed: a thread reads 16 bytes at once,
 * CHUNK elements, along K where K runs along the rows that are stored, else along
 * M or N.
 * E is the element type of A and B, W that of sums and of what shared memory
 * holds: float, double or float2, a complex number.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef GEMM_SMALL_PARTS_CUH
#define GEMM_SMALL_PARTS_CUH

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
 * of it, those of LANES threads being next to each other. */
template <typename E, int ROWS, int COLS, bool ALONG, int THREADS, int V, int T, int LANES> struct tile {
    using W = typename as_sum<E>::type;
    static constexpr int CHUNK = 16 / sizeof(W);
    static constexpr bool IS_ALONG = ALONG;
    /* An odd number of 16 bytes: neighbouring rows lie in other banks. */
    static constexpr int GROUPS = (COLS + CHUNK - 1) / CHUNK;
    static constexpr int PITCH = (ALONG ? GROUPS | 1 : GROUPS) * CHUNK;
    static constexpr int SIZE = ROWS * PITCH;
    static constexpr int ACROSS = (COLS + V - 1) / V; /* accesses to a row */
    static constexpr int TIMES = (ROWS * ACROSS + THREADS - 1) / THREADS;
    static constexpr bool EVEN = THREADS % ACROSS == 0;
    /* Asked for before the first arrives, on the way through registers. */
    static constexpr int BATCH = TIMES < 32 / V ? TIMES : 32 / V;

    /* Which elements across K thread `lane` of LANES has: number `i` of T. */
    static __device__ int place(int lane, int i)
    {
        return ALONG ? lane + i * LANES : (lane + i / CHUNK * LANES) * CHUNK + i % CHUNK;
    }

    /* Copies a tile of which rows x cols lie in the matrix, and zeros behind it
     * as far as K goes by chunks. ASYNC: it arrives when the caller has waited. */
    template <bool ASYNC> static __device__ void copy(W *to, const E *from, long long pitch, int rows, int cols, int me)
    {
        const int end_row = min(ROWS, ALONG ? rows : (rows + CHUNK - 1) / CHUNK * CHUNK);
        const int end_col = min(COLS, ALONG ? (cols + CHUNK - 1) / CHUNK * CHUNK : cols);
        const auto row_of = [=](int n) { return EVEN ? me / ACROSS + n * (THREADS / ACROSS) : (me + n * THREADS) / ACROSS; };
        const auto col_of = [=](int n) { return (EVEN ? me % ACROSS : (me + n * THREADS) % ACROSS) * V; };

        if constexpr (ASYNC) {
            static_assert(sizeof(E) == sizeof(W), "they arrive as they are");
#pragma unroll 4
            for (int n = 0; n < TIMES; n++) {
                const int row = row_of(n), col = col_of(n);
                const int valid = row < rows ? min(max(cols - col, 0), V) : 0;

                copy_async_part<V * (int)sizeof(E)>(to + row * PITCH + col, valid > 0 ? from + row * pitch + col : from,
                                                    valid * (int)sizeof(E), row < end_row && col < end_col);
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

/* --- products --------------------------------------------------------------- */

/* Tiles A and B of a product, as TILE_A and TILE_B say, of THREADS threads, TM x TN
 * of C in each. BK elements along K at once, STAGES of them under way. */
template <typename TILE_A, typename TILE_B, int THREADS, int LANES_N, int TM, int TN, int BK, int STAGES, bool ASYNC, bool CONJ_A, bool CONJ_B, int UNROLL> struct product {
    using W = typename TILE_A::W;
    static constexpr bool A_ALONG = TILE_A::IS_ALONG, B_ALONG = TILE_B::IS_ALONG;
    static constexpr int TOGETHER = THREADS;
    static constexpr int CHUNK = TILE_A::CHUNK;
    static constexpr int SLOT = TILE_A::SIZE + TILE_B::SIZE;
    /* Columns that are neighbours, in C too. */
    static constexpr int WIDTH = TILE_B::IS_ALONG ? 1 : CHUNK;

    /* All threads of a product, in a warp or in a block. */
    static __device__ void meet()
    {
        if constexpr (THREADS < 32 && 32 % THREADS == 0)
            __syncwarp();
        else
            __syncthreads();
    }

    /* Threads lie in squares of four: of two neighbours one row is read, of two
     * pairs the columns, and half a warp's reads of 16 bytes are few enough words
     * to come at once. */
    static constexpr bool SQUARES = LANES_N % 2 == 0 && THREADS / LANES_N % 2 == 0;

    static __device__ int lane_m_of(int me)
    {
        return SQUARES ? me / (2 * LANES_N) * 2 + me / 2 % 2 : me / LANES_N;
    }
    static __device__ int lane_n_of(int me)
    {
        return SQUARES ? me / 4 % (LANES_N / 2) * 2 + me % 2 : me % LANES_N;
    }

    W sums[TM][TN] = {};

    /* Sums over k of a[.., k]*b[k, ..]: rows x cols of the tile lie in the matrix.
     * `ring` has STAGES slots. */
    template <typename E> __device__ void run(W *ring, const E *a, const E *b, long long pitch_a, long long pitch_b, int rows, int cols, int K, int me)
    {
        constexpr int AHEAD = STAGES - 1;
        const int steps = (K + BK - 1) / BK;
        const int lane_m = lane_m_of(me), lane_n = lane_n_of(me);
        const auto copy = [=](int step) {
            if (step < steps) {
                W *const to = ring + step % STAGES * SLOT;
                const int k = step * BK, left = K - k;

                TILE_A::template copy<ASYNC>(to, a + (TILE_A::IS_ALONG ? k : k * pitch_a), pitch_a, TILE_A::IS_ALONG ? rows : left, TILE_A::IS_ALONG ? left : rows, me);
                TILE_B::template copy<ASYNC>(to + TILE_A::SIZE, b + (TILE_B::IS_ALONG ? k : k * pitch_b), pitch_b, TILE_B::IS_ALONG ? cols : left, TILE_B::IS_ALONG ? left : cols, me);
            }
            if constexpr (ASYNC)
                copy_commit();
        };

        if constexpr (STAGES > 1) {
#pragma unroll 1
            for (int step = 0; step < AHEAD; step++)
                copy(step);
        }
#pragma unroll 1
        for (int step = 0; step < steps; step++) {
            const W *const slot = ring + step % STAGES * SLOT;

            if constexpr (STAGES == 1) {
                if (step > 0)
                    meet(); /* nobody reads what the last step copied */
                copy(step);
            }
            if constexpr (ASYNC)
                copy_wait(AHEAD > 0 ? AHEAD - 1 : 0);
            meet();
            if constexpr (STAGES > 1)
                copy(step + AHEAD);
#pragma unroll UNROLL
            for (int k = 0; k < min(BK, K - step * BK); k += CHUNK) {
                W of_a[CHUNK][TM], of_b[CHUNK][TN];

                TILE_A::get(of_a, slot, lane_m, k);
                TILE_B::get(of_b, slot + TILE_A::SIZE, lane_n, k);
#pragma unroll
                for (int c = 0; c < CHUNK; c++)
#pragma unroll
                    for (int i = 0; i < TM; i++)
#pragma unroll
                        for (int j = 0; j < TN; j++)
                            add_product<CONJ_A, CONJ_B>(sums[i][j], of_a[c][i], of_b[c][j]);
            }
        }
    }

    /* Asks for a tile of C some time before it is needed. */
    template <typename OUT> static __device__ void ask_for(const OUT *C, long long pitch, int rows, int cols, int me)
    {
        constexpr int LINE = 128 / sizeof(OUT);
        constexpr int ACROSS = (TN * LANES_N + LINE - 1) / LINE;

#pragma unroll 1
        for (int i = me; i < TM * (THREADS / LANES_N) * ACROSS; i += THREADS)
            if (i / ACROSS < rows && i % ACROSS * LINE < cols)
                prefetch(C + i / ACROSS * pitch + i % ACROSS * LINE);
    }

    /* C = alpha*sums + beta*C, of a tile of rows x cols. What is there is read
     * before anything is written. `whole`: rows of C begin at multiples of WIDTH. */
    template <typename OUT> __device__ void write(OUT *C, long long pitch, int rows, int cols, W alpha, W beta, bool whole, int me) const
    {
        const int lane_m = lane_m_of(me), lane_n = lane_n_of(me);
        pack<OUT, WIDTH> v[TM][TN / WIDTH] = {};

        if (!is_zero(beta)) {
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN / WIDTH; j++) {
                    const int row = TILE_A::place(lane_m, i), col = TILE_B::place(lane_n, j * WIDTH);

                    if (row < rows)
                        read_part(v[i][j], C + row * pitch + col, cols - col, whole);
                }
        }
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN / WIDTH; j++) {
                const int row = TILE_A::place(lane_m, i), col = TILE_B::place(lane_n, j * WIDTH);

#pragma unroll
                for (int e = 0; e < WIDTH; e++) {
                    W sum = {};

                    add_product<false, false>(sum, alpha, sums[i][j * WIDTH + e]);
                    if (!is_zero(beta))
                        add_product<false, false>(sum, beta, as_sum<OUT>::of(v[i][j].at[e]));
                    v[i][j].at[e] = as_sum<OUT>::back(sum);
                }
                if (row < rows)
                    write_part(C + row * pitch + col, v[i][j], cols - col, whole);
            }
    }
    template <typename OUT> static __device__ void read_part(pack<OUT, WIDTH> &v, const OUT *from, int valid, bool whole)
    {
        if (whole && valid >= WIDTH) {
            v = read_pack<WIDTH>(from);
        } else {
#pragma unroll
            for (int e = 0; e < WIDTH; e++)
                if (e < valid)
                    v.at[e] = from[e];
        }
    }
    template <typename OUT> static __device__ void write_part(OUT *to, const pack<OUT, WIDTH> &v, int valid, bool whole)
    {
        if (whole && valid >= WIDTH) {
            write_pack(to, v);
        } else {
#pragma unroll
            for (int e = 0; e < WIDTH; e++)
                if (e < valid)
                    to[e] = v.at[e];
        }
    }
};

/* Tile `unit` of all tiles of BM x BN of a batch of M x N matrices. */
template <int BM, int BN> struct tile_of_batch {
    long long matrix;
    int row, col;

    __device__ tile_of_batch(unsigned unit, int M, int N)
    {
        const unsigned across = (N + BN - 1) / BN;
        const unsigned tiles = (M + BM - 1) / BM * across;
        const unsigned tile = unit % tiles;

        matrix = unit / tiles;
        row = tile / across * BM;
        col = tile % across * BN;
    }
};

/* What a block does: PRODUCTS of the `units` tiles of C, as PRODUCT says, AREA
 * elements of shared memory for each. EARLY_C: C is asked for before the product. */
template <typename PRODUCT, int BM, int BN, int PRODUCTS, int AREA, bool EARLY_C, typename E, typename OUT>
__device__ __forceinline__ void
multiply_tiles(void *shared, const E *A, const E *B, OUT *C, typename PRODUCT::W alpha, typename PRODUCT::W beta, int M, int N, int K, long long pitch_a, long long pitch_b, long long pitch_c, long long stride_a, long long stride_b, long long stride_c, unsigned units)
{
    const int me = threadIdx.x % PRODUCT::TOGETHER, own = threadIdx.x / PRODUCT::TOGETHER;
    const unsigned unit = blockIdx.x * PRODUCTS + own;
    /* Threads without a tile take part in the last one, for the barriers. */
    const tile_of_batch<BM, BN> at(unit < units ? unit : units - 1, M, N);
    const int rows = M - at.row, cols = N - at.col;
    OUT *const c = C + at.matrix * stride_c + at.row * pitch_c + at.col;
    PRODUCT p;

    if (EARLY_C && !is_zero(beta))
        p.ask_for(c, pitch_c, rows, cols, me);
    p.run(static_cast<typename PRODUCT::W *>(shared) + own * AREA, A + at.matrix * stride_a + (PRODUCT::A_ALONG ? at.row * pitch_a : at.row), B + at.matrix * stride_b + (PRODUCT::B_ALONG ? at.col * pitch_b : at.col), pitch_a, pitch_b, rows, cols, K, me);
    if (unit < units)
        p.write(c, pitch_c, rows, cols, alpha, beta, (pitch_c | stride_c) % PRODUCT::WIDTH == 0, me);
}

} /* namespace small */
} /* namespace hone */

#endif
