/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/simt: products by ordinary multiply-adds, f32 and f64 on any device; f16
 * and bf16 with sums in f32, for devices whose tensor cores do not take them,
 * and for what is small. What is computed says gemm.cuh.
 *
 * A block computes BM x BN of C, a thread TM x TN of them in registers, a warp
 * LANES_M lanes down and 32/LANES_M across. Tiles of A and B, BK deep, pass
 * through a ring in shared memory in which a line belongs to one k, so that a
 * thread's rows and columns come by loads of 16 bytes: what lies along K is
 * transposed on the way. FETCH says how they get there: `async`, copied STAGES-1
 * tiles ahead, V = VEC elements at once, or one where they are transposed;
 * `registers`, loaded a tile ahead, VEC at once, and stored behind the products.
 * With SLICES > 1 groups of warps share each tile's K and add up in shared memory:
 * many warps with large thread tiles where tiles of C are few and small. With
 * SPLIT_K > 1 the blocks of one tile of C share K; FINISH says who adds up what
 * they leave: `ticket` the last block of the tile, `reduce` a second launch; both
 * in a fixed order, so that every run of a variant gives the same bits.
 *
 * Alignment: VEC elements are read at once only where rows and matrices of A and
 * B lie at multiples of them; with VEC = 1 they may lie anywhere.
 *
 * Properties the parameters stand on: a multiprocessor starts one warp's
 * instruction in each of four units a cycle, and as many multiply-adds (f32):
 * every other instruction takes the place of one. A step of K is TM*TN
 * multiply-adds and (TM + TN)/4 loads in each thread. GROUP rows of tiles are
 * walked together, which keeps their part of A and B in the level 2 cache. All
 * wait for the multiprocessor that has the most tiles (BUSIEST): sizes of tiles
 * and SPLIT_K say how much that is.
 *
 * Hazard: as in gemm/wmma, a slot of the ring is filled only behind a barrier
 * that follows its last read. */
#include "gemm.cuh"
#include "hone_device.cuh"
#include "hone_gemm.cuh"
#include "gemm_simt_parts.cuh"

#pragma hone implements gemm/simt "multiply-adds of threads, any type"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90, gemm/wmma or gemm/plain"

#pragma hone param BM in {8, 16, 32, 64, 80, 96, 112, 128, 256} default 64
#pragma hone param BN in {8, 16, 32, 64, 96, 128, 256} default 64
#pragma hone param BK in {8, 16, 32} default 16
#pragma hone param TM in {4, 8, 16} default 8
#pragma hone param TN in {4, 8, 16} default 4
#pragma hone param LANES_M in {2, 4, 8} default 4
#pragma hone param SLICES in {1, 2, 4} default 1
#pragma hone param FETCH in {registers} for device sm >= 80 in {async} when sizeof(T) >= 4
#pragma hone param STAGES in 2..4 default 2 when FETCH == async
#pragma hone param VEC in {1, 2, 4} default 1
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 16, 32, 64, 128} default 1
#pragma hone param FINISH in {ticket, reduce} default ticket when SPLIT_K > 1
#pragma hone param GROUP in {1, 8} default 8
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4} default 1

/* In words of 4 bytes: what sums and shared memory hold. */
#pragma hone let WORDS = T == f64 ? 2 : 1
#pragma hone let CHUNK = 4/WORDS
#pragma hone let WM = LANES_M*TM
#pragma hone let WN = 32/LANES_M*TN
#pragma hone let TILE_THREADS = BM/WM*(BN/WN)*32
#pragma hone let THREADS = TILE_THREADS*SLICES
#pragma hone let PITCH_A = BM + (TRANS_A ? 0 : CHUNK)
#pragma hone let PITCH_B = BN + (TRANS_B ? CHUNK : 0)
#pragma hone let RING = STAGES*BK*(PITCH_A + PITCH_B)*4*WORDS
#pragma hone let STAGING = (SLICES - 1)*BM*BN*4*WORDS
#pragma hone let SMEM = max(RING, STAGING)
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(ceildiv(K, BK), SPLIT_K)
/* Elements of C of the multiprocessor that has the most to do, and with tiles of
 * 64 x 64: what the last wave of blocks leaves idle is in them. */
#pragma hone let BUSIEST = ceildiv(TILES*SPLIT_K, device.sm_count)*BM*BN/SPLIT_K
#pragma hone let BUSIEST_64 = ceildiv(BATCH*ceildiv(M, 64)*ceildiv(N, 64), device.sm_count)*64*64
/* Registers on the way to shared memory, of one thread. */
#pragma hone let HELD = FETCH == registers ? ceildiv((BM + BN)*BK*sizeof(T), 4*max(THREADS, 1)) : 8

/* Elements of which all distances of A and B are multiples, up to 4. Also of
 * one row: a copy of nothing has to be aligned, too. Copies that transpose
 * have an element each. */
#pragma hone let ONE_A = FETCH == async && !TRANS_A
#pragma hone let ONE_B = FETCH == async && TRANS_B
#pragma hone let LAID_A = ONE_A ? 4 : gcd(LDA, BATCH > 1 ? STRIDE_A : 4)
#pragma hone let LAID_B = ONE_B ? 4 : gcd(LDB, BATCH > 1 ? STRIDE_B : 4)
#pragma hone let LAID = ONE_A && ONE_B ? 1 : gcd(4, gcd(LAID_A, LAID_B))

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require THREADS >= 64 && THREADS <= 512 "2 to 16 warps"
#pragma hone require TM*TN*WORDS >= 16 && TM*TN*WORDS <= 128 "sums of a thread, in registers"
#pragma hone require LANES_M != 8 || TM < TN || BN < 64 "the same turned round"
#pragma hone require LANES_M > 2 || BM < 32 "a warp's tile so wide reads more of B than need be"
#pragma hone require TM*TN*WORDS >= (BM*BN >= 128*128 ? 64 : BM*BN >= 64*64 ? 32 : 16) "a thread of so few sums reads more than it adds"
#pragma hone require TM*TN*WORDS <= 64 || BM*BN >= 128*64 "so many sums leave too few threads"
#pragma hone require TM*TN*WORDS <= 64 || (THREADS >= 128 && FETCH == async) "registers beside so many sums"
#pragma hone require MIN_BLOCKS == 1 || (MIN_BLOCKS*THREADS >= 256 && MIN_BLOCKS*THREADS <= 512) "registers for so many blocks are not worth it"
#pragma hone require BK % (SLICES*4) == 0 "a slice has at least four steps of K"
#pragma hone require BK/SLICES*TM*TN <= 2048 "the loop is too long for the cache of instructions"
#pragma hone require HELD <= 32 "registers on the way to shared memory"
#pragma hone require VEC*sizeof(T) <= 16 "an access has at most 16 bytes"
#pragma hone require LAID % VEC == 0 "rows or matrices do not lie at multiples of VEC"
#pragma hone require VEC == min(LAID, 16/sizeof(T)) || (VEC == 1 && FETCH == registers && BM*BN == 64*64) "wider accesses are possible, or narrower ones the same"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*THREADS*min(255, (TM*TN + 2*(TM + TN))*WORDS + 24 + HELD) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require max(M, N, K) <= 2000000000 && max(LDA, LDB, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone prefer BM <= 64 || 2*M > BM "more than half of each tile would lie outside"
#pragma hone prefer BN <= 64 || 2*N > BN "more than half of each tile would lie outside"
#pragma hone prefer BM*BN == 64*64 || (BM <= max(2*M, 15) && BN <= max(2*N, 15)) "the same, of small ones"
#pragma hone prefer BM >= 32 || M <= 2*BM || BATCH*M*N < 100000 "tiles so low read B too often"
#pragma hone prefer BN >= 32 || N <= 2*BN || BATCH*M*N < 100000 "tiles so narrow read A too often"
#pragma hone prefer BM*BN >= 64*64 || TILES <= 8*device.sm_count "tiles so small read A and B too often"
#pragma hone prefer BM*BN == 64*64 || 2*TILES*SPLIT_K >= device.sm_count || K*BATCH*M*N < 16M "tiles so large leave multiprocessors idle"
#pragma hone prefer SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 128 && BATCH*M*N < 100000) "K is too short to be split so often"
#pragma hone prefer BM*BN == 64*64 || BUSIEST <= BUSIEST_64*9/8 "the last wave of tiles leaves multiprocessors idle"
#pragma hone prefer (BM != 80 && BM != 112) || BUSIEST <= BUSIEST_64*15/16 "such tiles are for what others leave idle"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count || (TILES*SPLIT_K <= 8*device.sm_count && BUSIEST <= BUSIEST_64*7/8) "enough tiles without splitting K so often"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count "the parts take too much memory"
#pragma hone require SPLIT_K == 1 || (FINISH == ticket ? SPLIT_K <= 32 : SPLIT_K >= 4) "few parts are added by the last block, many by all"
#pragma hone require STAGES > 2 || FETCH == registers || SLICES*SPLIT_K == 1 "few tiles need more of them under way"
#pragma hone require FETCH == async || BM*BN == 64*64 || device.sm < 80 || sizeof(T) == 2 "copies ahead hide more"
#pragma hone require FETCH == registers || (STAGES*BK >= 32 && STAGES*BK <= 96) "too little under way, or more than there is time for"
#pragma hone prefer SLICES == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without slices"
#pragma hone require GROUP == 8 || TILES > 4*device.sm_count "most tiles run at once in any order"
#pragma hone require sizeof(T) >= 4 || device.sm < 80 || BATCH*M*N*K <= 16M "tensor cores do more"

#include "gemm_simt_cost.cuh"
#pragma hone let PART = TILES*BM*BN
#pragma hone workspace partial: f32[SPLIT_K > 1 ? SPLIT_K*PART*WORDS : 0]
#pragma hone workspace tickets: u32[SPLIT_K > 1 && FINISH == ticket ? TILES : 0] zero
#pragma hone launch gemm_simt grid(TILES, SPLIT_K) block(THREADS) shared(SMEM) args(A, B, C, alpha, beta, partial, tickets, i32(M), i32(N), i32(K), i32(LDA), i32(LDB), i64(LDC), i64(STRIDE_A), i64(STRIDE_B), i64(STRIDE_C), i32(GROUP), i32(STEPS), i32(FINISH == ticket), i64(PART))
#pragma hone launch gemm_simt_reduce if(SPLIT_K > 1 && FINISH == reduce) grid(ceildiv(BM*BN/CHUNK, 32), min(TILES, 65535)) block(32, 8) args(C, alpha, beta, partial, i32(M), i32(N), i64(LDC), i64(STRIDE_C), i32(GROUP), i32(TILES), i32(SPLIT_K), i64(PART)) early

using element = T;
using scalar = float;
using W = typename hone::wide<T>::type;
using E = W;
constexpr int kDepth = BK;
constexpr bool kAsync = FETCH == FETCH_values::async;
/* Copies that transpose have an element each. */
constexpr int kVecA = kAsync && !TRANS_A ? 1 : VEC;
constexpr int kVecB = kAsync && TRANS_B ? 1 : VEC;
using reader_a = hone::simt::tile_reader<T, W, TRANS_A ? BK : BM,
                                         TRANS_A ? BM : BK, kVecA, THREADS,
                                         !TRANS_A, PITCH_A>;
using reader_b = hone::simt::tile_reader<T, W, TRANS_B ? BN : BK,
                                         TRANS_B ? BK : BN, kVecB, THREADS,
                                         TRANS_B, PITCH_B>;
extern __shared__ float4 shared[];
#include "gemm_simt_kernel.cuh"

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
gemm_simt(const T *__restrict__ A, const T *__restrict__ B, OUT *C, float alpha,
          float beta, void *partial, unsigned *tickets, int M, int N, int K,
          int pitch_a, int pitch_b, long long pitch_c, long long stride_a,
          long long stride_b, long long stride_c, int group, int part_steps,
          int use_ticket, long long part_size)
{
    multiply_tile(A, B, C, alpha, ADD ? beta : 0, partial, tickets, M, N, K, pitch_a,
                  pitch_b, pitch_c, stride_a, stride_b, stride_c, group,
                  part_steps, use_ticket, part_size);
}

extern "C" __global__ void __launch_bounds__(256)
gemm_simt_reduce(OUT *C, float alpha, float beta, const void *partial, int M,
                 int N, long long pitch_c, long long stride_c, int group,
                 int tiles, int parts, long long part_size)
{
    add_parts(C, alpha, ADD ? beta : 0, partial, M, N, pitch_c, stride_c, group, tiles,
              parts, part_size);
}
