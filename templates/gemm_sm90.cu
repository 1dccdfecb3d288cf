/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_sm90: C = op(A)*op(B) in f16 or bf16 with sums in f32, rounded once.
 * Row-major without gaps: C is M x N; A is M x K, or K x M with TRANS_A = 1;
 * B is K x N, or N x K with TRANS_B = 1. For compute capability 9.0 only: the
 * matrix instructions (wgmma) and the copy engine (TMA) of Hopper.
 *
 * Alignment: the copy engine takes rows that start at multiples of 16 bytes,
 * so the row length of A and of B (K or M, N or K) must be a multiple of 8
 * elements; other shapes have no variant here and belong to gemm_f16. Rows of
 * C may have any length: where it is no multiple of 8, STORE = tensor writes
 * from registers. A, B and C start at multiples of 16 bytes, as any
 * cudaMalloc result does.
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
 * other multiplies. STORE says how it is written: by the copy engine from a
 * staging buffer, or from registers.
 *
 * Slots hold rows of 128 bytes whose eight 16-byte pieces are exchanged by the
 * row's number (swizzle), so that neither copies nor products meet bank
 * conflicts. Where K is contiguous a row is 64 elements of K, else one k of 64
 * elements of M or N; wgmma reads both.
 *
 * Properties the parameters stand on (H200, 4096 and 8192 cubed): large products
 * are bound by power; tiles of 128 x 128, 128 x 256 and 256 x 128, with and
 * without clusters, are within a few percent of each other, and so is a group
 * that waits for its last product before it gives a slot back (PENDING = 0);
 * registers instead of the staging buffer cost 8 % at K = 4096, 128 x 192 and
 * 256 x 192 10 % there, where their last wave is a third or two thirds full.
 *
 * Hazards: no function call may remain in the loop of products, or ptxas
 * serialises them (C7510): assert() is one. In a cluster the upper bits of a
 * shared address name the block (wgmma_address()). A warp gives a slot back
 * only after the products that read it, and tells every block that fills it.
 * Blocks of a cluster leave together. Copies count all bytes of their box,
 * also those outside of a matrix. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "hone_device.cuh"
#include "hone_hopper.cuh"

#pragma hone op gemm_sm90(M, N, K, T in {f16, bf16} default f16, TRANS_A in {0, 1}, TRANS_B in {0, 1}) "C = op(A)*op(B), row-major, 16 bits, sums in f32"
#pragma hone arch sm == 90 features
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"
#pragma hone arg A: in T[M*K], B: in T[K*N], C: out T[M*N]

#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in 64..256 step 16 default 128
#pragma hone param BK in {64, 128} default 64
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param SCHEDULE in {together, in_turn} default together
#pragma hone param CLUSTER in {c1x1, c2x1, c1x2} default c1x1
#pragma hone param STAGES in 2..8 default 4
#pragma hone param STORE in {tensor, direct} default tensor
#pragma hone param BUFFERS in {1, 2} default 2
#pragma hone param PENDING in {0, 1} default 1
#pragma hone param MIN_BLOCKS in {1, 2} default 1
#pragma hone param PERSISTENT: bool default true
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param GROUP in {4, 8, 16} default 8

#pragma hone let CLUSTER_M = CLUSTER == c2x1 ? 2 : 1
#pragma hone let CLUSTER_N = CLUSTER == c1x2 ? 2 : 1
#pragma hone let WM = SCHEDULE == in_turn ? BM : BM/CONSUMERS
#pragma hone let THREADS = (CONSUMERS + 1)*128
#pragma hone let SLOT_A = BM*BK*2
#pragma hone let SLOT_B = (TRANS_B ? BN : align(BN, 64))*BK*2
#pragma hone let STAGING = STORE == tensor ? CONSUMERS*BUFFERS*WM*64*2 : 0
#pragma hone let SMEM = 1024 + STAGES*(SLOT_A + SLOT_B) + STAGING + 256
#pragma hone let REGISTERS = 65536/(THREADS*MIN_BLOCKS)/8*8
#pragma hone let GROWN = min(240, (REGISTERS*(CONSUMERS + 1) - 24)/CONSUMERS/8*8)
#pragma hone let BOX = BN % 64 == 0 ? 64 : BN % 32 == 0 ? 32 : 16
#pragma hone let ROW_A = TRANS_A ? M : K
#pragma hone let ROW_B = TRANS_B ? K : N
#pragma hone let TILES = ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let CLUSTERS = ceildiv(ceildiv(M, BM), CLUSTER_M)*ceildiv(ceildiv(N, BN), CLUSTER_N)
#pragma hone let RESIDENT = device.sm_count*MIN_BLOCKS/(CLUSTER_M*CLUSTER_N)

#pragma hone require ROW_A % 8 == 0 "a row of A (K, or M if TRANS_A) is no multiple of 8 elements, which tensor copies need: use gemm_f16"
#pragma hone require ROW_B % 8 == 0 "a row of B (N, or K if TRANS_B) is no multiple of 8 elements, which tensor copies need: use gemm_f16"
#pragma hone require max(M, max(N, K)) <= 2000000000 && TILES <= 1000000000 "a dimension must fit 31 bits"
#pragma hone require WM == 64 || WM == 128 "a warp group computes 64 or 128 rows"
#pragma hone require WM*BN/128 + 40 <= GROWN "the sums need more registers than a thread can have"
#pragma hone require BN/2 + 28 <= REGISTERS "the compiler needs the registers of one product"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require SCHEDULE == together || (CONSUMERS == 2 && MIN_BLOCKS == 1 && PERSISTENT) "two groups take turns, tile by tile"
#pragma hone require STORE == tensor || BUFFERS == 2 "nothing is staged"
#pragma hone require (STORE != tensor) + (BUFFERS != 2 && SMEM + STAGING <= device.smem_optin) + (MIN_BLOCKS != 1) <= 1 "what seldom helps is tried one at a time"
#pragma hone require STAGES*BK <= 512 "the ring is deeper than copies need"
#pragma hone require STAGES*BK >= 256 || SMEM + SLOT_A + SLOT_B > device.smem_optin || MIN_BLOCKS*(SMEM + SLOT_A + SLOT_B + 1024) > device.smem_sm "the ring is too short, and there is room for more"
#pragma hone require BM <= 128 || M > 128 "more than half of each tile would lie outside"
#pragma hone require BN <= 128 || N > BN - 64 "a tile would lie outside by more than 64 columns"
#pragma hone require CLUSTER_M == 1 || M > BM "there is one row of tiles"
#pragma hone require CLUSTER_N == 1 || N > BN "there is one column of tiles"
#pragma hone require BM*BN <= 128*128 || 2*TILES >= device.sm_count || M*N < 100000 "tiles so large leave multiprocessors idle"
#pragma hone require BM*BN >= 128*128 || TILES <= 4*device.sm_count "tiles so small read A and B too often"
#pragma hone require PERSISTENT || CLUSTERS > RESIDENT "every block has one tile anyway"
#pragma hone require SCHEDULE == together || CLUSTERS > RESIDENT "no block has a second tile"
#pragma hone require (RASTER == along_m && GROUP == 8) || CLUSTERS > RESIDENT "all tiles run at once in any order"

#pragma hone tensormap MAP_A: A dims(ROW_A, TRANS_A ? K : M) strides(ROW_A*2) box(64, (TRANS_A ? BK : BM)/CLUSTER_N) swizzle(128) l2(256)
#pragma hone tensormap MAP_B: B dims(ROW_B, TRANS_B ? N : K) strides(ROW_B*2) box(64, (TRANS_B ? BN : BK)/CLUSTER_M) swizzle(128) l2(256)
#pragma hone tensormap MAP_C: C dims(N, M) strides(N*2) box(BOX, WM) swizzle(BOX*2) if(STORE == tensor && N % 8 == 0)
#pragma hone launch gemm_sm90 grid((PERSISTENT ? min(CLUSTERS, RESIDENT) : CLUSTERS)*CLUSTER_M*CLUSTER_N) block(THREADS) shared(SMEM) cluster(CLUSTER_M*CLUSTER_N) args(MAP_A, MAP_B, MAP_C, C, i32(M), i32(N), i32(K), i32(STAGES), i32(RASTER == along_n), i32(GROUP))
#pragma hone work flops(2*M*N*K) bytes(2*(M*K + K*N + M*N))
#pragma hone check cpu.gemm_sm90 tolerance(K + 4) exact(K <= 262144 ? 4 : 1)
#pragma hone check cublas.gemm tolerance(2*K + 8)
#pragma hone baseline cublas, cublaslt

namespace {

constexpr int kSharedA = CLUSTER_N; /* blocks that share a tile of A */
constexpr int kSharedB = CLUSTER_M;
constexpr int kBlocks = kSharedA * kSharedB; /* of a cluster */
constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr int kWarps = kInTurn ? 4 : CONSUMERS * 4; /* that read a slot */
constexpr int kHeights = WM / 64; /* products over a warp group's rows */
constexpr int kSums = BN / 2;     /* a thread's, of one product */
constexpr int kSlot = SLOT_A + SLOT_B;
constexpr int kMostStages = 8;
constexpr bool kRegistersMove = CONSUMERS * MIN_BLOCKS > 1;

/* C leaves through boxes of BOX columns, kPhase columns at a time. */
constexpr int kPhase = 64;
constexpr int kBuffer = WM * kPhase * 2; /* bytes, of a warp group */
constexpr unsigned kSwizzle = BOX * 2 - 16;

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
                 : "l"(a), "l"(b), "r"(sum), "n"(TRANS_A), "n"(1 - TRANS_B));
}

__device__ __forceinline__ unsigned pack(float low, float high)
{
#if HONE_T == HONE_T_f16
    return hone::pack_f16(low, high);
#else
    return hone::pack_bf16(low, high);
#endif
}

/* One operand's part of a slot: ROWS of M or N by BK, as boxes of 64 elements
 * or 128 bytes a row. SHARED blocks of the cluster read the same one: each
 * asks for its part of every box, for all of them. */
template <bool ACROSS, int ROWS, int SHARED>
__device__ __forceinline__ void load(unsigned to, const CUtensorMap &map,
                                     int row, int k, int rank,
                                     unsigned barrier)
{
    constexpr int BOXES = ACROSS ? (ROWS + 63) / 64 : BK / 64;
    constexpr int LINES = ACROSS ? BK : ROWS; /* of a box */
    constexpr int OWN = LINES / SHARED;
    const int first = SHARED > 1 ? rank * OWN : 0;

#pragma unroll
    for (int i = 0; i < BOXES; i++) {
        const unsigned at = to + (i * LINES + first) * 128;
        const int x = (ACROSS ? row : k) + i * 64;
        const int y = (ACROSS ? k : row) + first;

        if constexpr (SHARED > 1)
            hone::tensor_load_all(at, map, x, y, barrier, (1 << SHARED) - 1);
        else
            hone::tensor_load(at, map, x, y, barrier);
    }
}

/* The tiles of this block: `group` lines of tiles are walked together, across
 * them; a cluster takes tiles that lie side by side. */
struct tile_walk {
    int lines, others, group, rank;
    bool along_n;
    int next, step, end;

    __device__ tile_walk(int M, int N, int group_, bool along_n_)
        : group(group_), along_n(along_n_)
    {
        const int m = ((M + BM - 1) / BM + kSharedB - 1) / kSharedB;
        const int n = ((N + BN - 1) / BN + kSharedA - 1) / kSharedA;

        lines = along_n ? n : m;
        others = along_n ? m : n;
        rank = kBlocks > 1 ? (int)blockIdx.x % kBlocks : 0;
        next = (int)blockIdx.x / kBlocks;
        step = (int)gridDim.x / kBlocks;
        end = m * n;
    }

    /* The next tile's first row and column; false behind the last. */
    __device__ bool take(int *row, int *col)
    {
        const int first = next / (group * others) * group;
        const int in_group = next % (group * others);
        const int width = min(group, lines - first);
        const int line = first + in_group % max(width, 1);
        const int other = in_group / max(width, 1);
        const bool there = next < end;

        *row = ((along_n ? other : line) * kSharedB +
                (kSharedB > 1 ? rank : 0)) * BM;
        *col = ((along_n ? line : other) * kSharedA +
                (kSharedA > 1 ? rank : 0)) * BN;
        next += step;
        return there;
    }
};

/* Addresses in shared memory, and a place in the ring: a slot, and how often
 * it came round, modulo 2. */
struct ring_place {
    unsigned slots, full, empty, turns;
    int stages;
    int slot = 0;
    unsigned round = 0;

    __device__ unsigned own_full() const { return full + 8 * slot; }
    __device__ unsigned own_empty() const { return empty + 8 * slot; }
    __device__ void advance()
    {
        if (++slot == stages) {
            slot = 0;
            round ^= 1;
        }
    }
    __device__ void skip(int n)
    {
        slot += n;
        round ^= slot / stages & 1;
        slot %= stages;
    }
};

/* One thread fills the ring. */
__device__ __forceinline__ void produce(ring_place place, tile_walk walk,
                                        const CUtensorMap &map_a,
                                        const CUtensorMap &map_b, int K)
{
    int row, col;

    hone::tensor_prefetch(map_a);
    hone::tensor_prefetch(map_b);
#pragma unroll 1
    while (walk.take(&row, &col)) {
#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
            const unsigned to = place.slots + place.slot * kSlot;
            const unsigned full = place.own_full();

            hone::barrier_wait(place.own_empty(), place.round ^ 1);
            hone::barrier_expect(full, kSlot);
            load<TRANS_A != 0, BM, kSharedA>(to, map_a, row, k, walk.rank,
                                             full);
            load<TRANS_B == 0, BN, kSharedB>(to + SLOT_A, map_b, col, k,
                                             walk.rank, full);
            place.advance();
        }
    }
}

/* A warp is done with a slot and says so to all blocks that fill it. */
__device__ __forceinline__ void release(const ring_place &place, int slot)
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
    constexpr int HEIGHT = 64 * (TRANS_A ? BK * 2 : 128); /* bytes */

    a += slot * (kSlot / 16);
    b += slot * (kSlot / 16);
    hone::wgmma_begin();
#pragma unroll
    for (int k = 0; k < BK / 16; k++) {
        const int of_a = TRANS_A ? k * 2048 : k / 4 * BM * 128 + k % 4 * 32;
        const int of_b = TRANS_B ? k / 4 * BN * 128 + k % 4 * 32 : k * 2048;

#pragma unroll
        for (int i = 0; i < kHeights; i++)
            multiply(sums[i], a + (of_a + i * HEIGHT) / 16, b + of_b / 16,
                     k > 0 ? 1 : old);
    }
    hone::wgmma_commit();
}

/* Through the staging buffers at `staging` (BUFFERS of them, `buffer` is next):
 * rows of BOX columns, swizzled, a box after the other. */
__device__ __forceinline__ void store_tensor(const sums_of_thread &sums,
                                             const CUtensorMap &map,
                                             unsigned staging, int *buffer,
                                             int row, int col)
{
    const int thread = threadIdx.x % 128;
    const int group = threadIdx.x / 128;
    const int lane_row = thread / 32 * 16 + thread % 16;
    const int lane_col = thread % 32 / 16 * 8;

#pragma unroll
    for (int from = 0; from < BN; from += kPhase) {
        const unsigned to = staging + *buffer * kBuffer;

        if (thread == 0)
            hone::tensor_store_wait_read<BUFFERS - 1>();
        hone::group_sync(group);
#pragma unroll
        for (int i = 0; i < kHeights; i++) {
#pragma unroll
            for (int c = from; c < BN && c < from + kPhase; c += 16) {
                const float *d = &sums[i][c / 2];
                const unsigned at =
                    (c - from) / BOX * (WM * BOX * 2) +
                    (i * 64 + lane_row) * (BOX * 2) +
                    ((c - from) % BOX + lane_col) * 2;

                hone::store_matrices(to + (at ^ (at >> 3 & kSwizzle)),
                                     pack(d[0], d[1]), pack(d[2], d[3]),
                                     pack(d[4], d[5]), pack(d[6], d[7]));
            }
        }
        hone::async_fence();
        hone::group_sync(group);
        if (thread == 0) {
#pragma unroll
            for (int c = 0; c < kPhase && from + c < BN; c += BOX)
                hone::tensor_store(map, col + from + c, row,
                                   to + c * WM * 2);
            hone::tensor_store_commit();
        }
        *buffer = *buffer + 1 == BUFFERS ? 0 : *buffer + 1;
    }
}

/* From registers: a thread has pairs of neighbours, eight columns apart, of
 * two rows that lie eight apart. */
__device__ __forceinline__ void store_direct(const sums_of_thread &sums,
                                             T *C, int M, int N, int row,
                                             int col)
{
    const int lane = threadIdx.x % 32;

    row += threadIdx.x % 128 / 32 * 16 + lane / 4;
    col += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kHeights * 2; i++) {
        const int r = row + i / 2 * 64 + i % 2 * 8;
        unsigned short *to =
            reinterpret_cast<unsigned short *>(C) + (long long)r * N + col;

        if (r >= M)
            continue;
#pragma unroll
        for (int j = 0; j < BN; j += 8) {
            const float *d = &sums[i / 2][j / 2 + i % 2 * 2];
            const unsigned pair = pack(d[0], d[1]);

            if (N % 2 == 0 && col + j < N)
                *reinterpret_cast<unsigned *>(to + j) = pair;
            if (N % 2 != 0 && col + j < N)
                to[j] = (unsigned short)pair;
            if (N % 2 != 0 && col + j + 1 < N)
                to[j + 1] = (unsigned short)(pair >> 16);
        }
    }
}

/* A warp group multiplies what is in the ring. In turn, a group waits for its
 * slots only when the other has seen all that come before: a barrier tells a
 * phase from the next by its parity, not from the one after. */
__device__ __forceinline__ void consume(ring_place place, tile_walk walk,
                                        const CUtensorMap &map_c,
                                        unsigned staging, T *C, int M, int N,
                                        int K)
{
    const int group = threadIdx.x / 128 - 1;
    const int part = kInTurn ? 0 : group; /* of a tile's rows */
    const unsigned long long a =
        (TRANS_A ? kAcrossK : kAlongK) +
        hone::wgmma_address(place.slots +
                            part * WM * (TRANS_A ? BK * 2 : 128));
    const unsigned long long b = (TRANS_B ? kAlongK : kAcrossK) +
                                 hone::wgmma_address(place.slots + SLOT_A);
    sums_of_thread sums = {};
    const int steps = (K + BK - 1) / BK;
    unsigned my_turn = group == 0;
    int buffer = 0, row, col;

    staging += group * BUFFERS * kBuffer;
    if (kInTurn) {
        place.skip(group * steps);
        walk.next += group * walk.step;
        walk.step *= 2;
    }
#pragma unroll 1
    while (walk.take(&row, &col)) {
        int last = 0;

        if (kInTurn)
            hone::barrier_wait(place.turns + 8 * group, my_turn);
        my_turn ^= 1;

#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
            hone::barrier_wait(place.own_full(), place.round);
            multiply_slot(sums, a, b, place.slot, k > 0);
            hone::wgmma_wait<PENDING>();
            if (PENDING == 0 || k > 0)
                release(place, PENDING == 0 ? place.slot : last);
            last = place.slot;
            place.advance();
        }
        if (kInTurn) {
            if (threadIdx.x % 32 == 0)
                hone::barrier_arrive(place.turns + 8 * (1 - group));
            place.skip(steps);
        }
        hone::wgmma_wait<0>();
        if (PENDING > 0)
            release(place, last);
#pragma unroll
        for (int i = 0; i < kHeights; i++)
            hone::wgmma_result(sums[i]);
        row += part * WM;
        if (STORE == STORE_values::tensor && N % 8 == 0)
            store_tensor(sums, map_c, staging, &buffer, row, col);
        else
            store_direct(sums, C, M, N, row, col);
    }
    if (STORE == STORE_values::tensor && threadIdx.x % 128 == 0)
        hone::tensor_store_wait();
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_sm90(const __grid_constant__ CUtensorMap MAP_A,
          const __grid_constant__ CUtensorMap MAP_B,
          const __grid_constant__ CUtensorMap MAP_C, T *C, int M, int N,
          int K, int stages, int along_n, int group)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const tile_walk walk(M, N, group, along_n != 0);
    ring_place place;
    unsigned staging;

    /* The swizzle wants multiples of 1024. */
    place.stages = stages;
    place.slots = (hone::shared_address(shared) + 1023u) / 1024u * 1024u;
    staging = place.slots + stages * kSlot;
    place.full = staging + STAGING;
    place.empty = place.full + kMostStages * 8;
    place.turns = place.empty + kMostStages * 8;
    if (threadIdx.x == 0) {
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, kWarps * kBlocks);
        }
        hone::barrier_init(place.turns, 4);
        hone::barrier_init(place.turns + 8, 4);
        hone::barrier_init_done();
    }
    if constexpr (kBlocks > 1)
        hone::cluster_sync();
    else
        __syncthreads();

    if (threadIdx.x < 128) {
        if constexpr (kRegistersMove)
            hone::registers_shrink<24>();
        if (threadIdx.x == 0)
            produce(place, walk, MAP_A, MAP_B, K);
    } else {
        if constexpr (kRegistersMove)
            hone::registers_grow<GROWN>();
        consume(place, walk, MAP_C, staging, C, M, N, K);
    }
    if constexpr (kBlocks > 1) {
        __syncwarp();
        hone::cluster_sync();
    }
}
