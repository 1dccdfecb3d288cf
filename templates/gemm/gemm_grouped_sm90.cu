/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_grouped/sm90: the operation of gemm_grouped.cuh with the matrix instructions
 * (wgmma) and the copy engine (TMA) of Hopper, compute capability 9.0 only. Any sizes.
 *
 * A block computes tiles of BM x BN of C, one after the other, as those of gemm/sm90
 * do: one warp group asks the copy engine for slots of a ring in shared memory (a tile
 * of A and one of B, BK deep), the other CONSUMERS multiply. With SCHEDULE = together
 * each has BM/CONSUMERS rows of a tile, with in_turn the two have a tile each: while
 * one writes, the other multiplies. Blocks of a CLUSTER have tiles one below the other
 * (c2x1) or side by side (c1x2) in one group; of the tile of B or A that they share
 * each reads a part, for both.
 *
 * Which tile is next says gemm_grouped_walk.cuh, to each thread that asks. There are
 * no more blocks than run at once, since nobody on the host knows how many tiles there
 * are; those that have none end.
 *
 * Tiles begin with their group, and of the last one of a group only so many times 64
 * rows of A are copied and multiplied as the group has there: a warp group multiplies
 * 64 rows or 128, or gives slots back. Of the last 64 what lies below the group is read
 * all the same, rows of the next one or beyond the end, where the copy engine has zeros.
 * B is a tensor of three dimensions, so that no tile reaches into the next group's
 * matrix.
 *
 * C is written from staging buffers (gemm_sm90_store.cuh): by the copy engine where all
 * rows of a warp group belong to the tile's group, and it can write C at all (rows of a
 * multiple of 16 bytes), else by warps, the group's rows and no others. A warp group
 * may write one tile in this and the next in the other way, so before warps fill the
 * buffers what the copy engine reads there has to be done.
 *
 * Alignment: the copy engine takes rows that start at multiples of 16 bytes. A or B
 * whose rows (K, or N elements) do not are first copied to a workspace by
 * gemm_grouped_pack.cuh: one launch for both and a pass over them.
 *
 * Accuracy: sums in f32 in the order of K, rounded once.
 *
 * Hazards: those of gemm/sm90. No function call may remain in the loop of products, or
 * ptxas serialises them (C7510). A warp gives a slot back only after the products that
 * read it. Blocks of a cluster take as many tiles, and leave when all that they sent is
 * done with. */
#include "gemm_grouped.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_epilogue.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_store.cuh"
#include "gemm_grouped_walk.cuh"

#pragma hone implements gemm_grouped/sm90 "wgmma and tensor copies of compute capability 9.0"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes zeros"
#pragma hone arch sm == 90 features
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_grouped_sm90_space.cuh"
#include "gemm_grouped_pack.cuh"

#pragma hone let LINES_A = 64/CLUSTER_N
#pragma hone let LINES_B = (TRANS_B ? BN : BK)/CLUSTER_M
#pragma hone tensormap MAP_A: A dims(K, ROWS, 1) strides(PITCH_A*2, ROWS*PITCH_A*2) box(64, LINES_A, 1) swizzle(128) l2(128) if(!PACK_A)
#pragma hone tensormap MAP_B: B dims(COLS_B, ROWS_B, GROUPS) strides(PITCH_B*2, ROWS_B*PITCH_B*2) box(64, LINES_B, 1) swizzle(128) l2(128) if(!PACK_B)
#pragma hone tensormap MAP_PACKED_A: packed_a dims(K, ROWS, 1) strides(PITCH_A*2, ROWS*PITCH_A*2) box(64, LINES_A, 1) swizzle(128) l2(128) if(PACK_A)
#pragma hone tensormap MAP_PACKED_B: packed_b dims(COLS_B, ROWS_B, GROUPS) strides(PITCH_B*2, ROWS_B*PITCH_B*2) box(64, LINES_B, 1) swizzle(128) l2(128) if(PACK_B)
#pragma hone tensormap MAP_C: C dims(N, ROWS, 1) strides(N*sizeof(OUT), align(ROWS*N, 8)*sizeof(OUT)) box(BOX, WM, 1) swizzle(BOX*sizeof(OUT)) if(MAPPED_C)
#pragma hone launch gemm_grouped_sm90 grid(min(TILES, RESIDENT)*CLUSTER_M*CLUSTER_N) block(THREADS) shared(SMEM) cluster(CLUSTER_M*CLUSTER_N) args(MAP_A, MAP_B, MAP_PACKED_A, MAP_PACKED_B, MAP_C, OFFSETS, C, i32(ROWS), i32(N), i32(K), i32(GROUPS), i32(STAGES), i32(RASTER == along_n), i32(BAND), i32(PACK_A), i32(PACK_B), i32(MAPPED_C)) early

namespace {

namespace gemm = hone::gemm;

constexpr bool kInTurn = SCHEDULE == SCHEDULE_values::in_turn;
constexpr int kMostStages = 12;

/* Blocks side by side share a tile of A, those one below the other one of B. */
using operand_a = gemm::operand<false, BM, BK, 64, CLUSTER_N>;
using operand_b = gemm::operand<ACROSS != 0, BN, BK, 64, CLUSTER_M>;
using tiling = gemm::tiling<operand_a, operand_b, WM, CONSUMERS, kInTurn>;
static_assert(tiling::SLOT == SLOT_A + SLOT_B, "shared memory is less");
using walk_of_block = gemm::grouped_walk<BM, BN, CLUSTER_M, CLUSTER_N>;
using matrix_c = gemm::matrix<OUT, false>;
using staged_output =
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, STREAM, false, false>;
using nothing = hone::epilogue<OUT, false, 0>;

/* What a block multiplies, for gemm_sm90_slots.cuh. */
struct products : tiling {
    static constexpr int PENDING = ::PENDING;

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
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1, 0, %@{BN/2 + 3};\n"
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "l"(a), "l"(b), "r"(sum), "n"(ACROSS));
    }
};

/* How many times 64 rows the group has from `row` on, MOST at most. */
template <int MOST> __device__ __forceinline__ int heights_of(int row, int end)
{
    return min((end - row + 63) >> 6, MOST);
}

/* So much of A's part of a slot, in boxes of 64 rows by 64 of K. */
__device__ __forceinline__ void load_rows(unsigned to, const CUtensorMap &map,
                                          int row, int k, int heights, int rank,
                                          unsigned barrier)
{
    const int first = CLUSTER_N > 1 ? rank * (64 / CLUSTER_N) : 0;

#pragma unroll
    for (int i = 0; i < BM / 64; i++) {
        if (i >= heights)
            break;
#pragma unroll
        for (int j = 0; j < BK / 64; j++) {
            const unsigned at = to + (j * BM + i * 64 + first) * 128;
            const int y = row + i * 64 + first;

            if constexpr (CLUSTER_N > 1)
                hone::tensor_load_all(at, map, k + j * 64, y, 0, barrier,
                                      (1 << CLUSTER_N) - 1);
            else
                hone::tensor_load(at, map, k + j * 64, y, 0, barrier);
        }
    }
}

/* One thread fills the ring. */
__device__ __forceinline__ void produce(gemm::ring_place place,
                                        walk_of_block walk,
                                        const CUtensorMap &map_a,
                                        const CUtensorMap &map_b, int K)
{
    gemm::grouped_tile t;

    hone::tensor_prefetch(map_a);
    hone::tensor_prefetch(map_b);
#pragma unroll 1
    while (walk.take(&t)) {
        const int heights = heights_of<BM / 64>(t.row, t.end);
        const int bytes = operand_b::BYTES + max(heights, 0) * (64 * BK * 2);

#pragma unroll 1
        for (int k = 0; k < K; k += BK) {
            const unsigned to = place.slots + place.slot * products::SLOT;
            const unsigned full = place.own_full();

            gemm::expect(place, bytes);
            load_rows(to, map_a, t.row, k, heights, walk.rank, full);
            operand_b::load(to + operand_a::BYTES, map_b, t.col, k, t.group,
                            walk.rank, full);
            place.advance();
        }
    }
    gemm::drain<products>(place);
}

/* The sums of a tile, of `steps` slots. */
template <int HEIGHTS>
__device__ __forceinline__ void multiply_tile(products::sums &sums,
                                              gemm::ring_place &place,
                                              unsigned long long a,
                                              unsigned long long b, int steps)
{
    gemm::forget<HEIGHTS>(sums);
    const int last = gemm::multiply_slots<products, HEIGHTS>(sums, place, a, b,
                                                             0, steps);
    gemm::finish_slots<products, HEIGHTS>(sums, place, last);
}

/* None of this warp group's rows belong to the tile's group. All lanes have seen that
 * a slot is full before the first of them gives it back: it may be filled again, and
 * a barrier tells no phase from the one after the next. */
__device__ __forceinline__ void skip_tile(gemm::ring_place &place, int steps)
{
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        hone::barrier_wait(place.own_full(), place.round);
        __syncwarp();
        gemm::release<products::BLOCKS>(place, place.slot);
        place.advance();
    }
}

/* A warp group multiplies what is in the ring, tile after tile. */
__device__ __forceinline__ void consume(gemm::ring_place place,
                                        walk_of_block walk,
                                        const CUtensorMap &map_c, matrix_c c,
                                        staged_output staged, int K, bool mapped)
{
    const int group = threadIdx.x / 128 - 1;
    const int thread = threadIdx.x % 128;
    const int part = kInTurn ? 0 : group; /* of a tile's rows */
    const int steps = (K + BK - 1) / BK;
    const int all_rows = c.rows;
    const unsigned long long a =
        operand_a::DESCRIPTOR +
        hone::wgmma_address(place.slots + part * WM * operand_a::ROW);
    const unsigned long long b =
        operand_b::DESCRIPTOR +
        hone::wgmma_address(place.slots + operand_a::BYTES);
    products::sums sums = {};
    unsigned my_turn = group == 0;
    gemm::grouped_tile t;

    staged.buffers += group * staged_output::BYTES;
    if (kInTurn) {
        place.skip(group * steps);
        walk.alternate(group);
    }
#pragma unroll 1
    while (walk.take(&t)) {
        const int row = t.row + part * WM;
        const int heights = heights_of<products::HEIGHTS>(row, t.end);

        gemm::await_turn<products>(place, group, my_turn);
        if (heights == products::HEIGHTS)
            multiply_tile<products::HEIGHTS>(sums, place, a, b, steps);
        else if (products::HEIGHTS > 1 && heights == 1)
            multiply_tile<1>(sums, place, a, b, steps);
        else
            skip_tile(place, steps);
        gemm::pass_turn<products>(place, 1 - group, steps);
        my_turn ^= 1;
        if (heights <= 0)
            continue;
        /* What is beyond the last row of all, the copy engine leaves. */
        c.rows = t.end;
        staged.mapped = mapped && (row + WM <= t.end || t.end == all_rows);
        if (!staged.mapped && thread == 0)
            hone::tensor_store_wait_read<0>();
        staged.store(sums, map_c, c,
                     gemm::tile{row, t.col, 0, 0, 0, false, false}, nothing{});
    }
    if (thread == 0)
        hone::tensor_store_wait();
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, 1)
gemm_grouped_sm90(const __grid_constant__ CUtensorMap MAP_A,
                  const __grid_constant__ CUtensorMap MAP_B,
                  const __grid_constant__ CUtensorMap MAP_PACKED_A,
                  const __grid_constant__ CUtensorMap MAP_PACKED_B,
                  const __grid_constant__ CUtensorMap MAP_C, const int *offsets,
                  OUT *C, int rows, int cols, int K, int groups, int stages,
                  int along_n, int band, int packed_a, int packed_b,
                  int mapped_c)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const CUtensorMap &map_a = packed_a ? MAP_PACKED_A : MAP_A;
    const CUtensorMap &map_b = packed_b ? MAP_PACKED_B : MAP_B;
    const walk_of_block walk(offsets, groups, cols, band, along_n != 0);
    const gemm::ring_place place =
        gemm::ring_in<products, kMostStages>(shared, stages, STAGING);

    gemm::begin<products, 2, 0>(place, 0);
    if (threadIdx.x < 128) {
        if constexpr (CONSUMERS > 1)
            hone::registers_shrink<PRODUCER>();
        if (threadIdx.x == 0)
            produce(place, walk, map_a, map_b, K);
    } else {
        matrix_c c;
        staged_output staged;

        if constexpr (CONSUMERS > 1)
            hone::registers_grow<GROWN>();
        c.to = reinterpret_cast<matrix_c::one *>(C);
        c.pitch = cols;
        c.rows = rows;
        c.cols = cols;
        c.pairs = false; /* asked for by stores from registers alone */
        staged.buffers = place.slots + stages * products::SLOT;
        staged.alpha = 1.0f;
        staged.beta = 0.0f;
        consume(place, walk, MAP_C, c, staged, K, mapped_c != 0);
    }
    gemm::end<products>();
}
