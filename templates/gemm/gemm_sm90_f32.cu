/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/sm90_f32: products of f32 with the matrix instructions (wgmma) and the copy
 * engine (TMA) of Hopper, for callers who ask for it: of tf32 (T = tf32), or of
 * three numbers of bf16 for each element (EMULATED = 1). Any shape, any leading
 * dimensions, any batch. It works like gemm/sm90, whose comment says how tiles,
 * the ring, warp groups, clusters, parts of K and the way to C go.
 *
 * Operands: instructions of 32-bit types read both operands along K only. So
 * gemm_sm90_f32_pack turns A with TRANS_A = 1 and B with TRANS_B = 0 into rows
 * along K, in a workspace, and copies what does not lie at multiples of 16 bytes;
 * a pass over them. Slots hold rows of 128 bytes whose eight pieces of 16 bytes are
 * exchanged by the row's number (swizzle): 32 elements of tf32, 64 of bf16. An
 * instruction takes 32 bytes of K.
 *
 * tf32: the copy engine rounds f32 to tf32 as it fills a slot (the map's type);
 * were it not to, instructions would ignore the bits below.
 *
 * Emulation: each element is the sum a0 + a1 + a2 of three numbers of bf16, |a1|
 * up to 2^-8 and |a2| up to 2^-17 of it; gemm_sm90_f32_pack splits them, so both
 * factors are packed always. Of the nine products six are added up, as if K were
 * six times as long, the smallest first, so that the sum is small until the
 * last K steps:
 *
 *   a2*b0  a0*b2  a1*b1  a1*b0  a0*b1  a0*b0
 *
 * a1*b2, a2*b1 and a2*b2 are left out: up to 2^-24 + 2^-34 of the product.
 *
 * Accuracy: products are exact, sums in f32, of which the hardware cuts off what
 * does not fit, once in 32 bytes of K; alpha*sum + beta*C in f32.
 *
 * Hazards: those of gemm/sm90. */
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_f32_pack.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"
#include "gemm_sm90_shares.cuh"
#include "gemm_sm90_loops.cuh"

#pragma hone implements gemm/sm90_f32 "wgmma of tf32, or of three bf16 for each f32, compute capability 9.0"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone require T == tf32 || (T == f32 && EMULATED) "f32 is taken for tf32 or emulated only where the caller says so"
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_sm90_f32_space.cuh"

// Rows along K: as they lie, or packed.
#pragma hone let PACK_A = EMULATES || TRANS_A || (M > 1 && LDA % 4 != 0) || (BATCH > 1 && STRIDE_A % 4 != 0)
#pragma hone let PACK_B = EMULATES || !TRANS_B || (N > 1 && LDB % 4 != 0) || (BATCH > 1 && STRIDE_B % 4 != 0)
#pragma hone let PITCH = align(K, K > 384 ? 64 : 16)
#pragma hone let PACKED_A = PACK_A ? BATCH*NUMBERS*M*PITCH : 0
#pragma hone let PACKED_B = PACK_B ? BATCH*NUMBERS*N*PITCH : 0
#pragma hone require max(PACKED_A, PACKED_B) <= 8G "a matrix to be packed has more than 8G elements"
#pragma hone workspace packed_a: T[EMULATES ? 0 : PACKED_A]
#pragma hone workspace packed_b: T[EMULATES ? 0 : PACKED_B]
#pragma hone workspace numbers_a: bf16[EMULATES ? PACKED_A : 0]
#pragma hone workspace numbers_b: bf16[EMULATES ? PACKED_B : 0]
#pragma hone workspace partial: f32[PARTIALS > 1 ? PARTIALS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTIALS > 1 && FINISH != reduce ? TILES*CONSUMERS*K_BLOCKS : 0] zero

#pragma hone let TURNS = ceildiv(STEPS, PARTS)
#pragma hone let ROW_A = EMULATES ? PITCH*2 : 4*(PACK_A ? PITCH : LDA)
#pragma hone let ROW_B = EMULATES ? PITCH*2 : 4*(PACK_B ? PITCH : LDB)
#pragma hone let ROW_X = SWAP ? ROW_B : ROW_A
#pragma hone let ROW_Y = SWAP ? ROW_A : ROW_B
#pragma hone let DEEP = TURNS*DEPTH
#pragma hone let BESIDE = 1
#pragma hone let RUNS = 1
#pragma hone let SHIFT = 0
/* What is packed is written and read again; what of both does not stay in the level 2
 * cache goes to memory and back (winners at four thin products on an H200, decision 240). */
#pragma hone let WRITTEN_BYTES = (PACKED_A + PACKED_B)*128/LINE
#pragma hone let PACK = PACK_A || PACK_B ? 4000 + max(WRITTEN_BYTES/2, 2*WRITTEN_BYTES - 48000000)/(16*device.sm_count) : 0
#pragma hone let MEANWHILE = 0
#pragma hone let TRAFFIC = BATCH*((M*K + K*N)*sizeof(T) + (1 + ADD)*M*N*sizeof(OUT))
#pragma hone let TASTE = 0
#include "gemm_sm90_cost.cuh"
#pragma hone feature RING = STAGES*DEPTH per DEEP

// With one row or one matrix the step to the next is anything that maps take.
#pragma hone let STEP_A = BATCH > 1 ? STRIDE_A : align(ROWS_A*LDA, 4)
#pragma hone let STEP_B = BATCH > 1 ? STRIDE_B : align(ROWS_B*LDB, 4)
#pragma hone let LINES_A = (SWAP ? BN : BM)/CLUSTER_N
#pragma hone let LINES_B = (SWAP ? BM : BN)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(K, M, BATCH) strides(align(LDA, 4)*4, STEP_A*4) box(LINE, LINES_A, 1) swizzle(128) l2(128) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(K, N, BATCH) strides(align(LDB, 4)*4, STEP_B*4) box(LINE, LINES_B, 1) swizzle(128) l2(128) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(K, M, BATCH) strides(PITCH*4, M*PITCH*4) box(LINE, LINES_A, 1) swizzle(128) l2(128) if(PACK_A && !EMULATES)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(K, N, BATCH) strides(PITCH*4, N*PITCH*4) box(LINE, LINES_B, 1) swizzle(128) l2(128) if(PACK_B && !EMULATES)
#pragma hone tensormap MAP_NUMBERS_A: numbers_a dims(K, M, BATCH*3) strides(PITCH*2, M*PITCH*2) box(LINE, LINES_A, 1) swizzle(128) l2(128) if(EMULATES)
#pragma hone tensormap MAP_NUMBERS_B: numbers_b dims(K, N, BATCH*3) strides(PITCH*2, N*PITCH*2) box(LINE, LINES_B, 1) swizzle(128) l2(128) if(EMULATES)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*4, STEP_C*4) box(BOX, WM, 1) swizzle(BOX*4) if(STAGED && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone launch gemm_sm90_f32_pack if(PACK_A || PACK_B) grid(min((PACK_A ? ceildiv(M, 32)*ceildiv(K, 64)*BATCH : 0) + (PACK_B ? ceildiv(N, 32)*ceildiv(K, 64)*BATCH : 0), device.sm_count*32)) block(256) args(A, B, packed_a, packed_b, numbers_a, numbers_b, i32(PACK_A ? M : 0), i32(PACK_B ? N : 0), i32(K), i32(PITCH), i64(LDA), i64(STRIDE_A), i64(LDB), i64(STRIDE_B), i32(BATCH))
#pragma hone launch gemm_sm90_f32 grid((PERSISTENT && FINISH != cluster ? min(CLUSTERS, RESIDENT) : CLUSTERS)*IN_CLUSTER) block(THREADS) shared(SMEM) cluster(IN_CLUSTER) args(pick(EMULATES ? 2 : PACK_A, MAP_A, MAP_PACKED_A, MAP_NUMBERS_A), pick(EMULATES ? 2 : PACK_B, MAP_B, MAP_PACKED_B, MAP_NUMBERS_B), MAP_C, C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket), bias) early
#pragma hone launch gemm_sm90_f32_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C), bias) early

namespace {

namespace gemm = hone::gemm;

constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr int kMostStages = 16;
constexpr bool kRegistersMove = CONSUMERS > 1;

/* Blocks side by side share a tile of X, those one below the other one of Y. */
using operand_x = gemm::operand<false, BM, BK, LINE, CLUSTER_N>;
using operand_y = gemm::operand<false, BN, BK, LINE, CLUSTER_M>;
using tiling =
    gemm::tiling<operand_x, operand_y, WM, CONSUMERS, kInTurn, K_BLOCKS>;
static_assert(tiling::SLOT == SLOT_X + SLOT_Y, "shared memory is less");
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
using staged_output =
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, false, false, kInTurn>;
using target = gemm::target<matrix_c, staged_output, epilogue, gemm::no_scales,
                            !STAGED, SPLITS != 0, false>;

/* Which numbers of A and B the products are of, the first one in the last four
 * bits. */
constexpr unsigned kNumbersA = EMULATES ? 0x001102 : 0;
constexpr unsigned kNumbersB = EMULATES ? 0x010120 : 0;

/* What a block multiplies, for gemm_sm90_slots.cuh and gemm_sm90_loops.cuh. */
struct products : tiling {
    using walk = gemm::tile_walk<BM, BN, CLUSTER_M, CLUSTER_N, 1, K_BLOCKS>;
    using steps = gemm::steps_of_part<BK, PRODUCTS, SPLITS != 0>;
    static constexpr int PENDING = ::PENDING;

    /* One product of 64 rows, BN columns and 32 bytes of K; `sum` 0 forgets what the
     * sums held. */
    static __device__ __forceinline__ void multiply(float (&d)[SUMS],
                                                    unsigned long long a,
                                                    unsigned long long b,
                                                    int sum)
    {
        asm volatile("{\n"
                     ".reg .pred sum;\n"
                     "setp.ne.b32 sum, %@{BN/2 + 2}, 0;\n"
#pragma hone if T == tf32
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k8.f32.tf32.tf32 "
#pragma hone else
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k16.f32.bf16.bf16 "
#pragma hone endif
                     "{%0"
#pragma hone for I in 1..BN/2-1
                     ", %@{I}"
#pragma hone endfor
#pragma hone if T == tf32
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1;\n"
#pragma hone else
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1, 0, 0;\n"
#pragma hone endif
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "l"(a), "l"(b), "r"(sum));
    }
};

/* One thread fills the ring: steps of one product follow those of another. */
__device__ __forceinline__ void produce(gemm::ring_place place,
                                        gemm::filling<products> tiles,
                                        const CUtensorMap &map_x,
                                        const CUtensorMap &map_y, int K,
                                        int parts)
{
#pragma unroll 1
    for (; tiles.there; tiles.next()) {
        const gemm::tile &t = tiles.t;
        const products::steps mine(K, t, parts);
        const int of_product = products::steps::of_product(K);
        int product = mine.first / of_product;
        int k = mine.first % of_product;

#pragma unroll 1
        for (int step = mine.first; step < mine.end; step++) {
            const unsigned to = place.slots + place.slot * products::SLOT;
            const unsigned full = place.own_full();
            const int a = t.batch * NUMBERS + (kNumbersA >> product * 4 & 15);
            const int b = t.batch * NUMBERS + (kNumbersB >> product * 4 & 15);

            gemm::expect(place, products::SLOT);
            operand_x::load(to, map_x, t.row, k * BK, SWAP ? b : a,
                            tiles.walk.rank, full);
            operand_y::load(to + operand_x::BYTES, map_y, t.col, k * BK,
                            SWAP ? a : b, tiles.walk.rank, full);
            place.advance();
            if (++k == of_product) {
                k = 0;
                product++;
            }
        }
    }
    gemm::drain<products>(place);
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_sm90_f32(const __grid_constant__ CUtensorMap map_a,
              const __grid_constant__ CUtensorMap map_b,
              const __grid_constant__ CUtensorMap MAP_C, OUT *C,
              float4 *partial, unsigned *tickets, float alpha, float beta,
              long long ldc, long long step_c, int rows, int cols, int K,
              int batches, int parts, int stages, int along_n, int line_group,
              int mapped_c, int pairs_c, int ticket, const OUT *bias)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const products::walk walk(rows, cols, batches, parts, line_group,
                              along_n != 0);
    const gemm::filling<products> tiles(walk, threadIdx.x == 0, map_a, map_b);
    const gemm::ring_place place =
        gemm::ring_in<products, kMostStages>(shared, stages, STAGING);
    target to;

    to.staged.buffers = place.slots + stages * products::SLOT;
    to.staged.loaded = place.turns + 16;
    gemm::begin<products, 2, CONSUMERS * BUFFERS>(place, to.staged.loaded);
    if (threadIdx.x < 128) {
        if constexpr (kRegistersMove)
            hone::registers_shrink<40>();
        if (threadIdx.x == 0)
            produce(place, tiles, SWAP ? map_b : map_a, SWAP ? map_a : map_b,
                    K, parts);
        gemm::stand_by<products>();
    } else {
        if constexpr (kRegistersMove)
            hone::registers_grow<GROWN>();
        to.c.to = reinterpret_cast<matrix_c::one *>(C);
        to.c.pitch = ldc;
        to.c.rows = rows;
        to.c.cols = cols;
        to.c.pairs = pairs_c != 0;
        to.step = step_c;
        to.staged.alpha = alpha;
        to.staged.beta = ADD ? beta : 0.0f;
        to.partial = partial;
        to.tickets = tickets;
        to.staged.mapped = mapped_c != 0;
        to.ticket = ticket != 0;
        to.after.bias = bias;
        gemm::consume<products>(place, walk, MAP_C, to, K, parts);
    }
    gemm::end<products>();
}

/* Packs A and B, or one of them: of the other, rows are 0. The product may begin
 * as soon as all blocks run, to wait there. */
extern "C" __global__ void __launch_bounds__(256, 8)
gemm_sm90_f32_pack(const float *A, const float *B, float *packed_a,
                   float *packed_b, __nv_bfloat16 *numbers_a,
                   __nv_bfloat16 *numbers_b, int rows_a, int rows_b, int K,
                   int pitch, long long lda, long long step_a, long long ldb,
                   long long step_b, int batches)
{
    gemm::f32_matrices a, b;

    hone::start_next();
    a.from = A;
    b.from = B;
    a.to = EMULATES ? static_cast<void *>(numbers_a) : packed_a;
    b.to = EMULATES ? static_cast<void *>(numbers_b) : packed_b;
    a.rows = rows_a;
    b.rows = rows_b;
    a.depth = b.depth = K;
    a.batches = b.batches = batches;
    a.pitch_to = b.pitch_to = pitch;
    a.pitch = lda;
    b.pitch = ldb;
    a.step = step_a;
    b.step = step_b;
    const long long first = a.tiles(), end = first + b.tiles();

#pragma unroll 1
    for (long long i = blockIdx.x; i < end; i += gridDim.x) {
        if (i < first)
            gemm::pack_f32<TRANS_A != 0, EMULATES>(a, i);
        else
            gemm::pack_f32<TRANS_B == 0, EMULATES>(b, i - first);
    }
}

/* Adds up the parts of C: a block takes 32 groups of four sums. */
extern "C" __global__ void __launch_bounds__(256)
gemm_sm90_f32_reduce(OUT *C, const float4 *partial, float alpha, float beta,
                 long long ldc, long long step_c, int rows, int cols,
                 int batches, int parts, int along_n, int line_group,
                 int pairs_c, const OUT *bias)
{
    hone::wait_for_previous();
    if constexpr (SPLITS && K_BLOCKS == 1) {
        const products::walk walk(rows, cols, batches, 1, line_group,
                                  along_n != 0);
        const matrix_c c = {reinterpret_cast<matrix_c::one *>(C), ldc, rows,
                            cols, pairs_c != 0};

        gemm::reduce_parts<products>(walk, c, step_c, partial, parts, alpha,
                                     ADD ? beta : 0.0f, epilogue{bias},
                                     gemm::no_scales{});
    }
}
