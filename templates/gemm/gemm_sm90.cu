/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/sm90: the operation of gemm.cuh with the matrix instructions (wgmma) and
 * the copy engine (TMA) of Hopper, compute capability 9.0 only. Any shape, any
 * leading dimensions, any batch.
 *
 * A block computes tiles of BM x BN. One warp group asks the copy engine for
 * slots of a ring in shared memory (a tile of A and one of B, BK deep), the
 * other CONSUMERS multiply: each has BM/CONSUMERS rows, as products of 64
 * rows, BN columns and 16 of K. Two barriers per slot hand it over: `full`
 * counts the bytes that arrive, `empty` the warps that are done with it.
 * Registers move from the first group to the others (setmaxnreg), which need
 * BM/CONSUMERS*BN/128 for the sums alone. Blocks of a CLUSTER have tiles side by
 * side, rows x columns of them (c2x1: one below the other); of a tile of A or B that
 * several need each reads a part, for all of them. So a cluster reads as little as one
 * block with one large tile, and its sums are in many blocks. With PERSISTENT a block takes one tile after
 * another, and the next is on its way while this one is written. With
 * SCHEDULE = in_turn the two groups have a tile each: while one writes, the
 * other multiplies. Three groups have 64 rows each: tiles of 192 x 192 are as many
 * sums as registers hold beside them.
 *
 * Rows of a product are 64, its columns may be 8. With SWAP they change
 * places: what is computed is the transpose, op(B)' * op(A)', which is C where
 * what the code calls a column is a row. So a C of few rows wastes little, and
 * rows that 64 or 128 do not divide take fewer tiles of, say, 224 of them.
 * Staged, such a tile is turned on its way into the buffer, whose rows are rows of
 * C then (gemm_sm90_turned.cuh).
 * Below, rows and columns are those of the products, X (rows) and Y (columns)
 * their operands: A and B, or B and A.
 *
 * With SPLIT_K > 1 blocks share the K of one tile. FINISH says who adds up their
 * f32 sums: `ticket` the last of them, `reduce` a second launch, both from the
 * workspace; `cluster` all of them. There two, four or eight of these blocks are a
 * cluster (the most that divide SPLIT_K); each sends every other the sums of its share
 * of the tile, to the ring, which is done with by then, and writes its own share
 * of C. Where SPLIT_K is more, what clusters came to meets in the workspace, share by
 * share, and the last block adds it up. A block has one tile then. All
 * three add up in a fixed order, so that every run of a variant gives the same bits.
 *
 * STORE says how tiles are written: from a staging buffer, where rows are put
 * together, or from registers. Staged rows leave through the copy engine; where
 * it cannot write C, warps write them, whole 16 bytes where they are a row's own.
 * A sector, 32 bytes, that two tiles write in parts costs several times what it
 * costs at once. With RUN > 1 a block takes tiles side by side, one after the
 * other, and leaves what a row has of its last sector, its edge, to the next one.
 * Groups in turn hand edges on as soon as they are there, and then write at the
 * same time; with SHARES they have one set of buffers between them, so that a larger
 * tile or a longer ring fits, and write one after the other.
 *
 * Alignment: the copy engine takes rows that start at multiples of 16 bytes, so
 * LDA, LDB and the steps from matrix to matrix of a batch must be multiples of
 * 8 elements. What is done about a matrix that lacks this (it is loose) says
 * LOOSE. `packed`: it is first copied to a workspace by gemm_sm90_pack, one
 * launch for both and a pass over it, during which the product gets ready. That is
 * for large products, which read it many times. `meanwhile`: three warps of each block
 * copy it to that workspace in the order in which products want it, beside the thread
 * that fills the ring, which waits for what it is about to ask for
 * (gemm_sm90_meanwhile.cuh). That is where the pass is long. `shifted`: the warp group that
 * fills the ring asks for the 16 bytes around what it wants some steps ahead, in raw
 * lines of shared memory behind the ring, and shifts them into place
 * (gemm_sm90_loose.cuh, gemm_sm90_raw.cuh); with FILLERS = 2 two groups do, a slot each
 * in turn. A matrix that is aligned still comes by copies, to the same slots. That is for
 * products to which a second launch and a pass over A and B are much. For C the same, where the elements may be 4 bytes,
 * decides how STORE = tensor writes it; rows have to end at multiples of 16 bytes, too,
 * since the engine writes whole ones. A, B and C start at multiples of 16 bytes, as any
 * cudaMalloc result does.
 *
 * Slots hold rows of 128 bytes whose eight 16-byte pieces are exchanged by the
 * row's number (swizzle), so that neither copies nor products meet bank
 * conflicts. Where K is contiguous a row is 64 elements of K, else one k of 64
 * elements of M or N; wgmma reads both.
 *
 * Accuracy: sums in f32 in the order of K, by parts with SPLIT_K; alpha*sum +
 * beta*C in f32, rounded once.
 *
 * Properties the parameters stand on (H200, 4096 and 8192 cubed, 16-bit C):
 * large products are bound by power; tiles of 128 x 128, 128 x 256 and 256 x
 * 128, with and without clusters, are within a few percent of each other, and
 * so is a group that waits for its last product before it gives a slot back
 * (PENDING = 0); registers instead of the staging buffer cost 8 % at K = 4096,
 * 128 x 192 and 256 x 192 10 % there, where their last wave is a third or two
 * thirds full.
 *
 * Hazards: no function call may remain in the loop of products, or ptxas
 * serialises them (C7510): assert() is one. In a cluster the upper bits of a
 * shared address name the block (wgmma_address()). A warp gives a slot back
 * only after the products that read it, and tells every block that fills it.
 * A block of a cluster leaves when all that it sent is done with; with `cluster`, where
 * what they send lands in slots, blocks leave together, and
 * all wait until nobody's products read these; who waits for the bytes sees them, so
 * no barrier there has to order accesses to memory, which costs. Copies count all bytes
 * of their box, also those outside of a matrix. The ticket counts a warp group only
 * behind the fence that follows its writes. */
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_patches.cuh"
#include "gemm_sm90_meanwhile.cuh"
#include "gemm_sm90_raw.cuh"
#include "gemm_sm90_loose.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"
#include "gemm_sm90_turned.cuh"
#include "gemm_sm90_shares.cuh"
#include "gemm_sm90_loops.cuh"

#pragma hone implements gemm/sm90 "wgmma and tensor copies of compute capability 9.0"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone require sizeof(T) == 2 "these tensor cores take f16 and bf16"
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_sm90_space.cuh"

/* A warp of eight packs 1,024 elements of a row at once. */
#pragma hone let PACK_BLOCKS = min(ceildiv((PACK_A ? BATCH*ROWS_A*align(COLS_A, 1024) : 0) + (PACK_B ? BATCH*ROWS_B*align(COLS_B, 1024) : 0), 8192), device.sm_count*8)
#pragma hone require max(PACKED_A, PACKED_B) <= 8G "a matrix to be packed is larger than 16 GB"
#pragma hone workspace packed_a: T[PACKED_A]
#pragma hone workspace packed_b: T[PACKED_B]
#pragma hone workspace partial: f32[PARTIALS > 1 ? PARTIALS*ALL_TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTIALS > 1 && FINISH != reduce ? ALL_TILES*CONSUMERS*K_BLOCKS : 0] zero
/* The next unit's number, and from word 32 on a count for each patch of 128 x 256. */
#pragma hone workspace packing: u32[LOOSE == meanwhile ? 32 + (PACK_A ? BATCH*ceildiv(ROWS_A, 128)*ceildiv(COLS_A, 256) : 0) + (PACK_B ? BATCH*ceildiv(ROWS_B, 128)*ceildiv(COLS_B, 256) : 0) : 0] zero each

/* Threads that shift take 600 clocks for a step, two groups of them 350, and 7 for each
 * line of 64 elements (H200, 144 and 256 lines a step); that what other blocks do hardly
 * hinders them is a guess, and so is that warps which pack meanwhile reach half the speed
 * of a launch of its own. */
#pragma hone let DEEP = align(ceildiv(K, PARTS), BK)
#pragma hone let TURNS = DEEP/BK
#pragma hone let ROW_A = LOOSE_A ? (PACK_A ? PITCH_A*2 : 128) : ROWS_A > 1 ? LDA*2 : 128
#pragma hone let ROW_B = LOOSE_B ? (PACK_B ? PITCH_B*2 : 128) : ROWS_B > 1 ? LDB*2 : 128
#pragma hone let ROW_X = SWAP ? ROW_B : ROW_A
#pragma hone let ROW_Y = SWAP ? ROW_A : ROW_B
#pragma hone let BESIDE = min(MIN_BLOCKS, ceildiv(CLUSTERS*IN_CLUSTER, device.sm_count))
#pragma hone let RUNS = RUN
#pragma hone let SHIFT = LOOSE_X || LOOSE_Y ? 2000 + (FILLERS == 2 ? 350 : 600)*TURNS + 7*(LOOSE_X*BM + LOOSE_Y*BN)*DEEP/64 : 0
#pragma hone let PACK = PACK_A || PACK_B ? (LOOSE == meanwhile ? 28000 : 4000 + (PACKED_A + PACKED_B)/(8*device.sm_count)) : 0
#pragma hone let MEANWHILE = LOOSE == meanwhile ? (PACKED_A + PACKED_B)/(4*device.sm_count) : 0
#pragma hone let TRAFFIC = BATCH*((M*K + K*N)*sizeof(T) + (1 + ADD)*M*N*sizeof(OUT))
#pragma hone let TASTE = STREAM ? -3 : 0
#include "gemm_sm90_cost.cuh"
#pragma hone feature DEPTH = STAGES*BK per DEEP

// With one row or one matrix the step to the next is anything that maps take.
#pragma hone let STEP_A = BATCH > 1 ? STRIDE_A : align(ROWS_A*LDA, 8)
#pragma hone let STEP_B = BATCH > 1 ? STRIDE_B : align(ROWS_B*LDB, 8)
#pragma hone let LINES_A = (TRANS_A ? BK : SWAP ? BN : BM)/(SWAP ? CLUSTER_M : CLUSTER_N)
#pragma hone let LINES_B = (TRANS_B ? (SWAP ? BM : BN) : BK)/(SWAP ? CLUSTER_N : CLUSTER_M)
#pragma hone tensormap MAP_A: A dims(COLS_A, ROWS_A, BATCH) strides(align(LDA, 8)*2, STEP_A*2) box(64, LINES_A, 1) swizzle(128) l2(128) if(!LOOSE_A)
#pragma hone tensormap MAP_B: B dims(COLS_B, ROWS_B, BATCH) strides(align(LDB, 8)*2, STEP_B*2) box(64, LINES_B, 1) swizzle(128) l2(128) if(!LOOSE_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(COLS_A, ROWS_A, BATCH) strides(PITCH_A*2, ROWS_A*PITCH_A*2) box(64, LINES_A, 1) swizzle(128) l2(128) if(PACK_A)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(COLS_B, ROWS_B, BATCH) strides(PITCH_B*2, ROWS_B*PITCH_B*2) box(64, LINES_B, 1) swizzle(128) l2(128) if(PACK_B)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*sizeof(OUT), STEP_C*sizeof(OUT)) box(SWAP ? PHASE : BOX, SWAP ? BOX : WM, 1) swizzle(SWAP ? 128 : BOX*sizeof(OUT)) if(STAGED && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone launch gemm_sm90_pack if((PACK_A || PACK_B) && LOOSE == packed) grid(PACK_BLOCKS) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS_A : 0), i32(COLS_A), i32(PITCH_A/8), i64(LDA), i64(STRIDE_A), i32(PACK_B ? ROWS_B : 0), i32(COLS_B), i32(PITCH_B/8), i64(LDB), i64(STRIDE_B), i32(BATCH))
#pragma hone launch gemm_sm90 grid((PERSISTENT && FINISH != cluster ? min(CLUSTERS, RESIDENT) : CLUSTERS)*IN_CLUSTER) block(THREADS) shared(SMEM) cluster(IN_CLUSTER) args(MAP_A, MAP_B, MAP_PACKED_A, MAP_PACKED_B, MAP_C, C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(LOOSE_A), i32(LOOSE_B), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket), bias, A, B, i64(LDA), i64(STRIDE_A), i64(LDB), i64(STRIDE_B), i32(RAWS), packed_a, packed_b, packing, i32(PITCH_A/8), i32(PITCH_B/8)) early
#pragma hone launch gemm_sm90_reduce if(PARTS > 1 && FINISH == reduce) grid(ALL_TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C), bias) early

namespace {

namespace gemm = hone::gemm;

constexpr bool kShifted = LOOSE == LOOSE_values::shifted;
constexpr bool kMeanwhile = LOOSE == LOOSE_values::meanwhile;
constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr int kMostStages = 16;
constexpr bool kRegistersMove = (CONSUMERS + FILLERS - 1) * MIN_BLOCKS > 1;

/* Blocks side by side share a tile of X, those one below the other one of Y. */
using operand_x = gemm::operand<X_ACROSS != 0, BM, BK, 64, CLUSTER_N, CLUSTER_M,
                                CLUSTER_M>;
using operand_y = gemm::operand<Y_ACROSS != 0, BN, BK, 64, CLUSTER_M, CLUSTER_N>;
using tiling =
    gemm::tiling<operand_x, operand_y, WM, CONSUMERS, kInTurn, K_BLOCKS>;
static_assert(tiling::SLOT == SLOT_X + SLOT_Y, "shared memory is less");
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
#pragma hone if SWAP
using staged_output =
    gemm::turned_output<OUT, BN, WM, BOX, BUFFERS, STREAM>;
#pragma hone else
using staged_output = gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, STREAM,
                                          (RUN > 1), kInTurn && !SHARES,
                                          CONSUMERS>;
#pragma hone endif
using target = gemm::target<matrix_c, staged_output, epilogue, gemm::no_scales,
                            !STAGED, SPLITS != 0, SHARES != 0>;

/* What a block multiplies, for gemm_sm90_slots.cuh and gemm_sm90_loops.cuh. */
struct products : tiling {
    using walk = gemm::tile_walk<BM, BN, CLUSTER_M, CLUSTER_N, RUN, K_BLOCKS>;
    using steps = gemm::steps_of_part<BK, 1, SPLITS != 0>;
    static constexpr int PENDING = ::PENDING;
    static constexpr int ARRIVALS = kShifted ? 5 : tiling::ARRIVALS;

    /* One product of 64 rows, BN columns and 16 of K; `sum` 0 forgets what the
     * sums held. */
    static __device__ __forceinline__ void multiply(float (&d)[SUMS],
                                                    unsigned long long a,
                                                    unsigned long long b,
                                                    int sum)
    {
        asm volatile("{\n"
                     ".reg .pred sum;\n"
                     "setp.ne.b32 sum, %@{BN/2 + 2}, 0;\n"
#pragma hone if T == f16
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k16.f32.f16.f16 "
#pragma hone else
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k16.f32.bf16.bf16 "
#pragma hone endif
                     "{%0"
#pragma hone for I in 1..BN/2-1
                     ", %@{I}"
#pragma hone endfor
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1, %@{BN/2 + 3}, "
                     "%@{BN/2 + 4};\n"
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "l"(a), "l"(b), "r"(sum), "n"(X_ACROSS), "n"(Y_ACROSS));
    }

    /* Edges of rows: those of a warp group, or in turn those of the block. */
    static __device__ __forceinline__ void
    begin_runs(staged_output &staged, const gemm::ring_place &place, int group,
               int other)
    {
        if (kInTurn) {
            staged.segment = group * staged_output::ROUNDS;
            staged.own_turn = place.writes + 8 * group;
            staged.other_turn = place.writes + 8 * other;
            staged.turn = group == 0;
        } else {
            staged.edges += group * (EDGES / CONSUMERS);
        }
    }
};

/* A matrix to be packed. */
__device__ __forceinline__ gemm::loose_matrices
loose(const T *from, T *to, int rows, int cols, int groups, long long pitch,
      long long step, int batches)
{
    return {reinterpret_cast<const unsigned short *>(from),
            reinterpret_cast<uint4 *>(to), rows, cols, batches, groups, pitch,
            step};
}

/* What is packed meanwhile, X and Y, where it goes, and tiles. */
struct packing_source {
    const T *x, *y;
    T *to_x, *to_y;
    long long pitch_x, pitch_y, step_x, step_y;
    int loose_x, loose_y, groups_x, groups_y;
    int rows, cols, K, batches, parts, line_group, along_n;

    __device__ __forceinline__ gemm::patches<operand_x> cut_x() const
    {
        return {loose_x ? X_ACROSS ? K : rows : 0, X_ACROSS ? rows : K};
    }
    __device__ __forceinline__ gemm::patches<operand_y> cut_y() const
    {
        return {loose_y ? Y_ACROSS ? K : cols : 0, Y_ACROSS ? cols : K};
    }
    __device__ __forceinline__ gemm::loose_matrices matrices(bool is_y) const
    {
        const auto of_x = cut_x();
        const auto of_y = cut_y();

        return loose(is_y ? y : x, is_y ? to_y : to_x,
                     is_y ? of_y.lines : of_x.lines,
                     is_y ? of_y.cols : of_x.cols, is_y ? groups_y : groups_x,
                     is_y ? pitch_y : pitch_x, is_y ? step_y : step_x, batches);
    }
    __device__ __forceinline__ gemm::packing_order<products> order() const
    {
        packing_source now = *this;

        now.rows = hone::afresh(rows);
        now.cols = hone::afresh(cols);
        now.K = hone::afresh(K);
        now.loose_x = hone::afresh(loose_x);
        now.loose_y = hone::afresh(loose_y);
        now.batches = hone::afresh(batches);
        now.line_group = hone::afresh(line_group);
        return {products::walk(now.rows, now.cols, now.batches, parts,
                               now.line_group, along_n != 0),
                now.cut_x(), now.cut_y(), now.K, parts};
    }
};

/* One thread fills the ring, or one of a warp that waits, of each step when what it reads is there. */
template <typename W>
__device__ __forceinline__ void
produce(gemm::ring_place place, gemm::filling<products> tiles,
        const CUtensorMap &map_x, const CUtensorMap &map_y, int K, int parts,
        W packed)
{
#pragma unroll 1
    for (; tiles.there; tiles.next()) {
        const gemm::tile &t = tiles.t;
        const products::steps mine(K, t, parts);

        packed.begin_tile();
#pragma unroll 1
        for (int step = mine.first; step < mine.end; step++) {
            const unsigned to = place.slots + place.slot * products::SLOT;
            const unsigned full = place.own_full();
            const int k = step * BK;

            packed.wait(t, k);
            if (W::LANES == 1 || threadIdx.x == 0) {
                gemm::expect(place, products::SLOT);
                operand_x::load(to, map_x, t.row, k, t.batch, tiles.walk.rank,
                                full);
                operand_y::load(to + operand_x::BYTES, map_y, t.col, k, t.batch,
                                tiles.walk.rank, full);
            }
            place.advance();
        }
    }
    gemm::drain<products>(place);
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_sm90(const __grid_constant__ CUtensorMap MAP_A,
          const __grid_constant__ CUtensorMap MAP_B,
          const __grid_constant__ CUtensorMap MAP_PACKED_A,
          const __grid_constant__ CUtensorMap MAP_PACKED_B,
          const __grid_constant__ CUtensorMap MAP_C, OUT *C, float4 *partial,
          unsigned *tickets, float alpha, float beta, long long ldc,
          long long step_c, int rows, int cols, int K, int batches, int parts,
          int stages, int along_n, int line_group, int loose_a, int loose_b,
          int mapped_c, int pairs_c, int ticket, const OUT *bias, const T *A,
          const T *B, long long lda, long long step_a, long long ldb,
          long long step_b, int raws, T *packed_a, T *packed_b,
          unsigned *packing, int groups_a, int groups_b)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const CUtensorMap &map_a = !kShifted && loose_a ? MAP_PACKED_A : MAP_A;
    const CUtensorMap &map_b = !kShifted && loose_b ? MAP_PACKED_B : MAP_B;
    const products::walk walk(rows, cols, batches, parts, line_group,
                              along_n != 0);
    const gemm::filling<products> tiles(walk, !kShifted && threadIdx.x < (kMeanwhile ? 32 : 1),
                                        map_a, map_b);
    const gemm::ring_place place =
        gemm::ring_in<products, kMostStages>(shared, stages, STAGING + EDGES);
    target to;

    to.staged.buffers = place.slots + stages * products::SLOT;
    to.staged.edges = to.staged.buffers + STAGING;
    to.staged.loaded = place.writes + 16;
    gemm::begin<products, 4, CONSUMERS * BUFFERS>(place, to.staged.loaded);
    /* The first group fills the ring; where two do, the last is the second. */
    const bool is_second =
        FILLERS > 1 && threadIdx.x >= (CONSUMERS + 1) * 128;
    if (threadIdx.x < 128 || is_second) {
        if constexpr (kRegistersMove)
            hone::registers_shrink<PRODUCER>();
        if constexpr (kShifted) {
            const gemm::loose_array x(
                SWAP ? B : A, X_ACROSS ? K : rows, X_ACROSS ? rows : K,
                SWAP ? ldb : lda, SWAP ? step_b : step_a, batches);
            const gemm::loose_array y(
                SWAP ? A : B, Y_ACROSS ? K : cols, Y_ACROSS ? cols : K,
                SWAP ? lda : ldb, SWAP ? step_a : step_b, batches);

            gemm::produce_loose<products, FILLERS>(
                place, walk, SWAP ? map_b : map_a, SWAP ? map_a : map_b, x, y,
                SWAP ? loose_b : loose_a, SWAP ? loose_a : loose_b, K, parts,
                to.staged.loaded + 64, raws, is_second);
        } else if constexpr (kMeanwhile) {
            const packing_source source = {
                SWAP ? B : A, SWAP ? A : B, SWAP ? packed_b : packed_a,
                SWAP ? packed_a : packed_b, SWAP ? ldb : lda,
                SWAP ? lda : ldb, SWAP ? step_b : step_a,
                SWAP ? step_a : step_b, SWAP ? loose_b : loose_a,
                SWAP ? loose_a : loose_b, SWAP ? groups_b : groups_a,
                SWAP ? groups_a : groups_b, rows, cols, K, batches, parts,
                line_group, along_n};

            if (threadIdx.x < 32)
                produce(place, tiles, SWAP ? map_b : map_a,
                        SWAP ? map_a : map_b, K, parts,
                        gemm::awaited_step<products>(
                            source.cut_x(), source.cut_y(), packing, batches));
            else
                gemm::pack_meanwhile<products>(
                    source, packing, to.staged.loaded + 64, raws,
                    (int)threadIdx.x / 32 - 1);
        } else if (threadIdx.x == 0) {
            produce(place, tiles, SWAP ? map_b : map_a, SWAP ? map_a : map_b,
                    K, parts, gemm::nothing_awaited{});
        }
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

/* Copies the matrices whose rows do not start at multiples of 16 bytes. The product
 * may begin as soon as all blocks run, to wait there. */
extern "C" __global__ void __launch_bounds__(256, 4)
gemm_sm90_pack(const T *A, const T *B, T *packed_a, T *packed_b, int rows_a,
               int cols_a, int groups_a, long long lda, long long step_a,
               int rows_b, int cols_b, int groups_b, long long ldb,
               long long step_b, int batches)
{
    hone::start_next();
    gemm::pack(
        loose(A, packed_a, rows_a, cols_a, groups_a, lda, step_a, batches),
        loose(B, packed_b, rows_b, cols_b, groups_b, ldb, step_b, batches));
}

/* Adds up the parts of C: a block takes 32 groups of four sums. */
extern "C" __global__ void __launch_bounds__(256)
gemm_sm90_reduce(OUT *C, const float4 *partial, float alpha, float beta,
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
