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
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"

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
#pragma hone require max(PACKED_A, PACKED_B) <= 8G "a matrix to be packed is larger than 16 GB"
#pragma hone workspace packed_a: T[EMULATES ? 0 : PACKED_A]
#pragma hone workspace packed_b: T[EMULATES ? 0 : PACKED_B]
#pragma hone workspace numbers_a: bf16[EMULATES ? PACKED_A : 0]
#pragma hone workspace numbers_b: bf16[EMULATES ? PACKED_B : 0]
#pragma hone workspace partial: f32[PARTS > 1 ? PARTS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTS > 1 && FINISH == ticket ? TILES*CONSUMERS : 0] zero

/* Clocks of a multiprocessor, as in gemm/sm90. */
#pragma hone let DEEP = ceildiv(STEPS, PARTS)*DEPTH
#pragma hone let MULTIPLY = BM/16*DEEP*max(BN/2, 16 + BN/4)
#pragma hone let FETCH = (BM/CLUSTER_N + BN/CLUSTER_M)*DEEP*16/5
#pragma hone let TILE_CLOCKS = max(MULTIPLY, FETCH) + 1500 + BM*BN/16/(SCHEDULE == in_turn ? 2 : 1)
#pragma hone feature COST = ceildiv(CLUSTERS, max(RESIDENT, 1))*TILE_CLOCKS + (PARTS > 1 ? 2000 + PARTS*BM*BN/32/(FINISH == reduce ? min(PARTS, 8) : 1) + (FINISH == reduce ? 4000 : 0) : 0)
#pragma hone feature RING = STAGES*DEPTH per DEEP

// With one row or one matrix the step to the next is anything that maps take.
#pragma hone let STEP_A = BATCH > 1 ? STRIDE_A : align(ROWS_A*LDA, 4)
#pragma hone let STEP_B = BATCH > 1 ? STRIDE_B : align(ROWS_B*LDB, 4)
#pragma hone let LINES_A = (SWAP ? BN : BM)/CLUSTER_N
#pragma hone let LINES_B = (SWAP ? BM : BN)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(K, M, BATCH) strides(align(LDA, 4)*4, STEP_A*4) box(LINE, LINES_A, 1) swizzle(128) l2(256) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(K, N, BATCH) strides(align(LDB, 4)*4, STEP_B*4) box(LINE, LINES_B, 1) swizzle(128) l2(256) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(K, M, BATCH) strides(PITCH*4, M*PITCH*4) box(LINE, LINES_A, 1) swizzle(128) l2(256) if(PACK_A && !EMULATES)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(K, N, BATCH) strides(PITCH*4, N*PITCH*4) box(LINE, LINES_B, 1) swizzle(128) l2(256) if(PACK_B && !EMULATES)
#pragma hone tensormap MAP_NUMBERS_A: numbers_a dims(K, M, BATCH*3) strides(PITCH*2, M*PITCH*2) box(LINE, LINES_A, 1) swizzle(128) l2(256) if(EMULATES)
#pragma hone tensormap MAP_NUMBERS_B: numbers_b dims(K, N, BATCH*3) strides(PITCH*2, N*PITCH*2) box(LINE, LINES_B, 1) swizzle(128) l2(256) if(EMULATES)
#pragma hone tensormap MAP_C: C dims(N, M, BATCH) strides(LDC*4, STEP_C*4) box(BOX, WM, 1) swizzle(BOX*4) if(STORE == tensor && MAPPED_C)
#pragma hone let PAIRS_C = LDC % 2 == 0 && STEP_C % 2 == 0
#pragma hone launch gemm_sm90_f32_pack if(PACK_A || PACK_B) grid(min((PACK_A ? ceildiv(M, 32)*ceildiv(K, 64)*BATCH : 0) + (PACK_B ? ceildiv(N, 32)*ceildiv(K, 64)*BATCH : 0), device.sm_count*32)) block(256) args(A, B, packed_a, packed_b, numbers_a, numbers_b, i32(PACK_A ? M : 0), i32(PACK_B ? N : 0), i32(K), i32(PITCH), i64(LDA), i64(STRIDE_A), i64(LDB), i64(STRIDE_B), i32(BATCH))
#pragma hone launch gemm_sm90_f32 grid((PERSISTENT ? min(CLUSTERS, RESIDENT) : CLUSTERS)*CLUSTER_M*CLUSTER_N) block(THREADS) shared(SMEM) cluster(CLUSTER_M*CLUSTER_N) args(pick(EMULATES ? 2 : PACK_A, MAP_A, MAP_PACKED_A, MAP_NUMBERS_A), pick(EMULATES ? 2 : PACK_B, MAP_B, MAP_PACKED_B, MAP_NUMBERS_B), MAP_C, C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(PARTS), i32(STAGES), i32(RASTER == along_n), i32(GROUP), i32(MAPPED_C), i32(PAIRS_C), i32(FINISH == ticket), bias) early
#pragma hone launch gemm_sm90_f32_reduce if(PARTS > 1 && FINISH == reduce) grid(TILES*BM*BN/128) block(32, min(PARTS, 8)) args(C, partial, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(BATCH), i32(PARTS), i32(RASTER == along_n), i32(GROUP), i32(PAIRS_C), bias) early

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
constexpr bool kRegistersMove = CONSUMERS > 1;
constexpr int kPart = BM * BN / 4; /* groups of four sums of a tile */

using tile_walk = gemm::tile_walk<BM, BN, kSharedY, kSharedX, 1>;
using matrix_c = gemm::matrix<OUT, SWAP>;
using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
using staged_output =
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, false, false, kInTurn>;

/* What wgmma has to know of an operand besides its address: eight rows of 128
 * bytes of K follow each other. */
constexpr unsigned long long kAlongK = 1ull << 62 | 64ull << 32 | 1ull << 16;

/* Which numbers of A and B the products are of, the first one in the last four
 * bits. */
constexpr unsigned kNumbersA = EMULATES ? 0x001102 : 0;
constexpr unsigned kNumbersB = EMULATES ? 0x010120 : 0;

using sums_of_thread = float[kHeights][kSums];

/* One product of 64 rows, BN columns and 32 bytes of K; `sum` 0 forgets what the
 * sums held. */
__device__ __forceinline__ void multiply(float (&d)[kSums],
                                         unsigned long long a,
                                         unsigned long long b, int sum)
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

/* One operand's part of a slot: ROWS of M or N by BK, as boxes of 128 bytes a
 * row. SHARED blocks of the cluster read the same one: each asks for its part of
 * every box, for all of them. */
template <int ROWS, int SHARED>
__device__ __forceinline__ void load(unsigned to, const CUtensorMap &map,
                                     int row, int k, int matrix, int rank,
                                     unsigned barrier)
{
    constexpr int OWN = ROWS / SHARED;
    const int first = SHARED > 1 ? rank * OWN : 0;

#pragma unroll
    for (int i = 0; i < DEPTH; i++) {
        const unsigned at = to + (i * ROWS + first) * 128;

        if constexpr (SHARED > 1)
            hone::tensor_load_all(at, map, k + i * LINE, row + first, matrix,
                                  barrier, (1 << SHARED) - 1);
        else
            hone::tensor_load(at, map, k + i * LINE, row + first, matrix,
                              barrier);
    }
}

/* The steps that a part has: from `first` on, before `end`. A product's are
 * those of K. */
struct steps {
    int of_product, first, end;

    __device__ steps(int K, const gemm::tile &t, int parts)
        : of_product((K + BK - 1) / BK)
    {
        const int all = of_product * PRODUCTS;

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
        int product = mine.first / mine.of_product;
        int k = mine.first % mine.of_product;

#pragma unroll 1
        for (int step = mine.first; step < mine.end; step++) {
            const unsigned to = place.slots + place.slot * kSlot;
            const unsigned full = place.own_full();
            const int a = t.batch * NUMBERS + (kNumbersA >> product * 4 & 15);
            const int b = t.batch * NUMBERS + (kNumbersB >> product * 4 & 15);

            hone::barrier_wait(place.own_empty(), place.round ^ 1);
            hone::barrier_expect(full, kSlot);
            load<BM, kSharedX>(to, map_x, t.row, k * BK, SWAP ? b : a,
                               walk.rank, full);
            load<BN, kSharedY>(to + SLOT_X, map_y, t.col, k * BK, SWAP ? a : b,
                               walk.rank, full);
            place.advance();
            if (++k == mine.of_product) {
                k = 0;
                product++;
            }
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

/* The products of one slot. `a` and `b` describe where a warp group's part of
 * the first slot starts; `old` is 0 for the first slot of a tile. */
__device__ __forceinline__ void multiply_slot(sums_of_thread &sums,
                                              unsigned long long a,
                                              unsigned long long b,
                                              int slot, int old)
{
    a += slot * (kSlot / 16);
    b += slot * (kSlot / 16);
    hone::wgmma_begin();
#pragma unroll
    for (int k = 0; k < DEPTH * 4; k++) {
        const int of_a = k / 4 * BM * 128 + k % 4 * 32;
        const int of_b = k / 4 * BN * 128 + k % 4 * 32;

#pragma unroll
        for (int i = 0; i < kHeights; i++)
            multiply(sums[i], a + (of_a + i * 64 * 128) / 16, b + of_b / 16,
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
        place.skip(group * ((K + BK - 1) / BK) * PRODUCTS);
        walk.alternate(group);
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
                release(place, PENDING == 0 ? place.slot : last);
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
            release(place, last);
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
            to.staged.store(sums, map_c, c, t, to.after);
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
    const tile_walk walk(rows, cols, batches, parts, line_group, along_n != 0);
    gemm::ring_place place;
    target to;

    /* The swizzle wants multiples of 1024. */
    place.stages = stages;
    place.slots = (hone::shared_address(shared) + 1023u) / 1024u * 1024u;
    to.staged.buffers = place.slots + stages * kSlot;
    place.full = to.staged.buffers + STAGING;
    place.empty = place.full + kMostStages * 8;
    place.turns = place.empty + kMostStages * 8;
    to.staged.loaded = place.turns + 16;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, kWarps * kBlocks);
        }
        for (int i = 0; i < 2; i++)
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
            hone::registers_shrink<40>();
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
