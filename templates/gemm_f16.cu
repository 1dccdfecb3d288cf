/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_f16: C = alpha*A*B + beta*C. A is M x K and B is K x N in f16, C is
 * M x N in f32, all row-major without gaps; sums are kept in f32. Any M, N
 * and K from 1 up. With beta = 0, C is written without being read.
 *
 * A block computes BM x BN of C, a warp WM x WN of it with matrix fragments
 * (nvcuda::wmma). Tiles of A and B pass through a ring of STAGES buffers in
 * shared memory, filled by asynchronous 16-byte copies STAGES-1 tiles ahead.
 * With SPLIT_K > 1 the blocks of one tile of C share the K dimension; each
 * leaves an f32 partial sum and gemm_f16_reduce adds them up in a fixed
 * order, so that every run of a variant gives the same bits.
 *
 * Alignment: the copies need rows that start at multiples of 16 bytes, i.e.
 * K % 8 == 0 for A and N % 8 == 0 for B. A matrix that lacks this is first
 * copied to a workspace with longer rows by gemm_f16_pack, which costs one
 * launch and one pass over that matrix and lets any shape run the fast path.
 * A, B and C themselves must start at multiples of 16 bytes, as any
 * cudaMalloc result does.
 *
 * Facts the parameters stand on: a row of the ring is padded by PAD
 * elements, so that the eight rows a fragment load touches fall into
 * different banks; a warp tile of 64 x 64 is the smallest whose fragment
 * loads keep up with the tensor cores; more than 48 KB of shared memory are
 * asked for by the launch; GROUP rows of tiles are walked together, which
 * keeps their part of A and B in the level 2 cache.
 *
 * Hazard: a slot of the ring is refilled only after a barrier that follows
 * its last read; moving the barrier or the refill breaks that order without
 * any visible error most of the time. */
#include <mma.h>
#include "hone_device.cuh"

#pragma hone op gemm_f16(M, N, K) "C = alpha*A*B + beta*C, row-major, f16 in, f32 accumulate"
#pragma hone arch sm >= 80
#pragma hone arg A: in f16[M*K], B: in f16[K*N], C: inout f32[M*N], alpha: f32, beta: f32

#pragma hone param WMMA in {m16n16k16, m32n8k16, m8n32k16} default m16n16k16
#pragma hone param BM in {32, 64, 128, 256} default 128
#pragma hone param BN in {32, 64, 128, 256} default 128
#pragma hone param BK in {32, 64} default 64
#pragma hone param WM in {16, 32, 64} default 64
#pragma hone param WN in {32, 64} default 64
#pragma hone param STAGES in 2..5 default 3
#pragma hone param PAD in {0, 8} default 8
#pragma hone param SPLIT_K in {1, 2, 4, 8} default 1
#pragma hone param GROUP in {1, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2} default 1

#pragma hone let FM = WMMA == m16n16k16 ? 16 : WMMA == m32n8k16 ? 32 : 8
#pragma hone let FN = WMMA == m16n16k16 ? 16 : WMMA == m32n8k16 ? 8 : 32
#pragma hone let WARPS = (BM/WM)*(BN/WN)
#pragma hone let RING = STAGES*(BM*(BK + PAD) + BK*(BN + PAD))*2
#pragma hone let STAGING = WARPS*WM*(WN + 8)*4
#pragma hone let SMEM = max(RING, STAGING)
#pragma hone let TILES = ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require WM % FM == 0 && WN % FN == 0 "a warp tile holds whole fragments"
#pragma hone require WARPS >= 4 && WARPS <= 8 "4 or 8 warps"
#pragma hone require min(BM, BN)*BK/8 >= WARPS*32 "every thread copies a part of each tile"
#pragma hone require (WMMA != m16n16k16) + (PAD != 8) + (GROUP != 8) + (MIN_BLOCKS != 1) <= 1 "what seldom helps is tried one at a time"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*WARPS*32*(WM*WN/32 + 48) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(M, max(N, K)) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K "K is too short to be split so often"
#pragma hone require SPLIT_K == 1 || TILES <= 2*device.sm_count "enough tiles without splitting K"

#pragma hone let PACK_A = K % 8 == 0 ? 0 : M*align(K, 8)
#pragma hone let PACK_B = N % 8 == 0 ? 0 : K*align(N, 8)
#pragma hone require max(PACK_A, PACK_B) < 16G "a matrix to be packed is larger than 32 GB"
#pragma hone workspace packed_a: f16[PACK_A]
#pragma hone workspace packed_b: f16[PACK_B]
#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*M*N : 0]
#pragma hone launch gemm_f16_pack if(PACK_A + PACK_B > 0) grid(min(ceildiv(max(PACK_A, PACK_B), 2048), device.sm_count*8), 2) block(256) args(A, B, packed_a, packed_b, i32(M), i32(N), i32(K))
#pragma hone launch gemm_f16 grid(TILES, SPLIT_K) block(WARPS*32) shared(SMEM) args(A, B, C, alpha, beta, packed_a, packed_b, partial, i32(M), i32(N), i32(K), i32(STAGES), i32(GROUP), i32(STEPS))
#pragma hone launch gemm_f16_reduce if(SPLIT_K > 1) grid(min(ceildiv(M*N, 256), device.sm_count*8)) block(256) args(C, alpha, beta, partial, i64(M*N), i32(SPLIT_K))
#pragma hone work flops(2*M*N*K) bytes(2*(M*K + K*N) + 8*M*N)
#pragma hone check cpu.gemm_f16 tolerance(K + 4) exact(K <= 262144 ? 4 : 1)
#pragma hone check cublas.gemm tolerance(2*K + 8)
#pragma hone baseline cublas, cublaslt

namespace wmma = nvcuda::wmma;

constexpr int kFragM = WMMA == WMMA_values::m16n16k16  ? 16
                       : WMMA == WMMA_values::m32n8k16 ? 32
                                                       : 8;
constexpr int kFragN = WMMA == WMMA_values::m16n16k16  ? 16
                       : WMMA == WMMA_values::m32n8k16 ? 8
                                                       : 32;
constexpr int kFragK = 16;
constexpr int kWarpsN = BN / WN;
constexpr int kThreads = BM / WM * kWarpsN * 32;
constexpr int kFragsM = WM / kFragM; /* fragments of a warp tile */
constexpr int kFragsN = WN / kFragN;
constexpr int kPitchA = BK + PAD; /* elements from row to row of a slot */
constexpr int kPitchB = BN + PAD;
constexpr int kSlotA = BM * kPitchA; /* elements of a slot's two parts */
constexpr int kSlot = kSlotA + BK * kPitchB;
constexpr int kSteps = BK / kFragK; /* k steps of a tile */
constexpr int kPitchC = WN + 8; /* floats from row to row of the staging */

using frag_a = wmma::fragment<wmma::matrix_a, kFragM, kFragN, kFragK, __half,
                              wmma::row_major>;
using frag_b = wmma::fragment<wmma::matrix_b, kFragM, kFragN, kFragK, __half,
                              wmma::row_major>;
using frag_c =
    wmma::fragment<wmma::accumulator, kFragM, kFragN, kFragK, float>;

/* One thread's part in copying ROWS x COLS tiles of a row-major matrix to
 * shared memory: groups of eight elements, ROW_STEP rows apart. */
template <int ROWS, int COLS, int PITCH> struct tile_reader {
    static constexpr int GROUPS = COLS / 8; /* groups of a row */
    static constexpr int ROW_STEP = kThreads / GROUPS;
    static constexpr int COUNT = ROWS > ROW_STEP ? ROWS / ROW_STEP : 1;

    const __half *at;         /* this thread's first group of the next tile */
    long long step;           /* elements from group to group */
    int rows_left, cols_left; /* of the matrix, from `at` on */
    int to;                   /* where in the slot */

    /* `pitch` elements from row to row; the tile starts at (row, col) of a
     * matrix that ends before (row_end, col_end). */
    __device__ tile_reader(const __half *matrix, int pitch, int row, int col,
                           int row_end, int col_end)
    {
        const int my_row = threadIdx.x / GROUPS;
        const int my_col = threadIdx.x % GROUPS * 8;

        at = matrix + (long long)(row + my_row) * pitch + col + my_col;
        step = (long long)ROW_STEP * pitch;
        rows_left = row_end - row - my_row;
        cols_left = col_end - col - my_col;
        to = my_row * PITCH + my_col;
    }

    /* Copy the tile at `at` to `slot`; groups outside become 0. */
    __device__ void copy(__half *slot) const
    {
        if (ROW_STEP > ROWS && (int)threadIdx.x >= ROWS * GROUPS)
            return;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            hone::copy16_async(slot + to + i * ROW_STEP * PITCH,
                               at + i * step,
                               i * ROW_STEP < rows_left && cols_left > 0);
    }
};

/* A warp's fragments of one k step of a slot. */
struct fragments {
    frag_a a[kFragsM];
    frag_b b[kFragsN];

    /* From `slot`, where this warp's parts start at `of_a` and `of_b`. */
    __device__ void load(const __half *slot, int of_a, int of_b, int k)
    {
#pragma unroll
        for (int i = 0; i < kFragsM; i++)
            wmma::load_matrix_sync(
                a[i], slot + of_a + i * kFragM * kPitchA + k, kPitchA);
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::load_matrix_sync(b[j], slot + of_b + k * kPitchB +
                                             j * kFragN, kPitchB);
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

/* Ask for a warp's part of C some time before it is needed. */
__device__ inline void prefetch_tile(const float *C, int row, int col, int M,
                                     int N)
{
#pragma unroll 1
    for (int r = row + (int)threadIdx.x % 32; r < min(row + WM, M); r += 32) {
        for (int c = col; c < min(col + WN, N); c += 32)
            hone::prefetch(C + (long long)r * N + c);
    }
}

/* out = alpha*sum + beta*out for the sums of one warp, of which rows x cols
 * lie inside the matrix of `n` columns. Lanes stand side by side in a row; a
 * batch of old values is asked for before the first is used. */
__device__ inline void write_tile(const float *staging, float *out, int n,
                                  int rows, int cols, float alpha, float beta)
{
    constexpr int BATCH = 8;
    const int rows_read = beta != 0.0f ? rows : 0;

#pragma unroll 1
    for (int c = (int)threadIdx.x % 32; c < cols; c += 32) {
        const float *from = staging + c;
        float *to = out + c;

#pragma unroll 1
        for (int r = 0; r < rows; r += BATCH) {
            float old[BATCH];

#pragma unroll
            for (int i = 0; i < BATCH; i++)
                old[i] = r + i < rows_read ? to[(long long)i * n] : 0.0f;
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                if (r + i < rows)
                    to[(long long)i * n] =
                        alpha * from[i * kPitchC] + beta * old[i];
            }
            from += BATCH * kPitchC;
            to += (long long)BATCH * n;
        }
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
gemm_f16(const __half *__restrict__ A, const __half *__restrict__ B,
         float *__restrict__ C, float alpha, float beta,
         const __half *__restrict__ packed_a,
         const __half *__restrict__ packed_b, float *__restrict__ partial,
         int M, int N, int K, int stages, int group, int part_steps)
{
    extern __shared__ __align__(128) unsigned char shared[];
    __half *ring = reinterpret_cast<__half *>(shared);
    const int warp = threadIdx.x / 32;
    const int warp_row = warp / kWarpsN * WM;
    const int warp_col = warp % kWarpsN * WN;

    /* Which tile: `group` rows of tiles are walked column by column. */
    const int tiles_m = (M + BM - 1) / BM;
    const int tiles_n = (N + BN - 1) / BN;
    const int group_row = (int)blockIdx.x / (group * tiles_n) * group;
    const int group_rows = min(group, tiles_m - group_row);
    const int in_group = (int)blockIdx.x % (group * tiles_n);
    const int row = (group_row + in_group % group_rows) * BM;
    const int col = in_group / group_rows * BN;

    /* Which part of K; what a part of several computes is not final. */
    const int all_steps = (K + BK - 1) / BK;
    const int first_step = min((int)blockIdx.y * part_steps, all_steps);
    const int n_steps = min(part_steps, all_steps - first_step);
    const int k = first_step * BK;
    float *out = C;

    if (gridDim.y > 1) {
        out = partial + (long long)blockIdx.y * M * N;
        alpha = 1.0f;
        beta = 0.0f;
    }

    const int pitch_a = (K + 7) / 8 * 8;
    const int pitch_b = (N + 7) / 8 * 8;
    tile_reader<BM, BK, kPitchA> from_a(K % 8 == 0 ? A : packed_a, pitch_a,
                                        row, k, M, K);
    tile_reader<BK, BN, kPitchB> from_b(N % 8 == 0 ? B : packed_b, pitch_b,
                                        k, col, K, N);
    auto fill = [&](int slot) {
        from_a.copy(ring + slot * kSlot);
        from_b.copy(ring + slot * kSlot + kSlotA);
        from_a.at += BK;
        from_a.cols_left -= BK;
        from_b.at += (long long)BK * pitch_b;
        from_b.rows_left -= BK;
    };

    frag_c acc[kFragsM][kFragsN];
#pragma unroll
    for (int i = 0; i < kFragsM; i++) {
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    }

    const int of_a = warp_row * kPitchA;
    const int of_b = kSlotA + warp_col;

    /* In round `step` the tile of step + ahead is asked for, the tile of
     * `step` is multiplied and the tile of step + 1 arrives; the first rounds
     * only ask. Fragments are loaded one k step ahead: the last k step of a
     * tile runs while the first fragments of the next load, and behind the
     * barrier no warp reads the old tile any more. A group of copies is
     * closed in every round, empty or not: their count says what has
     * arrived. */
    const int ahead = stages - 1;
    int read = stages - 1, write = 0;
    fragments two[2];

#pragma unroll 1
    for (int step = -ahead; step < n_steps; step++) {
        if (step + ahead < n_steps)
            fill(write);
        else if (step + ahead == n_steps && beta != 0.0f)
            prefetch_tile(C, row + warp_row, col + warp_col, M, N);
        hone::copy_commit();
        write = write + 1 == stages ? 0 : write + 1;
        if (step < -1)
            continue;
        if (step >= 0) {
#pragma unroll
            for (int at = 0; at < kSteps - 1; at++) {
                two[(at + 1) % 2].load(ring + read * kSlot, of_a, of_b,
                                       (at + 1) * kFragK);
                two[at % 2].multiply(acc);
            }
        }
        hone::copy_wait(ahead - 1);
        __syncthreads();
        read = read + 1 == stages ? 0 : read + 1;
        two[0].load(ring + read * kSlot, of_a, of_b, 0);
        if (step >= 0)
            two[1].multiply(acc);
    }
    __syncthreads();

    /* The ring is free: each warp stages its sums there and writes whole
     * rows. */
    float *staging = reinterpret_cast<float *>(shared) + warp * WM * kPitchC;
    const int r = row + warp_row;
    const int c = col + warp_col;

#pragma unroll
    for (int i = 0; i < kFragsM; i++) {
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::store_matrix_sync(
                staging + i * kFragM * kPitchC + j * kFragN, acc[i][j],
                kPitchC, wmma::mem_row_major);
    }
    __syncwarp();
    out += (long long)r * N + c;
    write_tile(staging, out, N, min(M - r, WM), min(N - c, WN), alpha, beta);
}

/* Copies the matrix whose rows do not start at multiples of 16 bytes to rows
 * of whole groups of eight elements, the last ones zero: A by the blocks with
 * blockIdx.y = 0, B by those with 1. */
extern "C" __global__ void __launch_bounds__(256)
gemm_f16_pack(const __half *__restrict__ A, const __half *__restrict__ B,
              __half *__restrict__ packed_a, __half *__restrict__ packed_b,
              int M, int N, int K)
{
    const bool is_a = blockIdx.y == 0;
    const int rows = is_a ? M : K;
    const int cols = is_a ? K : N;
    const unsigned groups = (cols + 7) / 8;
    const unsigned total = cols % 8 == 0 ? 0 : rows * groups;
    const unsigned short *from =
        reinterpret_cast<const unsigned short *>(is_a ? A : B);
    uint4 *to = reinterpret_cast<uint4 *>(is_a ? packed_a : packed_b);

#pragma unroll 1
    for (unsigned g = blockIdx.x * 256 + threadIdx.x; g < total;
         g += gridDim.x * 256) {
        const unsigned row = g / groups;
        const int col = g % groups * 8;
        const unsigned short *in = from + (long long)row * cols + col;
        unsigned v[8];

#pragma unroll
        for (int i = 0; i < 8; i++)
            v[i] = col + i < cols ? in[i] : 0;
        to[g] = make_uint4(v[0] | v[1] << 16, v[2] | v[3] << 16,
                           v[4] | v[5] << 16, v[6] | v[7] << 16);
    }
}

extern "C" __global__ void __launch_bounds__(256)
gemm_f16_reduce(float *__restrict__ C, float alpha, float beta,
                const float *__restrict__ partial, long long count,
                int parts)
{
    const long long step = (long long)gridDim.x * 256;

#pragma unroll 1
    for (long long i = (long long)blockIdx.x * 256 + threadIdx.x; i < count;
         i += step) {
        float sum = 0.0f;

#pragma unroll 2
        for (int part = 0; part < parts; part++)
            sum += __ldcg(partial + part * count + i);
        sum *= alpha;
        C[i] = beta == 0.0f ? sum : sum + beta * C[i];
    }
}
