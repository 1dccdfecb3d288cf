/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_f8/sm90: the operation of gemm_f8.cuh with the matrix instructions (wgmma)
 * and the copy engine (TMA) of Hopper, compute capability 9.0 only. Any shape, any
 * leading dimensions, any batch.
 *
 * It is gemm/sm90 (gemm_sm90.cu says how that works) with bytes as elements: rows
 * of 128 bytes in shared memory are 128 of K, an instruction takes 32 of them.
 * These instructions read both operands with K contiguous, nothing else. What
 * lies across K is turned by gemm_f8_pack first, and what does not begin at
 * multiples of 16 bytes copied, one launch for both operands: a pass over them.
 *
 * With FAST = 0 what the instructions add up is taken to f32 sums of its own after
 * 128 of K, PART_K: a group then waits for its products, and the other's
 * are under way meanwhile. That needs registers for both.
 *
 * Below, rows and columns are those of the products, X (rows) and Y (columns) their
 * operands: A and B, or with SWAP B and A.
 *
 * Scales: alpha times the one of A and that of B is what a block multiplies its sums
 * by; those of rows and columns come before it.
 *
 * Alignment: A, B, C and the scales start at multiples of 16 bytes. Accuracy: the
 * contract's. Hazards: those of gemm_sm90.cu. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "gemm_f8.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"
#include "gemm_sm90_shares.cuh"
#include "gemm_sm90_loops.cuh"
#include "gemm_f8_parts.cuh"

#pragma hone implements gemm_f8/sm90 "wgmma and tensor copies of compute capability 9.0"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_f8_space.cuh"

#pragma hone let PACK_A = TRANS_A || (BATCH*M > 1 && LDA % 16 != 0)
#pragma hone let PACK_B = !TRANS_B || (BATCH*N > 1 && LDB % 16 != 0)
#pragma hone let PITCH = align(K, K > 512 ? 128 : 16)
#pragma hone let PACKED_A = PACK_A ? BATCH*M*PITCH : 0
#pragma hone let PACKED_B = PACK_B ? BATCH*N*PITCH : 0
#pragma hone require max(PACKED_A, PACKED_B) <= 16G "a matrix to be packed is larger than 16 GB"
#pragma hone workspace packed_a: u8[PACKED_A]
#pragma hone workspace packed_b: u8[PACKED_B]
#pragma hone workspace partial: f32[PARTIALS > 1 ? PARTIALS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTIALS > 1 && FINISH != reduce ? TILES*CONSUMERS*K_BLOCKS : 0] zero

#pragma hone let DEEP = align(ceildiv(K, PARTS), BK)
#pragma hone let TURNS = DEEP/BK
#pragma hone let ROW_A = PACK_A ? PITCH : LDA
#pragma hone let ROW_B = PACK_B ? PITCH : LDB
#pragma hone let ROW_X = SWAP ? ROW_B : ROW_A
#pragma hone let ROW_Y = SWAP ? ROW_A : ROW_B
#pragma hone let BESIDE = min(MIN_BLOCKS, ceildiv(CLUSTERS*IN_CLUSTER, device.sm_count))
#pragma hone let RUNS = 1
#pragma hone let SHIFT = 0
#pragma hone let PACK = PACK_A || PACK_B ? 4000 + (PACKED_A + PACKED_B)/(16*device.sm_count) : 0
#pragma hone let MEANWHILE = 0
#pragma hone let TRAFFIC = BATCH*(M*K + K*N + (1 + ADD)*M*N*sizeof(OUT))
#pragma hone let TASTE = STREAM ? -3 : 0
#include "gemm_sm90_cost.cuh"
#pragma hone feature DEPTH = STAGES*BK per DEEP

#pragma hone let LINES_A = (SWAP ? BN : BM)/CLUSTER_N
#pragma hone let LINES_B = (SWAP ? BM : BN)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(K, M, BATCH) strides(align(LDA, 16), align(M*LDA, 16)) box(128, LINES_A, 1) swizzle(128) l2(128) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(K, N, BATCH) strides(align(LDB, 16), align(N*LDB, 16)) box(128, LINES_B, 1) swizzle(128) l2(128) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(K, M, BATCH) strides(PITCH, M*PITCH) box(128, LINES_A, 1) swizzle(128) l2(128) if(PACK_A)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(K, N, BATCH) strides(PITCH, N*PITCH) box(128, LINES_B, 1) swizzle(128) l2(128) if(PACK_B)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*sizeof(OUT), STEP_C*sizeof(OUT)) box(BOX, WM, 1) swizzle(BOX*sizeof(OUT)) if(STAGED && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone let TILES_PACKED = (PACK_A ? BATCH*ceildiv(M, 128)*ceildiv(K, 128) : 0) + (PACK_B ? BATCH*ceildiv(N, 128)*ceildiv(K, 128) : 0)
#pragma hone launch gemm_f8_pack if(PACK_A || PACK_B) grid(min(TILES_PACKED, device.sm_count*8)) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS_A : 0), i32(COLS_A), i64(LDA), i32(PACK_B ? ROWS_B : 0), i32(COLS_B), i64(LDB), i64(PITCH), i32(BATCH))
#pragma hone launch gemm_f8_sm90 grid((PERSISTENT && FINISH != cluster ? min(CLUSTERS, RESIDENT) : CLUSTERS)*IN_CLUSTER) block(THREADS) shared(SMEM) cluster(IN_CLUSTER) args(MAP_A, MAP_B, MAP_PACKED_A, MAP_PACKED_B, MAP_C, C, partial, tickets, alpha, beta, scale_a, scale_b, i64(LDC), i64(STEP_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(PACK_A), i32(PACK_B), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket)) early
#pragma hone launch gemm_f8_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, scale_a, scale_b, i64(LDC), i64(STEP_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C)) early

namespace {

namespace gemm = hone::gemm;

constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr int kMostStages = 16;
constexpr bool kRegistersMove = CONSUMERS * MIN_BLOCKS > 1;

/* Blocks side by side share a tile of X, those one below the other one of Y. */
using operand_x = gemm::operand<false, BM, BK, 128, CLUSTER_N>;
using operand_y = gemm::operand<false, BN, BK, 128, CLUSTER_M>;
using tiling =
    gemm::tiling<operand_x, operand_y, WM, CONSUMERS, kInTurn, K_BLOCKS>;
static_assert(tiling::SLOT == SLOT_X + SLOT_Y, "shared memory is less");
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, false, 0>;
using staged_output =
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, STREAM, false, kInTurn>;
using line_scales = gemm::line_scales<SCALES, SWAP>;
using target = gemm::target<matrix_c, staged_output, epilogue, line_scales,
                            !STAGED, SPLITS != 0, false>;

/* The first step of K that part `part` has. */
__device__ __forceinline__ int first_step(int K, int part, int parts)
{
    const int all = (K + BK - 1) / BK;

    return SPLITS ? (int)((long long)all * part / parts) : part ? all : 0;
}

/* What a block multiplies, for gemm_sm90_slots.cuh and the parts of
 * gemm_sm90_loops.cuh. */
struct products : tiling {
    using walk = gemm::tile_walk<BM, BN, CLUSTER_M, CLUSTER_N, 1, K_BLOCKS>;
    static constexpr int PENDING = FAST ? ::PENDING : 0;

    /* One product of 64 rows, BN columns and 32 of K; `sum` 0 forgets what the
     * sums held. */
    static __device__ __forceinline__ void multiply(float (&d)[SUMS],
                                                    unsigned long long a,
                                                    unsigned long long b,
                                                    int sum)
    {
        asm volatile("{\n"
                     ".reg .pred sum;\n"
                     "setp.ne.b32 sum, %@{BN/2 + 2}, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k32.f32"
#pragma hone if (SWAP ? TB : TA) == e4m3
                     ".e4m3"
#pragma hone else
                     ".e5m2"
#pragma hone endif
#pragma hone if (SWAP ? TA : TB) == e4m3
                     ".e4m3 "
#pragma hone else
                     ".e5m2 "
#pragma hone endif
                     "{%0"
#pragma hone for I in 1..BN/2-1
                     ", %@{I}"
#pragma hone endfor
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1;\n"
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "l"(a), "l"(b), "r"(sum));
    }

    /* The products of one slot; `old` is 0 for the first slot of a tile. */
    static __device__ __forceinline__ void multiply_slot(sums &sums,
                                                         unsigned long long a,
                                                         unsigned long long b,
                                                         int old)
    {
        hone::wgmma_begin();
#pragma unroll
        for (int k = 0; k < BK / 32; k++) {
#pragma unroll
            for (int i = 0; i < HEIGHTS; i++)
                multiply(sums[i], a + (x::at(k) + i * x::HEIGHT) / 16,
                         b + y::at(k) / 16, k > 0 ? 1 : old);
        }
        hone::wgmma_commit();
    }

    /* The sums of a tile, of so many steps. */
    static __device__ __forceinline__ void
    multiply_tile(sums &sums, gemm::ring_place &place, unsigned long long a,
                  unsigned long long b, int steps)
    {
        int last = 0;

        if constexpr (FAST) {
#pragma unroll 1
            for (int step = 0; step < steps; step++) {
                const int at = place.slot * (SLOT / 16);

                hone::barrier_wait(place.own_full(), place.round);
                multiply_slot(sums, a + at, b + at, step > 0);
                hone::wgmma_wait<PENDING>();
                if (PENDING == 0 || step > 0)
                    gemm::release<BLOCKS>(place,
                                          PENDING == 0 ? place.slot : last);
                last = place.slot;
                place.advance();
            }
        } else {
            gemm::promote_slots<products>(sums, place, a, b, steps);
        }
        if constexpr (PENDING > 0) {
            hone::wgmma_wait<0>();
            gemm::release<BLOCKS>(place, last);
        }
#pragma unroll
        for (int i = 0; i < HEIGHTS; i++)
            hone::wgmma_result(sums[i]);
    }
};

/* One thread fills the ring. */
__device__ __forceinline__ void produce(gemm::ring_place place,
                                        gemm::filling<products> tiles,
                                        const CUtensorMap &map_x,
                                        const CUtensorMap &map_y, int K,
                                        int parts)
{
#pragma unroll 1
    for (; tiles.there; tiles.next()) {
        const gemm::tile &t = tiles.t;
        const int end = first_step(K, t.part + 1, parts);

#pragma unroll 1
        for (int step = first_step(K, t.part, parts); step < end; step++) {
            const unsigned to = place.slots + place.slot * products::SLOT;
            const unsigned full = place.own_full();

            gemm::expect(place, products::SLOT);
            operand_x::load(to, map_x, t.row, step * BK, t.batch,
                            tiles.walk.rank, full);
            operand_y::load(to + operand_x::BYTES, map_y, t.col, step * BK,
                            t.batch, tiles.walk.rank, full);
            place.advance();
        }
    }
    gemm::drain<products>(place);
}

/* A warp group's tiles, from the ring to C. */
__device__ __forceinline__ void consume(gemm::ring_place place,
                                        products::walk walk,
                                        const CUtensorMap &map_c, target to,
                                        int K, int parts)
{
    const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;
    const int part = kInTurn ? 0 : group; /* of a tile's rows */
    const unsigned long long x =
        operand_x::DESCRIPTOR +
        hone::wgmma_address(place.slots + part * WM * operand_x::ROW);
    const unsigned long long y =
        operand_y::DESCRIPTOR +
        hone::wgmma_address(place.slots + operand_x::BYTES);
    products::sums sums = {};
    unsigned my_turn = group == 0;
    const float alpha = to.staged.alpha, beta = to.staged.beta;
    const unsigned arrived = to.staged.loaded; /* where nothing is staged */
    gemm::tile t;

    to.staged.buffers += group * staged_output::BYTES;
    to.staged.loaded += group * BUFFERS * 8;
    if (kInTurn) {
        place.skip(group * ((K + BK - 1) / BK));
        walk.alternate(group);
    }
#pragma unroll 1
    while (walk.take(&t)) {
        const int end = first_step(K, t.part + 1, parts);
        matrix_c c = to.c;

        gemm::begin_tile<products>(to, map_c, c, t, walk, part, parts, beta);
        gemm::await_turn<products>(place, group, my_turn);
        if constexpr (FAST)
            gemm::forget<products::HEIGHTS>(sums);
        else
            gemm::clear<products::HEIGHTS>(sums);
        products::multiply_tile(sums, place, x, y,
                                end - first_step(K, t.part, parts));
        gemm::pass_turn<products>(place, 1 - group, end);
        if constexpr (products::K_BLOCKS > 1) {
            gemm::join_blocks<products>(sums, to, c, t, place, arrived, parts,
                                        alpha, beta);
            continue;
        }
        if (SPLITS && parts > 1) {
            if (!gemm::join_parts<products>(sums, to, t, parts, part))
                continue;
            if (target::IS_STAGED)
                to.staged.ask_first(map_c, t);
        }
        gemm::write_tile<products>(sums, to, map_c, c, t, place, group, my_turn,
                                   thread, alpha, beta, to.after);
        my_turn ^= 1;
    }
    if (target::IS_STAGED && thread == 0)
        hone::tensor_store_wait();
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_f8_sm90(const __grid_constant__ CUtensorMap MAP_A,
             const __grid_constant__ CUtensorMap MAP_B,
             const __grid_constant__ CUtensorMap MAP_PACKED_A,
             const __grid_constant__ CUtensorMap MAP_PACKED_B,
             const __grid_constant__ CUtensorMap MAP_C, OUT *C, float4 *partial,
             unsigned *tickets, float alpha, float beta, const float *scale_a,
             const float *scale_b, long long ldc, long long step_c, int rows,
             int cols, int K, int batches, int parts, int stages, int along_n,
             int line_group, int packed_a, int packed_b, int mapped_c,
             int pairs_c, int ticket)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const CUtensorMap &map_a = packed_a ? MAP_PACKED_A : MAP_A;
    const CUtensorMap &map_b = packed_b ? MAP_PACKED_B : MAP_B;
    const products::walk walk(rows, cols, batches, parts, line_group,
                              along_n != 0);
    const gemm::filling<products> tiles(walk, threadIdx.x == 0, map_a, map_b);
    const gemm::ring_place place =
        gemm::ring_in<products, kMostStages>(shared, stages, STAGING);
    const unsigned copies = place.turns + 16;

    gemm::begin<products, 2, CONSUMERS * BUFFERS>(place, copies);
    if (threadIdx.x < 128) {
        if constexpr (kRegistersMove)
            hone::registers_shrink<PRODUCER>();
        if (threadIdx.x == 0)
            produce(place, tiles, SWAP ? map_b : map_a, SWAP ? map_a : map_b,
                    K, parts);
        gemm::stand_by<products>();
    } else {
        if constexpr (kRegistersMove)
            hone::registers_grow<GROWN>();
        target to = {{}, step_c, {}, partial, tickets, ticket != 0, {nullptr},
                     line_scales(scale_a, scale_b)};

        to.c.to = reinterpret_cast<matrix_c::one *>(C);
        to.c.pitch = ldc;
        to.c.rows = rows;
        to.c.cols = cols;
        to.c.pairs = pairs_c != 0;
        to.staged.buffers = place.slots + stages * products::SLOT;
        to.staged.loaded = copies;
        to.staged.mapped = mapped_c != 0;
        to.staged.alpha = to.scales.of_all(alpha);
        to.staged.beta = ADD ? beta : 0.0f;
        consume(place, walk, MAP_C, to, K, parts);
    }
    gemm::end<products>();
}

/* Copies the matrices that lie across K, or whose rows do not start at multiples of
 * 16 bytes. Of the other, rows are 0. The product begins meanwhile, and waits. */
extern "C" __global__ void __launch_bounds__(256, 4)
gemm_f8_pack(const unsigned char *A, const unsigned char *B,
             unsigned char *packed_a, unsigned char *packed_b, int rows_a,
             int cols_a, long long lda, int rows_b, int cols_b, long long ldb,
             long long pitch, int batches)
{
    __shared__ unsigned turned[128][32];
    const gemm::byte_matrices a(A, packed_a, rows_a, cols_a, batches,
                                TRANS_A != 0, lda, pitch);
    const gemm::byte_matrices b(B, packed_b, rows_b, cols_b, batches,
                                TRANS_B == 0, ldb, pitch);
    const unsigned blocks = gridDim.x;

    hone::start_next();
    gemm::pack_bytes(a, blockIdx.x, turned);
    gemm::pack_bytes(b, (blockIdx.x + blocks - a.tiles() % blocks) % blocks,
                     turned);
}

/* Adds up the parts of C: a block takes 32 groups of four sums. */
extern "C" __global__ void __launch_bounds__(256)
gemm_f8_reduce(OUT *C, const float4 *partial, float alpha, float beta,
               const float *scale_a, const float *scale_b, long long ldc,
               long long step_c, int rows, int cols, int batches, int parts,
               int along_n, int line_group, int pairs_c)
{
    hone::wait_for_previous();
    if constexpr (SPLITS && K_BLOCKS == 1) {
        const products::walk walk(rows, cols, batches, 1, line_group,
                                  along_n != 0);
        const matrix_c c = {reinterpret_cast<matrix_c::one *>(C), ldc, rows,
                            cols, pairs_c != 0};

        gemm::reduce_parts<products>(walk, c, step_c, partial, parts, alpha,
                                     ADD ? beta : 0.0f, epilogue{nullptr},
                                     line_scales(scale_a, scale_b));
    }
}
