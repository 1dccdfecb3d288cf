/* SPDX-License-Identifier: Apache-2.0 */
/* gemm as blocks of clusters that share K finish it (gemm_sm90_shares.cuh): a thread
 * has the sums that wgmma would leave it, computed one by one. The first launch sends
 * them, the second adds up what arrived and writes C. Bytes that are not one tile's
 * in each block make it NaN. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "hopper_imitated.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_shares.cuh"

#pragma hone implements gemm/shares "as a cluster that shares K finishes it"
#pragma hone require K > 0 && sizeof(T) <= 4 "no wgmma gives such sums"
#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in {8, 16, 48, 80, 128} default 48
#pragma hone param SWAP: bool
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param SPLIT_K in {2, 4, 8, 24} default 8
#pragma hone let K_BLOCKS = gcd(SPLIT_K, 8)
#pragma hone let PARTIALS = SPLIT_K/K_BLOCKS
#pragma hone let WM = BM/CONSUMERS
#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let TILES = ceildiv(ROWS, BM)*ceildiv(COLS, BN)*BATCH
#pragma hone let THREADS = CONSUMERS*128 + 128
#pragma hone require (WM == 64 || WM == 128) && WM*BN <= 128*80 "a warp group computes 64 or 128 rows"
#pragma hone require ceildiv(K, 64) >= SPLIT_K "each block has a part"
#pragma hone workspace rings: f32[TILES*SPLIT_K*BM*BN]
#pragma hone workspace arrived: u32[TILES*SPLIT_K] zero each
#pragma hone workspace partial: f32[PARTIALS > 1 ? PARTIALS*TILES*BM*BN : 0]
#pragma hone workspace tickets: u32[PARTIALS > 1 ? TILES*CONSUMERS*K_BLOCKS : 0] zero
#pragma hone launch send grid(TILES*SPLIT_K) block(THREADS) args(A, B, rings, arrived, i32(ROWS), i32(COLS), i32(K), i32(BATCH), i32(SPLIT_K), i64(LDA), i64(LDB), i64(STRIDE_A), i64(STRIDE_B))
#pragma hone launch add grid(TILES*SPLIT_K) block(THREADS) args(C, rings, arrived, partial, tickets, alpha, beta, i32(ROWS), i32(COLS), i32(BATCH), i32(SPLIT_K), i64(LDC), i64(STRIDE_C), i32(LDC % 2 == 0 && (BATCH == 1 || STRIDE_C % 2 == 0)), bias)

namespace gemm = hone::gemm;

using operand_x = gemm::operand<false, BM, 64, 64, 1>;
using operand_y = gemm::operand<false, BN, 64, 64, 1>;
using products =
    gemm::tiling<operand_x, operand_y, WM, CONSUMERS, false, K_BLOCKS>;
using matrix_c = gemm::matrix<OUT, SWAP>;
using walk = gemm::tile_walk<BM, BN, 1, 1, 1, K_BLOCKS>;

struct no_scales {
    template <int HEIGHTS, int SUMS, typename C>
    void apply(float (&)[HEIGHTS][SUMS], const C &, int, int, int) const
    {
    }
};
struct target {
    using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
    float4 *partial;
    unsigned *tickets;
    epilogue after;
    no_scales scales;
};

__device__ void begin(void *rings, unsigned *arrived)
{
    hone::rings = static_cast<char *>(rings);
    hone::arrived_bytes = arrived;
    hone::tile_bytes = BM * BN * 4;
    hone::cluster_blocks = K_BLOCKS;
}

extern "C" __global__ void __launch_bounds__(THREADS)
send(const T *A, const T *B, float *rings, unsigned *arrived, int rows,
     int cols, int K, int batches, int parts, long long lda, long long ldb,
     long long step_a, long long step_b)
{
    const int m = SWAP ? cols : rows, n = SWAP ? rows : cols;
    const int thread = threadIdx.x % 128, group = threadIdx.x / 128 - 1;
    products::sums sums;
    gemm::tile t;

    begin(rings, arrived);
    if (group < 0 || !walk(rows, cols, batches, parts, 8, false).take(&t))
        return;
    const int steps = (K + 63) / 64;
    const int first = steps * t.part / parts * 64;
    const int end = min(steps * (t.part + 1) / parts * 64, K);

    for (int i = 0; i < products::HEIGHTS * products::SUMS; i++) {
        const int height = i / products::SUMS, j = i % products::SUMS;
        const int x = t.row + group * WM + height * 64 +
                      gemm::lane_row(thread) + j % 4 / 2 * 8;
        const int y = t.col + gemm::lane_col(thread) + j / 4 * 8 + j % 2;
        const long long row = SWAP ? y : x, col = SWAP ? x : y;
        float sum = 0.0f;

        for (int k = first; k < end && row < m && col < n; k++)
            sum += float(A[t.batch * step_a +
                           (TRANS_A ? k * lda + row : row * lda + k)]) *
                   float(B[t.batch * step_b +
                           (TRANS_B ? col * ldb + k : k * ldb + col)]);
        sums[height][j] = sum;
    }
    gemm::send_shares<products>(sums, 0, 0, t.part % K_BLOCKS);
}

extern "C" __global__ void __launch_bounds__(THREADS)
add(OUT *C, float *rings, unsigned *arrived, float4 *partial,
    unsigned *tickets, float alpha, float beta, int rows, int cols,
    int batches, int parts, long long ldc, long long step_c, int pairs,
    const OUT *bias)
{
    const target to = {partial, tickets, {bias}, {}};
    matrix_c c = {reinterpret_cast<matrix_c::one *>(C), ldc, rows, cols,
                  pairs != 0};
    gemm::share<products>::sums own;
    gemm::tile t;

    begin(rings, arrived);
    if (!walk(rows, cols, batches, parts, 8, false).take(&t))
        return;
    if (threadIdx.x < 128) {
        if (parts > K_BLOCKS) {
            hone::group_sync(0);
            hone::group_any(0, false);
        }
        return;
    }
    const int rank = t.part % K_BLOCKS;

    c.to += t.batch * step_c;
    gemm::add_share<products>(own, 0);
    if (arrived[blockIdx.x] != BM * BN * 4)
        own[0][0][0] = nanf("");
    if (parts > K_BLOCKS &&
        !gemm::join_clusters<products>(own, to, t, rank, parts / K_BLOCKS))
        return;
    gemm::write_share<products>(own, to, c, t,
                                rank * gemm::share<products>::SIZE, alpha,
                                ADD ? beta : 0.0f);
}
