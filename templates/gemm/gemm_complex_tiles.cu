/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_complex/tiles: products of complex numbers by multiply-adds, small ones in
 * large numbers first of all. Some neighbouring threads, a few or a block, have a
 * tile of C, often a whole matrix; a block has PRODUCTS of them. Their tiles of A and
 * B are copied to shared memory as they lie (gemm_small_parts.cuh), VEC numbers at
 * once, by the copies of sm_80 that need no registers or through registers. What is
 * computed says gemm_complex.cuh.
 *
 * A thread reads TM + TN numbers for TM*TN products of four multiply-adds each: half
 * of what real ones of as many sums read for as much arithmetic.
 *
 * Alignment: VEC numbers are read at once only where rows and matrices of A and B lie
 * at multiples of them; with VEC = 1 they may lie anywhere. */
#include "gemm_complex.cuh"
#include "hone_device.cuh"
#include "gemm_small_parts.cuh"

#pragma hone implements gemm_complex/tiles "tiles in shared memory, several products in a block, any shape"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"

#pragma hone let BYTES = 8
#pragma hone let WORDS = 2
#include "small_space.cuh"
#pragma hone require IS_DEFAULT || max(M, N) > 64 || 2*BM*BN >= M*N "parts of so small matrices read A and B several times"

#pragma hone launch gemm_complex grid(min(ceildiv(UNITS, PRODUCTS), MOST)) block(BLOCK) shared(SMEM) args(A, B, C, alpha, beta, i32(M), i32(N), i32(K), i64(LDA), i64(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(UNITS))

using E = float2;
using namespace hone::small;
using tile_a = tile<E, (TRANS_A ? BK : BM), (TRANS_A ? BM : BK), !TRANS_A, THREADS, VEC, TM, LANES_M, FETCH != FETCH_values::registers, WHOLE>;
using tile_b = tile<E, (TRANS_B ? BN : BK), (TRANS_B ? BK : BN), !!TRANS_B, THREADS, VEC, TN, LANES_N, FETCH != FETCH_values::registers, WHOLE>;
using product_of = product<tile_a, tile_b, THREADS, LANES_N, TM, TN, BK, STAGES, FETCH != FETCH_values::registers, TRANS_A == 2, TRANS_B == 2, UNROLL>;

extern __shared__ float4 shared[];

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
gemm_complex(const E *__restrict__ A, const E *__restrict__ B, E *C, E alpha, E beta, int M, int N, int K, long long pitch_a, long long pitch_b, long long pitch_c, long long stride_a, long long stride_b, long long stride_c, unsigned units)
{
    const factors<E> of = {A, B, pitch_a, pitch_b, stride_a, stride_b, M, N, K, units};

    multiply_tiles<product_of, BM, BN, PRODUCTS, AREA, (BLOCKS_PER_SM > 0), EARLY_C>(shared, of, C, alpha, beta, pitch_c, stride_c);
}
