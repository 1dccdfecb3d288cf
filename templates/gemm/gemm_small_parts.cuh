/* SPDX-License-Identifier: Apache-2.0 */
/* Small products, many at once: what gemm/small and gemm_complex/tiles share. Some
 * neighbouring threads have a tile of C of BM x BN, a thread TM x TN of it in
 * registers; tiles of A and B go to shared memory in slices of BK along K
 * (gemm_small_tile.cuh), in a ring of STAGES slots.
 *
 * A block has PRODUCTS tiles of C, or, where it stays, so many again and again: then
 * slices of the next ones are under way while a tile is finished and written.
 * E is the element type of A and B, W that of sums and of what shared memory
 * holds: float, double or float2, a complex number.
 * No name of a template parameter: it is part of the precompiled header that
 * all variants of a template share. */
#ifndef GEMM_SMALL_PARTS_CUH
#define GEMM_SMALL_PARTS_CUH

#include "gemm_small_tile.cuh"

namespace hone {
namespace small {

/* --- slices under way ------------------------------------------------------- */

/* The matrices of a launch. */
template <typename E> struct factors {
    const E *A, *B;
    long long pitch_a, pitch_b, stride_a, stride_b;
    int M, N, K;
    unsigned units; /* tiles of C in all */
};

/* Tile `unit` of all tiles of BM x BN of a batch of M x N matrices. */
template <int BM, int BN> struct tile_of_batch {
    long long matrix;
    int row = 0, col = 0;

    __device__ tile_of_batch(unsigned unit, int M, int N)
    {
        if (M <= BM && N <= BN) { /* no division: that is most of what a block begins with */
            matrix = unit;
        } else {
            const unsigned across = (N + BN - 1) / BN;
            const unsigned tiles = (M + BM - 1) / BM * across;
            const unsigned tile = unit % tiles;

            matrix = unit / tiles;
            row = tile / across * BM;
            col = tile % across * BN;
        }
    }
};

/* Copies slice after slice of tile after tile, `pace` tiles apart, into one slot
 * after the other. Threads without a tile copy the last one, for the barriers. */
template <typename E, typename TILE_A, typename TILE_B, int BM, int BN, int BK, int STAGES, bool ASYNC> struct slices {
    using W = typename TILE_A::W;
    static constexpr int SLOT = TILE_A::SIZE + TILE_B::SIZE;

    const factors<E> &all;
    W *const ring;
    const int me;
    const unsigned own, pace;
    unsigned first; /* tile of the block's first product */
    const long long first_a, first_b; /* what a thread copies first of a tile */
    const E *a, *b;
    int rows, cols, left, slot = 0;

    __device__ slices(const factors<E> &of, W *to, int thread, unsigned block_first, unsigned product, unsigned apart)
        : all(of), ring(to), me(thread), own(product), pace(apart), first(block_first),
          first_a(TILE_A::first_of(of.pitch_a, thread)), first_b(TILE_B::first_of(of.pitch_b, thread))
    {
        begin();
    }
    __device__ void begin()
    {
        const tile_of_batch<BM, BN> at(min(first + own, all.units - 1), all.M, all.N);

        a = all.A + at.matrix * all.stride_a + (TILE_A::IS_ALONG ? at.row * all.pitch_a : at.row) + first_a;
        b = all.B + at.matrix * all.stride_b + (TILE_B::IS_ALONG ? at.col * all.pitch_b : at.col) + first_b;
        rows = all.M - at.row;
        cols = all.N - at.col;
        left = all.K;
    }
    __device__ void copy()
    {
        if (first < all.units) {
            W *const to = ring + slot * SLOT;

            TILE_A::copy(to, a, all.pitch_a, TILE_A::IS_ALONG ? rows : left, TILE_A::IS_ALONG ? left : rows, me);
            TILE_B::copy(to + TILE_A::SIZE, b, all.pitch_b, TILE_B::IS_ALONG ? cols : left, TILE_B::IS_ALONG ? left : cols, me);
            slot = next(slot);
            left -= BK;
            if (left > 0) {
                a += TILE_A::IS_ALONG ? BK : BK * all.pitch_a;
                b += TILE_B::IS_ALONG ? BK : BK * all.pitch_b;
            } else {
                first = all.units - first > pace ? first + pace : all.units;
                if (first < all.units)
                    begin();
            }
        }
        if constexpr (ASYNC)
            copy_commit();
    }
    static __device__ int next(int slot)
    {
        return slot + 1 < STAGES ? slot + 1 : 0;
    }
};

/* --- products --------------------------------------------------------------- */

/* Tiles A and B of a product, as TILE_A and TILE_B say, of THREADS threads, TM x TN
 * of C in each. BK elements along K at once, STAGES of them under way. */
template <typename TILE_A, typename TILE_B, int THREADS, int LANES_N, int TM, int TN, int BK, int STAGES, bool ASYNC, bool CONJ_A, bool CONJ_B, int UNROLL> struct product {
    using W = typename TILE_A::W;
    static constexpr int TOGETHER = THREADS, AHEAD = STAGES - 1;
    static constexpr int CHUNK = TILE_A::CHUNK;
    template <typename E, int BM, int BN> using slices_of = slices<E, TILE_A, TILE_B, BM, BN, BK, STAGES, ASYNC>;
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

    W sums[TM][TN];

    /* Sums over k of a[.., k]*b[k, ..] of a tile. `from`: slices, of which STAGES - 1
     * are under way; `slot`: where the first of them lies, and then the next tile's. */
    template <typename FROM> __device__ void run(FROM &from, int &slot, int K)
    {
        const int lane_m = lane_m_of(from.me), lane_n = lane_n_of(from.me);

#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int j = 0; j < TN; j++)
                sums[i][j] = W{};
#pragma unroll 1
        for (int left = K; left > 0; left -= BK) {
            const W *const at = from.ring + slot * FROM::SLOT;

            if constexpr (STAGES == 1) {
                if (left < K)
                    meet(); /* nobody reads what the last step copied */
                from.copy();
            }
            if constexpr (ASYNC)
                copy_wait(STAGES > 1 ? STAGES - 2 : 0);
            meet();
            if constexpr (STAGES > 1)
                from.copy();
#pragma unroll UNROLL
            for (int k = 0; k < (TILE_A::IS_WHOLE ? BK : min(BK, left)); k += CHUNK) {
                W of_a[CHUNK][TM], of_b[CHUNK][TN];

                TILE_A::get(of_a, at, lane_m, k);
                TILE_B::get(of_b, at + TILE_A::SIZE, lane_n, k);
#pragma unroll
                for (int c = 0; c < CHUNK; c++)
#pragma unroll
                    for (int i = 0; i < TM; i++)
#pragma unroll
                        for (int j = 0; j < TN; j++)
                            add_product<CONJ_A, CONJ_B>(sums[i][j], of_a[c][i], of_b[c][j]);
            }
            slot = FROM::next(slot);
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

    /* C = alpha*sums + beta*C, of a tile of rows x cols. `even`: rows of C begin at
     * multiples of WIDTH. What is there is read before anything is written, of some
     * rows at a time: as many as WORDS registers hold. */
    template <int WORDS, typename OUT> __device__ void write(OUT *C, long long pitch, int rows, int cols, W alpha, W beta, bool even, int me) const
    {
        constexpr int HELD = WORDS * 4 / (TN * (int)sizeof(W));
        constexpr int GROUP = HELD < 1 ? 1 : HELD < TM ? HELD : TM;
        const int row = TILE_A::place(lane_m_of(me), 0), col = TILE_B::place(lane_n_of(me), 0);

        C += row * pitch + col;
#pragma unroll
        for (int first = 0; first < TM; first += GROUP) {
            pack<OUT, WIDTH> v[GROUP][TN / WIDTH] = {};

            if (!is_zero(beta)) {
#pragma unroll
                for (int i = 0; i < GROUP; i++)
#pragma unroll
                    for (int j = 0; j < TN / WIDTH; j++) {
                        const int down = TILE_A::place(0, first + i), right = TILE_B::place(0, j * WIDTH);

                        if (TILE_A::IS_WHOLE || row + down < rows)
                            read_part(v[i][j], C + down * pitch + right, cols - col - right, even);
                    }
            }
#pragma unroll
            for (int i = 0; i < GROUP; i++)
#pragma unroll
                for (int j = 0; j < TN / WIDTH; j++) {
                    const int down = TILE_A::place(0, first + i), right = TILE_B::place(0, j * WIDTH);

                    add_scaled(v[i][j], &sums[first + i][j * WIDTH], alpha, beta);
                    if (TILE_A::IS_WHOLE || row + down < rows)
                        write_part(C + down * pitch + right, v[i][j], cols - col - right, even);
                }
        }
    }
    /* v = alpha*sum + beta*v. With beta = 0 there are zeros in v, and nothing branches. */
    template <typename OUT> static __device__ void add_scaled(pack<OUT, WIDTH> &v, const W *sum, W alpha, W beta)
    {
#pragma unroll
        for (int e = 0; e < WIDTH; e++) {
            W scaled = {};

            add_product<false, false>(scaled, alpha, sum[e]);
            add_product<false, false>(scaled, beta, as_sum<OUT>::of(v.at[e]));
            v.at[e] = as_sum<OUT>::back(scaled);
        }
    }
    template <typename OUT> static __device__ void read_part(pack<OUT, WIDTH> &v, const OUT *from, int valid, bool even)
    {
        if (TILE_A::IS_WHOLE || (even && valid >= WIDTH)) {
            v = read_pack<WIDTH>(from);
        } else {
#pragma unroll
            for (int e = 0; e < WIDTH; e++)
                if (e < valid)
                    v.at[e] = from[e];
        }
    }
    template <typename OUT> static __device__ void write_part(OUT *to, const pack<OUT, WIDTH> &v, int valid, bool even)
    {
        if (TILE_A::IS_WHOLE || (even && valid >= WIDTH)) {
            write_pack(to, v);
        } else {
#pragma unroll
            for (int e = 0; e < WIDTH; e++)
                if (e < valid)
                    to[e] = v.at[e];
        }
    }
};

/* What a block does: PRODUCTS of the tiles of C, as PRODUCT says, AREA elements of
 * shared memory for each, and if it STAYS those a grid further on, to the last.
 * EARLY_C: C is asked for before the product. */
template <typename PRODUCT, int BM, int BN, int PRODUCTS, int AREA, bool STAYS, bool EARLY_C, typename E, typename OUT>
__device__ __forceinline__ void
multiply_tiles(void *shared, const factors<E> &of, OUT *C, typename PRODUCT::W alpha, typename PRODUCT::W beta, long long pitch_c, long long stride_c)
{
    using slices_of = typename PRODUCT::template slices_of<E, BM, BN>;
    const int me = threadIdx.x % PRODUCT::TOGETHER, own = threadIdx.x / PRODUCT::TOGETHER;
    const unsigned pace = STAYS ? gridDim.x * PRODUCTS : of.units;
    const bool even = (pitch_c | stride_c) % PRODUCT::WIDTH == 0;
    slices_of from(of, static_cast<typename PRODUCT::W *>(shared) + own * AREA, me, blockIdx.x * PRODUCTS, own, pace);
    unsigned first = blockIdx.x * PRODUCTS;
    int slot = 0;
    PRODUCT p;

#pragma unroll 1
    for (int ahead = 0; ahead < PRODUCT::AHEAD; ahead++)
        from.copy();
#pragma unroll 1
    for (bool more = true; more; first += pace) {
        const tile_of_batch<BM, BN> at(min(first + own, of.units - 1), of.M, of.N);
        const int rows = of.M - at.row, cols = of.N - at.col;
        OUT *const c = C + at.matrix * stride_c + at.row * pitch_c + at.col;

        if (EARLY_C && !is_zero(beta))
            p.ask_for(c, pitch_c, rows, cols, me);
        p.run(from, slot, of.K);
        if (first + own < of.units)
            p.template write<(EARLY_C ? 32 : 64)>(c, pitch_c, rows, cols, alpha, beta, even, me);
        more = STAYS && of.units - first > pace;
    }
}

} /* namespace small */
} /* namespace hone */

#endif
