/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/mma is tuned by: its parameters, what follows from them, and which
 * configurations make sense. It reads the contract's sizes and layout. */
#pragma once

#pragma hone param BM in {16, 32, 64, 128, 256} default 128
#pragma hone param BN in {16, 32, 64, 128, 256} default 128
#pragma hone param BK in {32, 64, 128} default 64
#pragma hone param WM in {16, 32, 64} default 64
#pragma hone param WN in {16, 32, 64} default 64
#pragma hone param VEC_A in {8, 4, 2} default 8
#pragma hone param VEC_B in {8, 4, 2} default 8
#pragma hone param STAGES in 2..5 default 3
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 12, 16, 32, 64} default 1
#pragma hone param FINISH in {ticket, reduce} default ticket when SPLIT_K > 1
#pragma hone param GROUP in {1, 4, 8, 16} default 8
#pragma hone param MIN_BLOCKS in {1, 2, 3} default 1

/* Words of 16 bits, of an element: BK, VEC_A and VEC_B count these, so that a
 * configuration takes as much memory and as many clocks with tf32, for half of K. */
#pragma hone let T_WORDS = sizeof(T)/2
#pragma hone let WARPS = BM/WM*(BN/WN)
#pragma hone let THREADS = WARPS*32
#pragma hone let SLOT = (BM + BN)*BK*2
#pragma hone let SMEM = max(STAGES*SLOT, WARPS*16*(WN + 8)*4)
#pragma hone let REGISTERS = WM*WN/32 + (WM + WN)/2 + 24
#pragma hone let TILES = BATCH*ceildiv(M, BM)*ceildiv(N, BN)
#pragma hone let STEPS = ceildiv(K*T_WORDS, BK)
#pragma hone let PARTS = min(SPLIT_K, STEPS)
/* Words of which all rows and matrices begin at multiples, up to 8. Copies of
 * fewer than 8 do without packing. */
#pragma hone let LAID_A = gcd(gcd(ROWS_A > 1 ? LDA*T_WORDS : 8, BATCH > 1 ? STRIDE_A*T_WORDS : 8), 8)
#pragma hone let LAID_B = gcd(gcd(ROWS_B > 1 ? LDB*T_WORDS : 8, BATCH > 1 ? STRIDE_B*T_WORDS : 8), 8)
#pragma hone let LOOSE_A = VEC_A == 8 && LAID_A < 8
#pragma hone let LOOSE_B = VEC_B == 8 && LAID_B < 8
#pragma hone let PITCH_A = LOOSE_A || ROWS_A == 1 ? align(COLS_A, 8) : LDA
#pragma hone let PITCH_B = LOOSE_B || ROWS_B == 1 ? align(COLS_B, 8) : LDB
/* A warp of eight packs 1,024 words of a row at once. */
#pragma hone let PACK_BLOCKS = min(ceildiv((LOOSE_A ? BATCH*ROWS_A*align(COLS_A*T_WORDS, 1024) : 0) + (LOOSE_B ? BATCH*ROWS_B*align(COLS_B*T_WORDS, 1024) : 0), 8192), device.sm_count*8)
#pragma hone let PACKED_A = LOOSE_A ? BATCH*ROWS_A*PITCH_A : 0
#pragma hone let PACKED_B = LOOSE_B ? BATCH*ROWS_B*PITCH_B : 0
#pragma hone let SMALL = BATCH*M*N < 100000

#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require WARPS == 4 || WARPS == 8 "4 or 8 warps"
#pragma hone require min(BM, BN)*BK/8 >= THREADS "every thread copies a part of each tile"
#pragma hone require (VEC_A == 8 || VEC_A == LAID_A) && (VEC_B == 8 || VEC_B == LAID_B) "rows or matrices do not lie at multiples of VEC_A or VEC_B, or of more than these"
#pragma hone require max(PACKED_A, PACKED_B)*T_WORDS <= 8G "a matrix to be packed is larger than 16 GB"
#pragma hone require WM + WN >= 64 || BM*BN < 128*128 "warp tiles so small read shared memory too often"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*THREADS*align(REGISTERS, 8) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require MIN_BLOCKS == 1 || MIN_BLOCKS*WARPS <= 16 "so many warps have too few registers each"
#pragma hone require STAGES*BK <= 512 "the ring is deeper than copies need"
#pragma hone require STAGES > 2 || BM*BN >= 128*128 "few products need more tiles under way"
#pragma hone require max(M, N, K)*T_WORDS <= 2000000000 && max(max(LDA, LDB)*T_WORDS, BATCH, TILES) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require T != tf32 || ((!TRANS_A || THREADS*VEC_A >= BM*2) && (TRANS_B || THREADS*VEC_B >= BN*2)) "a row of a tile has more copies than there are threads"
#pragma hone require SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count "the parts take too much memory"
#pragma hone prefer BM*BN == 128*128 || BM <= 64 || M > 4*BM || align(M, BM) == align(M, BM/2) "tiles of half as many rows cover less outside"
#pragma hone prefer BM*BN == 128*128 || BN <= 64 || N > 4*BN || align(N, BN) == align(N, BN/2) "tiles of half as many columns cover less outside"
#pragma hone prefer BM*BN <= 128*128 || TILES >= device.sm_count "tiles so large leave multiprocessors idle"
#pragma hone prefer BM*BN >= 128*128 || TILES <= 16*device.sm_count "tiles so small read A and B too often"
#pragma hone prefer BM > 32 || M <= BM || SMALL "so low tiles are for a low C"
#pragma hone prefer BN > 32 || N <= BN || SMALL "so narrow tiles are for a narrow C"
#pragma hone prefer SPLIT_K == 1 || STEPS >= 4*SPLIT_K "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 4*device.sm_count "enough tiles without splitting K so often"
#pragma hone prefer FINISH == ticket || SPLIT_K >= 4 "so few parts are worth no launch"
#pragma hone prefer GROUP == 8 || (TILES > device.sm_count && SPLIT_K == 1) "all tiles run at once in any order"

/* Clocks of a multiprocessor: 1024 multiply-adds, what mma.sync reaches here, 128
 * bytes of shared memory, read by fragments and written by copies, about 40 from
 * the level 2 cache, and copies of 32 lanes in 3. Four warps alone wait for each
 * other, all at each barrier, and for a tile of the ring that was asked for less
 * than 1,000 ago. 1,500, 2,000 and 4,000 begin and end a tile, its parts and
 * another launch. Memory brings 16 bytes a clock to each. What of tf32 lies across K
 * is read from shared memory by 4 bytes: by the winners at two thin products on an H200
 * half as long again at least (decision 240). */
#pragma hone let MEMORY = BATCH*(M*K + K*N)*sizeof(T)/(16*device.sm_count)
#pragma hone let SLOWER = T == tf32 && (TRANS_A == 1 || TRANS_B == 0) ? 3 : 2
#pragma hone let ROUNDS = ceildiv(STEPS, PARTS)
#pragma hone let DEEP = ROUNDS*BK
#pragma hone let MULTIPLY = BM*BN*DEEP/1024
#pragma hone let SHARED = (BM*BN/WM + BM*BN/WN + BM + BN)*DEEP*2/128
#pragma hone let COPIES = (BM/VEC_A + BN/VEC_B)*DEEP*3/32
#pragma hone let FETCH = (BM + BN)*DEEP/20
#pragma hone let BUSY = max(MULTIPLY, SHARED, FETCH, COPIES)*MIN_BLOCKS*(WARPS*MIN_BLOCKS < 8 ? 5 : 4)/4
#pragma hone let TILE_CLOCKS = max(BUSY, ROUNDS*1000/(STAGES - 1)) + ROUNDS*40 + 1500 + BM*BN*(PARTS > 1 ? 2 : 1)/16
#pragma hone feature COST = max(MEMORY, ceildiv(TILES*PARTS, device.sm_count*MIN_BLOCKS)*TILE_CLOCKS*SLOWER/2) + (PARTS > 1 ? 2000 + (FINISH == reduce ? 4000 + BM*BN*PARTS/64 : BM*BN*PARTS/16) : 0) + (LOOSE_A || LOOSE_B ? 4000 + (PACKED_A + PACKED_B)*T_WORDS/512 : 0)
#pragma hone feature DEPTH = STAGES*BK per DEEP
