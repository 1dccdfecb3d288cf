/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_grouped/mma: the operation of gemm_grouped.cuh on tensor cores by mma.sync
 * m16n8k16, compute capability 8.0 and newer. Any sizes.
 *
 * A block computes tiles of BM x BN of C, one after the other, as gemm/mma computes
 * one, and a warp WM x WN of each: tiles of A and B, BK deep, pass through a ring of
 * STAGES slots in shared memory, filled by asynchronous 16-byte copies STAGES-1 tiles
 * ahead, a part at each step of 16 along K; ldmatrix makes fragments of them, while
 * those of the step before are multiplied. Sums become rows in shared memory, 16 rows
 * of a warp at a time, and leave by 16 bytes, or by 4 where rows of C begin anywhere
 * (gemm_mma_parts.cuh).
 *
 * Which tile is next says gemm_grouped_walk.cuh, to each thread. There are no more
 * blocks than MIN_BLOCKS for each multiprocessor, since nobody on the host knows how
 * many tiles there are; those that have none end. Tiles begin with their group, and
 * what one has below the group's last row is neither read nor written.
 *
 * Alignment: the copies need rows that start at multiples of 16 bytes. A or B whose
 * rows (K, or N elements) do not are first copied by gemm_grouped_pack.cuh.
 *
 * Accuracy: sums in f32 in the order of K, but for the last BK of it, which come
 * first; rounded once.
 *
 * Hazard: the ring is filled for the next tile only after a barrier that follows the
 * last rows of this one. */
#include "gemm_grouped.cuh"
#include "hone_device.cuh"
#include "hone_mma.cuh"
#include "gemm_epilogue.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_mma_parts.cuh"
#include "gemm_grouped_walk.cuh"

#pragma hone implements gemm_grouped/mma "tensor cores by mma.sync"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes zeros"
#pragma hone arch sm >= 80

#include "gemm_grouped_mma_space.cuh"
#include "gemm_grouped_pack.cuh"

#pragma hone launch gemm_grouped_mma grid(min(TILES, RESIDENT)) block(THREADS) shared(SMEM) args(A, B, packed_a, packed_b, OFFSETS, C, i32(N), i32(K), i32(GROUPS), i32(PACK_A), i32(PACK_B), i32(PITCH_A), i32(PITCH_B), i64(ROWS_B*PITCH_B), i32(STAGES), i32(RASTER == along_n), i32(BAND), i32(N*sizeof(OUT) % 16 == 0)) early

namespace {

constexpr int kStrips = WM / 16; /* of a warp */
constexpr int kSteps = BK / 16;  /* of a tile */
using reader_a = hone::mma::tile_reader<T, BM, BK, false, 8, THREADS>;
using reader_b = hone::mma::tile_reader<T, BN, BK, TRANS_B == 0, 8, THREADS>;
using tile_a = reader_a::its;
using tile_b = reader_b::its;
using strip = hone::mma::strip<WN>;
using strip_sums = float[WN / 8][4];
using nothing = hone::epilogue<OUT, false, 0>;
using rows_of_c = hone::mma::rows_of_c<OUT, nothing>;
using wide_rows = strip::wide_rows<OUT, nothing>;
using walk_of_block = hone::gemm::grouped_walk<BM, BN, 1, 1>;
constexpr int kSlot = tile_a::BYTES + tile_b::BYTES;

__device__ __forceinline__ int warp_row()
{
    return (int)threadIdx.x / 32 / (BN / WN) * WM;
}
__device__ __forceinline__ int warp_col()
{
    return (int)threadIdx.x / 32 % (BN / WN) * WN;
}

/* A warp's fragments of a step of 16 along K. */
struct fragments {
    unsigned a[kStrips][4], b[WN / 16][4];

    __device__ void load(hone::shared_place slot, unsigned of_a, unsigned of_b,
                         int k)
    {
#pragma unroll
        for (int i = 0; i < kStrips; i++)
            tile_a::load(a[i], slot, of_a, i, k);
#pragma unroll
        for (int j = 0; j < WN / 16; j++)
            tile_b::load(b[j], slot + tile_a::BYTES, of_b, j, k);
    }
    /* To and fro: neighbouring products have an operand in common. */
    __device__ void multiply(strip_sums (&sums)[kStrips]) const
    {
#pragma unroll
        for (int i = 0; i < kStrips; i++) {
#pragma unroll
            for (int n = 0; n < WN / 8; n++) {
                const int j = i % 2 ? WN / 8 - 1 - n : n;

                hone::multiply_pairs<T>(sums[i][j], a[i], b[j / 2][j % 2 * 2],
                                        b[j / 2][j % 2 * 2 + 1]);
            }
        }
    }
};

/* The sums of a tile, which the readers are at the last of n_steps tiles along K
 * of: that one comes first, as copies of it take care of all ends. */
__device__ __forceinline__ void multiply_tile(strip_sums (&sums)[kStrips],
                                              char *ring, reader_a &from_a,
                                              reader_b &from_b, int n_steps,
                                              int stages)
{
    auto advance = [&](int tiles) {
        from_a.move(tiles);
        from_b.move(tiles);
        hone::copy_commit();
    };
    const unsigned of_a = tile_a::lane_of<true>(warp_row());
    const unsigned of_b = tile_b::lane_of<false>(warp_col());
    const hone::shared_place slots = hone::place_of(ring);

    /* A group of copies is closed for each tile, and behind the last: they count. */
    const int ahead = stages - 1;
    int read = 0, write = ahead;
    fragments two[2];

#pragma unroll 1
    for (int step = 0; step < ahead; step++) {
        char *slot = ring + step * kSlot;

        from_a.copy_any(slot, step < n_steps);
        from_b.copy_any(slot + tile_a::BYTES, step < n_steps);
        advance(step == 0 ? 1 - n_steps : 1);
    }
    hone::copy_wait(ahead - 1);
    __syncthreads();
    two[0].load(slots, of_a, of_b, 0);

    /* In round `step` its tile is multiplied, that of step + 1 arrives and that of
     * step + ahead is asked for. Behind the barrier no warp reads the old tile. */
#pragma unroll 1
    for (int step = 0; step < n_steps; step++) {
        const hone::shared_place slot = hone::afresh(slots + write * kSlot);

#pragma unroll
        for (int at = 0; at < kSteps; at++) {
            from_a.copy<kSteps>(slot, at, step + ahead < n_steps);
            from_b.copy<kSteps>(slot + tile_a::BYTES, at, step + ahead < n_steps);
            if (at + 1 < kSteps) {
                two[(at + 1) % 2].load(slots + read * kSlot, of_a, of_b, at + 1);
            } else {
                advance(1);
                write = read;
                read = read + 1 == stages ? 0 : read + 1;
                hone::copy_wait(ahead - 1);
                __syncthreads();
                two[0].load(slots + read * kSlot, of_a, of_b, 0);
            }
            two[at % 2].multiply(sums);
        }
    }
    __syncthreads();
}

/* A warp's part of a tile to the rows of its group, of which `c` has the first one.
 * One loop, its body written once. The next strip's sums move to the first's
 * registers: those of strip `i` would be memory. */
__device__ __forceinline__ void write_tile(strip_sums (&sums)[kStrips],
                                           rows_of_c c, char *ring, bool wide)
{
    const strip rows = {reinterpret_cast<float *>(ring) +
                        (int)threadIdx.x / 32 * strip::SIZE};
    const wide_rows nothing_held = {};

#pragma unroll 1
    for (int i = 0; i < kStrips; i++) {
        rows.put(sums[0]);
        __syncwarp();
        if (wide)
            nothing_held.write(c, rows.at);
        else
            rows.write_loose(c);
        __syncwarp();
        c.to += 16 * c.pitch;
        c.rows -= 16;
#pragma unroll
        for (int n = 0; n < (kStrips - 1) * (WN / 2); n++)
            sums[n / (WN / 2)][n % (WN / 2) / 4][n % 4] =
                sums[n / (WN / 2) + 1][n % (WN / 2) / 4][n % 4];
    }
}

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_grouped_mma(const T *A, const T *B, const T *packed_a, const T *packed_b,
                 const int *offsets, OUT *C, int N, int K, int groups,
                 int is_a_packed, int is_b_packed, int pitch_a, int pitch_b,
                 long long stride_b, int stages, int along_n, int band,
                 int wide_c)
{
    extern __shared__ __align__(128) char ring[];
    walk_of_block walk(offsets, groups, N, band, along_n != 0);
    const T *const a = is_a_packed ? packed_a : A;
    const T *const b = is_b_packed ? packed_b : B;
    const int n_steps = (K + BK - 1) / BK;
    const int k = (n_steps - 1) * BK;
    hone::gemm::grouped_tile t;

    hone::wait_for_previous();
#pragma unroll 1
    while (walk.take(&t)) {
        reader_a from_a(a, pitch_a, t.row, k, t.end, K);
        reader_b from_b(b + t.group * stride_b, pitch_b, t.col, k, N, K);
        strip_sums sums[kStrips] = {};
        rows_of_c c;

        multiply_tile(sums, ring, from_a, from_b, n_steps, stages);
        c.to = C + (long long)(t.row + warp_row()) * N + t.col + warp_col();
        c.pitch = N;
        c.rows = t.end - t.row - warp_row();
        c.cols = N - t.col - warp_col();
        c.alpha = 1.0f;
        c.beta = 0.0f;
        c.after.bias = nullptr;
        write_tile(sums, c, ring, wide_c != 0 && c.cols >= WN);
        __syncthreads();
    }
}
