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
 * BM/CONSUMERS*BN/128 for the sums alone. Blocks of a CLUSTER lie in one
 * column (c2x1) or row (c1x2) of tiles; of the tile of B or A that they share
 * each reads a part, for both. With PERSISTENT a block takes one tile after
 * another, and the next is on its way while this one is written. With
 * SCHEDULE = in_turn the two groups have a tile each: while one writes, the
 * other multiplies.
 *
 * Rows of a product are 64, its columns may be 8. With SWAP they change
 * places: what is computed is the transpose, op(B)' * op(A)', which is C where
 * what the code calls a column is a row. So a C of few rows wastes little.
 * Below, rows and columns are those of the products, X (rows) and Y (columns)
 * their operands: A and B, or B and A.
 *
 * With SPLIT_K > 1 blocks share the K of one tile; each leaves f32 sums in the
 * workspace. FINISH says who adds them up: `ticket` the last of them, `reduce`
 * a second launch; both in a fixed order, so that every run of a variant gives
 * the same bits.
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
 * 8 elements. A matrix that lacks this is first copied to a workspace by
 * gemm_sm90_pack: one launch for both and a pass over it, during which the
 * product gets ready. For C the same, where the elements may be 4 bytes, decides
 * how STORE = tensor writes it. A, B and C start at multiples of 16 bytes, as
 * any cudaMalloc result does.
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
 * Blocks of a cluster leave together. Copies count all bytes of their box,
 * also those outside of a matrix. The ticket counts a warp group only behind
 * the fence that follows its writes. */
#include "gemm.cuh"
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

#pragma hone implements gemm/sm90 "wgmma and tensor copies of compute capability 9.0"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone require sizeof(T) == 2 "these tensor cores take f16 and bf16"
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_sm90_space.cuh"

#pragma hone let PACK_A = (ROWS_A > 1 && LDA % 8 != 0) || (BATCH > 1 && STRIDE_A % 8 != 0)
#pragma hone let PACK_B = (ROWS_B > 1 && LDB % 8 != 0) || (BATCH > 1 && STRIDE_B % 8 != 0)
#pragma hone let PITCH_A = align(COLS_A, COLS_A > 384 ? 64 : 16)
#pragma hone let PITCH_B = align(COLS_B, COLS_B > 384 ? 64 : 16)
#pragma hone let PACKED_A = PACK_A ? BATCH*ROWS_A*PITCH_A : 0
#pragma hone let PACKED_B = PACK_B ? BATCH*ROWS_B*PITCH_B : 0
#pragma hone require max(PACKED_A, PACKED_B) <= 8G "a matrix to be packed is larger than 16 GB"
#pragma hone workspace packed_a: T[PACKED_A]
#pragma hone workspace packed_b: T[PACKED_B]
#pragma hone workspace partial: f32[PARTS > 1 ? PARTS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTS > 1 && FINISH == ticket ? TILES*CONSUMERS : 0] zero

/* Clocks of a multiprocessor: 2048 multiply-adds, 128 bytes of shared memory,
 * about 40 from the level 2 cache, 64 written. 1,500 and 4,000 begin and end a
 * tile and another launch. */
#pragma hone let DEEP = align(ceildiv(K, PARTS), BK)
#pragma hone let MULTIPLY = BM*DEEP/16*max(BN/2, 16 + BN/4)/64
#pragma hone let FETCH = (BM/CLUSTER_N + BN/CLUSTER_M)*DEEP/20
#pragma hone let TILE_CLOCKS = max(MULTIPLY, FETCH)*MIN_BLOCKS + 1500 + BM*BN*(PARTS > 1 ? 4 : sizeof(OUT))/64/(SCHEDULE == in_turn ? 2 : 1)
#pragma hone feature COST = ceildiv(CLUSTERS, max(RESIDENT, 1))*RUN*TILE_CLOCKS + (PARTS > 1 ? 2000 + PARTS*BM*BN/32/(FINISH == reduce ? min(PARTS, 8) : 1) + (FINISH == reduce ? 4000 : 0) : 0)
#pragma hone feature DEPTH = STAGES*BK per DEEP

// With one row or one matrix the step to the next is anything that maps take.
#pragma hone let STEP_A = BATCH > 1 ? STRIDE_A : align(ROWS_A*LDA, 8)
#pragma hone let STEP_B = BATCH > 1 ? STRIDE_B : align(ROWS_B*LDB, 8)
#pragma hone let LINES_A = (TRANS_A ? BK : SWAP ? BN : BM)/CLUSTER_N
#pragma hone let LINES_B = (TRANS_B ? (SWAP ? BM : BN) : BK)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(COLS_A, ROWS_A, BATCH) strides(align(LDA, 8)*2, STEP_A*2) box(64, LINES_A, 1) swizzle(128) l2(256) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(COLS_B, ROWS_B, BATCH) strides(align(LDB, 8)*2, STEP_B*2) box(64, LINES_B, 1) swizzle(128) l2(256) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(COLS_A, ROWS_A, BATCH) strides(PITCH_A*2, ROWS_A*PITCH_A*2) box(64, LINES_A, 1) swizzle(128) l2(256) if(PACK_A)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(COLS_B, ROWS_B, BATCH) strides(PITCH_B*2, ROWS_B*PITCH_B*2) box(64, LINES_B, 1) swizzle(128) l2(256) if(PACK_B)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*sizeof(OUT), STEP_C*sizeof(OUT)) box(BOX, WM, 1) swizzle(BOX*sizeof(OUT)) if(STORE == tensor && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone launch gemm_sm90_pack if(PACK_A || PACK_B) grid(min(ceildiv(PACKED_A + PACKED_B, 8192), device.sm_count*6)) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS_A : 0), i32(COLS_A), i32(PITCH_A/8), i64(LDA), i64(STRIDE_A), i32(PACK_B ? ROWS_B : 0), i32(COLS_B), i32(PITCH_B/8), i64(LDB), i64(STRIDE_B), i32(BATCH))
#pragma hone launch gemm_sm90 grid((PERSISTENT ? min(CLUSTERS, RESIDENT) : CLUSTERS)*CLUSTER_M*CLUSTER_N) block(THREADS) shared(SMEM) cluster(CLUSTER_M*CLUSTER_N) args(MAP_A, MAP_B, MAP_PACKED_A, MAP_PACKED_B, MAP_C, C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(PACK_A), i32(PACK_B), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket), bias) early
#pragma hone launch gemm_sm90_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C), bias) early

namespace {

namespace gemm = hone::gemm;

constexpr int kSharedX = CLUSTER_N; /* blocks that share a tile of X */
constexpr int kSharedY = CLUSTER_M;
constexpr int kBlocks = kSharedX * kSharedY; /* of a cluster */
constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr bool kStaged = STORE == STORE_values::tensor;
constexpr bool kRuns = RUN > 1;
constexpr int kWarps = kInTurn ? 4 : CONSUMERS * 4; /* that read a slot */
constexpr int kHeights = WM / 64; /* products over a warp group's rows */
constexpr int kSums = BN / 2;     /* a thread's, of one product */
constexpr int kSlot = SLOT_X + SLOT_Y;
constexpr int kMostStages = 16;
constexpr bool kRegistersMove = CONSUMERS * MIN_BLOCKS > 1;
constexpr int kPart = BM * BN / 4; /* groups of four sums of a tile */

using tile_walk = gemm::tile_walk<BM, BN, kSharedY, kSharedX, RUN>;
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
using staged_output = gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, STREAM, kRuns,
                                          kInTurn && !SHARES>;

/* What wgmma has to know of an operand besides its address. Where K is
 * contiguous: eight rows of 64 elements of K follow each other (1024 bytes).
 * Across K: the same of eight k, and the next 64 elements of M or N lie BK
 * rows further on. */
constexpr unsigned long long kAlongK = 1ull << 62 | 64ull << 32 | 1ull << 16;
constexpr unsigned long long kAcrossK =
    1ull << 62 | 64ull << 32 | (unsigned long long)(BK * 128 / 16) << 16;

using sums_of_thread = float[kHeights][kSums];

/* One product of 64 rows, BN columns and 16 of K; `sum` 0 forgets what the
 * sums held. */
__device__ __forceinline__ void multiply(float (&d)[kSums],
                                         unsigned long long a,
                                         unsigned long long b, int sum)
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

/* The steps of K that a part has: from `first` on, before `end`. */
struct steps {
    int first, end;

    __device__ steps(int K, const gemm::tile &t, int parts)
    {
        const int all = (K + BK - 1) / BK;

        first = SPLITS ? (int)((long long)all * t.part / parts) : 0;
        end = SPLITS ? (int)((long long)all * (t.part + 1) / parts) : all;
    }
};

/* One thread fills the ring. */
__device__ __forceinline__ void produce(gemm::ring_place place, tile_walk walk,
                                        const CUtensorMap &map_x,
                                        const CUtensorMap &map_y, int K,
                                        int parts)
{
    gemm::tile t;

    hone::tensor_prefetch(map_x);
    hone::tensor_prefetch(map_y);
#pragma unroll 1
    while (walk.take(&t)) {
        const steps mine(K, t, parts);

#pragma unroll 1
        for (int step = mine.first; step < mine.end; step++) {
            const unsigned to = place.slots + place.slot * kSlot;
            const unsigned full = place.own_full();
            const int k = step * BK;

            hone::barrier_wait(place.own_empty(), place.round ^ 1);
            hone::barrier_expect(full, kSlot);
            gemm::load<X_ACROSS != 0, BM, BK, kSharedX>(
                to, map_x, t.row, k, t.batch, walk.rank, full);
            gemm::load<Y_ACROSS != 0, BN, BK, kSharedY>(
                to + SLOT_X, map_y, t.col, k, t.batch, walk.rank, full);
            place.advance();
        }
    }
}

/* The products of one slot. `a` and `b` describe where a warp group's part of
 * the first slot starts; `old` is 0 for the first slot of a tile. */
__device__ __forceinline__ void multiply_slot(sums_of_thread &sums,
                                              unsigned long long a,
                                              unsigned long long b,
                                              int slot, int old)
{
    constexpr int HEIGHT = 64 * (X_ACROSS ? BK * 2 : 128); /* bytes */

    a += slot * (kSlot / 16);
    b += slot * (kSlot / 16);
    hone::wgmma_begin();
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        const int of_a = X_ACROSS ? k * 2048 : k / 4 * BM * 128 + k % 4 * 32;
        const int of_b = Y_ACROSS ? k * 2048 : k / 4 * BN * 128 + k % 4 * 32;

#pragma unroll
        for (int i = 0; i < kHeights; i++)
            multiply(sums[i], a + (of_a + i * HEIGHT) / 16, b + of_b / 16,
                     k > 0 ? 1 : old);
    }
    hone::wgmma_commit();
}

/* A product takes the sums, although the first forgets what they are: where they
 * are most of the registers, zeros free these for the way to C. */
__device__ __forceinline__ void forget(sums_of_thread &sums)
{
    if constexpr (kHeights * kSums > 128) {
#pragma unroll
        for (int i = 0; i < kHeights * kSums; i++)
            sums[i / kSums][i % kSums] = 0.0f;
    }
}

/* What consumers need besides the ring. */
struct target {
    matrix_c c; /* the first of the batch */
    long long step;
    staged_output staged;
    float4 *partial;
    unsigned *tickets;
    bool ticket;
    epilogue after;
};

/* The sums of a part go to the workspace. The last warp group of a tile's rows
 * gets the sums of all. */
__device__ __forceinline__ bool join_parts(sums_of_thread &sums,
                                           const target &to,
                                           const gemm::tile &t, int parts,
                                           int part_of_rows)
{
    const int thread = threadIdx.x % 128;
    float4 *first = to.partial + (long long)t.id * parts * kPart +
                    part_of_rows * (WM * BN / 4);

    gemm::write_part(sums, first + (long long)t.part * kPart, thread);
    if (!to.ticket ||
        !gemm::is_last(to.tickets + t.id * CONSUMERS + part_of_rows, parts,
                       threadIdx.x / 128))
        return false;
    gemm::add_parts(sums, first, kPart, parts, thread);
    return true;
}

/* What C holds of a tile, or where it is read before the products, of the next
 * one, is asked for. */
__device__ __forceinline__ void ask_for_c(const target &to, gemm::tile t,
                                          tile_walk walk, int part)
{
    matrix_c c = to.c;

    if (kStaged && staged_output::EARLY) {
        if (!walk.take(&t))
            return;
        t.row += part * WM;
    }
    c.to += t.batch * to.step;
    gemm::prefetch_part<WM, BN>(c, t.row, t.col, threadIdx.x % 128);
}

/* A warp group multiplies what is in the ring. In turn, a group waits for its
 * slots only when the other has seen all that come before: a barrier tells a
 * phase from the next by its parity, not from the one after. */
__device__ __forceinline__ void consume(gemm::ring_place place, tile_walk walk,
                                        const CUtensorMap &map_c, target to,
                                        int K, int parts)
{
    const int group = threadIdx.x / 128 - 1;
    const int thread = threadIdx.x % 128;
    const int part = kInTurn ? 0 : group; /* of a tile's rows */
    const unsigned long long x =
        (X_ACROSS ? kAcrossK : kAlongK) +
        hone::wgmma_address(place.slots +
                            part * WM * (X_ACROSS ? BK * 2 : 128));
    const unsigned long long y = (Y_ACROSS ? kAcrossK : kAlongK) +
                                 hone::wgmma_address(place.slots + SLOT_X);
    sums_of_thread sums = {};
    unsigned my_turn = group == 0;
    const float alpha = to.staged.alpha, beta = to.staged.beta;
    gemm::tile t;

    if (!SHARES)
        to.staged.buffers += group * staged_output::BYTES;
    to.staged.loaded += group * BUFFERS * 8;
    if (!kInTurn)
        to.staged.edges += group * (EDGES / CONSUMERS);
    if (kInTurn) {
        place.skip(group * ((K + BK - 1) / BK));
        walk.alternate(group);
        to.staged.segment = group * staged_output::ROUNDS;
        to.staged.own_turn = place.writes + 8 * group;
        to.staged.other_turn = place.writes + 8 * (1 - group);
        to.staged.turn = group == 0;
    }
#pragma unroll 1
    while (walk.take(&t)) {
        const steps mine(K, t, parts);
        matrix_c c = to.c;
        int last = 0;

        c.to += t.batch * to.step;
        t.row += part * WM;
        if (kStaged && (!SPLITS || parts == 1))
            to.staged.ask_first(map_c, t);
        if (staged_output::EARLY && kStaged)
            to.staged.read_early(c, t);
        if (beta != 0.0f && !SWAP && !SPLITS && !(kStaged && to.staged.mapped))
            ask_for_c(to, t, walk, part);
        if (kInTurn)
            hone::barrier_wait(place.turns + 8 * group, my_turn);
        forget(sums);

#pragma unroll 1
        for (int step = mine.first; step < mine.end; step++) {
            hone::barrier_wait(place.own_full(), place.round);
            multiply_slot(sums, x, y, place.slot, step > mine.first);
            hone::wgmma_wait<PENDING>();
            if (PENDING == 0 || step > mine.first)
                gemm::release<kBlocks>(place, PENDING == 0 ? place.slot : last);
            last = place.slot;
            place.advance();
        }
        if (kInTurn) {
            if (threadIdx.x % 32 == 0)
                hone::barrier_arrive(place.turns + 8 * (1 - group));
            place.skip(mine.end);
        }
        hone::wgmma_wait<0>();
        if (PENDING > 0)
            gemm::release<kBlocks>(place, last);
#pragma unroll
        for (int i = 0; i < kHeights; i++)
            hone::wgmma_result(sums[i]);
        if (SPLITS && parts > 1) {
            if (!join_parts(sums, to, t, parts, part))
                continue;
            if (kStaged)
                to.staged.ask_first(map_c, t);
        }
        if constexpr (kStaged) {
            if (kInTurn && kRuns && !staged_output::EARLY)
                hone::barrier_wait(place.writes + 8 * group, my_turn);
            to.staged.store(sums, map_c, c, t, to.after);
            if (kInTurn && kRuns) {
                __syncwarp();
                if (!staged_output::EARLY && threadIdx.x % 32 == 0)
                    hone::barrier_arrive(place.writes + 8 * (1 - group));
                to.staged.segment += staged_output::ROUNDS;
            }
        } else {
            gemm::scale_direct(sums, c, t.row, t.col, thread, alpha, beta);
            if constexpr (!epilogue::IS_NOTHING)
                gemm::finish(sums, c, t.row, t.col, thread, to.after, 0, BN);
            gemm::store_direct(sums, c, t.row, t.col, thread);
        }
        my_turn ^= 1;
    }
    if (kStaged && thread == 0)
        hone::tensor_store_wait();
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
          int stages, int along_n, int line_group, int packed_a, int packed_b,
          int mapped_c, int pairs_c, int ticket, const OUT *bias)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const CUtensorMap &map_a = packed_a ? MAP_PACKED_A : MAP_A;
    const CUtensorMap &map_b = packed_b ? MAP_PACKED_B : MAP_B;
    const tile_walk walk(rows, cols, batches, parts, line_group, along_n != 0);
    gemm::ring_place place;
    target to;

    /* The swizzle wants multiples of 1024. */
    place.stages = stages;
    place.slots = (hone::shared_address(shared) + 1023u) / 1024u * 1024u;
    to.staged.buffers = place.slots + stages * kSlot;
    to.staged.edges = to.staged.buffers + STAGING;
    place.full = to.staged.edges + EDGES;
    place.empty = place.full + kMostStages * 8;
    place.turns = place.empty + kMostStages * 8;
    place.writes = place.turns + 16;
    to.staged.loaded = place.writes + 16;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, kWarps * kBlocks);
        }
        for (int i = 0; i < 4; i++)
            hone::barrier_init(place.turns + 8 * i, 4);
        for (int i = 0; i < CONSUMERS * BUFFERS; i++)
            hone::barrier_init(to.staged.loaded + 8 * i, 1);
        hone::barrier_init_done();
    }
    if constexpr (kBlocks > 1)
        hone::cluster_sync();
    else
        __syncthreads();
    hone::wait_for_previous();

    if (threadIdx.x < 128) {
        if constexpr (kRegistersMove)
            hone::registers_shrink<PRODUCER>();
        if (threadIdx.x == 0)
            produce(place, walk, SWAP ? map_b : map_a, SWAP ? map_a : map_b, K,
                    parts);
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
        consume(place, walk, MAP_C, to, K, parts);
    }
    if constexpr (kBlocks > 1) {
        __syncwarp();
        hone::cluster_sync();
    }
}

/* Copies the matrices whose rows do not start at multiples of 16 bytes. Of the
 * other, rows are 0. The product may begin as soon as all blocks run, to wait
 * there. */
extern "C" __global__ void __launch_bounds__(256, 3)
gemm_sm90_pack(const T *A, const T *B, T *packed_a, T *packed_b, int rows_a,
               int cols_a, int groups_a, long long lda, long long step_a,
               int rows_b, int cols_b, int groups_b, long long ldb,
               long long step_b, int batches)
{
    unsigned next = 0;

    hone::start_next();
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        const bool is_a = i == 0;
        gemm::loose_matrices m;

        m.from = reinterpret_cast<const unsigned short *>(is_a ? A : B);
        m.to = reinterpret_cast<uint4 *>(is_a ? packed_a : packed_b);
        m.rows = is_a ? rows_a : rows_b;
        m.cols = is_a ? cols_a : cols_b;
        m.batches = batches;
        m.groups_to = is_a ? groups_a : groups_b;
        m.pitch = is_a ? lda : ldb;
        m.step = is_a ? step_a : step_b;
        next = gemm::pack(m, next);
    }
}

/* Adds up the parts of C: a block takes 32 groups of four sums. */
extern "C" __global__ void __launch_bounds__(256)
gemm_sm90_reduce(OUT *C, const float4 *partial, float alpha, float beta,
                 long long ldc, long long step_c, int rows, int cols,
                 int batches, int parts, int along_n, int line_group,
                 int pairs_c, const OUT *bias)
{
    hone::wait_for_previous();
    if constexpr (SPLITS) {
        const tile_walk walk(rows, cols, batches, 1, line_group, along_n != 0);
        const gemm::tile t = walk.at(blockIdx.x / (kPart / 32));
        const int in_tile = blockIdx.x % (kPart / 32) * 32 + threadIdx.x;
        const int in_group = in_tile % (WM * BN / 4);
        const int thread = in_group % 128;
        const int first = in_group / 128 * 4; /* of a thread's sums */
        const int row =
            t.row + in_tile / (WM * BN / 4) * WM + first / kSums * 64;
        const int col = t.col + first % kSums * 2;
        float sums[1][4];
        matrix_c c;

        if (!gemm::share_parts<8>(
                sums, partial + (long long)t.id * parts * kPart + in_tile,
                kPart, parts))
            return;
        c.to = reinterpret_cast<matrix_c::one *>(C) + t.batch * step_c;
        c.pitch = ldc;
        c.rows = rows;
        c.cols = cols;
        c.pairs = pairs_c != 0;
        gemm::scale_direct(sums, c, row, col, thread, alpha,
                           ADD ? beta : 0.0f);
        if constexpr (!epilogue::IS_NOTHING)
            gemm::finish(sums, c, row, col, thread, epilogue{bias}, 0, 8);
        gemm::store_direct(sums, c, row, col, thread);
    }
}
