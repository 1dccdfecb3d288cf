/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/small: many small products by multiply-adds. Some neighbouring threads, a few
 * or a block, have a tile of C, most often a whole matrix; a block has PRODUCTS of
 * them. Their tiles of A and B, most often whole matrices too, are copied to shared
 * memory as they lie (gemm_small_parts.cuh), VEC elements at once, by the copies of
 * sm_80 that need no registers or through registers, where 16 bits become f32.
 * What is computed says gemm.cuh.
 *
 * Blocks that stay (BLOCKS_PER_SM) copy slices of their next product while they
 * finish and write one. Where tiles are WHOLE a copy is 4 instructions; where each
 * asks if it lies within its matrix, 28 (sm_90, counted).
 *
 * Bound by memory up to about 64 x 64 in f32, by multiply-adds above. Where threads
 * of a product fill no warp, none waits for those of another.
 *
 * Alignment: VEC elements are read at once only where rows and matrices of A and B
 * lie at multiples of them; with VEC = 1 they may lie anywhere. */
#include "gemm.cuh"
#include "hone_device.cuh"
#include "gemm_small_parts.cuh"

#pragma hone implements gemm/small "whole small matrices in shared memory, several products in a block, any type"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90, gemm/wmma or gemm/plain"

#pragma hone require max(M, N) <= 256 && (BATCH > 1 || max(M, N) <= 32) "matrices are large, or few: gemm/simt"
#pragma hone require sizeof(T) >= 4 || device.sm < 80 || max(M, N) <= 64 "tensor cores do more"

#pragma hone let BYTES = sizeof(T)
#pragma hone let WORDS = T == f64 ? 2 : 1
#include "small_space.cuh"
#pragma hone require ADD || !EARLY_C "C is not read"
#pragma hone require IS_DEFAULT || max(M, N) > 64 || UNITS == BATCH "parts of so small matrices read A and B several times"

#pragma hone launch gemm_small grid(min(ceildiv(UNITS, PRODUCTS), MOST)) block(BLOCK) shared(SMEM) args(A, B, C, alpha, beta, i32(M), i32(N), i32(K), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(UNITS))

using E = T;
using namespace hone::small;
using tile_a = tile<E, (TRANS_A ? BK : BM), (TRANS_A ? BM : BK), !TRANS_A, THREADS, VEC, TM, LANES_M, FETCH != FETCH_values::registers, WHOLE>;
using tile_b = tile<E, (TRANS_B ? BN : BK), (TRANS_B ? BK : BN), !!TRANS_B, THREADS, VEC, TN, LANES_N, FETCH != FETCH_values::registers, WHOLE>;
using product_of = product<tile_a, tile_b, THREADS, LANES_N, TM, TN, BK, STAGES, FETCH != FETCH_values::registers, false, false, UNROLL>;
using W = tile_a::W;

extern __shared__ float4 shared[];

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
gemm_small(const E *__restrict__ A, const E *__restrict__ B, OUT *C, float alpha, float beta, int M, int N, int K, long long pitch_a, long long pitch_b, long long pitch_c, long long stride_a, long long stride_b, long long stride_c, unsigned units)
{
    const factors<E> of = {A, B, pitch_a, pitch_b, stride_a, stride_b, M, N, K, units};

    multiply_tiles<product_of, BM, BN, PRODUCTS, AREA, (BLOCKS_PER_SM > 0), EARLY_C>(shared, of, C, W(alpha), W(ADD ? beta : 0), pitch_c, stride_c);
}
