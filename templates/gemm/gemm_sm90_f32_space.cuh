/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/sm90_f32 is tuned by: its parameters, what follows from them, and
 * which configurations make sense. It reads the contract's sizes and layout. */
#pragma once

#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in {8, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256} default 128
#pragma hone param DEPTH in {1, 2} default 1
#pragma hone param SWAP: bool default false
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param SCHEDULE in {together, in_turn} default together
#pragma hone param CLUSTER in {c1x1, c2x1, c1x2} default c1x1
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128} default 1
#pragma hone param FINISH in {ticket, reduce, cluster} default ticket when SPLIT_K > 1
#pragma hone param STAGES in {2, 3, 4, 5, 6, 7, 8, 12, 16} default 4
#pragma hone param STORE in {tensor, direct} default tensor when FINISH != cluster
#pragma hone param BUFFERS in {1, 2} default 2 when FINISH != cluster
#pragma hone param PENDING in {0, 1} default 1
#pragma hone param PERSISTENT: bool default true
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param GROUP in {4, 8, 16} default 8

/* Numbers of one element, products of them, and elements in 128 bytes. */
#pragma hone let EMULATES = T == f32
#pragma hone let NUMBERS = EMULATES ? 3 : 1
#pragma hone let PRODUCTS = EMULATES ? 6 : 1
#pragma hone let LINE = EMULATES ? 64 : 32
#pragma hone let BK = DEPTH*LINE
/* Blocks of a cluster that share a tile's K; they write it from registers. */
#pragma hone let K_BLOCKS = FINISH == cluster ? gcd(SPLIT_K, 8) : 1
#pragma hone let STAGED = STORE == tensor && FINISH != cluster
#pragma hone let CLUSTER_M = CLUSTER == c2x1 ? 2 : 1
#pragma hone let CLUSTER_N = CLUSTER == c1x2 ? 2 : 1
#pragma hone let WM = SCHEDULE == in_turn ? BM : BM/CONSUMERS
#pragma hone let THREADS = (CONSUMERS + 1)*128
#pragma hone let SLOT_X = BM*DEPTH*128
#pragma hone let SLOT_Y = BN*DEPTH*128
#pragma hone let SPLITS = SPLIT_K > 1
#pragma hone let BOX = BN % 32 == 0 ? 32 : BN % 16 == 0 ? 16 : 8
#pragma hone let STAGING = STAGED ? CONSUMERS*BUFFERS*WM*128 : 0
#pragma hone let SMEM = 1024 + STAGES*(SLOT_X + SLOT_Y) + STAGING + 384
#pragma hone let REGISTERS = 65536/THREADS/8*8
#pragma hone let GROWN = min(240, (REGISTERS*(CONSUMERS + 1) - 40)/CONSUMERS/8*8)
#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let TILES = ceildiv(ROWS, BM)*ceildiv(COLS, BN)*BATCH
#pragma hone let STEPS = ceildiv(K, BK)*PRODUCTS
#pragma hone let PARTS = min(SPLIT_K, STEPS)
/* Parts that meet in the workspace, clusters, and those that run at once. */
#pragma hone let PARTIALS = PARTS/K_BLOCKS
#pragma hone let IN_CLUSTER = CLUSTER_M*CLUSTER_N*K_BLOCKS
#pragma hone let CLUSTERS = ceildiv(ceildiv(ROWS, BM), CLUSTER_M)*ceildiv(ceildiv(COLS, BN), CLUSTER_N)*BATCH*PARTIALS
#pragma hone let RESIDENT = max((IN_CLUSTER > 2 ? device.sm_count - 12 : device.sm_count)/IN_CLUSTER, 1)
#pragma hone let STEP_C = BATCH > 1 ? STRIDE_C : align(M*LDC, 4)
/* The copy engine writes whole 16 bytes, also of a row that ends within them: what
 * lies behind it, or between rows, would be overwritten. */
#pragma hone let MAPPED_C = LDC % 4 == 0 && STEP_C % 4 == 0 && N % 4 == 0
#pragma hone let SMALL = M*N < 100000 && K <= 4096

#pragma hone require max(max(M, N), max(K, BATCH*NUMBERS)) <= 300000000 "a dimension must fit 31 bits, six times over"
#pragma hone require ceildiv(ROWS, BM)*ceildiv(COLS, BN) <= 500000000 && TILES*PARTS <= 500000000 && (SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count) "there are too many tiles, or parts of them"
#pragma hone require WM == 64 || WM == 128 "a warp group computes 64 or 128 rows"
#pragma hone require WM*BN/128 + 40 <= GROWN "the sums need more registers than a thread can have"
#pragma hone require BN/2 + 28 <= REGISTERS "the compiler needs the registers of one product"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require SCHEDULE == together || (CONSUMERS == 2 && PERSISTENT) "two groups take turns, tile by tile"
#pragma hone require !STAGED || BN % 16 == 0 "a tile is staged 16 columns at a time"
#pragma hone require STORE == tensor || BUFFERS == 2 "nothing is staged"
#pragma hone require !SWAP || (!STAGED && SCHEDULE == together && CLUSTER == c1x1) "a transposed tile is written from registers, and few are"
#pragma hone require SPLIT_K == 1 || (SCHEDULE == together && CLUSTER == c1x1 && PERSISTENT && RASTER == along_m && GROUP == 8) "K is shared where tiles are few"
#pragma hone require CLUSTER_M == 1 || BN >= 64 "half a tile so narrow is no whole box"
#pragma hone require FINISH != cluster || (K_BLOCKS > 1 && PARTS == SPLIT_K) "clusters share K by 2, 4 or 8"
#pragma hone require FINISH != cluster || BM*BN*4 <= STAGES*(SLOT_X + SLOT_Y) "the sums of a tile do not fit the ring"
#pragma hone require (STORE != tensor && !SWAP && BN >= 64) + (BUFFERS == 1 && SMEM + STAGING <= device.smem_optin) <= 1 "what seldom helps is tried one at a time"
#pragma hone require STAGES*DEPTH <= (BM*BN <= 64*64 ? 16 : 8) "the ring is deeper than copies need"
#pragma hone require STAGES*DEPTH >= 4 || SMEM + SLOT_X + SLOT_Y > device.smem_optin "the ring is too short, and there is room for more"
#pragma hone prefer BM <= 128 || ROWS > 128 "more than half of each tile would lie outside"
#pragma hone prefer BN <= 64 || BN == 128 || COLS > BN - 64 "a tile would lie outside by more than 64 columns"
#pragma hone prefer BN <= 16 || BN == 128 || BN < 2*COLS + 16 "most of a tile would lie outside"
#pragma hone prefer BN >= 64 || COLS <= 2*BN "so narrow tiles are for a narrow C"
#pragma hone require CLUSTER_M == 1 || ROWS > BM "there is one row of tiles"
#pragma hone require CLUSTER_N == 1 || COLS > BN "there is one column of tiles"
#pragma hone prefer !SWAP || (M <= 128 && M < N) || SMALL "C has rows enough"
#pragma hone prefer SWAP || M > 64 || N <= 64 || (BM == 128 && BN == 128) || SMALL "so few rows are better columns"
#pragma hone prefer SPLIT_K == 1 || STEPS >= 4*SPLIT_K || (K <= 128 && SMALL) "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 2*device.sm_count "enough tiles without splitting K so often"
#pragma hone prefer SPLIT_K == 1 || 2*TILES*SPLIT_K >= device.sm_count || STEPS < 8*SPLIT_K || SMALL "K could be split more often, and most multiprocessors idle"
#pragma hone prefer SPLIT_K > 1 || 4*TILES >= device.sm_count || STEPS < 64 || (BM == 128 && BN == 128) || SMALL "most multiprocessors idle unless K is shared"
#pragma hone require SPLIT_K*BM*BN <= 256K || FINISH != ticket || SPLIT_K == 1 "the last block would add up for too long"
#pragma hone prefer BM*BN <= 128*128 || 2*TILES*SPLIT_K >= device.sm_count || SMALL "tiles so large leave multiprocessors idle"
#pragma hone prefer BM*BN >= 128*128 || TILES <= 4*device.sm_count || COLS <= BN "tiles so small read A and B too often"
#pragma hone prefer PERSISTENT || CLUSTERS > RESIDENT "every block has one tile anyway"
#pragma hone prefer SCHEDULE == together || CLUSTERS > RESIDENT "no block has a second tile"
#pragma hone prefer (RASTER == along_m && GROUP == 8) || CLUSTERS > RESIDENT "all tiles run at once in any order"
