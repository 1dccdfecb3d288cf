/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_f8/sm90 is tuned by: gemm_sm90_space.cuh, where rows of 128 bytes hold
 * 128 of K, and without what is for rows of C that are not aligned. */
#pragma once

#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in {8, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256} default 128
#pragma hone param BK in {128, 256} default 128
#pragma hone param SWAP: bool default false
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param SCHEDULE in {together, in_turn} default together
#pragma hone param CLUSTER in {c1x1, c2x1, c1x2} default c1x1
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128} default 1
#pragma hone param FINISH in {ticket, reduce, cluster} default ticket when SPLIT_K > 1
#pragma hone param STAGES in {2, 3, 4, 5, 6, 7, 8, 12, 16} default 4
#pragma hone param STORE in {tensor, direct} default tensor when FINISH != cluster
#pragma hone param BUFFERS in {1, 2, 4} default 2 when FINISH != cluster
#pragma hone param STREAM: bool default false
#pragma hone param PENDING in {0, 1} default 1 when FAST
#pragma hone param MIN_BLOCKS in {1, 2} default 1
#pragma hone param PERSISTENT: bool default true
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param GROUP in {4, 8, 16} default 8

/* Blocks of a cluster that share a tile's K; they write it from registers. */
#pragma hone let K_BLOCKS = FINISH == cluster ? gcd(SPLIT_K, 8) : 1
#pragma hone let STAGED = STORE == tensor && FINISH != cluster
#pragma hone let CLUSTER_M = CLUSTER == c2x1 ? 2 : 1
#pragma hone let CLUSTER_N = CLUSTER == c1x2 ? 2 : 1
#pragma hone let WM = SCHEDULE == in_turn ? BM : BM/CONSUMERS
#pragma hone let THREADS = (CONSUMERS + 1)*128
#pragma hone let SLOT_X = BM*BK
#pragma hone let SLOT_Y = BN*BK
#pragma hone let SPLITS = SPLIT_K > 1
#pragma hone let PHASE = 128/sizeof(OUT)
#pragma hone let BOX = BN % PHASE == 0 ? PHASE : BN % (PHASE/2) == 0 ? PHASE/2 : PHASE/4
#pragma hone let STAGING = STAGED ? CONSUMERS*BUFFERS*WM*128 : 0
#pragma hone let SMEM = 1024 + STAGES*(SLOT_X + SLOT_Y) + STAGING + 384
#pragma hone let REGISTERS = 65536/(THREADS*MIN_BLOCKS)/8*8
#pragma hone let PRODUCER = CONSUMERS*MIN_BLOCKS > 2 ? 32 : 40
#pragma hone let GROWN = min(240, (REGISTERS*(CONSUMERS + 1) - PRODUCER)/CONSUMERS/8*8)
#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let TILES = ceildiv(ROWS, BM)*ceildiv(COLS, BN)*BATCH
#pragma hone let PARTS = min(SPLIT_K, ceildiv(K, BK))
/* Parts that meet in the workspace, clusters, and those that run at once. */
#pragma hone let PARTIALS = PARTS/K_BLOCKS
#pragma hone let IN_CLUSTER = CLUSTER_M*CLUSTER_N*K_BLOCKS
#pragma hone let CLUSTERS = ceildiv(ceildiv(ROWS, BM), CLUSTER_M)*ceildiv(ceildiv(COLS, BN), CLUSTER_N)*BATCH*PARTIALS
#pragma hone let RESIDENT = max((IN_CLUSTER > 2 ? device.sm_count - 12 : device.sm_count)*MIN_BLOCKS/IN_CLUSTER, 1)
#pragma hone let STEP_C = BATCH > 1 ? M*LDC : align(M*LDC, 8)
/* The copy engine writes whole 16 bytes, also of a row that ends within them: what
 * lies behind it, or between rows, would be overwritten. */
#pragma hone let MAPPED_C = LDC*sizeof(OUT) % 16 == 0 && STEP_C*sizeof(OUT) % 16 == 0 && N*sizeof(OUT) % 16 == 0
#pragma hone let SMALL = M*N < 100000 && K <= 4096

#pragma hone require max(max(M, N), max(K, BATCH)) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require ceildiv(ROWS, BM)*ceildiv(COLS, BN) <= 500000000 && TILES*PARTS <= 500000000 && (SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count) "there are too many tiles, or parts of them"
#pragma hone require WM == 64 || WM == 128 "a warp group computes 64 or 128 rows"
#pragma hone require WM*BN/128*(FAST ? 1 : 2) + 40 <= GROWN "the sums need more registers than a thread can have"
#pragma hone require BN/2 + 28 <= REGISTERS "the compiler needs the registers of one product"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require SCHEDULE == together || (CONSUMERS == 2 && MIN_BLOCKS == 1 && PERSISTENT) "two groups take turns, tile by tile"
#pragma hone require !STAGED || BN % 16 == 0 "a tile is staged 16 columns at a time"
#pragma hone require STORE == tensor || BUFFERS == 2 "nothing is staged"
#pragma hone require BUFFERS <= 2 || (BN >= BUFFERS*PHASE && BK == 128) "a tile does not fill the buffers, or what seldom helps is tried one at a time"
#pragma hone require !SWAP || (!STAGED && SCHEDULE == together && CLUSTER == c1x1) "a transposed tile is written from registers, and few are"
#pragma hone require SPLIT_K == 1 || (SCHEDULE == together && CLUSTER == c1x1 && PERSISTENT && RASTER == along_m && GROUP == 8) "K is shared where tiles are few"
#pragma hone require CLUSTER_M == 1 || BN >= 64 "half a tile so narrow is no whole box"
#pragma hone require FINISH != cluster || (K_BLOCKS > 1 && PARTS == SPLIT_K) "clusters share K by 2, 4 or 8"
#pragma hone require FINISH != cluster || BM*BN*4 <= STAGES*(SLOT_X + SLOT_Y) "the sums of a tile do not fit the ring"
#pragma hone require (STORE != tensor && !SWAP && BN >= 64) + (BUFFERS == 4 || (BUFFERS == 1 && SMEM + STAGING <= device.smem_optin)) + (MIN_BLOCKS != 1) <= 1 "what seldom helps is tried one at a time"
#pragma hone require STAGES*BK <= (BM*BN <= 64*64 ? 2048 : 1024) "the ring is deeper than copies need"
#pragma hone require !STREAM || (RASTER == along_m && GROUP == 8 && (PENDING == 1 || !FAST) && STORE == tensor && SPLIT_K == 1 && !SWAP) "what seldom helps is tried one at a time"
#pragma hone prefer !STREAM || M*N*BATCH*sizeof(OUT) >= 16M "C stays in the cache anyway"
#pragma hone require STAGES*BK >= 512 || SMEM + SLOT_X + SLOT_Y > device.smem_optin || MIN_BLOCKS*(SMEM + SLOT_X + SLOT_Y + 1024) > device.smem_sm "the ring is too short, and there is room for more"
#pragma hone prefer BM <= 128 || ROWS > 128 "more than half of each tile would lie outside"
#pragma hone prefer BN <= 64 || BN == 128 || COLS > BN - 64 "a tile would lie outside by more than 64 columns"
#pragma hone prefer BN <= 16 || BN == 128 || BN < 2*COLS + 16 "most of a tile would lie outside"
#pragma hone prefer BN >= 64 || COLS <= 2*BN "so narrow tiles are for a narrow C"
#pragma hone require CLUSTER_M == 1 || ROWS > BM "there is one row of tiles"
#pragma hone require CLUSTER_N == 1 || COLS > BN "there is one column of tiles"
#pragma hone prefer !SWAP || (M <= 128 && M < N) || SMALL "C has rows enough"
#pragma hone prefer SWAP || M > 64 || N <= 64 || (BM == 128 && BN == 128) || SMALL "so few rows are better columns"
#pragma hone prefer SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 256 && SMALL) "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 2*MIN_BLOCKS*device.sm_count "enough tiles without splitting K so often"
#pragma hone prefer SPLIT_K == 1 || 2*TILES*SPLIT_K >= device.sm_count || ceildiv(K, BK) < 8*SPLIT_K || SMALL "K could be split more often, and most multiprocessors idle"
#pragma hone prefer SPLIT_K > 1 || 4*TILES >= device.sm_count || ceildiv(K, BK) < 32 || (BM == 128 && BN == 128) || SMALL "most multiprocessors idle unless K is shared"
#pragma hone require SPLIT_K*BM*BN <= 256K || FINISH != ticket || SPLIT_K == 1 "the last block would add up for too long"
#pragma hone prefer BM*BN <= 128*128 || 2*TILES*SPLIT_K >= device.sm_count || SMALL "tiles so large leave multiprocessors idle"
#pragma hone prefer BM*BN >= 128*128 || TILES <= 4*device.sm_count || COLS <= BN "tiles so small read A and B too often"
#pragma hone prefer PERSISTENT || CLUSTERS > RESIDENT "every block has one tile anyway"
#pragma hone prefer SCHEDULE == together || CLUSTERS > RESIDENT "no block has a second tile"
#pragma hone prefer (RASTER == along_m && GROUP == 8) || CLUSTERS > RESIDENT "all tiles run at once in any order"
