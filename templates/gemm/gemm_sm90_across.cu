/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/sm90_across: products of tf32 one of whose factors lies across K (A with TRANS_A
 * = 1, or B with TRANS_B = 0), by the matrix instructions (wgmma) and the copy engine
 * (TMA) of Hopper. These instructions read 32-bit types from shared memory along K only;
 * but one factor may come from registers, and threads load these from shared memory in
 * any layout. So X, the factor across K, is copied to slots of the ring as it lies,
 * without the pass in front of the product by which gemm/sm90_f32 turns it.
 *
 * X is B where SWAP, else A; Y the other. What is computed has a row for each row or
 * column of C that X belongs to (SWAP: it is the transpose of C). Y lies along K, or is
 * packed along K by a launch in front (gemm_sm90_f32_pack.cuh), while the first slots
 * fill with X.
 *
 * A slot has 32 k: of X boxes of 32 rows of the product, one k after the other; of Y rows
 * of 32 k; 128 bytes each, whose eight pieces of 16 are exchanged by the row's number
 * (swizzle). A warp has 16 rows of each of its HEIGHTS products, and which ones is free:
 * a thread takes HEIGHTS*2 neighbours at once, and eight threads take pieces in an order
 * in which no two of a load lie in the same banks (`corner`). So it has neighbours of a
 * row of C, too, where SWAP. With AHEAD a warp group reads its elements of the next slot
 * while products of the last one run, which are then followed by others at once; without,
 * other warp groups multiply meanwhile.
 *
 * Parts of K: the blocks of a cluster have K_BLOCKS of them. Each block adds up a share
 * of the sums, which it reads from the shared memory of all. What clusters, or single
 * blocks, have then meets in the workspace, where the last one of a share adds up. The
 * order is always the same.
 *
 * Accuracy: the copy engine rounds f32 to tf32 (the map's type); sums in f32, of which the
 * hardware cuts off what does not fit, once in 32 bytes of K; alpha*sum + beta*C in f32.
 * Alignment: A, B and C begin at multiples of 16 bytes, as any cudaMalloc result does. */
#include "gemm.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_f32_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"

#pragma hone implements gemm/sm90_across "wgmma of tf32 with a factor across K, which comes from registers"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone require T == tf32 "f32 is taken for tf32 only where the caller says so"
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_sm90_across_space.cuh"

#pragma hone workspace packed: T[PACKED]
#pragma hone workspace partial: f32[PARTIALS > 1 ? PARTIALS*TILES*OF_CLUSTER*SHARE*CONSUMERS*512 : 0]
#pragma hone workspace tickets: u32[PARTIALS > 1 ? TILES*OF_CLUSTER*CONSUMERS : 0] zero
// With one row or one matrix the step to the next is anything that maps take.
#pragma hone let ROW_X = align(LDX, 4)*4
#pragma hone let ROW_Y = align(LDY, 4)*4
#pragma hone let STEP_X = 4*(BATCH > 1 ? STRIDE_X : K*align(LDX, 4))
#pragma hone let STEP_Y = 4*(BATCH > 1 ? STRIDE_Y : COLS*align(LDY, 4))
#pragma hone tensormap X_OF_A: A dims(M, K, BATCH) strides(ROW_X, STEP_X) box(32, 32, 1) swizzle(128) l2(256) if(!SWAP)
#pragma hone tensormap X_OF_B: B dims(N, K, BATCH) strides(ROW_X, STEP_X) box(32, 32, 1) swizzle(128) l2(256) if(SWAP)
#pragma hone tensormap Y_OF_A: A dims(K, M, BATCH) strides(ROW_Y, STEP_Y) box(32, BN, 1) swizzle(128) l2(128) if(SWAP && !PACK_Y)
#pragma hone tensormap Y_OF_B: B dims(K, N, BATCH) strides(ROW_Y, STEP_Y) box(32, BN, 1) swizzle(128) l2(128) if(!SWAP && !PACK_Y)
#pragma hone tensormap Y_PACKED: packed dims(K, COLS, BATCH) strides(PITCH*4, COLS*PITCH*4) box(32, BN, 1) swizzle(128) l2(128) if(PACK_Y)
#pragma hone let IN_FOURS = LDC % 4 == 0 && (BATCH == 1 || STRIDE_C % 4 == 0)
#pragma hone let IN_PAIRS = LDC % 2 == 0 && (BATCH == 1 || STRIDE_C % 2 == 0)
/* Not early: it begins when what wrote X has ended, and the product, which begins no sooner,
 * reads X before it waits for this launch. */
#pragma hone launch gemm_sm90_across_pack if(PACK_Y) grid(min(ceildiv(COLS, 32)*ceildiv(K, 64)*BATCH, device.sm_count*32)) block(256) args(pick(SWAP, B, A), packed, i32(COLS), i32(K), i32(PITCH), i64(LDY), i64(STRIDE_Y), i32(BATCH))
#pragma hone launch gemm_sm90_across grid(TILES_X*TILES_Y, BATCH, SPLIT) block(THREADS) shared(SMEM) cluster(1, 1, OF_CLUSTER) args(pick(SWAP, X_OF_A, X_OF_B), pick(PACK_Y ? 2 : SWAP, Y_OF_B, Y_OF_A, Y_PACKED), C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(STEPS), i32(SPLIT), i32(STAGES), i32(TILES_X), i32(TILES_Y), i32(IN_FOURS + IN_PAIRS), i32(PACK_Y)) early

namespace {

namespace gemm = hone::gemm;

constexpr int BOX = 32 * 128; /* 32 rows of the product and 32 k, bytes */
constexpr int NEXT_TO = 2 * HEIGHTS; /* neighbours that a thread has */
constexpr int ALL_THREADS = CONSUMERS * 128; /* that multiply */

/* What slots have of X: box after box. */
struct operand_x {
    static constexpr int ROWS = BM, BLOCKS = 1, BYTES = BM * 128;

    static __device__ __forceinline__ void load(unsigned to,
                                                const CUtensorMap &map, int row,
                                                int k, int matrix,
                                                unsigned barrier)
    {
#pragma unroll
        for (int i = 0; i < BM / 32; i++)
            hone::tensor_load(to + i * BOX, map, row + i * 32, k, matrix, barrier);
    }
};
using operand_y = gemm::operand<false, BN, 32, 32, 1>;

/* For gemm_sm90_slots.cuh. */
struct products : gemm::tiling<operand_x, operand_y, HEIGHTS * 64, CONSUMERS, false> {
    static constexpr int PENDING = 0;

    /* One product of 64 rows, of which this thread has four elements, BN columns and
     * 8 k; `sum` 0 forgets what the sums held. */
    static __device__ __forceinline__ void multiply(float (&d)[SUMS],
                                                    const unsigned (&x)[4],
                                                    unsigned long long y,
                                                    int sum)
    {
        asm volatile("{\n"
                     ".reg .pred sum;\n"
                     "setp.ne.b32 sum, %@{BN/2 + 5}, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k8.f32.tf32.tf32 "
                     "{%0"
#pragma hone for I in 1..BN/2-1
                     ", %@{I}"
#pragma hone endfor
                     "}, {%@{BN/2}, %@{BN/2 + 1}, %@{BN/2 + 2}, %@{BN/2 + 3}}, "
                     "%@{BN/2 + 4}, sum, 1, 1;\n"
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(y), "r"(sum));
    }
};
static_assert(products::SLOT == SLOT, "shared memory is less");

/* Which rows of the tile this thread's are: its row r = lane/4 and row r + 8 of each
 * product are NEXT_TO neighbours. Threads of a load that reads 128 bytes have two
 * neighbouring r (loads of 16 bytes) or four (of 8), and for each of them every k: pieces
 * of r that differ in bit 2 lie in other banks. */
struct corner {
    int box, piece, half; /* 32 rows, 4 of them, and of these 2 */

    __device__ __forceinline__ corner()
    {
        const int r = threadIdx.x % 32 / 4, warp = threadIdx.x / 32;

        if constexpr (HEIGHTS == 2) {
            box = warp;
            piece = r % 2 * 4 + r / 2;
            half = 0;
        } else {
            box = warp / 2;
            piece = r / 2 % 2 * 4 + warp % 2 * 2 + r / 4;
            half = r % 2;
        }
    }
    __device__ __forceinline__ int row() const { return box * 32 + piece * 4 + half * 2; }
    /* Where its elements of k, of the first eight of a slot, are in X. */
    __device__ __forceinline__ unsigned at(int k) const
    {
        return box * BOX + k * 128 + (piece ^ k) * 16 + half * 8;
    }
};

/* A thread's elements of X of a slot, for each 8 k and height. */
using fragments = unsigned[4][HEIGHTS][4];

__device__ __forceinline__ void read(fragments &x, unsigned low, unsigned high)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if constexpr (HEIGHTS == 2) {
            uint4 a, b;

            hone::shared_load(low + i * 1024, a);
            hone::shared_load(high + i * 1024, b);
            x[i][0][0] = a.x, x[i][0][1] = a.y, x[i][0][2] = b.x, x[i][0][3] = b.y;
            x[i][HEIGHTS - 1][0] = a.z, x[i][HEIGHTS - 1][1] = a.w;
            x[i][HEIGHTS - 1][2] = b.z, x[i][HEIGHTS - 1][3] = b.w;
        } else {
            uint2 a, b;

            hone::shared_load(low + i * 1024, a);
            hone::shared_load(high + i * 1024, b);
            x[i][0][0] = a.x, x[i][0][1] = a.y, x[i][0][2] = b.x, x[i][0][3] = b.y;
        }
    }
}

/* Where a warp group reads: its thread's two places of X in the first slot, and what
 * describes Y there. */
struct reader {
    unsigned low, high;
    unsigned long long y;

    __device__ __forceinline__ void next(fragments &x, const gemm::ring_place &place) const
    {
        const int slot = place.slot * products::SLOT;

        hone::barrier_wait(place.own_full(), place.round);
        read(x, low + slot, high + slot);
    }
    __device__ __forceinline__ void multiply(products::sums &sums, const fragments &x,
                                             int slot, int old) const
    {
        hone::wgmma_begin();
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int h = 0; h < HEIGHTS; h++)
                products::multiply(sums[h], x[i][h], y + (slot * products::SLOT + operand_y::at(i)) / 16, i > 0 || old);
        hone::wgmma_commit();
    }
};

/* A slot's products are done, and it may be filled. */
__device__ __forceinline__ void finish(const gemm::ring_place &place, int slot)
{
    hone::wgmma_wait<0>();
    gemm::release<1>(place, slot);
}

/* All of `count` slots. Elements of X stay where they are until their products are done:
 * what is read meanwhile goes to others, in turn. (Two slots' products under way at once
 * would have to be of elements that nothing but wgmma changes meanwhile: compilers let
 * them wait for each other, C7513.) */
__device__ __forceinline__ void multiply_all(products::sums &sums, gemm::ring_place &place,
                                             const reader &from, int count)
{
    constexpr int SETS = 1 + AHEAD;
    fragments x[SETS];

    from.next(x[0], place);
#pragma unroll 1
    for (int step = 0; step < count; step += SETS)
#pragma unroll
        for (int i = 0; i < SETS; i++) {
            const int slot = place.slot;
            const bool is_last = step + i + 1 == count;

            from.multiply(sums, x[i], slot, step + i > 0);
            if (!AHEAD)
                finish(place, slot);
            place.advance();
            if (!is_last)
                from.next(x[(i + 1) % SETS], place);
            if (AHEAD)
                finish(place, slot);
            if (is_last)
                break;
        }
}

/* What a block has: a tile, and of its K steps of 32. */
struct work {
    int row, col, tile, first, end;

    /* Eight tiles of X beside each other, all of Y, then the next eight. */
    __device__ __forceinline__ work(int steps, int split, int tiles_x, int tiles_y)
    {
        const int of_group = 8 * tiles_y, group = blockIdx.x / of_group;
        const int in_group = blockIdx.x - group * of_group;
        const int wide = min(8, tiles_x - group * 8);

        row = (group * 8 + in_group % wide) * BM;
        col = in_group / wide * BN;
        tile = blockIdx.y * gridDim.x + blockIdx.x;
        first = (int)((long long)steps * blockIdx.z / split);
        end = (int)((long long)steps * (blockIdx.z + 1) / split);
    }
};

/* One thread fills the ring; where Y is packed, X is asked for before Y is
 * there. */
__device__ __forceinline__ void produce(gemm::ring_place place, const work &mine,
                                        const CUtensorMap &map_x,
                                        const CUtensorMap &map_y, bool packs)
{
    const int matrix = blockIdx.y;
    const int early = min(mine.first + place.stages, mine.end);

    if (!packs)
        hone::wait_for_previous();
    for (int i = mine.first; i < early; i++) {
        const int slot = i - mine.first;

        hone::barrier_expect(place.full + 8 * slot, products::SLOT);
        operand_x::load(place.slots + slot * products::SLOT, map_x, mine.row, i * 32, matrix, place.full + 8 * slot);
    }
    if (packs) {
        hone::wait_for_previous();
        hone::async_fence_global();
    }
    for (int i = mine.first; i < early; i++) {
        const int slot = i - mine.first;

        operand_y::load(place.slots + slot * products::SLOT + operand_x::BYTES, map_y, mine.col, i * 32, matrix, 0, place.full + 8 * slot);
    }
    place.skip(early - mine.first);
#pragma unroll 1
    for (int i = early; i < mine.end; i++) {
        const unsigned to = place.slots + place.slot * products::SLOT;

        gemm::expect(place, products::SLOT);
        operand_x::load(to, map_x, mine.row, i * 32, matrix, place.own_full());
        operand_y::load(to + operand_x::BYTES, map_y, mine.col, i * 32, matrix, 0, place.own_full());
        place.advance();
    }
}

/* A thread's sums four by four: of two heights four neighbours of a column, of one two
 * neighbours of two columns. */
__device__ __forceinline__ float4 four(const products::sums &sums, int f)
{
    const int i = f / 2 * 4 + f % 2;

    if constexpr (HEIGHTS == 2)
        return make_float4(sums[0][i], sums[0][i + 2], sums[HEIGHTS - 1][i], sums[HEIGHTS - 1][i + 2]);
    else
        return make_float4(sums[0][f * 4], sums[0][f * 4 + 2], sums[0][f * 4 + 1], sums[0][f * 4 + 3]);
}

/* Up to WIDE neighbours of a row of C, of which `there` are, to `v` or from it. */
template <bool READ, int WIDE>
__device__ __forceinline__ void transfer(OUT *c, float (&v)[WIDE], int there, bool together)
{
    using neighbours = hone::pack<OUT, WIDE>;

    if (together && there >= WIDE) {
        neighbours &all = *reinterpret_cast<neighbours *>(c);
        neighbours some;

        if (READ)
            some = all;
#pragma unroll
        for (int i = 0; i < WIDE; i++) {
            if (READ)
                v[i] = some.at[i];
            else
                some.at[i] = v[i];
        }
        if (!READ)
            all = some;
        return;
    }
#pragma unroll
    for (int i = 0; i < WIDE; i++) {
        if (READ && i < there)
            v[i] = c[i];
        if (!READ && i < there)
            c[i] = v[i];
    }
}

/* Where sums go. `wide` is 2 where rows of C begin at multiples of four elements, 1
 * where at multiples of two. */
struct result {
    OUT *C;
    long long ldc;
    int rows, cols, wide;
    float alpha, beta;

    /* What C has, or gets, of four(f), whose first is in this row of the tile's product,
     * and the first of BN columns is `col`. */
    template <bool READ>
    __device__ __forceinline__ void move(float4 &v, int row, int col, int f) const
    {
        const int q = threadIdx.x % 4 * 2;
        float of[4] = {v.x, v.y, v.z, v.w};

        col += HEIGHTS == 2 ? f / 2 * 8 + q + f % 2 : f * 8 + q;
        if constexpr (SWAP) {
#pragma unroll
            for (int i = 0; i < 4 / NEXT_TO; i++) {
                float some[NEXT_TO];

#pragma unroll
                for (int j = 0; j < NEXT_TO; j++)
                    some[j] = of[i * NEXT_TO + j];
                if (col + i < cols)
                    transfer<READ>(C + (col + i) * ldc + row, some, rows - row, wide >= HEIGHTS);
#pragma unroll
                for (int j = 0; j < NEXT_TO; j++)
                    of[i * NEXT_TO + j] = some[j];
            }
        } else {
#pragma unroll
            for (int j = 0; j < NEXT_TO; j++) {
                float some[4 / NEXT_TO];

#pragma unroll
                for (int i = 0; i < 4 / NEXT_TO; i++)
                    some[i] = of[i * NEXT_TO + j];
                if (row + j < rows)
                    transfer<READ>(C + (row + j) * ldc + col, some, cols - col, wide > 0);
#pragma unroll
                for (int i = 0; i < 4 / NEXT_TO; i++)
                    of[i * NEXT_TO + j] = some[i];
            }
        }
        v = make_float4(of[0], of[1], of[2], of[3]);
    }

    /* alpha*sum + beta*C, of fours from `first` on: a load behind a store would wait for
     * it, so some are read together. */
    __device__ __forceinline__ void put(const float4 (&sums)[SHARE], int row, int col, int first) const
    {
        constexpr int TOGETHER = ADD ? 4 : 1;

#pragma unroll
        for (int i = 0; i < SHARE; i += TOGETHER) {
            float4 v[TOGETHER] = {};

#pragma unroll
            for (int j = 0; j < TOGETHER; j++)
                if (ADD && beta != 0 && has(i + j, first))
                    move<true>(v[j], row, col, first + i + j);
#pragma unroll
            for (int j = 0; j < TOGETHER; j++) {
                if (!has(i + j, first))
                    continue;
                const float4 &sum = sums[i + j < SHARE ? i + j : 0];

                v[j].x = alpha * sum.x + beta * v[j].x;
                v[j].y = alpha * sum.y + beta * v[j].y;
                v[j].z = alpha * sum.z + beta * v[j].z;
                v[j].w = alpha * sum.w + beta * v[j].w;
                move<false>(v[j], row, col, first + i + j);
            }
        }
    }
    static __device__ __forceinline__ bool has(int i, int first)
    {
        return i < SHARE && (OF_CLUSTER == 1 || first + i < FOURS);
    }
};

/* The sums of this block's share, of those that the blocks of a cluster have. */
__device__ __forceinline__ void join_blocks(float4 (&own)[SHARE],
                                            const products::sums &sums,
                                            unsigned tile, int first)
{
    const unsigned at = tile + threadIdx.x * 16;

    hone::threads_sync<3, ALL_THREADS>();
#pragma unroll
    for (int f = 0; f < FOURS; f++) {
        const float4 v = four(sums, f);

        hone::shared_store(at + f * ALL_THREADS * 16, make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w)));
    }
    __syncwarp();
    hone::cluster_sync();
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
        float4 of_part[OF_CLUSTER];

        own[i] = make_float4(0, 0, 0, 0);
        if (first + i >= FOURS)
            continue;
#pragma unroll
        for (int part = 0; part < OF_CLUSTER; part++)
            of_part[part] = hone::load_shared4(at + (first + i) * ALL_THREADS * 16, part);
#pragma unroll
        for (int part = 0; part < OF_CLUSTER; part++)
            own[i] = hone::axpy(1.0f, of_part[part], own[i]);
    }
    __syncwarp();
    hone::cluster_leave();
}

/* The same of parts that meet in the workspace: false where another block is the last. */
__device__ __forceinline__ bool join_parts(float4 (&own)[SHARE], float4 *partial,
                                           unsigned *tickets, int share)
{
    const int group = threadIdx.x / 128;
    const float4 *from = partial + (long long)share * PARTIALS * SHARE * ALL_THREADS + threadIdx.x;
    float4 *const to = partial + ((long long)share * PARTIALS + blockIdx.z / OF_CLUSTER) * SHARE * ALL_THREADS + threadIdx.x;

#pragma unroll
    for (int i = 0; i < SHARE; i++)
        to[i * ALL_THREADS] = own[i];
    if (!gemm::is_last(tickets + share * CONSUMERS + group, PARTIALS, group + 1))
        return false;
#pragma unroll
    for (int i = 0; i < SHARE; i++)
        own[i] = make_float4(0, 0, 0, 0);
#pragma unroll(SHARE < 8 ? 8 / SHARE : 1)
    for (int part = 0; part < PARTIALS; part++, from += SHARE * ALL_THREADS)
#pragma unroll
        for (int i = 0; i < SHARE; i++)
            own[i] = hone::axpy(1.0f, __ldcg(from + i * ALL_THREADS), own[i]);
    return true;
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_sm90_across(const __grid_constant__ CUtensorMap map_x,
                 const __grid_constant__ CUtensorMap map_y, OUT *C,
                 float4 *partial, unsigned *tickets, float alpha, float beta,
                 long long ldc, long long step_c, int rows, int cols, int steps,
                 int split, int stages, int tiles_x, int tiles_y, int wide, int packs)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    gemm::ring_place place = gemm::ring_in<products, 16>(shared, stages, 0);
    const work mine(steps, split, tiles_x, tiles_y);

    if (threadIdx.x == ALL_THREADS) {
        hone::tensor_prefetch(map_x);
        hone::tensor_prefetch(map_y);
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, products::WARPS);
        }
        hone::barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x >= ALL_THREADS) {
        if constexpr (MOVES)
            hone::registers_shrink<40>();
        if (threadIdx.x == ALL_THREADS)
            produce(place, mine, map_x, map_y, packs != 0);
        if constexpr (OF_CLUSTER > 1) {
            __syncwarp();
            hone::cluster_sync();
            hone::cluster_arrive();
            hone::cluster_wait();
        }
        return;
    }
    if constexpr (MOVES)
        hone::registers_grow<232>();

    const corner here;
    const int k = threadIdx.x % 4;
    const reader from = {place.slots + here.at(k), place.slots + here.at(k + 4),
                         operand_y::DESCRIPTOR + hone::wgmma_address(place.slots + operand_x::BYTES)};
    products::sums sums = {};

    multiply_all(sums, place, from, mine.end - mine.first);
    gemm::finish_slots<products>(sums, place, 0);
    hone::wait_for_previous();

    const int rank = OF_CLUSTER > 1 ? blockIdx.z % OF_CLUSTER : 0;
    const result to = {C + blockIdx.y * step_c, ldc, rows, cols, wide, alpha, ADD ? beta : 0.0f};
    bool is_last = true;
    float4 own[SHARE];

    if constexpr (OF_CLUSTER > 1) {
        join_blocks(own, sums, place.slots, rank * SHARE);
    } else {
#pragma unroll
        for (int f = 0; f < FOURS; f++)
            own[f] = four(sums, f);
    }
    if constexpr (PARTIALS > 1)
        is_last = join_parts(own, partial, tickets, mine.tile * OF_CLUSTER + rank);
    if (is_last)
        to.put(own, mine.row + here.row(), mine.col, rank * SHARE);
    if constexpr (OF_CLUSTER > 1) {
        __syncwarp();
        hone::cluster_wait();
    }
}

/* Y, rows along K. The product may begin as soon as all blocks run, to wait there. */
extern "C" __global__ void __launch_bounds__(256, 8)
gemm_sm90_across_pack(const float *Y, float *packed, int rows, int K, int pitch,
                      long long ldy, long long step_y, int batches)
{
    gemm::f32_matrices y;

    hone::start_next();
    y.from = Y;
    y.to = packed;
    y.rows = rows;
    y.depth = K;
    y.batches = batches;
    y.pitch_to = pitch;
    y.pitch = ldy;
    y.step = step_y;
    const long long end = y.tiles();

#pragma unroll 1
    for (long long i = blockIdx.x; i < end; i += gridDim.x)
        gemm::pack_f32<Y_ACROSS != 0, false>(y, i);
}
