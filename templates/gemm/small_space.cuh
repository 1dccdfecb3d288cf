/* SPDX-License-Identifier: Apache-2.0 */
/* What small products are tuned by: gemm/small and gemm_complex/tiles. It reads
 * the contract's sizes and layout, and of the template BYTES, of an element of A
 * and B, and WORDS, of 4 bytes, of one in registers. */
#pragma once

// The tile of C of neighbouring threads, what they copy of K at once, and what a
// thread has of the tile.
#pragma hone param BM in {4, 8, 16, 24, 32, 40, 48, 64, 80, 96, 128} default 32
#pragma hone param BN in {4, 8, 16, 24, 32, 40, 48, 64, 80, 96, 128} default 32
#pragma hone param BK in {4, 8, 16, 24, 32, 48, 64, 96, 128} default 32
#pragma hone param TM in {1, 2, 4, 8} default 4
#pragma hone param TN in {1, 2, 4, 8} default 4
// Tiles of C, of the same or of other matrices, in a block.
#pragma hone param PRODUCTS in {1, 2, 3, 4, 8, 16, 32, 64} default 2
// How A and B get to shared memory, elements at once, and tiles under way.
#pragma hone param FETCH in {registers} for device sm >= 80 in {async} when BYTES >= 4
#pragma hone param VEC in {1, 2, 4, 8}
#pragma hone param STAGES in {1, 2, 3} when FETCH == async
// Blocks that a multiprocessor shall have room for, which stay and take tile after
// tile, copying ahead across them; 0: a block for each PRODUCTS, that ends with them.
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16} when STAGES > 1
// Whether no tile reaches beyond its matrix, and C may be written 16 bytes at once.
#pragma hone param WHOLE : bool
// Whether C is asked for before the product.
#pragma hone param EARLY_C : bool
// Chunks of K that the compiler sees at once.
#pragma hone param UNROLL in {1, 2}

/* Elements of 16 bytes. */
#pragma hone let CHUNK = 4/WORDS
#pragma hone let LANES_M = BM/TM
#pragma hone let LANES_N = BN/TN
#pragma hone let THREADS = LANES_M*LANES_N
#pragma hone let BLOCK = THREADS*PRODUCTS
/* Registers of a thread, and so many blocks there is room for: a multiprocessor
 * has four files of registers, each for whole warps. */
#pragma hone let REGISTERS = TM*TN*WORDS + 4*(TM + TN) + 32
#pragma hone let ROOM = max(1, min(16, 512/REGISTERS*4/max(ceildiv(BLOCK, 32), 1)))
#pragma hone let MIN_BLOCKS = BLOCKS_PER_SM > 0 ? BLOCKS_PER_SM : ROOM
/* Shared memory of one tile of A and one of B, as gemm_small_parts.cuh has them. */
#pragma hone let SIZE_A = TRANS_A ? BK*align(BM, CHUNK) : BM*((ceildiv(BK, CHUNK) | 1)*CHUNK)
#pragma hone let SIZE_B = TRANS_B ? BN*((ceildiv(BK, CHUNK) | 1)*CHUNK) : BK*align(BN, CHUNK)
/* Products lie an odd number of 16 bytes apart. */
#pragma hone let AREA = (STAGES*(SIZE_A + SIZE_B)/CHUNK | 1)*CHUNK
#pragma hone let SMEM = PRODUCTS*AREA*4*WORDS
/* Blocks that a multiprocessor has registers and shared memory for. */
#pragma hone let FIT = min(ROOM, device.smem_sm/(SMEM + 1K))
#pragma hone let MOST = BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : 2G - 1
#pragma hone let UNITS = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
/* Elements of which all distances of A and B are multiples, up to 8. */
#pragma hone let LAID_A = gcd(ROWS_A > 1 ? LDA : 8, BATCH > 1 ? STRIDE_A : 8)
#pragma hone let LAID_B = gcd(ROWS_B > 1 ? LDB : 8, BATCH > 1 ? STRIDE_B : 8)
#pragma hone let LAID = gcd(8, gcd(LAID_A, LAID_B))
/* Whether C, too, lies at multiples of 16 bytes where a thread has neighbours of it. */
#pragma hone let C_EVEN = TRANS_B || (LDC % CHUNK == 0 && (BATCH == 1 || STRIDE_C % CHUNK == 0))
#pragma hone let FITS = M % BM == 0 && N % BN == 0 && K % BK == 0 && C_EVEN

#pragma hone require BM % TM == 0 && BN % TN == 0 "threads have whole parts of a tile"
#pragma hone require (!TRANS_A || TM % CHUNK == 0) && (TRANS_B || TN % CHUNK == 0) "16 bytes are read at once"
#pragma hone require BLOCK >= 32 && BLOCK <= 512 && align(BLOCK, 32) <= BLOCK*4/3 "1 to 16 warps, most of the last one too"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require TM*TN*WORDS <= 128 && TM <= 2*TN && TN <= 8*TM "sums of a thread, in registers"
#pragma hone require VEC*BYTES <= 16 && LAID % VEC == 0 "rows or matrices do not lie at multiples of VEC"
#pragma hone require VEC == 1 || (BK % VEC == 0 && (!TRANS_A || BM % VEC == 0) && (TRANS_B || BN % VEC == 0)) "tiles are whole accesses"
#pragma hone require SMEM <= device.smem_optin "the tiles do not fit shared memory"
#pragma hone require BLOCKS_PER_SM == 0 || (BLOCKS_PER_SM*(SMEM + 1K) <= device.smem_sm && BLOCKS_PER_SM*BLOCK <= device.threads_sm) "the blocks do not fit a multiprocessor together"
#pragma hone require !WHOLE || FITS "tiles reach beyond their matrices, or rows of C lie anywhere"
#pragma hone require max(M, N, K) <= 1G && UNITS <= 2G - 1 "a dimension must fit 31 bits"
#pragma hone require FETCH == async || device.sm < 80 || BYTES == 2 || BM*BN <= 32*32 "copies ahead need no registers"
// The default, for every shape, is let through.
#pragma hone let IS_DEFAULT = BM == 32 && BN == 32 && BK == 32 && TM == 4 && TN == 4 && PRODUCTS == 2
#pragma hone require IS_DEFAULT || (BM < M + max(4, M/2) && BN < N + max(4, N/2)) "much of each tile would lie outside"
#pragma hone require IS_DEFAULT || (BM < M + 8 && BN < N + 8 && UNITS == BATCH) || ceildiv(M, BM)*BM*ceildiv(N, BN)*BN <= M*N*6/5 + 64 "the same, of several tiles"
#pragma hone require IS_DEFAULT || BK < K + 16 "most of what is copied would lie outside"
#pragma hone require IS_DEFAULT || VEC == min(LAID, 16/BYTES) "wider accesses are possible"
#pragma hone require IS_DEFAULT || STAGES == 1 || BK*(STAGES - 1) < K*(BLOCKS_PER_SM > 0 ? 2 : 1) "there is nothing to copy ahead"
#pragma hone require STAGES <= 2 || (!IS_DEFAULT && BK <= 32) "so long slices are far enough ahead"
#pragma hone require BLOCKS_PER_SM == 0 || (UNITS > device.sm_count*BLOCKS_PER_SM*PRODUCTS && 3*BLOCKS_PER_SM <= 4*FIT && 5*BLOCKS_PER_SM >= 4*FIT) "all blocks are there at once, or there is room for more, or for far fewer"
#pragma hone require IS_DEFAULT || WHOLE == FITS "tiles are whole, and need no questions"
#pragma hone require IS_DEFAULT || BK == 128 || BK >= min(K, 16) "few steps of K between barriers"
#pragma hone require IS_DEFAULT || BM*BN >= 32*32 || UNITS == BATCH "tiles so small read A and B too often"
#pragma hone require IS_DEFAULT || BLOCK <= 256 || PRODUCTS == 1 "larger blocks gain nothing"
#pragma hone require IS_DEFAULT || THREADS % 32 != 0 || PRODUCTS == 1 || BLOCK <= 128 "products of whole warps wait for each other in a block"
#pragma hone require IS_DEFAULT || TM*TN*WORDS >= min(BM*BN >= 40*40 ? 32 : 16, WORDS*BM*BN/32) "a thread of so few sums reads more than it adds"
