/* SPDX-License-Identifier: Apache-2.0 */
/* gemm as sums of the transposed product get to C (gemm_sm90_turned.cuh): a thread has
 * what wgmma would leave it, computed one by one. A block is a warp group, and takes
 * one tile after another. In front of the buffers is the ring: where a row begins behind
 * a piece's start, lanes read what lies there, and do without it. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "gemm.cuh"
#include "gemm_epilogue.cuh"
#include "hone_device.cuh"
#include "copies_imitated.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_output.cuh"
#include "gemm_sm90_staging.cuh"
#include "gemm_sm90_turned.cuh"

#pragma hone implements gemm/turned "as a transposed product gets to C"
#pragma hone require K > 0 && sizeof(T) <= 4 "no wgmma gives such sums"
#pragma hone param WM in {64, 128, 192} default 64
#pragma hone param BN in {16, 32, 48, 64, 72, 80, 96, 104, 112, 128, 144, 160, 176, 192, 200, 208, 224, 240, 256} default 48
#pragma hone param BUFFERS in {1, 2, 4} default 2
#pragma hone require WM*BN <= 128*256 "a thread has the registers of no more sums"
#pragma hone let PHASE = 128/sizeof(OUT)
#pragma hone let BOX = BN % PHASE == 0 ? PHASE : BN % (PHASE/2) == 0 ? PHASE/2 : BN % (PHASE/4) == 0 ? PHASE/4 : PHASE/8
#pragma hone let STEP_C = BATCH > 1 ? STRIDE_C : align(M*LDC, 8)
#pragma hone let MAPPED_C = LDC*sizeof(OUT) % 16 == 0 && STEP_C*sizeof(OUT) % 16 == 0
#pragma hone let TILES = ceildiv(N, WM)*ceildiv(M, BN)*BATCH
#pragma hone let BLOCKS = min(TILES, 3)
#pragma hone let BYTES = 8192 + BUFFERS*WM*128 + 1024
#pragma hone workspace shared: u32[BLOCKS*BYTES/4] zero each
#pragma hone launch turn grid(BLOCKS) block(128) args(A, B, C, shared, alpha, beta, i32(M), i32(N), i32(K), i32(BATCH), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STEP_C), i32(MAPPED_C), i32(BYTES), bias)

namespace gemm = hone::gemm;

extern "C" __global__ void __launch_bounds__(128)
turn(const T *A, const T *B, OUT *C, unsigned *shared, float alpha, float beta,
     int M, int N, int K, int batches, long long lda, long long ldb,
     long long ldc, long long step_a, long long step_b, long long step_c,
     int mapped, int bytes, const OUT *bias)
{
    using matrix_c = gemm::matrix<OUT, true>;
    using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
    const hone::imitated_map map_c = {
        reinterpret_cast<char *>(C), (int)sizeof(OUT),
        {(long long)(ldc * sizeof(OUT)), (long long)(step_c * sizeof(OUT))},
        {N, M, batches}, BOX};
    const int thread = threadIdx.x;
    gemm::tile_walk<WM, BN, 1, 1, 1> walk(N, M, batches, 1, 8, false);
    gemm::turned_output<OUT, BN, WM, BOX, BUFFERS, false> staged;
    gemm::finisher<epilogue, matrix_c, WM / 64, BN> after;
    CUtensorMap map = {};
    gemm::tile t;

    memcpy(&map, &map_c, sizeof map_c);
    hone::imitated = reinterpret_cast<char *>(shared);
    hone::imitated_bytes = bytes;
    staged.buffers = 8192;
    staged.loaded = bytes - 1024;
    staged.mapped = mapped != 0;
    staged.alpha = alpha;
    staged.beta = ADD ? beta : 0.0f;
    while (walk.take(&t)) {
        matrix_c c = {reinterpret_cast<matrix_c::one *>(C), ldc, N, M, false};
        float sums[WM / 64][BN / 2];

        c.to += t.batch * step_c;
        staged.ask_first(map, t);
        for (int i = 0; i < WM * BN / 128; i++) {
            const int j = i % (BN / 2);
            const int col = t.row + i / (BN / 2) * 64 +
                            gemm::lane_row(thread) + j % 4 / 2 * 8;
            const int row =
                t.col + gemm::lane_col(thread) + j / 4 * 8 + j % 2;

            sums[i / (BN / 2)][j] =
                row >= M || col >= N
                    ? 0.0f
                    : hone::element_of_product<TRANS_A != 0, TRANS_B != 0>(
                          A + t.batch * step_a, B + t.batch * step_b, lda, ldb,
                          K, row, col);
        }
        after.ask(epilogue{bias}, c, t.row, t.col, thread);
        staged.store(sums, map, c, t, after);
    }
}
