/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/sm90_thin is tuned by: classes of rows, tiles, parts of K, how the small
 * factor comes to the ring; and how long that is guessed to take (COST), by which
 * searches begin. */
#pragma once

#pragma hone require EPILOGUE == 0 "a bias or an activation follows: gemm/sm90, gemm/wmma or gemm/plain"
#pragma hone require BATCH == 1 "batches: gemm/sm90"
#pragma hone require min(M, N) <= 256 "many rows and columns: gemm/sm90"
#pragma hone require max(max(M, N), K) <= 1G "a dimension must fit 30 bits"

/* Whether B is the large factor, and classes of its rows: the problem says which. */
#pragma hone param SWAP: bool
#pragma hone param CLASSES in {2, 4, 8} default 8
#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let LDX = SWAP ? LDB : LDA
#pragma hone let LDY = SWAP ? LDA : LDB
#pragma hone let X_ACROSS = SWAP ? TRANS_B == 0 : TRANS_A == 1
#pragma hone let Y_ACROSS = SWAP ? TRANS_A == 1 : TRANS_B == 0
/* Rows of the product that a block has, and columns. */
#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in {8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128} default 32
/* Parts of K, or of each class. */
#pragma hone param SPLIT in {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
#pragma hone let PARTS = X_ACROSS ? CLASSES*SPLIT : SPLIT
#pragma hone param FINISH in {reduce, cluster} when PARTS > 1
#pragma hone param GATHER: bool
#pragma hone param STAGES in {3, 4, 5, 6, 8, 10, 12, 16} default 4

#pragma hone let LINES = X_ACROSS ? K : ROWS
#pragma hone let LENGTH = X_ACROSS ? ROWS : K
/* Rows begin at multiples of so many elements. */
#pragma hone let COMMON = gcd(LDX, 8)
/* Elements in front of a row, at most. */
#pragma hone let MOST_AHEAD = 8 - COMMON
#pragma hone let GROUPS = ceildiv(LINES, CLASSES)
/* Classes that have a row in the last group. */
#pragma hone let IN_LAST = (LINES - 1) % CLASSES + 1
/* Of a class. */
#pragma hone let DEEP = X_ACROSS ? ceildiv(K, CLASSES) : K + MOST_AHEAD
#pragma hone let STEPS = ceildiv(DEEP, 64)
#pragma hone let IN_CLUSTER = FINISH == cluster && PARTS > 1 ? PARTS : 1
/* Rows of the product from a tile to the next. */
#pragma hone let HEIGHT = X_ACROSS && IN_CLUSTER > 1 ? BM - 8 : BM
#pragma hone let TILES = X_ACROSS ? ceildiv(ROWS + (HEIGHT < BM ? 0 : MOST_AHEAD), HEIGHT) : CLASSES*ceildiv(ceildiv(ROWS, CLASSES), BM)
#pragma hone let COL_TILES = ceildiv(COLS, BN)
#pragma hone let WIDTH = COL_TILES*BN
#pragma hone let CONSUMERS = BM > 64 ? 2 : 1
#pragma hone let THREADS = CONSUMERS*128 + 32
#pragma hone let SLOT = (BM + BN)*128
/* Sums of a tile that blocks of a cluster read. */
#pragma hone let SUMMED = IN_CLUSTER > 1 ? BM*(BN + 8)*4 : 0
#pragma hone let SMEM = 1024 + STAGES*SLOT + SUMMED + 384
/* Of a thread, by what compilers took; blocks that a multiprocessor holds. */
#pragma hone let REGISTERS = BM/CONSUMERS*BN/128 + (GATHER ? 56 : 40)
#pragma hone let BESIDE = max(min(device.smem_sm/(SMEM + 1024), min(65536/(REGISTERS*THREADS), 2048/THREADS)), 1)
/* Threads that add up the parts of one element. */
#pragma hone let SHARES = PARTS <= 8 ? 1 : PARTS <= 16 ? 2 : PARTS <= 32 ? 4 : 8
#pragma hone let OF_PART = ceildiv(STEPS, SPLIT)
#pragma hone let BLOCKS = TILES*COL_TILES*PARTS
#pragma hone let IS_DEFAULT = BM == 128 && BN == 32 && SPLIT == 1 && STAGES == 4 && FINISH == reduce && !GATHER

#pragma hone require SWAP == (M <= N) "the other factor is larger"
#pragma hone require COMMON < 8 && LINES >= 32 "rows of the large factor are aligned, or few: gemm/sm90"
#pragma hone require CLASSES*COMMON == 8 "rows of a class would begin at different places within 16 bytes, or those of two at the same"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require BM/CONSUMERS*BN/128 + 64 <= min(255, 65536/THREADS) "the sums need more registers than a thread can have"
#pragma hone require IN_CLUSTER == 1 || PARTS == 2 || PARTS == 4 || PARTS == 8 "clusters share K by 2, 4 or 8"
#pragma hone require !GATHER || BN*32/(CONSUMERS*128) <= 8 "threads have no registers for so much"
#pragma hone require SPLIT <= STEPS "a part of K would have no step"
#pragma hone require CLASSES*LDX <= 2000000000 && BLOCKS <= 1G && PARTS <= 60K "the tensor map, or the grid, has no room for it"
#pragma hone prefer IS_DEFAULT || COL_TILES == ceildiv(COLS, 128) "the large factor would be read more often"
#pragma hone prefer IS_DEFAULT || BN < align(COLS, 8) + 16 || BN == 8 "most columns of a tile would lie outside"
#pragma hone prefer IS_DEFAULT || BM == 64 || TILES*BM <= 3*(X_ACROSS ? ROWS + MOST_AHEAD : align(ROWS, 64*CLASSES))/2 "most rows of a tile would lie outside"
#pragma hone prefer IS_DEFAULT || SPLIT == 1 || BLOCKS <= 2*device.sm_count*BESIDE "enough blocks without splitting K so often"
#pragma hone prefer IS_DEFAULT || 2*BLOCKS >= device.sm_count || OF_PART < 4 || SPLIT == 32 "most multiprocessors idle"
#pragma hone prefer IS_DEFAULT || STAGES >= min(OF_PART, 8) || 2*BESIDE*STAGES*SLOT >= device.smem_sm || min(BESIDE*device.sm_count, BLOCKS)*STAGES*SLOT >= 96K*device.sm_count "the ring is too short for what copies need"
#pragma hone prefer IS_DEFAULT || STAGES == 3 || STAGES < 2*OF_PART "slots that nothing ever fills"
#pragma hone prefer IS_DEFAULT || GATHER || COLS > 64 || CLASSES*STEPS*WIDTH*64 <= LINES*LENGTH "what is copied of the small factor is more than the large one"

/* Clocks of a multiprocessor, as those of gemm/sm90, fitted to 256 trials of seven products
 * on an H200 (decisions 240 and 241): memory brings 16 bytes a clock to each, a slot comes
 * 3,200 after it was asked for, a block takes 2,700 besides its slots. In the last round,
 * if it is not full, blocks take less; 120 of 132 multiprocessors hold clusters of 4 or 8. What packing takes by
 * its size is not from these. */
#pragma hone let AT_ONCE = min(BESIDE, ceildiv(BLOCKS, device.sm_count))
#pragma hone let ALL = max((IN_CLUSTER > 2 ? device.sm_count - 12 : device.sm_count)*BESIDE, 1)
#pragma hone let ROUNDS = max(100, 66*ceildiv(BLOCKS, ALL) + 34*BLOCKS/ALL)*(IN_CLUSTER > 1 ? 18 : 10)
#pragma hone let STEP = max(AT_ONCE*SLOT/20, 3200/STAGES) + (GATHER ? 28*BN/5 : 0)
#pragma hone let MEMORY = LINES*LENGTH*2/(16*device.sm_count)
#pragma hone let BUSY = ROUNDS*(2700 + OF_PART*STEP + BM*BN*23/100)/1000
#pragma hone let ADD_UP = IN_CLUSTER > 1 ? 2100 + BM*BN/12 : PARTS > 1 ? 7600 + PARTS*ROWS*WIDTH*4/(26*device.sm_count) : 0
#pragma hone feature COST = 1200 + (GATHER ? 0 : 1850 + CLASSES*STEPS*WIDTH*128/(16*device.sm_count)) + (5*max(MEMORY, BUSY) + MEMORY + BUSY)/6 + ADD_UP
