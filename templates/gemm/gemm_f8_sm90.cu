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
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"
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
#pragma hone workspace partial: f32[PARTS > 1 ? PARTS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTS > 1 && FINISH == ticket ? TILES*CONSUMERS : 0] zero

/* Clocks of a multiprocessor, as in gemm_sm90.cu: twice the multiply-adds. */
#pragma hone let DEEP = align(ceildiv(K, PARTS), BK)
#pragma hone let MULTIPLY = BM*DEEP/32*max(BN/2, 16 + BN/4)/64
#pragma hone let FETCH = (BM/CLUSTER_N + BN/CLUSTER_M)*DEEP/40
#pragma hone let TILE_CLOCKS = max(MULTIPLY, FETCH)*MIN_BLOCKS + 1500 + BM*BN*(PARTS > 1 ? 4 : sizeof(OUT))/64/(SCHEDULE == in_turn ? 2 : 1)
#pragma hone feature COST = ceildiv(CLUSTERS, max(RESIDENT, 1))*TILE_CLOCKS + (PARTS > 1 ? 2000 + PARTS*BM*BN/32/(FINISH == reduce ? min(PARTS, 8) : 1) + (FINISH == reduce ? 4000 : 0) : 0)
#pragma hone feature DEPTH = STAGES*BK per DEEP

#pragma hone let LINES_A = (SWAP ? BN : BM)/CLUSTER_N
#pragma hone let LINES_B = (SWAP ? BM : BN)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(K, M, BATCH) strides(align(LDA, 16), align(M*LDA, 16)) box(128, LINES_A, 1) swizzle(128) l2(256) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(K, N, BATCH) strides(align(LDB, 16), align(N*LDB, 16)) box(128, LINES_B, 1) swizzle(128) l2(256) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(K, M, BATCH) strides(PITCH, M*PITCH) box(128, LINES_A, 1) swizzle(128) l2(256) if(PACK_A)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(K, N, BATCH) strides(PITCH, N*PITCH) box(128, LINES_B, 1) swizzle(128) l2(256) if(PACK_B)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*sizeof(OUT), STEP_C*sizeof(OUT)) box(BOX, WM, 1) swizzle(BOX*sizeof(OUT)) if(STORE == tensor && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone let TILES_PACKED = (PACK_A ? BATCH*ceildiv(M, 128)*ceildiv(K, 128) : 0) + (PACK_B ? BATCH*ceildiv(N, 128)*ceildiv(K, 128) : 0)
#pragma hone launch gemm_f8_pack if(PACK_A || PACK_B) grid(min(TILES_PACKED, device.sm_count*8)) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS_A : 0), i32(COLS_A), i64(LDA), i32(PACK_B ? ROWS_B : 0), i32(COLS_B), i64(LDB), i64(PITCH), i32(BATCH))
#pragma hone launch gemm_f8_sm90 grid((PERSISTENT ? min(CLUSTERS, RESIDENT) : CLUSTERS)*CLUSTER_M*CLUSTER_N) block(THREADS) shared(SMEM) cluster(CLUSTER_M*CLUSTER_N) args(MAP_A, MAP_B, MAP_PACKED_A, MAP_PACKED_B, MAP_C, C, partial, tickets, alpha, beta, scale_a, scale_b, i64(LDC), i64(STEP_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(PACK_A), i32(PACK_B), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket)) early
#pragma hone launch gemm_f8_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, scale_a, scale_b, i64(LDC), i64(STEP_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C)) early

namespace {

namespace gemm = hone::gemm;

constexpr int kSharedX = CLUSTER_N; /* blocks that share a tile of X */
constexpr int kSharedY = CLUSTER_M;
constexpr int kBlocks = kSharedX * kSharedY; /* of a cluster */
constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr bool kStaged = STORE == STORE_values::tensor;
constexpr int kWarps = kInTurn ? 4 : CONSUMERS * 4; /* that read a slot */
constexpr int kHeights = WM / 64; /* products over a warp group's rows */
constexpr int kSums = BN / 2;     /* a thread's, of one product */
constexpr int kSlot = SLOT_X + SLOT_Y;
constexpr int kMostStages = 16;
constexpr bool kRegistersMove = CONSUMERS * MIN_BLOCKS > 1;
constexpr int kPart = BM * BN / 4; /* groups of four sums of a tile */
constexpr int kPending = FAST ? PENDING : 0;

using tile_walk = gemm::tile_walk<BM, BN, kSharedY, kSharedX, 1>;
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, false, 0>;
using staged_output =
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, STREAM, false, kInTurn>;

/* Eight rows of 128 bytes of K follow each other (1024 bytes). */
constexpr unsigned long long kAlongK = 1ull << 62 | 64ull << 32 | 1ull << 16;

using sums_of_thread = float[kHeights][kSums];

/* One product of 64 rows, BN columns and 32 of K; `sum` 0 forgets what the
 * sums held. */
__device__ __forceinline__ void multiply(float (&d)[kSums],
                                         unsigned long long a,
                                         unsigned long long b, int sum)
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

/* One operand's part of a slot: ROWS by BK, as boxes of 128 bytes a row. SHARED
 * blocks of the cluster read the same one: each asks for its part of every box,
 * for all of them. */
template <int ROWS, int SHARED>
__device__ __forceinline__ void load(unsigned to, const CUtensorMap &map,
                                     int row, int k, int batch, int rank,
                                     unsigned barrier)
{
    constexpr int OWN = ROWS / SHARED;
    const int first = SHARED > 1 ? rank * OWN : 0;

#pragma unroll
    for (int i = 0; i < BK / 128; i++) {
        const unsigned at = to + (i * ROWS + first) * 128;

        if constexpr (SHARED > 1)
            hone::tensor_load_all(at, map, k + i * 128, row + first, batch,
                                  barrier, (1 << SHARED) - 1);
        else
            hone::tensor_load(at, map, k + i * 128, row, batch, barrier);
    }
}

/* The first step of K that part `part` has. */
__device__ __forceinline__ int first_step(int K, int part, int parts)
{
    const int all = (K + BK - 1) / BK;

    return SPLITS ? (int)((long long)all * part / parts) : part ? all : 0;
}

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
        const int end = first_step(K, t.part + 1, parts);

#pragma unroll 1
        for (int step = first_step(K, t.part, parts); step < end; step++) {
            const unsigned to = place.slots + place.slot * kSlot;
            const unsigned full = place.own_full();

            hone::barrier_wait(place.own_empty(), place.round ^ 1);
            hone::barrier_expect(full, kSlot);
            load<BM, kSharedX>(to, map_x, t.row, step * BK, t.batch, walk.rank,
                               full);
            load<BN, kSharedY>(to + SLOT_X, map_y, t.col, step * BK, t.batch,
                               walk.rank, full);
            place.advance();
        }
    }
}

/* A warp is done with a slot and says so to all blocks that fill it. */
__device__ __forceinline__ void release(const gemm::ring_place &place, int slot)
{
    const int lane = threadIdx.x % 32;

    if constexpr (kBlocks > 1) {
        if (lane < kBlocks)
            hone::barrier_arrive_at(place.empty + 8 * slot, lane);
    } else if (lane == 0) {
        hone::barrier_arrive(place.empty + 8 * slot);
    }
}

/* The products of 32 of K that a slot has for height `i`: number `k`. */
__device__ __forceinline__ void multiply_at(sums_of_thread &sums,
                                            unsigned long long a,
                                            unsigned long long b, int i, int k,
                                            int sum)
{
    const int of_a = k / 4 * BM * 128 + k % 4 * 32 + i * 64 * 128;
    const int of_b = k / 4 * BN * 128 + k % 4 * 32;

    multiply(sums[i], a + of_a / 16, b + of_b / 16, sum);
}

/* The products of one slot. `a` and `b` describe where a warp group's part of it
 * starts; `old` is 0 for the first slot of a tile. */
__device__ __forceinline__ void multiply_slot(sums_of_thread &sums,
                                              unsigned long long a,
                                              unsigned long long b, int old)
{
    hone::wgmma_begin();
#pragma unroll
    for (int k = 0; k < BK / 32; k++) {
#pragma unroll
        for (int i = 0; i < kHeights; i++)
            multiply_at(sums, a, b, i, k, k > 0 ? 1 : old);
    }
    hone::wgmma_commit();
}

/* The same, and what 128 of K came to is added to the sums. `fresh` holds that
 * while it is added up. */
__device__ __forceinline__ void promote_slot(sums_of_thread &sums,
                                             sums_of_thread &fresh,
                                             unsigned long long a,
                                             unsigned long long b)
{
#pragma unroll
    for (int first = 0; first < BK / 32; first += 4) {
#pragma unroll
        for (int i = 0; i < kHeights; i++)
            hone::wgmma_result(fresh[i]);
        hone::wgmma_begin();
#pragma unroll
        for (int i = 0; i < kHeights; i++) {
#pragma unroll
            for (int k = first; k < first + 4; k++)
                multiply_at(fresh, a, b, i, k, k > first);
            hone::wgmma_commit();
        }
#pragma unroll
        for (int i = 0; i < kHeights; i++) {
            if (i + 1 < kHeights)
                hone::wgmma_wait<1>();
            else
                hone::wgmma_wait<0>();
            hone::wgmma_result(fresh[i]);
#pragma unroll
            for (int j = 0; j < kSums; j++)
                sums[i][j] += fresh[i][j];
        }
    }
}

/* Zeros. Where a product forgets what the sums are they free registers for C. */
__device__ __forceinline__ void forget(sums_of_thread &sums)
{
    if constexpr (!FAST || kHeights * kSums > 128) {
#pragma unroll
        for (int i = 0; i < kHeights * kSums; i++)
            sums[i / kSums][i % kSums] = 0.0f;
    }
}

/* Of rows and columns of the products; with one for all, alpha has them. */
struct line_scales {
    const float *of_rows, *of_cols;

    __device__ line_scales(const float *of_a, const float *of_b)
        : of_rows(SWAP ? of_b : of_a), of_cols(SWAP ? of_a : of_b)
    {
    }
    template <int HEIGHTS, int SUMS>
    __device__ __forceinline__ void
    apply(float (&sums)[HEIGHTS][SUMS], const matrix_c &c, int row, int col,
          int thread) const
    {
        if constexpr (SCALES == 2)
            gemm::scale_lines(sums, of_rows, of_cols, row, col, c.rows, c.cols,
                              thread);
    }
};

/* What consumers need besides the ring. */
struct target {
    matrix_c c; /* the first of the batch */
    long long step;
    staged_output staged;
    float4 *partial;
    unsigned *tickets;
    bool ticket;
    line_scales scales;
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

/* A warp group multiplies what is in the ring: the steps of a tile. */
__device__ __forceinline__ void multiply_tile(sums_of_thread &sums,
                                              gemm::ring_place &place,
                                              unsigned long long x,
                                              unsigned long long y, int n_steps)
{
    int last = 0;

    if constexpr (FAST) {
#pragma unroll 1
        for (int step = 0; step < n_steps; step++) {
            const int at = place.slot * (kSlot / 16);

            hone::barrier_wait(place.own_full(), place.round);
            multiply_slot(sums, x + at, y + at, step > 0);
            hone::wgmma_wait<kPending>();
            if (kPending == 0 || step > 0)
                release(place, kPending == 0 ? place.slot : last);
            last = place.slot;
            place.advance();
        }
    } else {
        sums_of_thread fresh = {};

#pragma unroll 1
        for (int step = 0; step < n_steps; step++) {
            const int at = place.slot * (kSlot / 16);

            hone::barrier_wait(place.own_full(), place.round);
            promote_slot(sums, fresh, x + at, y + at);
            release(place, place.slot);
            place.advance();
        }
    }
    if constexpr (kPending > 0) {
        hone::wgmma_wait<0>();
        release(place, last);
    }
#pragma unroll
    for (int i = 0; i < kHeights; i++)
        hone::wgmma_result(sums[i]);
}

/* A warp group's tiles, from the ring to C. In turn, a group waits for its slots
 * only when the other has seen all that come before: a barrier tells a phase from
 * the next by its parity, not from the one after. */
__device__ __forceinline__ void consume(gemm::ring_place place, tile_walk walk,
                                        const CUtensorMap &map_c, target to,
                                        int K, int parts)
{
    const int group = threadIdx.x / 128 - 1, thread = threadIdx.x % 128;
    const int part = kInTurn ? 0 : group; /* of a tile's rows */
    const unsigned long long x =
        kAlongK + hone::wgmma_address(place.slots + part * WM * 128);
    const unsigned long long y =
        kAlongK + hone::wgmma_address(place.slots + SLOT_X);
    sums_of_thread sums = {};
    unsigned my_turn = group == 0;
    const float alpha = to.staged.alpha, beta = to.staged.beta;
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
        multiply_tile(sums, place, x, y, end - first_step(K, t.part, parts));
        if (kInTurn) {
            if (threadIdx.x % 32 == 0)
                hone::barrier_arrive(place.turns + 8 * (1 - group));
            place.skip(end);
        }
        if (SPLITS && parts > 1) {
            if (!join_parts(sums, to, t, parts, part))
                continue;
            if (kStaged)
                to.staged.ask_first(map_c, t);
        }
        to.scales.apply(sums, c, t.row, t.col, thread);
        if constexpr (kStaged) {
            to.staged.store(sums, map_c, c, t, epilogue{nullptr});
        } else {
            gemm::scale_direct(sums, c, t.row, t.col, thread, alpha, beta);
            gemm::store_direct(sums, c, t.row, t.col, thread);
        }
        my_turn ^= 1;
    }
    if (kStaged && thread == 0)
        hone::tensor_store_wait();
}

/* alpha with the scales of whole matrices. */
__device__ __forceinline__ float scaled(float alpha, const float *scale_a,
                                        const float *scale_b)
{
    return SCALES == 1 ? alpha * (*scale_a * *scale_b) : alpha;
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
    const tile_walk walk(rows, cols, batches, parts, line_group, along_n != 0);
    gemm::ring_place place;

    /* The swizzle wants multiples of 1024. */
    place.stages = stages;
    place.slots = (hone::shared_address(shared) + 1023u) / 1024u * 1024u;
    const unsigned buffers = place.slots + stages * kSlot;

    place.full = buffers + STAGING;
    place.empty = place.full + kMostStages * 8;
    place.turns = place.empty + kMostStages * 8;
    place.writes = place.turns;
    const unsigned loaded = place.turns + 16;

    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, kWarps * kBlocks);
        }
        for (int i = 0; i < 2; i++)
            hone::barrier_init(place.turns + 8 * i, 4);
        for (int i = 0; i < CONSUMERS * BUFFERS; i++)
            hone::barrier_init(loaded + 8 * i, 1);
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
        target to = {{}, step_c, {}, partial, tickets, ticket != 0,
                     line_scales(scale_a, scale_b)};

        to.c.to = reinterpret_cast<matrix_c::one *>(C);
        to.c.pitch = ldc;
        to.c.rows = rows;
        to.c.cols = cols;
        to.c.pairs = pairs_c != 0;
        to.staged.buffers = buffers;
        to.staged.loaded = loaded;
        to.staged.mapped = mapped_c != 0;
        to.staged.alpha = scaled(alpha, scale_a, scale_b);
        to.staged.beta = ADD ? beta : 0.0f;
        consume(place, walk, MAP_C, to, K, parts);
    }
    if constexpr (kBlocks > 1) {
        __syncwarp();
        hone::cluster_sync();
    }
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
    if constexpr (SPLITS) {
        const tile_walk walk(rows, cols, batches, 1, line_group, along_n != 0);
        const gemm::tile t = walk.at(blockIdx.x / (kPart / 32));
        const int in_tile = blockIdx.x % (kPart / 32) * 32 + threadIdx.x;
        const int in_group = in_tile % (WM * BN / 4), thread = in_group % 128;
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
        line_scales(scale_a, scale_b).apply(sums, c, row, col, thread);
        gemm::scale_direct(sums, c, row, col, thread,
                           scaled(alpha, scale_a, scale_b), ADD ? beta : 0.0f);
        gemm::store_direct(sums, c, row, col, thread);
    }
}
