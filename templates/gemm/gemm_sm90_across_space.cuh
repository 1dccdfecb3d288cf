/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/sm90_across is tuned by: which factor comes through registers, tiles, parts
 * of K and who adds them up; and how long that is guessed to take (COST), by which
 * searches begin. */
#pragma once

#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90_f32, gemm/mma or gemm/plain"
#pragma hone require max(max(M, N), K) <= 1G && BATCH <= 60000 "a dimension is above 2^30, or batches above 60,000"

/* Whether X, which comes through registers, is B. */
#pragma hone param SWAP: bool
/* Warp groups that multiply, blocks of 64 rows that each has, and columns. */
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param HEIGHTS in {1, 2} default 1
#pragma hone param BN in {8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 208, 256} default 64
/* Parts of K, and how many of them a cluster adds up. */
#pragma hone param SPLIT in {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128}
#pragma hone param K_BLOCKS in {1, 2, 4, 8} when SPLIT > 1
#pragma hone param STAGES in {3, 4, 5, 6, 8, 10, 12, 16} default 4
/* Whether a warp group reads its elements of X while it multiplies the ones before. */
#pragma hone param AHEAD: bool
/* As many blocks as there is room for, each of which takes one tile after the other. */
#pragma hone param PERSISTENT: bool when SPLIT == 1

#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let LDX = SWAP ? LDB : LDA
#pragma hone let LDY = SWAP ? LDA : LDB
#pragma hone let STRIDE_X = SWAP ? STRIDE_B : STRIDE_A
#pragma hone let STRIDE_Y = SWAP ? STRIDE_A : STRIDE_B
/* Rows of Y begin at multiples of 16 bytes. */
#pragma hone let OTHER_ALIGNED = LDY % 4 == 0 && (BATCH == 1 || STRIDE_Y % 4 == 0)
#pragma hone let Y_ACROSS = SWAP ? TRANS_A == 1 : TRANS_B == 0
/* Copied in front of the product, rows along K at multiples of 16 bytes. */
#pragma hone let PACK_Y = Y_ACROSS || (COLS > 1 && LDY % 4 != 0) || (BATCH > 1 && STRIDE_Y % 4 != 0)
#pragma hone let PITCH = align(K, K > 384 ? 64 : 16)
#pragma hone let PACKED = PACK_Y ? BATCH*COLS*PITCH : 0

#pragma hone let BM = CONSUMERS*HEIGHTS*64
#pragma hone let TILES_X = ceildiv(ROWS, BM)
#pragma hone let TILES_Y = ceildiv(COLS, BN)
#pragma hone let TILES = TILES_X*TILES_Y*BATCH
#pragma hone let STEPS = ceildiv(K, 32)
#pragma hone let OF_CLUSTER = SPLIT > 1 ? K_BLOCKS : 1
/* Parts of a tile that meet in the workspace. */
#pragma hone let PARTIALS = SPLIT/OF_CLUSTER
/* Sums of a thread, four by four, and those that a block of a cluster adds up. */
#pragma hone let FOURS = HEIGHTS*BN/8
#pragma hone let SHARE = ceildiv(FOURS, OF_CLUSTER)
#pragma hone let OF_PART = ceildiv(STEPS, SPLIT)
#pragma hone let BLOCKS = TILES*SPLIT
/* Registers of a thread, by what compilers took. Of nine warps three are in one quarter of
 * a multiprocessor, which has 168 for each thread of them; of twelve, four of which give
 * most of theirs away, more. Blocks that a multiprocessor holds. */
#pragma hone let REGISTERS = FOURS*4 + (1 + AHEAD)*HEIGHTS*16 + 44
#pragma hone let MOVES = CONSUMERS == 2 && REGISTERS > 168
#pragma hone let THREADS = CONSUMERS*128 + (MOVES ? 128 : 32)
#pragma hone let SLOT = (BM + BN)*128
#pragma hone let SMEM = 1024 + STAGES*SLOT + 256
#pragma hone let BESIDE = MOVES ? 1 : max(min(device.smem_sm/(SMEM + 1024), min(65536/(REGISTERS*THREADS), 2048/THREADS)), 1)
#pragma hone let RESIDENT = BESIDE*device.sm_count
#pragma hone let IS_DEFAULT = CONSUMERS == 2 && HEIGHTS == 1 && BN == 64 && SPLIT == 1 && STAGES == 4 && !AHEAD && !PERSISTENT

#pragma hone require SWAP ? TRANS_B == 0 : TRANS_A == 1 "that factor lies along K: gemm/sm90_f32 reads it as it is"
#pragma hone require (K == 1 || LDX % 4 == 0) && (BATCH == 1 || STRIDE_X % 4 == 0) "rows of what lies across K are not aligned: gemm/sm90_f32 copies them"
#pragma hone require TRANS_A == 0 || TRANS_B == 1 || SWAP == (M <= N) || !OTHER_ALIGNED "both lie across K, and the other is larger"
#pragma hone require REGISTERS <= (CONSUMERS == 2 ? 232 : 255) "the sums need more registers than a thread can have"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require SPLIT % OF_CLUSTER == 0 "clusters share K by 2, 4 or 8"
#pragma hone require OF_CLUSTER == 1 || BM*BN*4 <= STAGES*SLOT "the sums of a tile do not fit the ring"
#pragma hone require SPLIT <= STEPS "a part of K would have no step"
#pragma hone require TILES <= 1G && PACKED <= 8G && (PARTIALS == 1 || TILES*PARTIALS*OF_CLUSTER*SHARE*CONSUMERS*512 <= 8G) "there are too many tiles, or parts of them"
#pragma hone prefer IS_DEFAULT || BN < align(COLS, 8) + 16 || BN == 8 "most columns of a tile would lie outside"
#pragma hone prefer IS_DEFAULT || TILES_Y == ceildiv(COLS, 256) || BN >= 96 "the factor across K would be read more often"
#pragma hone prefer IS_DEFAULT || BM == 64 || TILES_X*BM <= 3*align(ROWS, 64)/2 "most rows of a tile would lie outside"
#pragma hone prefer IS_DEFAULT || SPLIT == 1 || BLOCKS <= 3*device.sm_count*BESIDE "enough blocks without splitting K so often"
#pragma hone prefer IS_DEFAULT || 2*BLOCKS >= device.sm_count || OF_PART < 8 || SPLIT == 128 "most multiprocessors idle"
#pragma hone prefer IS_DEFAULT || PARTIALS*SHARE <= 512 "who is last would add up for too long"
#pragma hone prefer IS_DEFAULT || !AHEAD || OF_PART > 1 "there is nothing ahead"
#pragma hone prefer IS_DEFAULT || !AHEAD || HEIGHTS == 1 || OF_CLUSTER == 1 "compilers spill so many elements"
#pragma hone prefer IS_DEFAULT || !PERSISTENT || TILES > RESIDENT "every block has one tile anyway"
#pragma hone prefer IS_DEFAULT || PERSISTENT || STAGES == 3 || STAGES < 2*OF_PART "slots that nothing ever fills"
#pragma hone prefer IS_DEFAULT || STAGES >= min(OF_PART, 8) || 2*BESIDE*STAGES*SLOT >= device.smem_sm || min(BESIDE*device.sm_count, BLOCKS)*STAGES*SLOT >= 80K*device.sm_count "the ring is too short for what copies need"

/* What AHEAD and PERSISTENT spare were guesses, which trials of six products agreed with
 * (decision 251): a warp group's products follow each other but for 60 clocks, where what
 * it reads takes no longer than they do, and it holds one slot more; between two tiles
 * sums leave registers by 64 bytes a clock.
 *
 * Clocks of a multiprocessor, fitted to 429 trials of eleven products on an H200 (decision
 * 241; what packing takes is that of gemm/sm90_f32): memory brings 16 bytes a clock to
 * each. A cluster lies within a part of the device: by the driver 120 of the 132
 * multiprocessors hold blocks of clusters where each holds one; of 4 blocks
 * 122 to 124 where they hold more (taken for 124), of 8 120 to 124 (for 120). */
#pragma hone let ROOM = (OF_CLUSTER <= 2 ? device.sm_count : OF_CLUSTER == 4 && BESIDE > 1 ? device.sm_count - 8 : device.sm_count - 12)*BESIDE
#pragma hone let AT_ONCE = min(BESIDE, ceildiv(BLOCKS, device.sm_count))
#pragma hone let MULTIPLY = HEIGHTS*4*max(BN*12/25, 53)
#pragma hone let FETCH = AT_ONCE*SLOT/58
#pragma hone let WAIT = 1430/(STAGES - AHEAD)
#pragma hone let ALONE = AHEAD ? max(MULTIPLY + 60, 235) : MULTIPLY + 235
#pragma hone let ONE_STEP = max(max(FETCH, WAIT), max(AT_ONCE*CONSUMERS*MULTIPLY, ALONE))
#pragma hone let STEP = (7*ONE_STEP + 2*(FETCH + WAIT + AT_ONCE*CONSUMERS*MULTIPLY))/9
#pragma hone let MEMORY = BATCH*((K*ROWS + K*COLS)*4 + (1 + ADD)*M*N*4)/(16*device.sm_count)
#pragma hone let ROUNDS = ceildiv(BLOCKS, max(ROOM, 1))
#pragma hone let ENDS = 3600 + AT_ONCE*BM*BN*(1 + ADD)/3
#pragma hone let BUSY = ROUNDS*OF_PART*STEP + (PERSISTENT ? ENDS + (ROUNDS - 1)*(500 + AT_ONCE*BM*BN*(1 + ADD)/16) : ROUNDS*ENDS)
#pragma hone let MEET = (OF_CLUSTER > 1 ? 1100 + BM*BN/9 : 0) + (PARTIALS > 1 ? 7250 + PARTIALS*(42 + SHARE*65) : 0)
#pragma hone let PACK = PACK_Y ? 4000 + PACKED*8/(16*device.sm_count) : 0
#pragma hone feature COST = 1430 + PACK + (7*max(MEMORY, BUSY) + MEMORY + BUSY)/8 + MEET
