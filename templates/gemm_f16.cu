/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_f16: C = alpha*A*B + beta*C. A is M x K and B is K x N in f16, C is
 * M x N in f32, all row-major without gaps; sums are kept in f32. Any M, N
 * and K from 1 up, N to 16 M. With beta = 0, C is written without being read.
 *
 * A block computes BM x BN of C, a warp WM x WN of it with matrix fragments
 * (nvcuda::wmma). Tiles of A and B pass through a ring of STAGES buffers in
 * shared memory, filled by asynchronous 16-byte copies STAGES-1 tiles ahead.
 * With SLICES > 1 groups of warps share each tile's K and add up in shared
 * memory. With SPLIT_K > 1 the blocks of one tile of C share the K dimension;
 * each leaves an f32 partial sum. FINISH says who adds them up: `ticket` the
 * last block of the tile, `reduce` a second launch; both in a fixed order, so
 * that every run of a variant gives the same bits.
 *
 * Alignment: the copies need rows that start at multiples of 16 bytes, i.e.
 * K % 8 == 0 for A and N % 8 == 0 for B. A matrix that lacks this is first
 * copied to a workspace with longer rows by gemm_f16_pack, which costs one
 * launch and one pass over that matrix and lets any shape run the fast path.
 * A, B and C themselves must start at multiples of 16 bytes, as any
 * cudaMalloc result does.
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
#include "hone_device.cuh"

#pragma hone op gemm_f16(M, N, K) "C = alpha*A*B + beta*C, row-major, f16 in, f32 accumulate"
#pragma hone arch sm >= 80
#pragma hone arg A: in f16[M*K], B: in f16[K*N], C: inout f32[M*N], alpha: f32, beta: f32

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
#pragma hone let RING = STAGES*(BM*(BK + PAD) + BK*(BN + PAD))*2
#pragma hone let STAGING = SLICES*BM*(BN + 8)*4
#pragma hone let SMEM = max(RING, STAGING)
#pragma hone let TILES = ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require WM % FM == 0 && WN % FN == 0 "a warp tile holds whole fragments"
#pragma hone require WARPS >= 4 && WARPS <= 8 "4 or 8 warps"
#pragma hone require min(BM, BN)*BK/8 >= WARPS*32 "every thread copies a part of each tile"
#pragma hone require BK/SLICES >= 32 && BK/SLICES <= 64 "a warp multiplies two or four fragments deep"
#pragma hone require (WMMA != m16n16k16) + (PAD != 8) + (GROUP != 8) + (MIN_BLOCKS != 1) <= 1 && (PAD == 8 || SLICES*SPLIT_K == 1) "what seldom helps is tried one at a time"
#pragma hone require STAGES > 2 || SLICES*SPLIT_K == 1 "few tiles need more of them under way"
#pragma hone require SLICES == 1 || TILES*SPLIT_K <= 2*device.sm_count "enough tiles without slices"
#pragma hone require SLICES < 4 || TILES*SPLIT_K <= device.sm_count "enough tiles without four slices"
#pragma hone require BM*BN >= 128*128 || TILES <= 16*device.sm_count "tiles so small read A and B too often"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*WARPS*32*(WM*WN/32 + 48) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(M, max(N, K)) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require N <= 16M "offsets inside a tile of C must fit 31 bits"
#pragma hone require SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 128 && M*N < 100000) "K is too short to be split so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone require SPLIT_K > 1 || FINISH == ticket "without parts there is nothing to add up"
#pragma hone require BM <= 128 || M > 128 "more than half of each tile would lie outside"
#pragma hone require BN <= 128 || N > 128 "more than half of each tile would lie outside"
#pragma hone require BM*BN <= 128*128 || TILES >= device.sm_count || M*N < 100000 "tiles so large leave multiprocessors idle"
#pragma hone require GROUP == 8 || TILES > device.sm_count "all tiles run at once in any order"

#pragma hone let PACK_A = K % 8 == 0 ? 0 : M*align(K, 8)
#pragma hone let PACK_B = N % 8 == 0 ? 0 : K*align(N, 8)
#pragma hone require max(PACK_A, PACK_B) < 16G "a matrix to be packed is larger than 32 GB"
#pragma hone workspace packed_a: f16[PACK_A]
#pragma hone workspace packed_b: f16[PACK_B]
#pragma hone let PART = align(M, BM)*align(N, BN)
#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*PART : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_f16_pack if(PACK_A + PACK_B > 0) grid(min(ceildiv(max(PACK_A, PACK_B), 2048), device.sm_count*8), 2) block(256) args(A, B, packed_a, packed_b, i32(M), i32(N), i32(K))
#pragma hone launch gemm_f16 grid(TILES, SPLIT_K) block(WARPS*32) shared(SMEM) args(A, B, C, alpha, beta, packed_a, packed_b, partial, tickets, i32(M), i32(N), i32(K), i32(STAGES), i32(GROUP), i32(STEPS), i32(FINISH == ticket))
#pragma hone launch gemm_f16_reduce if(SPLIT_K > 1 && FINISH == reduce) grid(min(ceildiv(N, 256), 65535), min(M, 65535)) block(256) args(C, alpha, beta, partial, i32(M), i32(N), i32(align(N, BN)), i64(PART), i32(SPLIT_K))
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
constexpr int kWarps = BM / WM * kWarpsN; /* of a slice */
constexpr int kThreads = kWarps * SLICES * 32;
constexpr int kFragsM = WM / kFragM; /* fragments of a warp tile */
constexpr int kFragsN = WN / kFragN;
constexpr int kPitchA = BK + PAD; /* elements from row to row of a slot */
constexpr int kPitchB = BN + PAD;
constexpr int kSlotA = BM * kPitchA; /* elements of a slot's two parts */
constexpr int kSlot = kSlotA + BK * kPitchB;
constexpr int kSteps = BK / kFragK / SLICES; /* a warp's k steps of a tile */
constexpr int kPitchC = BN + 8; /* floats from row to row of the staging */

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

    /* If `wanted`, copy the tile at `at` to `slot`. */
    __device__ void copy_all(__half *slot, bool wanted) const
    {
        const __half *from = at;
        slot += to;
#pragma unroll 1
        for (int i = 0; i < COUNT; i++) {
            hone::copy16_async(slot, from,
                               i * ROW_STEP < rows_left && cols_left > 0,
                               wanted);
            slot += ROW_STEP * PITCH;
            from += step;
        }
    }

    /* If `wanted`, copy part `part` of PARTS of the tile at `at` to `slot`;
     * groups outside become 0. */
    template <int PARTS>
    __device__ void copy(__half *slot, int part, bool wanted) const
    {
#pragma unroll
        for (int i = part; i < COUNT; i += PARTS)
            hone::copy16_async(slot + to + i * ROW_STEP * PITCH,
                               at + i * step,
                               i * ROW_STEP < rows_left && cols_left > 0,
                               wanted);
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

/* Ask for a tile of C some time before it is needed. */
__device__ inline void prefetch_tile(const float *C, int row, int col, int M,
                                     int N)
{
    constexpr int LINES = BN / 32;

#pragma unroll 1
    for (int i = threadIdx.x; i < BM * LINES; i += kThreads) {
        const int r = row + i / LINES;
        const int c = col + i % LINES * 32;

        if (r < M && c < N)
            hone::prefetch(C + (long long)r * N + c);
    }
}

/* Whether all other blocks that share the ticket have been here, what they
 * wrote before then being visible. The last one leaves the ticket at 0. */
__device__ inline bool is_last(unsigned *ticket)
{
    bool last = false;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(ticket, 1u) == gridDim.y - 1;
        if (last)
            *ticket = 0;
    }
    last = __syncthreads_or(last);
    __threadfence();
    return last;
}

/* A tile's sums, in `parts` tiles `part_step` floats apart, and where they
 * go: to = alpha*sum + beta*to, of which rows x cols lie inside. */
struct tile_sums {
    const float *from;
    long long part_step;
    int parts, from_pitch;
    float *to;
    int pitch, rows, cols;
    float alpha, beta;

    /* Parts are added in their order. A batch of values is asked for before
     * the first is used. */
    template <int WIDTH, int MOST> __device__ void write() const
    {
        using V = typename hone::vector<float, WIDTH>::type;
        constexpr int LANES = BN / WIDTH < kThreads ? BN / WIDTH : kThreads;
        constexpr int ROW_STEP = kThreads / LANES;
        constexpr int COUNT = BM / ROW_STEP;
        constexpr int BATCH = COUNT < MOST ? COUNT : MOST;

#pragma unroll 1
        for (int c = threadIdx.x % LANES * WIDTH; c < cols;
             c += LANES * WIDTH) {
#pragma unroll 1
            for (int r = threadIdx.x / LANES; r < rows;
                 r += BATCH * ROW_STEP) {
                V *out = reinterpret_cast<V *>(to + (long long)r * pitch + c);
                const float *in = from + (long long)r * from_pitch + c;
                const int step = ROW_STEP * pitch / WIDTH;
                V sum[BATCH] = {}, old[BATCH] = {};

                if (beta != 0.0f) {
#pragma unroll
                    for (int b = 0; b < BATCH; b++) {
                        if (r + b * ROW_STEP < rows)
                            old[b] = out[(long long)b * step];
                    }
                }
#pragma unroll 1
                for (int part = 0; part < parts; part++) {
#pragma unroll
                    for (int b = 0; b < BATCH; b++)
                        sum[b] = hone::axpy(
                            1.0f,
                            *reinterpret_cast<const V *>(
                                in + b * ROW_STEP * from_pitch),
                            sum[b]);
                    in += part_step;
                }
#pragma unroll
                for (int b = 0; b < BATCH; b++) {
                    if (r + b * ROW_STEP < rows)
                        out[(long long)b * step] =
                            hone::axpy(alpha, sum[b],
                                       hone::axpy(beta, old[b], V{}));
                }
            }
        }
    }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
gemm_f16(const __half *__restrict__ A, const __half *__restrict__ B,
         float *__restrict__ C, float alpha, float beta,
         const __half *__restrict__ packed_a,
         const __half *__restrict__ packed_b, float *__restrict__ partial,
         unsigned *__restrict__ tickets, int M, int N, int K, int stages,
         int group, int part_steps, int use_ticket)
{
    extern __shared__ __align__(128) unsigned char shared[];
    __half *ring = reinterpret_cast<__half *>(shared);
    const int slice = threadIdx.x / (kWarps * 32);
    const int warp = threadIdx.x / 32 % kWarps;
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

    const int pitch_a = (K + 7) / 8 * 8;
    const int pitch_b = (N + 7) / 8 * 8;
    tile_reader<BM, BK, kPitchA> from_a(K % 8 == 0 ? A : packed_a, pitch_a,
                                        row, k, M, K);
    tile_reader<BK, BN, kPitchB> from_b(N % 8 == 0 ? B : packed_b, pitch_b,
                                        k, col, K, N);
    auto advance = [&]() {
        from_a.at += BK;
        from_a.cols_left -= BK;
        from_b.at += (long long)BK * pitch_b;
        from_b.rows_left -= BK;
        hone::copy_commit();
    };

    frag_c acc[kFragsM][kFragsN];
#pragma unroll
    for (int i = 0; i < kFragsM; i++) {
#pragma unroll
        for (int j = 0; j < kFragsN; j++)
            wmma::fill_fragment(acc[i][j], 0.0f);
    }

    const int of_a = warp_row * kPitchA + slice * (BK / SLICES);
    const int of_b =
        kSlotA + slice * (BK / SLICES) * kPitchB + warp_col;

    /* The first tiles are asked for. A group of copies is closed for each
     * tile, also for those behind the last: their count says what has
     * arrived. */
    const int ahead = stages - 1;
    int read = 0, write = ahead;
    fragments two[2];

#pragma unroll 1
    for (int step = 0; step < ahead; step++) {
        __half *slot = ring + step * kSlot;

        from_a.copy_all(slot, step < n_steps);
        from_b.copy_all(slot + kSlotA, step < n_steps);
        advance();
    }
    if (beta != 0.0f && blockIdx.y == 0)
        prefetch_tile(C, row, col, M, N);
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
        __half *slot = ring + write * kSlot;

#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            from_a.copy<kSteps>(slot, at, step + ahead < n_steps);
            from_b.copy<kSteps>(slot + kSlotA, at, step + ahead < n_steps);
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(ring + read * kSlot, of_a, of_b,
                                       (at + 1) * kFragK);
            } else {
                advance();
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
    const long long part_size = (long long)tiles_m * BM * part_pitch;
    float *of_tile = partial + (long long)row * part_pitch + col;

#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        const bool to_part = in_parts && round == 0;
        tile_sums sums;

        sums.from = round == 0 ? staging : of_tile;
        sums.part_step = round == 0 ? BM * kPitchC : part_size;
        sums.parts = round == 0 ? SLICES : (int)gridDim.y;
        sums.from_pitch = round == 0 ? kPitchC : part_pitch;
        sums.to = to_part ? of_tile + blockIdx.y * part_size
                          : C + (long long)row * N + col;
        sums.pitch = to_part ? part_pitch : N;
        sums.rows = to_part ? BM : min(M - row, BM);
        sums.cols = to_part ? BN : min(N - col, BN);
        sums.alpha = to_part ? 1.0f : alpha;
        sums.beta = to_part ? 0.0f : beta;
        if (sums.pitch % 4 == 0)
            sums.write<4, 4>();
        else
            sums.write<1, 8>();
        if (round + 1 < rounds && !is_last(tickets + blockIdx.x))
            return;
    }
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

/* Adds up the parts of C; rows of a part are `pitch` floats apart. */
extern "C" __global__ void __launch_bounds__(256)
gemm_f16_reduce(float *__restrict__ C, float alpha, float beta,
                const float *__restrict__ partial, int M, int N, int pitch,
                long long part_size, int parts)
{
#pragma unroll 1
    for (int r = blockIdx.y; r < M; r += gridDim.y) {
#pragma unroll 1
        for (int c = blockIdx.x * 256 + threadIdx.x; c < N;
             c += gridDim.x * 256) {
            const float *from = partial + (long long)r * pitch + c;
            float *to = C + (long long)r * N + c;
            const float old = beta != 0.0f ? *to : 0.0f;
            float sum = 0.0f;

#pragma unroll 2
            for (int part = 0; part < parts; part++)
                sum += __ldcg(from + part * part_size);
            *to = alpha * sum + beta * old;
        }
    }
}
