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
/* A warp of eight packs 1,024 elements of a row at once. */
#pragma hone let PACK_BLOCKS = min(ceildiv((PACK_A ? ROWS*align(K, 1024) : 0) + (PACK_B ? GROUPS*ROWS_B*align(COLS_B, 1024) : 0), 8192), device.sm_count*8)
#pragma hone require max(ROWS, N, K) <= 2000000000 && GROUPS <= 1000000000 && GROUPS*ROWS_B <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require max(PACKED_A, PACKED_B) <= 16G "a matrix to be packed is larger than 32 GB"
#pragma hone workspace packed_a: T[PACKED_A]
#pragma hone workspace packed_b: T[PACKED_B]
#pragma hone launch gemm_grouped_pack if(PACK_A || PACK_B) grid(PACK_BLOCKS) block(256) args(A, B, packed_a, packed_b, i32(PACK_A ? ROWS : 0), i32(K), i32(PITCH_A/8), i32(PACK_B ? GROUPS*ROWS_B : 0), i32(COLS_B), i32(PITCH_B/8))

extern "C" __global__ void __launch_bounds__(256, 4)
gemm_grouped_pack(const T *A, const T *B, T *packed_a, T *packed_b,
                  int rows_a, int cols_a, int groups_a, int rows_b, int cols_b,
                  int groups_b)
{
    hone::start_next();
    hone::gemm::pack({reinterpret_cast<const unsigned short *>(A),
                      reinterpret_cast<uint4 *>(packed_a), rows_a, cols_a, 1,
                      groups_a, cols_a, 0},
                     {reinterpret_cast<const unsigned short *>(B),
                      reinterpret_cast<uint4 *>(packed_b), rows_b, cols_b, 1,
                      groups_b, cols_b, 0});
}
