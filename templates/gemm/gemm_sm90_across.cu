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
 * in which no two of a load lie in the same banks (gemm_sm90_across_parts.cuh). So it has neighbours of a
 * row of C, too, where SWAP. With AHEAD a warp group reads its elements of the next slot
 * while products of the last one run, which are then followed by others at once; without,
 * other warp groups multiply meanwhile.
 *
 * With PERSISTENT a block takes one tile after the other: slots fill with the next one's
 * while sums of the last are written.
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
#include "gemm_sm90_across_parts.cuh"

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
#pragma hone launch gemm_sm90_across grid(PERSISTENT ? min(TILES, RESIDENT) : TILES, 1, SPLIT) block(THREADS) shared(SMEM) cluster(1, 1, OF_CLUSTER) args(pick(SWAP, X_OF_A, X_OF_B), pick(PACK_Y ? 2 : SWAP, Y_OF_B, Y_OF_A, Y_PACKED), C, partial, tickets, alpha, beta, i64(LDC), i64(STRIDE_C), i32(ROWS), i32(COLS), i32(STEPS), i32(SPLIT), i32(STAGES), i32(TILES_X), i32(TILES_Y), i32(TILES), i32(IN_FOURS + IN_PAIRS), i32(PACK_Y)) early

namespace {

namespace gemm = hone::gemm;
namespace across = hone::across;

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
            hone::tensor_load(to + i * across::BOX, map, row + i * 32, k, matrix, barrier);
    }
};
using operand_y = gemm::operand<false, BN, 32, 32, 1>;

/* What a block multiplies, for gemm_sm90_across_parts.cuh. */
struct products : gemm::tiling<operand_x, operand_y, HEIGHTS * 64, CONSUMERS, false> {
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

/* What a block has: a tile of a matrix of the batch, and of its K steps of 32. */
struct work {
    int row, col, matrix, tile, first, end;

    /* Eight tiles of X beside each other, all of Y, then the next eight. */
    __device__ __forceinline__ work(int number, int steps, int split, int tiles_x, int tiles_y)
    {
        const int of_matrix = tiles_x * tiles_y, of_group = 8 * tiles_y;

        tile = number;
        matrix = number / of_matrix;
        number -= matrix * of_matrix;
        const int group = number / of_group, in_group = number - group * of_group;
        const int wide = min(8, tiles_x - group * 8);

        row = (group * 8 + in_group % wide) * BM;
        col = in_group / wide * BN;
        first = (int)((long long)steps * blockIdx.z / split);
        end = (int)((long long)steps * (blockIdx.z + 1) / split);
    }
};

/* Which tiles a block takes. */
struct tiles {
    int steps, split, x, y, all;

    __device__ __forceinline__ work at(int number) const
    {
        return work(number, steps, split, x, y);
    }
    /* The one behind `number`; `all`: there is none. */
    __device__ __forceinline__ int behind(int number) const
    {
        return PERSISTENT ? min(number + (int)gridDim.x, all) : all;
    }
};

/* One thread fills the ring. */
struct filler {
    gemm::ring_place place;
    const CUtensorMap &map_x, &map_y;

    __device__ __forceinline__ void load_x(const work &mine, int step, int slot) const
    {
        operand_x::load(place.slots + slot * products::SLOT, map_x, mine.row, step * 32, mine.matrix, place.full + 8 * slot);
    }
    __device__ __forceinline__ void load_y(const work &mine, int step, int slot) const
    {
        operand_y::load(place.slots + slot * products::SLOT + operand_x::BYTES, map_y, mine.col, step * 32, mine.matrix, 0, place.full + 8 * slot);
    }
    /* The first of the first tile: where Y is packed, X is asked for before Y is there. */
    __device__ __forceinline__ void begin(const work &mine, int end, bool packs)
    {
        if (!packs)
            hone::wait_for_previous();
        for (int i = mine.first; i < end; i++) {
            hone::barrier_expect(place.full + 8 * (i - mine.first), products::SLOT);
            load_x(mine, i, i - mine.first);
        }
        if (packs) {
            hone::wait_for_previous();
            hone::async_fence_global();
        }
        for (int i = mine.first; i < end; i++)
            load_y(mine, i, i - mine.first);
        place.skip(end - mine.first);
    }
    __device__ __forceinline__ void go_on(const work &mine, int from)
    {
#pragma unroll 1
        for (int i = from; i < mine.end; i++) {
            gemm::expect(place, products::SLOT);
            load_x(mine, i, place.slot);
            load_y(mine, i, place.slot);
            place.advance();
        }
    }
    __device__ __forceinline__ void all_of(const tiles &them, bool packs)
    {
        work mine = them.at(blockIdx.x);
        int from = min(mine.first + place.stages, mine.end);

        begin(mine, from, packs);
        go_on(mine, from);
#pragma unroll 1
        for (int i = them.behind(blockIdx.x); i < them.all; i = them.behind(i)) {
            mine = them.at(i);
            go_on(mine, mine.first);
        }
    }
};

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
                 int split, int stages, int tiles_x, int tiles_y, int tiles_all,
                 int wide, int packs)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    gemm::ring_place place = gemm::ring_in<products, 16>(shared, stages, 0);
    const tiles them = {steps, split, tiles_x, tiles_y, tiles_all};

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
            filler{place, map_x, map_y}.all_of(them, packs != 0);
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

    const across::corner<HEIGHTS> here;
    const across::reader<products> from(place, here);
    products::sums sums = {};
    const int rank = OF_CLUSTER > 1 ? blockIdx.z % OF_CLUSTER : 0;

#pragma unroll 1
    for (int i = blockIdx.x; i < tiles_all; i = them.behind(i)) {
        const work mine = them.at(i);
        bool is_last = true;
        float4 own[SHARE];

        if constexpr (AHEAD)
            across::multiply_ahead<products>(sums, place, from, mine.end - mine.first);
        else
            across::multiply_slots<products>(sums, place, from, mine.end - mine.first);
        hone::wait_for_previous();
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
            result{C + mine.matrix * step_c, ldc, rows, cols, wide, alpha, ADD ? beta : 0.0f}
                .put(own, mine.row + here.row(), mine.col, rank * SHARE);
    }
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
