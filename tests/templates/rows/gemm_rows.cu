/* SPDX-License-Identifier: Apache-2.0 */
/* gemm as sums get to C where the copy engine cannot write it (gemm_sm90_store.cuh,
 * gemm_sm90_rows.cuh): a thread has what wgmma would leave it, computed one by one. A
 * block is a warp group, and takes one tile after another, with RUN > 1 neighbours. */
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
#include "gemm_sm90_store.cuh"

#pragma hone implements gemm/rows "as rows that begin anywhere get to C"
#pragma hone require K > 0 && sizeof(T) <= 4 "no wgmma gives such sums"
#pragma hone param WM in {64, 128, 192} default 64
#pragma hone param BN in {16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256} default 48
#pragma hone param BUFFERS in {1, 2, 3, 4} default 2
#pragma hone param RUN in {1, 2, 3} default 1
#pragma hone require WM*BN <= 128*256 "a thread has the registers of no more sums"
#pragma hone require RUN == 1 || (BN >= 64 && WM < 192) "an edge is a sector of a row, and a thread keeps one"
#pragma hone let PHASE = 128/sizeof(OUT)
#pragma hone let BOX = BN % PHASE == 0 ? PHASE : BN % (PHASE/2) == 0 ? PHASE/2 : PHASE/4
#pragma hone let STEP_C = BATCH > 1 ? STRIDE_C : align(M*LDC, 8)
#pragma hone let BLOCKS = min(ceildiv(M, WM)*ceildiv(N, BN*RUN)*BATCH, 3)
#pragma hone let BUFFER = BUFFERS*WM*128
#pragma hone let BYTES = 1024 + BUFFER + align(WM*64, 1024)
#pragma hone workspace shared: u32[BLOCKS*BYTES/4] zero each
#pragma hone launch rows grid(BLOCKS) block(128) args(A, B, C, shared, alpha, beta, i32(M), i32(N), i32(K), i32(BATCH), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STEP_C), i32(BYTES), bias)

namespace gemm = hone::gemm;

extern "C" __global__ void __launch_bounds__(128)
rows(const T *A, const T *B, OUT *C, unsigned *shared, float alpha, float beta,
     int M, int N, int K, int batches, long long lda, long long ldb,
     long long ldc, long long step_a, long long step_b, long long step_c,
     int bytes, const OUT *bias)
{
    using matrix_c = gemm::matrix<OUT, false>;
    using epilogue = hone::epilogue<OUT, BIAS != 0, ACTIVATION>;
    const int thread = threadIdx.x;
    gemm::tile_walk<WM, BN, 1, 1, RUN> walk(M, N, batches, 1, 8, false);
    gemm::staged_output<OUT, BN, WM, BOX, BUFFERS, false, (RUN > 1), false>
        staged;
    gemm::finisher<epilogue, matrix_c, WM / 64, BN> after;
    CUtensorMap map = {};
    gemm::tile t;

    hone::imitated = reinterpret_cast<char *>(shared);
    hone::imitated_bytes = bytes;
    staged.buffers = 1024;
    staged.edges = 1024 + BUFFER;
    staged.loaded = 0;
    staged.mapped = false;
    staged.alpha = alpha;
    staged.beta = ADD ? beta : 0.0f;
    while (walk.take(&t)) {
        matrix_c c = {reinterpret_cast<matrix_c::one *>(C), ldc, M, N, false};
        float sums[WM / 64][BN / 2];

        c.to += t.batch * step_c;
        for (int i = 0; i < WM * BN / 128; i++) {
            const int j = i % (BN / 2);
            const int row = t.row + i / (BN / 2) * 64 +
                            gemm::lane_row(thread) + j % 4 / 2 * 8;
            const int col =
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
