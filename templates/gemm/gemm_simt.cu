/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/simt: products by ordinary multiply-adds, f32 and f64 on any device; f16
 * and bf16 with sums in f32, for devices whose tensor cores do not take them,
 * and for what is small. What is computed says gemm.cuh.
 *
 * A block computes BM x BN of C, a thread TM x TN of them in registers, a warp
 * LANES_M lanes down and 32/LANES_M across. Tiles of A and B, BK deep, pass
 * through a ring in shared memory in which a line belongs to one k, so that a
 * thread's rows and columns come by loads of 16 bytes: what lies along K is
 * transposed on the way. FETCH says how they get there: `async`, copied STAGES-1
 * tiles ahead, V = VEC elements at once, or one where they are transposed;
 * `registers`, loaded a tile ahead, VEC at once, and stored behind the products.
 * With SLICES > 1 groups of warps share each tile's K and add up in shared memory:
 * many warps with large thread tiles where tiles of C are few and small. With
 * SPLIT_K > 1 the blocks of one tile of C share K; FINISH says who adds up what
 * they leave: `ticket` the last block of the tile, `reduce` a second launch; both
 * in a fixed order, so that every run of a variant gives the same bits.
 *
 * Alignment: VEC elements are read at once only where rows and matrices of A and
 * B lie at multiples of them; with VEC = 1 they may lie anywhere.
 *
 * Properties the parameters stand on: a multiprocessor starts one warp's
 * instruction in each of four units a cycle, and as many multiply-adds (f32):
 * every other instruction takes the place of one. A step of K is TM*TN
 * multiply-adds and (TM + TN)/4 loads in each thread. GROUP rows of tiles are
 * walked together, which keeps their part of A and B in the level 2 cache.
 *
 * Hazard: as in gemm/wmma, a slot of the ring is filled only behind a barrier
 * that follows its last read. */
#include "gemm.cuh"
#include "hone_device.cuh"
#include "hone_gemm.cuh"
#include "gemm_simt_parts.cuh"

#pragma hone implements gemm/simt "multiply-adds of threads, any shape and type"

#pragma hone param BM in {8, 16, 32, 64, 96, 128, 192, 256} default 64
#pragma hone param BN in {8, 16, 32, 64, 96, 128, 192, 256} default 64
#pragma hone param BK in {8, 16, 32} default 16
#pragma hone param TM in {4, 8, 16} default 8
#pragma hone param TN in {4, 8, 16} default 4
#pragma hone param LANES_M in {2, 4, 8} default 4
#pragma hone param SLICES in {1, 2, 4} default 1
#pragma hone param FETCH in {registers} for device sm >= 80 in {async} when sizeof(T) >= 4
#pragma hone param STAGES in 2..4 default 2 when FETCH == async
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 16, 32, 64, 128} default 1
#pragma hone param FINISH in {ticket, reduce} default ticket when SPLIT_K > 1
#pragma hone param GROUP in {1, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4} default 1

/* In words of 4 bytes: what sums and shared memory hold. */
#pragma hone let WORDS = T == f64 ? 2 : 1
#pragma hone let CHUNK = 4/WORDS
#pragma hone let WM = LANES_M*TM
#pragma hone let WN = 32/LANES_M*TN
#pragma hone let TILE_THREADS = BM/WM*(BN/WN)*32
#pragma hone let THREADS = TILE_THREADS*SLICES
#pragma hone let PITCH_A = BM + (TRANS_A ? 0 : CHUNK)
#pragma hone let PITCH_B = BN + (TRANS_B ? CHUNK : 0)
#pragma hone let RING = STAGES*BK*(PITCH_A + PITCH_B)*4*WORDS
#pragma hone let STAGING = (SLICES - 1)*BM*BN*4*WORDS
#pragma hone let SMEM = max(RING, STAGING)
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)
/* Registers on the way to shared memory, of one thread. */
#pragma hone let HELD = FETCH == registers ? ceildiv((BM + BN)*BK*sizeof(T), 4*max(THREADS, 1)) : 8

/* Elements of which all distances of A and B are multiples, up to 4. */
#pragma hone let LAID_A = gcd(ROWS_A > 1 ? LDA : 4, BATCH > 1 ? STRIDE_A : 4)
#pragma hone let LAID_B = gcd(ROWS_B > 1 ? LDB : 4, BATCH > 1 ? STRIDE_B : 4)
#pragma hone let LAID = gcd(4, gcd(LAID_A, LAID_B))

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require THREADS >= 64 && THREADS <= 512 "2 to 16 warps"
#pragma hone require TM*TN*WORDS >= 16 && TM*TN*WORDS <= 128 "sums of a thread, in registers"
#pragma hone require LANES_M > 2 || BM < 32 "a warp's tile so wide reads more of B than need be"
#pragma hone require TM*TN*WORDS >= 32 || BM*BN < 64*64 "a thread of so few sums reads more than it adds"
#pragma hone require TM*TN*WORDS <= 64 || (THREADS >= 128 && FETCH == async) "registers beside so many sums"
#pragma hone require MIN_BLOCKS == 1 || (MIN_BLOCKS*THREADS >= 256 && MIN_BLOCKS*THREADS <= 768) "registers for so many blocks are not worth it"
#pragma hone require BK % (SLICES*4) == 0 "a slice has at least four steps of K"
#pragma hone require BK/SLICES*TM*TN <= 2048 "the loop is too long for the cache of instructions"
#pragma hone require HELD <= 32 "registers on the way to shared memory"
#pragma hone require VEC*sizeof(T) <= 16 "an access has at most 16 bytes"
#pragma hone require LAID % VEC == 0 "rows or matrices do not lie at multiples of VEC"
#pragma hone require VEC == (FETCH == registers || !TRANS_B || TRANS_A ? min(LAID, 16/sizeof(T)) : 1) || (VEC == 1 && FETCH == registers) "wider accesses are possible, or narrower ones the same"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*THREADS*min(255, (TM*TN + 2*(TM + TN))*WORDS + 24 + HELD) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(M, N, K) <= 2000000000 && max(LDA, LDB, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require BM <= 64 || 2*M > BM "more than half of each tile would lie outside"
#pragma hone require BN <= 64 || 2*N > BN "more than half of each tile would lie outside"
#pragma hone require BM*BN == 64*64 || (BM <= max(2*M, 15) && BN <= max(2*N, 15)) "the same, of small ones"
#pragma hone require BM >= 32 || M <= 2*BM || BATCH*M*N < 100000 "tiles so low read B too often"
#pragma hone require BN >= 32 || N <= 2*BN || BATCH*M*N < 100000 "tiles so narrow read A too often"
#pragma hone require BM*BN >= 64*64 || TILES <= 8*device.sm_count "tiles so small read A and B too often"
#pragma hone require BM*BN == 64*64 || 2*TILES*SPLIT_K >= device.sm_count || K*BATCH*M*N < 16M "tiles so large leave multiprocessors idle"
#pragma hone require SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 128 && BATCH*M*N < 100000) "K is too short to be split so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone require SPLIT_K == 1 || (FINISH == ticket ? SPLIT_K <= 32 : SPLIT_K >= 4) "few parts are added by the last block, many by all"
#pragma hone require STAGES > 2 || FETCH == registers || SLICES*SPLIT_K == 1 "few tiles need more of them under way"
#pragma hone require FETCH == async || SLICES*SPLIT_K == 1 || device.sm < 80 || sizeof(T) == 2 "copies ahead hide more"
#pragma hone require SLICES == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without slices"
#pragma hone require GROUP == 8 || TILES > device.sm_count "all tiles run at once in any order"
#pragma hone require sizeof(T) >= 4 || device.sm < 80 || BATCH*M*N*K <= 16M "tensor cores do more"

#pragma hone let PART = TILES*BM*BN
#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*PART*WORDS : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_simt grid(TILES, SPLIT_K) block(THREADS) shared(SMEM) args(A, B, C, alpha, beta, partial, tickets, i32(M), i32(N), i32(K), i32(LDA), i32(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(GROUP), i32(STEPS), i32(FINISH == ticket), i64(PART))
#pragma hone launch gemm_simt_reduce if(SPLIT_K > 1 && FINISH == reduce) grid(ceildiv(BM*BN/CHUNK, 32), min(TILES, 65535)) block(32, 8) args(C, alpha, beta, partial, i32(M), i32(N), i64(LDC), i64(STRIDE_C), i32(GROUP), i32(TILES), i32(SPLIT_K), i64(PART)) early

using namespace hone::simt;
using W = typename hone::wide<T>::type;
using chunk = hone::pack<W, CHUNK>;

constexpr int kSteps = BK / SLICES; /* of K, of a slice in a tile */
constexpr bool kAsync = FETCH == FETCH_values::async;
constexpr int kAhead = kAsync ? STAGES - 1 : 1; /* tiles */
/* Copies that transpose have an element each. */
constexpr int kVecA = kAsync && !TRANS_A ? 1 : VEC;
constexpr int kVecB = kAsync && TRANS_B ? 1 : VEC;
constexpr int kChunks = TM * TN / CHUNK; /* of a thread's sums */

using reader_a = tile_reader<T, W, TRANS_A ? BK : BM, TRANS_A ? BM : BK, kVecA,
                             THREADS, !TRANS_A, PITCH_A>;
using reader_b = tile_reader<T, W, TRANS_B ? BN : BK, TRANS_B ? BK : BN, kVecB,
                             THREADS, TRANS_B, PITCH_B>;
using place = thread_tile<LANES_M, TM, TN, BN / WN, CHUNK>;
constexpr int kSlot = reader_a::SIZE + reader_b::SIZE;

/* The first of `count` copies that belongs to step `at`. */
constexpr int part_of(int count, int at)
{
    return count * at / kSteps;
}

/* A thread's rows of A and columns of B of one k. */
struct fragments {
    W a[TM], b[TN];

    __device__ void load(const W *of_a, const W *of_b, int k)
    {
#pragma unroll
        for (int i = 0; i < TM; i += CHUNK) {
            const chunk v = hone::read_pack<CHUNK>(of_a + k * PITCH_A +
                                                   i * LANES_M);
#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                a[i + e] = v.at[e];
        }
#pragma unroll
        for (int j = 0; j < TN; j += CHUNK) {
            const chunk v = hone::read_pack<CHUNK>(of_b + k * PITCH_B +
                                                   j * (32 / LANES_M));
#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                b[j + e] = v.at[e];
        }
    }
    /* There and back: what a product takes over from the one before it need
     * not be read from the registers again. */
    __device__ void multiply(W (&sums)[TM][TN]) const
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int n = 0; n < TN; n++) {
                const int j = i % 2 ? TN - 1 - n : n;

                sums[i][j] += a[i] * b[j];
            }
        }
    }
};

/* Chunk `n` of a thread's sums. */
__device__ inline chunk get_chunk(const W (&sums)[TM][TN], int n)
{
    chunk v;

#pragma unroll
    for (int e = 0; e < CHUNK; e++)
        v.at[e] = sums[n / (TN / CHUNK)][n % (TN / CHUNK) * CHUNK + e];
    return v;
}
__device__ inline void add_chunk(W (&sums)[TM][TN], int n, const chunk &v)
{
#pragma unroll
    for (int e = 0; e < CHUNK; e++)
        sums[n / (TN / CHUNK)][n % (TN / CHUNK) * CHUNK + e] += v.at[e];
}

/* Tile `unit` of the grid: `group` rows of tiles are walked column by column. */
struct tile_at {
    int matrix, row, col;

    __device__ tile_at(int unit, int M, int N, int group)
    {
        const int tiles_m = (M + BM - 1) / BM;
        const int tiles_n = (N + BN - 1) / BN;
        const int tile = unit % (tiles_m * tiles_n);
        const int group_row = tile / (group * tiles_n) * group;
        const int group_rows = min(group, tiles_m - group_row);
        const int in_group = tile % (group * tiles_n);

        matrix = unit / (tiles_m * tiles_n);
        row = (group_row + in_group % group_rows) * BM;
        col = in_group / group_rows * BN;
    }
    __device__ tile_of_c<OUT, W> of(OUT *C, int M, int N, long long pitch,
                                    long long stride, float alpha,
                                    float beta) const
    {
        return {C + matrix * stride + row * pitch + col,
                pitch,
                M - row,
                N - col,
                (pitch | (matrix ? stride : 0)) % CHUNK == 0,
                W(alpha),
                W(beta)};
    }
};

extern __shared__ float4 shared[];

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_simt(const T *__restrict__ A, const T *__restrict__ B, OUT *C, float alpha,
          float beta, void *partial, unsigned *tickets, int M, int N, int K,
          int pitch_a, int pitch_b, long long pitch_c, long long stride_a,
          long long stride_b, long long stride_c, int group, int part_steps,
          int use_ticket, long long part_size)
{
    W *const ring = reinterpret_cast<W *>(shared);
    const tile_at tile(blockIdx.x, M, N, group);
    const tile_of_c<OUT, W> c =
        tile.of(C, M, N, pitch_c, stride_c, alpha, beta);
    const int slice = threadIdx.x / TILE_THREADS;
    const int thread = threadIdx.x % TILE_THREADS;
    const place own(thread);

    /* Which part of K. */
    const int all_steps = (K + BK - 1) / BK;
    const int first_step = min((int)blockIdx.y * part_steps, all_steps);
    const int n_steps = min(part_steps, all_steps - first_step);

    /* The last tile along K comes first: with the parts of it that lie outside
     * its copies need care, and those of the others need none. */
    const int k = (first_step + n_steps - 1) * BK;
    reader_a from_a(A + tile.matrix * stride_a, pitch_a, tile.row, k, M, K);
    reader_b from_b(B + tile.matrix * stride_b, pitch_b, tile.col, k, N, K);
    auto advance = [&](int tiles) {
        from_a.move(tiles);
        from_b.move(tiles);
        if (kAsync)
            hone::copy_commit();
    };

    const W *of_a = ring + slice * kSteps * PITCH_A + own.row;
    const W *of_b =
        ring + reader_a::SIZE + slice * kSteps * PITCH_B + own.col;
    /* Where in the ring: what is multiplied, what is filled. */
    int read = 0, write = kAhead * kSlot;
    W sums[TM][TN] = {};
    fragments two[2];

#pragma unroll 1
    for (int step = 0; step < kAhead; step++) {
        W *const to_a = ring + step * kSlot + from_a.first;
        W *const to_b = ring + step * kSlot + reader_a::SIZE + from_b.first;

        if (kAsync) {
#pragma unroll 1
            for (int n = 0; n < reader_a::COUNT; n++)
                from_a.copy<false>(to_a, n, step < n_steps);
#pragma unroll 1
            for (int n = 0; n < reader_b::COUNT; n++)
                from_b.copy<false>(to_b, n, step < n_steps);
        } else {
            from_a.load<false>(n_steps > 0);
            from_b.load<false>(n_steps > 0);
            from_a.store(to_a);
            from_b.store(to_b);
        }
        advance(step == 0 ? 1 - n_steps : 1);
    }
    if (kAsync)
        hone::copy_wait(kAhead - 1);
    __syncthreads();
    two[0].load(of_a, of_b, 0);

    /* In round `step` the tile of step + kAhead is asked for, the tile of `step`
     * is multiplied and the tile of step + 1 arrives. What is multiplied is
     * loaded one k ahead: behind the barrier no warp reads the old tile. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        W *const to_a = ring + write + from_a.first;
        W *const to_b = ring + write + reader_a::SIZE + from_b.first;
        const bool more = step + kAhead < n_steps;

        if (!kAsync) {
            from_a.load<true>(more);
            from_b.load<true>(more);
        }
#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            if (kAsync) {
#pragma unroll
                for (int n = part_of(reader_a::COUNT, at);
                     n < part_of(reader_a::COUNT, at + 1); n++)
                    from_a.copy<true>(to_a, n, more);
#pragma unroll
                for (int n = part_of(reader_b::COUNT, at);
                     n < part_of(reader_b::COUNT, at + 1); n++)
                    from_b.copy<true>(to_b, n, more);
            }
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(of_a + read, of_b + read, at + 1);
            } else {
                if (!kAsync && more) {
                    from_a.store(to_a);
                    from_b.store(to_b);
                }
                advance(1);
                write = read;
                read = read == (STAGES - 1) * kSlot ? 0 : read + kSlot;
                if (kAsync)
                    hone::copy_wait(kAhead - 1);
                __syncthreads();
                two[0].load(of_a + read, of_b + read, 0);
            }
            two[at % 2].multiply(sums);
        }
    }
    hone::start_next();

    /* What the slices have, in the ring, which is free. */
    if constexpr (SLICES > 1) {
        W *const of_thread = ring + thread * CHUNK;

        __syncthreads();
        if (slice > 0) {
#pragma unroll
            for (int n = 0; n < kChunks; n++)
                hone::write_pack(of_thread + ((slice - 1) * kChunks + n) *
                                                 (TILE_THREADS * CHUNK),
                                 get_chunk(sums, n));
        }
        __syncthreads();
        if (slice == 0) {
#pragma unroll 1
            for (int s = 0; s < SLICES - 1; s++) {
#pragma unroll
                for (int n = 0; n < kChunks; n++)
                    add_chunk(sums, n,
                              hone::read_pack<CHUNK>(
                                  of_thread + (s * kChunks + n) *
                                                  (TILE_THREADS * CHUNK)));
            }
        }
    }

    /* What one of several blocks computes is a part: it goes to the workspace,
     * and the last of these blocks adds up the parts. */
    if (gridDim.y > 1) {
        W *const of_thread = static_cast<W *>(partial) +
                             (long long)blockIdx.x * (BM * BN) +
                             thread * CHUNK;

        if (slice == 0) {
#pragma unroll
            for (int n = 0; n < kChunks; n++)
                hone::write_pack(of_thread + blockIdx.y * part_size +
                                     n * (TILE_THREADS * CHUNK),
                                 get_chunk(sums, n));
        }
        if (!use_ticket || !hone::is_last(tickets + blockIdx.x, gridDim.y))
            return;
        if (slice == 0) {
#pragma unroll
            for (int i = 0; i < TM * TN; i++)
                sums[i / TN][i % TN] = W(0);
#pragma unroll 1
            for (int part = 0; part < (int)gridDim.y; part++) {
#pragma unroll
                for (int n = 0; n < kChunks; n++)
                    add_chunk(sums, n,
                              hone::read_pack<CHUNK, hone::access::l2>(
                                  of_thread + part * part_size +
                                  n * (TILE_THREADS * CHUNK)));
            }
        }
    }
    if (slice == 0) {
#pragma unroll
        for (int n = 0; n < kChunks; n++)
            c.write(own.row_of(n / (TN / CHUNK)),
                    own.col_of(n % (TN / CHUNK) * CHUNK), get_chunk(sums, n));
    }
}

/* Adds up the parts: 32 chunks of a tile a block, each by eight threads, which
 * share its parts. */
extern "C" __global__ void __launch_bounds__(256)
gemm_simt_reduce(OUT *C, float alpha, float beta, const void *partial, int M,
                 int N, long long pitch_c, long long stride_c, int group,
                 int tiles, int parts, long long part_size)
{
    __shared__ chunk of_share[8][32];
    const int which = blockIdx.x * 32 + threadIdx.x; /* of the tile's chunks */
    const int n = which / TILE_THREADS, share = threadIdx.y;
    const place own(which % TILE_THREADS);

    hone::wait_for_previous();
#pragma unroll 1
    for (int unit = blockIdx.y; unit < tiles; unit += gridDim.y) {
        const tile_at tile(unit, M, N, group);
        const W *from = static_cast<const W *>(partial) +
                        (long long)unit * (BM * BN) + which * CHUNK;
        chunk sum = {};

#pragma unroll 8
        for (int part = share * parts / 8; part < (share + 1) * parts / 8;
             part++) {
            const chunk v = hone::read_pack<CHUNK, hone::access::l2>(
                from + part * part_size);

#pragma unroll
            for (int e = 0; e < CHUNK; e++)
                sum.at[e] += v.at[e];
        }
        of_share[share][threadIdx.x] = sum;
        __syncthreads();
        if (share == 0) {
#pragma unroll
            for (int s = 1; s < 8; s++) {
#pragma unroll
                for (int e = 0; e < CHUNK; e++)
                    sum.at[e] += of_share[s][threadIdx.x].at[e];
            }
            tile.of(C, M, N, pitch_c, stride_c, alpha, beta)
                .write(own.row_of(n / (TN / CHUNK)),
                       own.col_of(n % (TN / CHUNK) * CHUNK), sum);
        }
        __syncthreads();
    }
}
