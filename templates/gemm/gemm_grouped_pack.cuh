/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of A and B for implementations of gemm_grouped that read rows at multiples
 * of 16 bytes: which are needed, their workspaces and the launch, one for both. B's
 * matrices lie one behind the other, so their rows are those of one. The product may
 * begin as soon as all blocks run, to wait there. Behind gemm_sm90_pack.cuh. */
#pragma once

#pragma hone let PACK_A = ROWS > 1 && K % 8 != 0
#pragma hone let PACK_B = GROUPS*ROWS_B > 1 && COLS_B % 8 != 0
#pragma hone let PITCH_A = align(K, PACK_A && K > 384 ? 64 : PACK_A ? 16 : 8)
#pragma hone let PITCH_B = align(COLS_B, PACK_B && COLS_B > 384 ? 64 : PACK_B ? 16 : 8)
#pragma hone let PACKED_A = PACK_A ? ROWS*PITCH_A : 0
#pragma hone let PACKED_B = PACK_B ? GROUPS*ROWS_B*PITCH_B : 0
#pragma hone require max(ROWS, N, K) <= 2000000000 && GROUPS <= 1000000000 && GROUPS*ROWS_B <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require max(PACKED_A, PACKED_B) <= 16G "a matrix to be packed is larger than 32 GB"
#pragma hone workspace packed_a: T[PACKED_A]
#pragma hone workspace packed_b: T[PACKED_B]
#pragma hone launch gemm_grouped_pack if(PACK_A || PACK_B) grid(min(ceildiv(PACKED_A + PACKED_B, 8192), device.sm_count*6)) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS : 0), i32(K), i32(PITCH_A/8), i32(PACK_B ? GROUPS*ROWS_B : 0), i32(COLS_B), i32(PITCH_B/8))

/* Of what is not to be copied, rows are 0. */
extern "C" __global__ void __launch_bounds__(256, 3)
gemm_grouped_pack(const T *A, const T *B, T *packed_a, T *packed_b, int rows_a,
                  int cols_a, int groups_a, int rows_b, int cols_b, int groups_b)
{
    unsigned next = 0;

    hone::start_next();
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        const bool is_a = i == 0;
        hone::gemm::loose_matrices m;

        m.from = reinterpret_cast<const unsigned short *>(is_a ? A : B);
        m.to = reinterpret_cast<uint4 *>(is_a ? packed_a : packed_b);
        m.rows = is_a ? rows_a : rows_b;
        m.cols = is_a ? cols_a : cols_b;
        m.batches = 1;
        m.groups_to = is_a ? groups_a : groups_b;
        m.pitch = m.cols;
        m.step = 0;
        next = hone::gemm::pack(m, next);
    }
}
