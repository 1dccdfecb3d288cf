/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/wmma: products on tensor cores through matrix fragments
 * (nvcuda::wmma), compute capability 8.0 and newer. What is computed says
 * gemm.cuh.
 *
 * A block computes BM x BN of C, a warp WM x WN of it. Tiles of A and B pass
 * through a ring of STAGES buffers in shared memory, filled by asynchronous
 * 16-byte copies STAGES-1 tiles ahead. A tile lies there as it does in the
 * matrix, rows of K or rows across K; the fragments are told which, and the
 * transposition costs nothing.
 * With SLICES > 1 groups of warps share each tile's K and add up in shared
 * memory. With SPLIT_K > 1 the blocks of one tile of C share the K dimension;
 * each leaves an f32 partial sum. FINISH says who adds them up: `ticket` the
 * last block of the tile, `reduce` a second launch; both in a fixed order, so
 * that every run of a variant gives the same bits. Sums are rounded to OUT
 * where they are written to C, once.
 *
 * Alignment: the copies need rows that start at multiples of 16 bytes. A and B
 * whose rows (LDA, LDB) or matrices (STRIDE_A, STRIDE_B) lie at other distances
 * are first copied to a workspace with longer rows by gemm_wmma_pack, which
 * costs one launch and one pass over that matrix and lets any shape run the
 * fast path. The gap behind a row may be read where it is followed by another
 * row, and counts for nothing; behind the last row nothing is read.
 *
 * Properties the parameters stand on: a row of the ring is padded by PAD
 * elements, so that the eight rows a fragment load touches fall into
 * different banks; a warp tile of 64 x 64 is the smallest whose fragment
 * loads keep up with the tensor cores; where tiles are few, slices of K keep
 * large warp tiles and yet eight warps; more than 48 KB of shared memory are
 * asked for by the launch; GROUP rows of tiles are walked together, which
 * keeps their part of A and B in the level 2 cache.
 *
 * Hazard: a slot of the ring is refilled only after a barrier that follows
 * its last read; moving the barrier or the refill breaks that order without
 * any visible error most of the time. The ticket counts a block only behind
 * the fence that follows all its writes. */
#include <mma.h>
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hone_gemm.cuh"

#pragma hone implements gemm/wmma "tensor cores through fragments, any shape"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm >= 80
#pragma hone require sizeof(T) == 2 "these tensor cores take f16 and bf16"

#pragma hone param WMMA in {m16n16k16, m32n8k16, m8n32k16} default m16n16k16
#pragma hone param BM in {32, 64, 128, 256} default 128
#pragma hone param BN in {32, 64, 128, 256} default 128
#pragma hone param BK in {32, 64, 128} default 64
#pragma hone param WM in {16, 32, 64} default 64
#pragma hone param WN in {32, 64} default 64
#pragma hone param SLICES in {1, 2, 4} default 1
#pragma hone param STAGES in 2..5 default 3
#pragma hone param PAD in {0, 8} default 8
#pragma hone param SPLIT_K in {1, 2, 4, 8} default 1
#pragma hone param FINISH in {ticket, reduce} default ticket
#pragma hone param GROUP in {1, 4, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2} default 1

#pragma hone let FM = WMMA == m16n16k16 ? 16 : WMMA == m32n8k16 ? 32 : 8
#pragma hone let FN = WMMA == m16n16k16 ? 16 : WMMA == m32n8k16 ? 8 : 32
#pragma hone let WARPS = (BM/WM)*(BN/WN)*SLICES
#pragma hone let TILE_A = TRANS_A ? BK*(BM + PAD) : BM*(BK + PAD)
#pragma hone let TILE_B = TRANS_B ? BN*(BK + PAD) : BK*(BN + PAD)
#pragma hone let RING = STAGES*(TILE_A + TILE_B)*2
#pragma hone let STAGING = SLICES*BM*(BN + 8)*4
#pragma hone let SMEM = max(RING, STAGING)
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require WM % FM == 0 && WN % FN == 0 "a warp tile holds whole fragments"
#pragma hone require WARPS >= 4 && WARPS <= 8 "4 or 8 warps"
#pragma hone require min(BM, BN)*BK/8 >= WARPS*32 "every thread copies a part of each tile"
#pragma hone require BK/SLICES >= 32 && BK/SLICES <= 64 "a warp multiplies two or four fragments deep"
#pragma hone require (WMMA != m16n16k16) + (PAD != 8) + (GROUP != 8) + (MIN_BLOCKS != 1) <= 1 && (PAD == 8 || SLICES*SPLIT_K == 1) "what seldom helps is tried one at a time"
#pragma hone require STAGES > 2 || SLICES*SPLIT_K == 1 "few tiles need more of them under way"
#pragma hone prefer SLICES == 1 || TILES*SPLIT_K <= 2*device.sm_count "enough tiles without slices"
#pragma hone prefer SLICES < 4 || TILES*SPLIT_K <= device.sm_count "enough tiles without four slices"
#pragma hone prefer BM*BN >= 128*128 || TILES <= 16*device.sm_count "tiles so small read A and B too often"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*WARPS*32*(WM*WN/32 + 48) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(M, N, K) <= 2000000000 && max(LDA, LDB, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require LDC <= 16M "offsets inside a tile of C must fit 31 bits"
#pragma hone prefer SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 128 && BATCH*M*N < 100000) "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count "the parts take too much memory"
#pragma hone require SPLIT_K > 1 || FINISH == ticket "without parts there is nothing to add up"
#pragma hone prefer BM <= 128 || M > 128 "more than half of each tile would lie outside"
#pragma hone prefer BN <= 128 || N > 128 "more than half of each tile would lie outside"
#pragma hone prefer BM*BN <= 128*128 || TILES >= device.sm_count || BATCH*M*N < 100000 "tiles so large leave multiprocessors idle"
#pragma hone prefer GROUP == 8 || TILES > device.sm_count "all tiles run at once in any order"

/* Rows that do not all start at multiples of 16 bytes. The distance to a
 * second row that is not there is free, and has to be aligned as well. */
/* Clocks of a multiprocessor: 1024 multiply-adds, what mma.sync reaches here,
 * 128 bytes of shared memory read by fragments, about 40 from the level 2 cache, and 16 from memory. */
#pragma hone let MEMORY = BATCH*(M*K + K*N)*sizeof(T)/(16*device.sm_count)
#pragma hone let DEEP = STEPS*BK
#pragma hone let MULTIPLY = BM*BN*DEEP/1024
#pragma hone let FRAGMENTS = (BM*BN/WM + BM*BN/WN)*DEEP*2/128
#pragma hone let FETCH = (BM + BN)*DEEP/20
#pragma hone let TILE_CLOCKS = max(max(MULTIPLY, FRAGMENTS), FETCH)*MIN_BLOCKS + 1500 + BM*BN*(SLICES + (SPLIT_K > 1 ? 1 : 0))/16
#pragma hone feature COST = max(MEMORY, ceildiv(TILES*SPLIT_K, device.sm_count*MIN_BLOCKS)*TILE_CLOCKS) + (SPLIT_K > 1 ? 2000 + SPLIT_K*BM*BN/16 + (FINISH == reduce ? 4000 : 0) : 0)
#pragma hone feature DEPTH = STAGES*BK per DEEP

#pragma hone let LOOSE_A = (ROWS_A > 1 && LDA % 8 != 0) || (BATCH > 1 && STRIDE_A % 8 != 0)
#pragma hone let LOOSE_B = (ROWS_B > 1 && LDB % 8 != 0) || (BATCH > 1 && STRIDE_B % 8 != 0)
#pragma hone let PITCH_A = LOOSE_A || ROWS_A == 1 ? align(COLS_A, 8) : LDA
#pragma hone let PITCH_B = LOOSE_B || ROWS_B == 1 ? align(COLS_B, 8) : LDB
#pragma hone let PACK_A = LOOSE_A ? BATCH*ROWS_A*PITCH_A : 0
#pragma hone let PACK_B = LOOSE_B ? BATCH*ROWS_B*PITCH_B : 0
#pragma hone require max(PACK_A, PACK_B) < 16G "a matrix to be packed is larger than 32 GB"
#pragma hone workspace packed_a: T[PACK_A]
#pragma hone workspace packed_b: T[PACK_B]
#pragma hone let PART = BATCH*align(M, BM)*align(N, BN)
#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*PART : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_wmma_pack if(PACK_A + PACK_B > 0) grid(min(ceildiv(max(PACK_A, PACK_B), 2048), device.sm_count*8), 2) block(256) args(A, B, packed_a, packed_b, i32(ROWS_A), i32(COLS_A), i32(LDA), i64(STRIDE_A), i32(ROWS_B), i32(COLS_B), i32(LDB), i64(STRIDE_B), i64(PACK_A), i64(PACK_B))
#pragma hone launch gemm_wmma grid(TILES, SPLIT_K) block(WARPS*32) shared(SMEM) args(A, B, C, alpha, beta, packed_a, packed_b, partial, tickets, i32(M), i32(N), i32(K), i32(LOOSE_A), i32(LOOSE_B), i32(PITCH_A), i32(PITCH_B), i32(LDC), i64(LOOSE_A ? ROWS_A*PITCH_A : STRIDE_A), i64(LOOSE_B ? ROWS_B*PITCH_B : STRIDE_B), i64(STRIDE_C), i32(STAGES), i32(GROUP), i32(STEPS), i32(FINISH == ticket), i64(PART), bias)
#pragma hone launch gemm_wmma_reduce if(SPLIT_K > 1 && FINISH == reduce) grid(min(ceildiv(N, 256), 65535), min(BATCH*M, 65535)) block(256) args(C, alpha, beta, partial, i32(M), i32(N), i32(LDC), i64(STRIDE_C), i32(BATCH), i32(align(M, BM)), i32(align(N, BN)), i64(PART), i32(SPLIT_K), bias)

namespace wmma = nvcuda::wmma;

constexpr int kFragM = FM;
constexpr int kFragN = FN;
constexpr int kFragK = 16;
constexpr int kWarpsN = BN / WN;
constexpr int kWarps = BM / WM * kWarpsN; /* of a slice */
constexpr int kThreads = kWarps * SLICES * 32;
constexpr int kFragsM = WM / kFragM; /* fragments of a warp tile */
constexpr int kFragsN = WN / kFragN;
constexpr int kSteps = BK / kFragK / SLICES; /* a warp's k steps of a tile */
constexpr int kPitchC = BN + 8; /* floats from row to row of the staging */

using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;

/* One thread's part in copying tiles of a matrix to shared memory, EXTENT
 * elements of M or N and BK of K: groups of eight elements, ROW_STEP rows
 * apart. Rows run along K, or with DOWN across it. */
template <int EXTENT, bool DOWN> struct tile_reader {
    static constexpr int ROWS = DOWN ? BK : EXTENT;
    static constexpr int COLS = DOWN ? EXTENT : BK;
    static constexpr int PITCH = COLS + PAD; /* from row to row of a slot */
    static constexpr int SIZE = ROWS * PITCH;
    static constexpr int GROUPS = COLS / 8; /* groups of a row */
    static constexpr int ROW_STEP = kThreads / GROUPS;
    static constexpr int COUNT = ROWS > ROW_STEP ? ROWS / ROW_STEP : 1;

    /* Where in a tile element k of K of row or column `i` of C lies. */
    static __device__ int place(int i, int k)
    {
        return DOWN ? k * PITCH + i : i * PITCH + k;
    }

    const T *at;          /* this thread's first group of the next tile */
    long long step, next; /* elements from group to group, tile to tile */
    int left, k_left;     /* of the matrix, from `at` on: across K, along it */
    int to;               /* where in the slot */

    /* `pitch` elements from row to row; the tile starts at (i, k) of a matrix
     * that ends before (i_end, k_end). */
    __device__ tile_reader(const T *matrix, int pitch, int i, int k, int i_end,
                           int k_end)
    {
        const int row = threadIdx.x / GROUPS;
        const int col = threadIdx.x % GROUPS * 8;

        at = matrix + (long long)((DOWN ? k : i) + row) * pitch +
             (DOWN ? i : k) + col;
        step = (long long)ROW_STEP * pitch;
        next = DOWN ? (long long)BK * pitch : BK;
        left = i_end - i - (DOWN ? col : row);
        k_left = k_end - k - (DOWN ? row : col);
        to = row * PITCH + col;
    }

    __device__ void move(int tiles)
    {
        at += tiles * next;
        k_left -= tiles * BK;
    }

    /* If `wanted`, copy the tile at `at`, of which any part may lie outside
     * and becomes 0, to `slot`. */
    __device__ void copy_any(T *slot, bool wanted) const
    {
        const int rows_left = DOWN ? k_left : left;
        const int cols_left = DOWN ? left : k_left;
        const int bytes = min(max(cols_left, 0), 8) * 2;
        const T *from = at;
        slot += to;
#pragma unroll 1
        for (int i = 0; i < COUNT; i++) {
            hone::copy16_async_part(slot, from,
                                    i * ROW_STEP < rows_left ? bytes : 0,
                                    wanted);
            slot += ROW_STEP * PITCH;
            from += step;
        }
    }

    /* If `wanted`, copy part `part` of PARTS of the tile at `at` to `slot`,
     * which is not the last along K; rows or groups outside become 0. */
    template <int PARTS>
    __device__ void copy(T *slot, int part, bool wanted) const
    {
#pragma unroll
        for (int i = part; i < COUNT; i += PARTS)
            hone::copy16_async(slot + to + i * ROW_STEP * PITCH, at + i * step,
                               DOWN ? left > 0 : i * ROW_STEP < left, wanted);
    }
};

using reader_a = tile_reader<BM, TRANS_A>;
using reader_b = tile_reader<BN, !TRANS_B>;
constexpr int kSlot = reader_a::SIZE + reader_b::SIZE;

#if HONE_TRANS_A
using layout_a = wmma::col_major;
#else
using layout_a = wmma::row_major;
#endif
#if HONE_TRANS_B
using layout_b = wmma::col_major;
#else
using layout_b = wmma::row_major;
#endif
using frag_a =
    wmma::fragment<wmma::matrix_a, kFragM, kFragN, kFragK, T, layout_a>;
using frag_b =
    wmma::fragment<wmma::matrix_b, kFragM, kFragN, kFragK, T, layout_b>;
using frag_c =
    wmma::fragment<wmma::accumulator, kFragM, kFragN, kFragK, float>;

/* From shared memory. */
template <typename F>
__device__ inline void load_fragment(F &f, const T *from, int pitch)
{
    wmma::load_matrix_sync(f, from, pitch);
}
#pragma hone if T == bf16
#ifndef HONE_HOST
/* Of bf16 the compiler does not find out where that is, and takes single loads
 * through generic addresses for them. */
__device__ inline void load_fragment(frag_a &f, const T *from, int pitch)
{
    unsigned *x = reinterpret_cast<unsigned *>(f.x);

#pragma hone if TRANS_A
    asm volatile("wmma.load.a.sync.aligned.col.@{WMMA}.shared.bf16 {%0"
#pragma hone else
    asm volatile("wmma.load.a.sync.aligned.row.@{WMMA}.shared.bf16 {%0"
#pragma hone endif
#pragma hone for I in 1..FM/4-1
                 ", %@{I}"
#pragma hone endfor
                 "}, [%@{FM/4}], %@{FM/4 + 1};"
                 : "=r"(x[0])
#pragma hone for I in 1..FM/4-1
                 , "=r"(x[@{I}])
#pragma hone endfor
                 : "r"((unsigned)__cvta_generic_to_shared(from)), "r"(pitch)
                 : "memory");
}
__device__ inline void load_fragment(frag_b &f, const T *from, int pitch)
{
    unsigned *x = reinterpret_cast<unsigned *>(f.x);

#pragma hone if TRANS_B
    asm volatile("wmma.load.b.sync.aligned.col.@{WMMA}.shared.bf16 {%0"
#pragma hone else
    asm volatile("wmma.load.b.sync.aligned.row.@{WMMA}.shared.bf16 {%0"
#pragma hone endif
#pragma hone for I in 1..FN/4-1
                 ", %@{I}"
#pragma hone endfor
                 "}, [%@{FN/4}], %@{FN/4 + 1};"
                 : "=r"(x[0])
#pragma hone for I in 1..FN/4-1
                 , "=r"(x[@{I}])
#pragma hone endfor
                 : "r"((unsigned)__cvta_generic_to_shared(from)), "r"(pitch)
                 : "memory");
}
#endif
#pragma hone endif

/* A warp's fragments of one k step of a slot. */
struct fragments {
    frag_a a[kFragsM];
    frag_b b[kFragsN];

    /* From `slot`, where this warp's parts start at `of_a` and `of_b`. */
    __device__ void load(const T *slot, int of_a, int of_b, int k)
    {
#pragma unroll
        for (int i = 0; i < kFragsM; i++)
            load_fragment(a[i], slot + of_a + reader_a::place(i * kFragM, k),
                          reader_a::PITCH);
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            load_fragment(b[j], slot + of_b + reader_b::place(j * kFragN, k),
                          reader_b::PITCH);
    }

    __device__ void multiply(frag_c (&acc)[kFragsM][kFragsN]) const
    {
#pragma unroll
        for (int i = 0; i < kFragsM; i++) {
#pragma unroll
            for (int j = 0; j < kFragsN; j++)
                wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
    }
};

/* A tile's sums, in `parts` tiles `part_step` floats apart, and where they
 * go: to = alpha*sum + beta*to, of which rows x cols lie inside. `to` is a
 * part of C in floats, with beta = 0, or C. */
struct tile_sums {
    const float *from;
    long long part_step;
    int parts, from_pitch;
    void *to;
    bool is_part;
    int pitch, rows, cols;
    float alpha, beta;
    epilogue after; /* of a result, for the tile's columns */

    /* Parts are added in their order. A batch of values is asked for before
     * the first is used. */
    template <int WIDTH, int MOST> __device__ void write() const
    {
        using V = typename hone::vector<float, WIDTH>::type;
        constexpr int LANES = BN / WIDTH < kThreads ? BN / WIDTH : kThreads;
        constexpr int ROW_STEP = kThreads / LANES;
        constexpr int COUNT = BM / ROW_STEP;
        constexpr int AT_ONCE = COUNT < MOST ? COUNT : MOST;

#pragma unroll 1
        for (int c = threadIdx.x % LANES * WIDTH; c < cols;
             c += LANES * WIDTH) {
            V bias = {};

            if (BIAS && !is_part)
                bias = hone::get_floats<V>(after.bias + c, 0);
#pragma unroll 1
            for (int r = threadIdx.x / LANES; r < rows;
                 r += AT_ONCE * ROW_STEP) {
                const long long at = (long long)r * pitch + c;
                const float *in = from + (long long)r * from_pitch + c;
                OUT *out = static_cast<OUT *>(to) + at;
                float *part_out = static_cast<float *>(to) + at;
                const int step = ROW_STEP * pitch / WIDTH;
                V sum[AT_ONCE] = {}, old[AT_ONCE] = {};

                if (ADD && beta != 0.0f) {
#pragma unroll
                    for (int b = 0; b < AT_ONCE; b++) {
                        if (r + b * ROW_STEP < rows)
                            old[b] = hone::get_floats<V>(out, (long long)b * step);
                    }
                }
#pragma unroll 1
                for (int part = 0; part < parts; part++) {
#pragma unroll
                    for (int b = 0; b < AT_ONCE; b++)
                        sum[b] = hone::axpy(
                            1.0f, hone::get_floats<V>(in + b * ROW_STEP * from_pitch, 0),
                            sum[b]);
                    in += part_step;
                }
#pragma unroll
                for (int b = 0; b < AT_ONCE; b++) {
                    V v = hone::axpy(alpha, sum[b],
                                     hone::axpy(beta, old[b], V{}));

                    if (r + b * ROW_STEP >= rows)
                        continue;
                    if (!epilogue::IS_NOTHING && !is_part)
                        v = after.finish(v, bias);
                    if (sizeof(OUT) == sizeof(float) || is_part)
                        hone::put_floats(part_out, (long long)b * step, v);
                    else
                        hone::put_floats(out, (long long)b * step, v);
                }
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
gemm_wmma(const T *__restrict__ A, const T *__restrict__ B,
          OUT *__restrict__ C, float alpha, float beta,
          const T *__restrict__ packed_a, const T *__restrict__ packed_b,
          float *__restrict__ partial, unsigned *__restrict__ tickets, int M,
          int N, int K, int is_a_packed, int is_b_packed, int pitch_a,
          int pitch_b, int pitch_c, long long stride_a, long long stride_b,
          long long stride_c, int stages, int group, int part_steps,
          int use_ticket, long long part_size, const OUT *__restrict__ bias)
{
    extern __shared__ __align__(128) unsigned char shared[];
    T *ring = reinterpret_cast<T *>(shared);
    const int slice = threadIdx.x / (kWarps * 32);
    const int warp = threadIdx.x / 32 % kWarps;
    const int warp_row = warp / kWarpsN * WM;
    const int warp_col = warp % kWarpsN * WN;

    /* Which tile of which matrix: `group` rows of tiles are walked column by
     * column. */
    const int tiles_m = (M + BM - 1) / BM;
    const int tiles_n = (N + BN - 1) / BN;
    const int matrix = (int)blockIdx.x / (tiles_m * tiles_n);
    const int tile = (int)blockIdx.x % (tiles_m * tiles_n);
    const int group_row = tile / (group * tiles_n) * group;
    const int group_rows = min(group, tiles_m - group_row);
    const int in_group = tile % (group * tiles_n);
    const int row = (group_row + in_group % group_rows) * BM;
    const int col = in_group / group_rows * BN;
    OUT *c_tile = C + matrix * stride_c + (long long)row * pitch_c + col;

    /* Which part of K; what a part of several computes is not final. */
    const int all_steps = (K + BK - 1) / BK;
    const int first_step = min((int)blockIdx.y * part_steps, all_steps);
    const int n_steps = min(part_steps, all_steps - first_step);

    /* The last tile along K comes first: with the parts of it that lie outside
     * its copies need care, and those of the others need none. */
    const int k = (first_step + n_steps - 1) * BK;

    reader_a from_a((is_a_packed ? packed_a : A) + matrix * stride_a, pitch_a,
                    row, k, M, K);
    reader_b from_b((is_b_packed ? packed_b : B) + matrix * stride_b, pitch_b,
                    col, k, N, K);
    auto advance = [&](int tiles) {
        from_a.move(tiles);
        from_b.move(tiles);
        hone::copy_commit();
    };

    frag_c acc[kFragsM][kFragsN];
#pragma unroll
    for (int i = 0; i < kFragsM; i++) {
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    }

    const int of_a = reader_a::place(warp_row, slice * (BK / SLICES));
    const int of_b = reader_a::SIZE +
                     reader_b::place(warp_col, slice * (BK / SLICES));

    /* The first tiles are asked for. A group of copies is closed for each
     * tile, also for those behind the last: their count says what has
     * arrived. */
    const int ahead = stages - 1;
    int read = 0, write = ahead;
    fragments two[2];

#pragma unroll 1
    for (int step = 0; step < ahead; step++) {
        T *slot = ring + step * kSlot;

        from_a.copy_any(slot, step < n_steps);
        from_b.copy_any(slot + reader_a::SIZE, step < n_steps);
        advance(step == 0 ? 1 - n_steps : 1);
    }
    if (ADD && beta != 0.0f && blockIdx.y == 0)
        hone::prefetch_tile<BM, BN, kThreads>(c_tile, M - row, N - col,
                                              pitch_c);
    hone::copy_wait(ahead - 1);
    __syncthreads();
    two[0].load(ring, of_a, of_b, 0);

    /* In round `step` the tile of step + ahead is asked for, the tile of
     * `step` is multiplied and the tile of step + 1 arrives. Fragments are
     * loaded one k step ahead: the last k step of a tile runs while the
     * first fragments of the next load, and behind the barrier no warp reads
     * the old tile any more. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        T *slot = ring + write * kSlot;

#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            from_a.copy<kSteps>(slot, at, step + ahead < n_steps);
            from_b.copy<kSteps>(slot + reader_a::SIZE, at, step + ahead < n_steps);
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(ring + read * kSlot, of_a, of_b,
                                       (at + 1) * kFragK);
            } else {
                advance(1);
                write = read;
                read = read + 1 == stages ? 0 : read + 1;
                hone::copy_wait(ahead - 1);
                __syncthreads();
                two[0].load(ring + read * kSlot, of_a, of_b, 0);
            }
            two[at % 2].multiply(acc);
        }
    }
    __syncthreads();

    /* The ring is free: the sums are staged there, for whole rows to be
     * written. */
    float *staging = reinterpret_cast<float *>(shared);

#pragma unroll
    for (int i = 0; i < kFragsM; i++) {
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::store_matrix_sync(
                staging + (slice * BM + warp_row + i * kFragM) * kPitchC +
                    warp_col + j * kFragN,
                acc[i][j], kPitchC, wmma::mem_row_major);
    }
    __syncthreads();

    /* What one of several blocks computes is a part: it goes to the
     * workspace, and the last of these blocks adds up the parts in a second
     * round. One loop, so that the compiler writes its body once. */
    const bool in_parts = gridDim.y > 1;
    const int rounds = in_parts && use_ticket ? 2 : 1;
    const int part_pitch = tiles_n * BN;
    float *of_tile =
        partial + ((long long)(matrix * tiles_m * BM) + row) * part_pitch + col;
    /* Four neighbours are written at once where this is a multiple of 4. */
    const int c_steps = N | pitch_c | (matrix ? (int)stride_c : 0);

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        const bool to_part = in_parts && round == 0;
        tile_sums sums;

        sums.from = round == 0 ? staging : of_tile;
        sums.part_step = round == 0 ? BM * kPitchC : part_size;
        sums.parts = round == 0 ? SLICES : (int)gridDim.y;
        sums.from_pitch = round == 0 ? kPitchC : part_pitch;
        sums.to = to_part ? (void *)(of_tile + blockIdx.y * part_size)
                          : (void *)c_tile;
        sums.is_part = to_part;
        sums.pitch = to_part ? part_pitch : pitch_c;
        sums.rows = to_part ? BM : min(M - row, BM);
        sums.cols = to_part ? BN : min(N - col, BN);
        sums.alpha = to_part ? 1.0f : alpha;
        sums.beta = to_part ? 0.0f : beta;
        sums.after.bias = bias + col;
        if (hone::afresh(to_part ? 0 : c_steps) % 4 == 0)
            sums.write<4, 4>();
        else
            sums.write<1, 8>();
        if (round + 1 < rounds && !hone::is_last(tickets + blockIdx.x, gridDim.y))
            return;
    }
}

/* Rows of whole groups of eight elements: A by the blocks with blockIdx.y = 0,
 * B by those with 1. */
extern "C" __global__ void __launch_bounds__(256)
gemm_wmma_pack(const T *__restrict__ A, const T *__restrict__ B,
               T *__restrict__ packed_a, T *__restrict__ packed_b, int rows_a,
               int cols_a, int pitch_a, long long stride_a, int rows_b,
               int cols_b, int pitch_b, long long stride_b, long long size_a,
               long long size_b)
{
    const bool is_a = blockIdx.y == 0;
    const hone::loose_matrices<T> loose = {
        is_a ? A : B, static_cast<unsigned>(is_a ? rows_a : rows_b),
        is_a ? cols_a : cols_b, is_a ? pitch_a : pitch_b,
        is_a ? stride_a : stride_b};

    loose.pack<256>(is_a ? packed_a : packed_b, is_a ? size_a : size_b);
}

extern "C" __global__ void __launch_bounds__(256)
gemm_wmma_reduce(OUT *__restrict__ C, float alpha, float beta,
                 const float *__restrict__ partial, int M, int N, int pitch_c,
                 long long stride_c, int batch, int part_rows, int part_pitch,
                 long long part_size, int parts,
                 const OUT *__restrict__ bias)
{
    const hone::gemm_parts from = {partial, part_size, parts, part_rows,
                                   part_pitch};

    from.add_up<256>(C, alpha, ADD ? beta : 0.0f, M, N, pitch_c, stride_c, batch,
                     epilogue{bias});
}
