/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/mma: products of 16 bits and of tf32 on tensor cores by mma.sync m16n8k16 and
 * m16n8k8, compute capability 8.0 and newer. What is computed says gemm.cuh.
 *
 * A block computes BM x BN of C, a warp WM x WN of it. Tiles of A and B, BK deep,
 * pass through a ring of STAGES slots in shared memory, filled by asynchronous
 * 16-byte copies STAGES-1 tiles ahead, a part at each step of 16 along K. A tile
 * lies there as it does in the matrix, rows of K or rows across it, in groups of
 * 16 bytes that are exchanged by the row's number (gemm_mma_parts.cuh); ldmatrix
 * makes fragments of either, while those of the step before are multiplied, across
 * tiles too. Of a warp's 64 x 64 x 16 there are 32 products and 8 loads of 512 bytes.
 *
 * tf32: the numbers here are words of 16 bits along K, BK and VEC too, and an element
 * is two: BK = 64 is 32 of K, and a step 8. ldmatrix makes fragments of what runs
 * along K; what lies across it is read word by word, in 32 different banks
 * (gemm_mma_tf32.cuh). Fragments are rounded to the nearest tf32 in registers, two
 * instructions for each element, just before they are multiplied.
 *
 * Sums become rows in shared memory, 16 rows of a warp at a time, and leave by 16
 * bytes, or by 4 where rows of C begin anywhere. With SPLIT_K > 1 blocks share the
 * K of one tile; each leaves f32 sums in the workspace, in the order of threads.
 * FINISH says who adds them up: `ticket` the last block of the tile, `reduce` a
 * second launch, a block for 16 rows of every warp; both in a fixed order, so that
 * every run of a variant gives the same bits. Sums are rounded to OUT where they
 * are written to C, once.
 *
 * Alignment: the copies need rows that start at multiples of 16 bytes. A and B
 * whose rows (LDA, LDB) or matrices (STRIDE_A, STRIDE_B) lie at other distances are
 * first copied to a workspace with longer rows by gemm_mma_pack; or, if these are
 * even (of tf32, any), they come by copies of VEC_A and VEC_B words, 4 or 2: more
 * instructions, no pass over memory. The gap behind a row may be read where another row follows,
 * and counts for nothing; behind the last row nothing is read: the last tile along K
 * comes first, whose copies take care of all ends, and those of the others need not.
 *
 * Properties the parameters stand on: warp tiles of 64 x 64 are the smallest whose
 * fragments shared memory delivers as fast as tensor cores multiply them; two
 * blocks of four warps do not wait at the same barriers; GROUP rows of tiles are
 * walked together, which keeps their part of A and B in the level 2 cache.
 * Hazard: a slot of the ring is refilled only after a barrier that follows its last
 * read. The ticket counts a block only behind the fence that follows its writes. */
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hone_mma.cuh"
#include "hone_gemm.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_mma_parts.cuh"

#pragma hone implements gemm/mma "tensor cores by mma.sync, any shape"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm >= 80
#pragma hone require sizeof(T) == 2 || T == tf32 "these tensor cores take f16, bf16 and tf32"

#include "gemm_mma_space.cuh"
#pragma hone if T == tf32
#include "gemm_mma_tf32.cuh"
#pragma hone endif

#pragma hone let WIDE_C = LDC*sizeof(OUT) % 16 == 0 && (BATCH == 1 || STRIDE_C*sizeof(OUT) % 16 == 0)
#pragma hone workspace packed_a: T[PACKED_A]
#pragma hone workspace packed_b: T[PACKED_B]
#pragma hone workspace partial: f32[PARTS > 1 ? PARTS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTS > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_mma_pack if(LOOSE_A || LOOSE_B) grid(PACK_BLOCKS) block(256) args(A, B, packed_a, packed_b, i32(LOOSE_A ? ROWS_A : 0), i32(COLS_A*T_WORDS), i32(PITCH_A*T_WORDS/8), i64(LDA*T_WORDS), i64(STRIDE_A*T_WORDS), i32(LOOSE_B ? ROWS_B : 0), i32(COLS_B*T_WORDS), i32(PITCH_B*T_WORDS/8), i64(LDB*T_WORDS), i64(STRIDE_B*T_WORDS), i32(BATCH))
#pragma hone launch gemm_mma grid(TILES, PARTS) block(THREADS) shared(SMEM) args(A, B, C, alpha, beta, packed_a, packed_b, partial, tickets, i32(M), i32(N), i32(K), i32(LOOSE_A), i32(LOOSE_B), i32(PITCH_A), i32(PITCH_B), i64(LDC), i64(LOOSE_A ? ROWS_A*PITCH_A : STRIDE_A), i64(LOOSE_B ? ROWS_B*PITCH_B : STRIDE_B), i64(STRIDE_C), i32(STAGES), i32(GROUP), i32(WIDE_C), i32(FINISH == ticket), bias) early
#pragma hone launch gemm_mma_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES, WM/16) block(THREADS) args(C, partial, alpha, beta, i32(M), i32(N), i64(LDC), i64(STRIDE_C), i32(GROUP), i32(PARTS), i32(WIDE_C), bias) early

namespace {

constexpr int kStrips = WM / 16; /* of a warp */
constexpr int kSteps = BK / 16;  /* of a tile */
#pragma hone if T == tf32
using reader_a =
    hone::mma::tf32_reader<true, BM, BK, TRANS_A != 0, VEC_A, THREADS>;
using reader_b =
    hone::mma::tf32_reader<false, BN, BK, TRANS_B == 0, VEC_B, THREADS>;
#pragma hone else
using reader_a = hone::mma::tile_reader<T, BM, BK, TRANS_A != 0, VEC_A, THREADS>;
using reader_b = hone::mma::tile_reader<T, BN, BK, TRANS_B == 0, VEC_B, THREADS>;
#pragma hone endif
using tile_a = reader_a::its;
using tile_b = reader_b::its;
using strip = hone::mma::strip<WN>;
using strip_sums = float[WN / 8][4];
using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
using rows_of_c = hone::mma::rows_of_c<OUT, epilogue>;
using wide_rows = strip::wide_rows<OUT, epilogue>;
constexpr int kSlot = tile_a::BYTES + tile_b::BYTES;

/* Tile `unit` of the grid: `group` rows of tiles are walked column by column. */
struct block_tile {
    int matrix, row, col;

    __device__ block_tile(int unit, int M, int N, int group)
    {
        const int tiles_m = (M + BM - 1) / BM, tiles_n = (N + BN - 1) / BN;
        const int tile = unit % (tiles_m * tiles_n);
        const int group_row = tile / (group * tiles_n) * group;
        const int group_rows = min(group, tiles_m - group_row);
        const int in_group = tile % (group * tiles_n);

        matrix = unit / (tiles_m * tiles_n);
        row = (group_row + in_group % group_rows) * BM;
        col = in_group / group_rows * BN;
    }
};

__device__ __forceinline__ int warp_row()
{
    return (int)threadIdx.x / 32 / (BN / WN) * WM;
}
__device__ __forceinline__ int warp_col()
{
    return (int)threadIdx.x / 32 % (BN / WN) * WN;
}

/* A warp's fragments of a step of 16 along K. */
struct fragments {
    unsigned a[kStrips][4], b[WN / 16][4];

    __device__ void load(hone::shared_place slot, unsigned of_a, unsigned of_b,
                         int k)
    {
#pragma unroll
        for (int i = 0; i < kStrips; i++)
            tile_a::load(a[i], slot, of_a, i, k);
#pragma unroll
        for (int j = 0; j < WN / 16; j++)
            tile_b::load(b[j], slot + tile_a::BYTES, of_b, j, k);
    }
    /* To and fro: neighbouring products have an operand in common. */
    __device__ void multiply(strip_sums (&sums)[kStrips]) const
    {
#pragma unroll
        for (int i = 0; i < kStrips; i++) {
#pragma unroll
            for (int n = 0; n < WN / 8; n++) {
                const int j = i % 2 ? WN / 8 - 1 - n : n;

#pragma hone if T == tf32
                hone::multiply_tf32(sums[i][j], a[i], b[j / 2][j % 2 * 2],
                                    b[j / 2][j % 2 * 2 + 1]);
#pragma hone else
                hone::multiply_pairs<T>(sums[i][j], a[i], b[j / 2][j % 2 * 2],
                                        b[j / 2][j % 2 * 2 + 1]);
#pragma hone endif
            }
        }
    }
#pragma hone if T == tf32
    __device__ void round()
    {
#pragma unroll
        for (int e = 0; e < 4; e++) {
#pragma unroll
            for (int i = 0; i < kStrips; i++)
                a[i][e] = hone::round_tf32(a[i][e]);
#pragma unroll
            for (int j = 0; j < WN / 16; j++)
                b[j][e] = hone::round_tf32(b[j][e]);
        }
    }
#pragma hone endif
};

/* Where this thread's sums of a tile's parts lie: groups of four, THREADS apart. */
struct tile_parts {
    float *of_tile;
    long long size; /* floats from part to part */

    __device__ tile_parts(float *partial, int tile, int tiles)
        : of_tile(partial + (long long)tile * (BM * BN) + (int)threadIdx.x * 4),
          size((long long)tiles * (BM * BN))
    {
    }
    __device__ float *at(int part, int i, int j) const
    {
        return of_tile + part * size + (i * (WN / 8) + j) * (THREADS * 4);
    }
    __device__ void write(int part, const strip_sums (&sums)[kStrips]) const
    {
#pragma unroll
        for (int i = 0; i < kStrips; i++) {
#pragma unroll
            for (int j = 0; j < WN / 8; j++) {
                hone::pack<float, 4> v;

#pragma unroll
                for (int e = 0; e < 4; e++)
                    v.at[e] = sums[i][j][e];
                hone::write_pack(at(part, i, j), v);
            }
        }
    }
    /* In the order of the parts. */
    __device__ void add_up(strip_sums &sums, int i, int parts) const
    {
#pragma unroll
        for (int n = 0; n < WN / 2; n++)
            sums[n / 4][n % 4] = 0.0f;
#pragma unroll 1
        for (int part = 0; part < parts; part++) {
#pragma unroll
            for (int j = 0; j < WN / 8; j++) {
                const hone::pack<float, 4> v =
                    hone::read_pack<4, hone::access::l2>(at(part, i, j));

#pragma unroll
                for (int e = 0; e < 4; e++)
                    sums[j][e] += v.at[e];
            }
        }
    }
};

/* What a warp of a tile writes of C. */
struct warp_output {
    rows_of_c c;
    strip rows;
    bool wide;

    __device__ warp_output(const block_tile &tile, OUT *C, long long pitch,
                           long long stride, int M, int N, float alpha,
                           float beta, const OUT *bias, bool wide_c,
                           float *shared)
    {
        const int row = tile.row + warp_row(), col = tile.col + warp_col();

        c.to = C + tile.matrix * stride + row * pitch + col;
        c.pitch = pitch;
        c.rows = M - row;
        c.cols = N - col;
        c.alpha = alpha;
        c.beta = ADD ? beta : 0.0f;
        c.after.bias = BIAS ? bias + col : bias;
        wide = wide_c && c.cols >= WN;
        rows.at = shared + (int)threadIdx.x / 32 * strip::SIZE;
    }
    __device__ rows_of_c strip_of_c(int i) const
    {
        rows_of_c of_strip = c;

        of_strip.to += i * 16 * c.pitch;
        of_strip.rows -= i * 16;
        return of_strip;
    }
    /* Ask for what C holds of strip `i`. */
    __device__ void read(wide_rows &held, int i) const
    {
        if (wide)
            held.read(strip_of_c(i));
    }
    __device__ void write(const wide_rows &held, const strip_sums &sums,
                          int i) const
    {
        rows.put(sums);
        __syncwarp();
        if (wide)
            held.write(strip_of_c(i), rows.at);
        else
            rows.write_loose(strip_of_c(i));
        __syncwarp();
    }
};

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_mma(const T *A, const T *B, OUT *C, float alpha, float beta,
         const T *packed_a, const T *packed_b, float *partial,
         unsigned *tickets, int M, int N, int K, int is_a_packed,
         int is_b_packed, int pitch_a, int pitch_b, long long pitch_c,
         long long stride_a, long long stride_b, long long stride_c, int stages,
         int group, int wide_c, int use_ticket, const OUT *bias)
{
    extern __shared__ __align__(128) char ring[];
    const block_tile tile(blockIdx.x, M, N, group);

#pragma hone if T == tf32
    K *= 2; /* words, as in BK */
#pragma hone endif
    /* The steps of this part of K; the last tile comes first. */
    const long long all_steps = (K + BK - 1) / BK;
    const int first_step = (int)(all_steps * blockIdx.y / gridDim.y);
    const int n_steps =
        (int)(all_steps * (blockIdx.y + 1) / gridDim.y) - first_step;
    const int k = (first_step + n_steps - 1) * BK;

    reader_a from_a((is_a_packed ? packed_a : A) + tile.matrix * stride_a,
                    pitch_a, tile.row, k, M, K);
    reader_b from_b((is_b_packed ? packed_b : B) + tile.matrix * stride_b,
                    pitch_b, tile.col, k, N, K);
    auto advance = [&](int tiles) {
        from_a.move(tiles);
        from_b.move(tiles);
        hone::copy_commit();
    };
    const unsigned of_a = tile_a::lane_of<true>(warp_row());
    const unsigned of_b = tile_b::lane_of<false>(warp_col());
    const hone::shared_place slots = hone::place_of(ring);
    strip_sums sums[kStrips] = {};

    /* A group of copies is closed for each tile, and behind the last: they count. */
    const int ahead = stages - 1;
    int read = 0, write = ahead;
    fragments two[2];

    hone::wait_for_previous();
#pragma unroll 1
    for (int step = 0; step < ahead; step++) {
        char *slot = ring + step * kSlot;

        from_a.copy_any(slot, step < n_steps);
        from_b.copy_any(slot + tile_a::BYTES, step < n_steps);
        advance(step == 0 ? 1 - n_steps : 1);
    }
    if (ADD && beta != 0.0f && blockIdx.y == 0)
        hone::prefetch_tile<BM, BN, THREADS>(
            C + tile.matrix * stride_c + tile.row * pitch_c + tile.col,
            M - tile.row, N - tile.col, pitch_c);
    hone::copy_wait(ahead - 1);
    __syncthreads();
    two[0].load(slots, of_a, of_b, 0);

    /* In round `step` its tile is multiplied, that of step + 1 arrives and that of
     * step + ahead is asked for. Behind the barrier no warp reads the old tile. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        const hone::shared_place slot = hone::afresh(slots + write * kSlot);

#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            from_a.copy<kSteps>(slot, at, step + ahead < n_steps);
            from_b.copy<kSteps>(slot + tile_a::BYTES, at, step + ahead < n_steps);
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(slots + read * kSlot, of_a, of_b, at + 1);
            } else {
                advance(1);
                write = read;
                read = read + 1 == stages ? 0 : read + 1;
                hone::copy_wait(ahead - 1);
                __syncthreads();
                two[0].load(slots + read * kSlot, of_a, of_b, 0);
            }
#pragma hone if T == tf32
            two[at % 2].round();
#pragma hone endif
            two[at % 2].multiply(sums);
        }
    }
    hone::start_next();
    __syncthreads();

    /* Found again, since registers are for sums. */
    const int unit = hone::afresh((int)blockIdx.x);
    const bool in_parts = gridDim.y > 1;
    const tile_parts parts(partial, unit, (int)gridDim.x);

    if (in_parts) {
        parts.write((int)blockIdx.y, sums);
        if (!use_ticket || !hone::is_last(tickets + unit, gridDim.y))
            return;
    }
    const warp_output out(block_tile(unit, M, N, group), C, pitch_c, stride_c, M,
                          N, alpha, beta, bias, wide_c != 0,
                          reinterpret_cast<float *>(ring));

    /* One loop, its body written once. The next strip's sums move to the first's
     * registers: those of strip `i` would be memory. What C holds of it is asked
     * for one strip ahead, if there are registers for that. */
    constexpr bool AHEAD = sizeof(OUT) == 2;
    wide_rows held;

    if (AHEAD)
        out.read(held, 0);
#pragma unroll 1
    for (int i = 0; i < kStrips; i++) {
        wide_rows next = held;

        if (in_parts)
            parts.add_up(sums[0], i, (int)gridDim.y);
        if (!AHEAD)
            out.read(held, i);
        else if (i + 1 < kStrips)
            out.read(next, i + 1);
        out.write(held, sums[0], i);
        if (AHEAD)
            held = next;
#pragma unroll
        for (int n = 0; n < (kStrips - 1) * (WN / 2); n++)
            sums[n / (WN / 2)][n % (WN / 2) / 4][n % 4] =
                sums[n / (WN / 2) + 1][n % (WN / 2) / 4][n % 4];
    }
}

/* Copies the matrices that are to be packed, elements of 16 bits, or two of them for
 * each. The product may begin as soon as all blocks run, to wait there. */
extern "C" __global__ void __launch_bounds__(256, 4)
gemm_mma_pack(const T *A, const T *B, T *packed_a, T *packed_b, int rows_a,
              int cols_a, int groups_a, long long lda, long long step_a,
              int rows_b, int cols_b, int groups_b, long long ldb,
              long long step_b, int batches)
{
    hone::start_next();
    hone::gemm::pack({reinterpret_cast<const unsigned short *>(A),
                      reinterpret_cast<uint4 *>(packed_a), rows_a, cols_a,
                      batches, groups_a, lda, step_a},
                     {reinterpret_cast<const unsigned short *>(B),
                      reinterpret_cast<uint4 *>(packed_b), rows_b, cols_b,
                      batches, groups_b, ldb, step_b});
}

/* Adds up the parts of C: a block takes strip blockIdx.y of a tile's warps. */
extern "C" __global__ void __launch_bounds__(THREADS)
gemm_mma_reduce(OUT *C, float *partial, float alpha, float beta, int M, int N,
                long long pitch_c, long long stride_c, int group, int n_parts,
                int wide_c, const OUT *bias)
{
    __shared__ __align__(16) float shared[WARPS * strip::SIZE];
    const tile_parts parts(partial, (int)blockIdx.x, (int)gridDim.x);
    const warp_output out(block_tile(blockIdx.x, M, N, group), C, pitch_c,
                          stride_c, M, N, alpha, beta, bias, wide_c != 0, shared);
    strip_sums sums;
    wide_rows held;

    hone::wait_for_previous();
    out.read(held, (int)blockIdx.y);
    parts.add_up(sums, (int)blockIdx.y, n_parts);
    out.write(held, sums, (int)blockIdx.y);
}
