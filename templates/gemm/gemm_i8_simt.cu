/* SPDX-License-Identifier: Apache-2.0 */
/* gemm_i8/simt: products by the instruction that multiplies and adds four pairs
 * of bytes (dp4a), any device. What is computed says gemm_i8.cuh, and how it is
 * done gemm/simt: tiles in shared memory, sums in registers. Four bytes along K
 * are a word there; what lies across K is turned on the way, in squares of four
 * by four bytes. Tiles are loaded to registers one ahead. BK counts words.
 *
 * Alignment: with WIDE bytes are read in words, where rows and matrices lie at
 * multiples of four; else they may lie anywhere. */
#include "gemm_i8.cuh"
#include "hone_device.cuh"
#include "hone_gemm.cuh"
#include "gemm_simt_parts.cuh"
#include "gemm_i8_parts.cuh"

#pragma hone implements gemm_i8/simt "multiply-adds of four bytes"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"

#pragma hone param BM in {32, 64, 128} default 64
#pragma hone param BN in {32, 64, 128} default 64
#pragma hone param BK in {8, 16} default 8
#pragma hone param TM in {4, 8} default 8
#pragma hone param TN in {4, 8} default 4
#pragma hone param LANES_M in {4, 8} default 4
#pragma hone param SLICES in {1, 2} default 1
#pragma hone param WIDE: bool
#pragma hone param SPLIT_K in {1, 2, 4, 8, 16, 32, 64} default 1
#pragma hone param FINISH in {ticket, reduce} default ticket when SPLIT_K > 1
#pragma hone param GROUP in {1, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2, 3} default 1

#pragma hone let STAGES = 2
#pragma hone let CHUNK = 4
#pragma hone let WM = LANES_M*TM
#pragma hone let WN = 32/LANES_M*TN
#pragma hone let TILE_THREADS = BM/WM*(BN/WN)*32
#pragma hone let THREADS = TILE_THREADS*SLICES
#pragma hone let PITCH_A = BM + CHUNK
#pragma hone let PITCH_B = BN + CHUNK
#pragma hone let SMEM = max(STAGES*BK*(PITCH_A + PITCH_B), (SLICES - 1)*BM*BN)*4
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, 4*BK), SPLIT_K)
#pragma hone let HELD = ceildiv((BM + BN)*BK, max(THREADS, 1))
#pragma hone let LAID = gcd(gcd(ROWS_A > 1 ? LDA : 4, BATCH > 1 ? STRIDE_A : 4), gcd(ROWS_B > 1 ? LDB : 4, BATCH > 1 ? STRIDE_B : 4))

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require THREADS >= 64 && THREADS <= 512 "2 to 16 warps"
#pragma hone require HELD <= 32 "registers on the way to shared memory"
#pragma hone require !WIDE || LAID % 4 == 0 "rows or matrices do not lie at multiples of four"
#pragma hone require MIN_BLOCKS == 1 || (MIN_BLOCKS*THREADS >= 256 && MIN_BLOCKS*THREADS <= 768) "registers for so many blocks are not worth it"
#pragma hone require MIN_BLOCKS*THREADS*min(255, TM*TN + 2*(TM + TN) + 24 + HELD) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm && SMEM <= device.smem_optin "the tiles do not fit shared memory"
#pragma hone require max(M, N, K) <= 2000000000 && max(LDA, LDB, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require BM*BN == 64*64 || (BM <= max(2*M, 63) && BN <= max(2*N, 63)) "more than half of each tile would lie outside"
#pragma hone require BM*BN >= 64*64 || TILES <= 8*device.sm_count "tiles so small read A and B too often"
#pragma hone require SPLIT_K == 1 || ceildiv(K, 4*BK) >= 4*SPLIT_K "K is too short to be split so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone require SPLIT_K == 1 || (FINISH == ticket ? SPLIT_K <= 32 : SPLIT_K >= 4) "few parts are added by the last block, many by all"
#pragma hone require SLICES == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without slices"
#pragma hone require GROUP == 8 || TILES > device.sm_count "all tiles run at once in any order"

#pragma hone let PART = TILES*BM*BN
#pragma hone workspace partial: i32[SPLIT_K > 1 ? SPLIT_K*PART : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_i8_simt grid(TILES, SPLIT_K) block(THREADS) shared(SMEM) args(A, B, C, alpha, beta, partial, tickets, i32(M), i32(N), i32(K), i32(LDA), i32(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(GROUP), i32(STEPS), i32(FINISH == ticket), i64(PART))
#pragma hone launch gemm_i8_simt_reduce if(SPLIT_K > 1 && FINISH == reduce) grid(ceildiv(BM*BN/CHUNK, 32), min(TILES, 65535)) block(32, 8) args(C, alpha, beta, partial, i32(M), i32(N), i64(LDC), i64(STRIDE_C), i32(GROUP), i32(TILES), i32(SPLIT_K), i64(PART)) early

using element = signed char;
using scalar = int;
using OUT = int;
using W = int;
using E = unsigned;
constexpr int kDepth = 4 * BK;
constexpr bool kAsync = false;
using reader_a =
    hone::simt::byte_reader<BM, BK, WIDE, THREADS, !TRANS_A, PITCH_A>;
using reader_b =
    hone::simt::byte_reader<BN, BK, WIDE, THREADS, TRANS_B != 0, PITCH_B>;
extern __shared__ float4 shared[];
#include "gemm_simt_kernel.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_i8_simt(const signed char *__restrict__ A,
             const signed char *__restrict__ B, int *C, int alpha, int beta,
             void *partial, unsigned *tickets, int M, int N, int K, int pitch_a,
             int pitch_b, long long pitch_c, long long stride_a,
             long long stride_b, long long stride_c, int group, int part_steps,
             int use_ticket, long long part_size)
{
    multiply_tile(A, B, C, alpha, beta, partial, tickets, M, N, K, pitch_a,
                  pitch_b, pitch_c, stride_a, stride_b, stride_c, group,
                  part_steps, use_ticket, part_size);
}

extern "C" __global__ void __launch_bounds__(256)
gemm_i8_simt_reduce(int *C, int alpha, int beta, const void *partial, int M,
                    int N, long long pitch_c, long long stride_c, int group,
                    int tiles, int parts, long long part_size)
{
    add_parts(C, alpha, beta, partial, M, N, pitch_c, stride_c, group, tiles,
              parts, part_size);
}
