/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_grouped/sm90 is tuned by: its parameters, what follows from them, and
 * which configurations make sense. How many tiles there are depends on the offsets:
 * TILES is a bound, LIKELY what groups of drawn heights have. */
#pragma once

#pragma hone param BM in {64, 128, 256} default 128
#pragma hone param BN in {32, 64, 96, 128, 160, 192, 224, 256} default 128
#pragma hone param BK in {64, 128} default 64
#pragma hone param CONSUMERS in {1, 2} default 2
#pragma hone param SCHEDULE in {together, in_turn} default together
#pragma hone param CLUSTER in {c1x1, c2x1, c1x2} default c1x1
#pragma hone param STAGES in {2, 3, 4, 5, 6, 7, 8, 12} default 4
#pragma hone param BUFFERS in {1, 2, 4} default 2
#pragma hone param STREAM: bool default false
#pragma hone param PENDING in {0, 1} default 1
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param BAND in {4, 8, 16} default 8

#pragma hone let CLUSTER_M = CLUSTER == c2x1 ? 2 : 1
#pragma hone let CLUSTER_N = CLUSTER == c1x2 ? 2 : 1
#pragma hone let WM = SCHEDULE == in_turn ? BM : BM/CONSUMERS
#pragma hone let THREADS = (CONSUMERS + 1)*128
#pragma hone let ACROSS = TRANS_B == 0
#pragma hone let SLOT_A = BM*BK*2
#pragma hone let SLOT_B = (ACROSS ? align(BN, 64) : BN)*BK*2
#pragma hone let PHASE = 128/sizeof(OUT)
#pragma hone let BOX = BN % PHASE == 0 ? PHASE : PHASE/2
#pragma hone let STAGING = CONSUMERS*BUFFERS*WM*128
#pragma hone let SMEM = 1024 + STAGES*(SLOT_A + SLOT_B) + STAGING + 256
#pragma hone let PRODUCER = 40
#pragma hone let GROWN = min(240, (65536/THREADS/8*8*(CONSUMERS + 1) - PRODUCER)/CONSUMERS/8*8)
#pragma hone let ACROSS_N = ceildiv(N, BN*CLUSTER_N)
#pragma hone let TILES = (ROWS/(BM*CLUSTER_M) + min(GROUPS, ROWS))*ACROSS_N
#pragma hone let LIKELY = (ROWS/(BM*CLUSTER_M) + max(min(GROUPS, ROWS)/2, 1))*ACROSS_N
#pragma hone let RESIDENT = device.sm_count/(CLUSTER_M*CLUSTER_N)
#pragma hone let MAPPED_C = N*sizeof(OUT) % 16 == 0

#pragma hone require TILES <= 100000000 "there are too many tiles"
#pragma hone require WM == 64 || WM == 128 "a warp group computes 64 or 128 rows"
#pragma hone require WM*BN/128 + 40 <= GROWN "the sums need more registers than a thread can have"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require SCHEDULE == together || CONSUMERS == 2 "two groups take turns, tile by tile"
#pragma hone require BUFFERS <= 2 || (BN >= BUFFERS*PHASE && BK == 64 && PENDING == 1) "a tile does not fill the buffers, or what seldom helps is tried one at a time"
#pragma hone require BUFFERS >= 2 || SMEM + STAGING > device.smem_optin "there is room for two buffers"
#pragma hone require CLUSTER_M == 1 || BN >= 64 "half a tile so narrow is no whole box"
#pragma hone require STAGES*BK <= (BM*BN <= 64*64 ? 1024 : 512) "the ring is deeper than copies need"
#pragma hone require STAGES*BK >= 256 || SMEM + SLOT_A + SLOT_B > device.smem_optin "the ring is too short, and there is room for more"
#pragma hone require !STREAM || (RASTER == along_m && BAND == 8 && PENDING == 1) "what seldom helps is tried one at a time"
#pragma hone prefer !STREAM || ROWS*N*sizeof(OUT) >= 16M "C stays in the cache anyway"
#pragma hone prefer BM <= 128 || ROWS > 128*GROUPS "more than half of each tile would lie outside"
#pragma hone prefer CLUSTER_M == 1 || ROWS > 2*BM*GROUPS "of few tiles below each other one has no neighbour"
#pragma hone prefer CLUSTER_N == 1 || N > BN "there is one column of tiles"
#pragma hone prefer BN <= 64 || BN == 128 || N > BN - 64 "a tile would lie outside by more than 64 columns"
#pragma hone prefer BN >= 64 || N <= 2*BN "so narrow tiles are for a narrow C"
#pragma hone prefer BM*BN <= 128*128 || 2*LIKELY >= RESIDENT "tiles so large leave multiprocessors idle"
#pragma hone prefer BM*BN >= 128*128 || LIKELY <= 4*RESIDENT || N <= BN || ROWS <= 64*GROUPS "tiles so small read A and B too often"
#pragma hone prefer SCHEDULE == together || LIKELY > RESIDENT "no block has a second tile"
#pragma hone prefer (RASTER == along_m && BAND == 8) || LIKELY > RESIDENT "all tiles run at once in any order"
#pragma hone prefer BAND == 8 || ROWS > 4*BM*GROUPS || RASTER == along_n "few groups have more lines of tiles"

/* Clocks of a multiprocessor: 2048 multiply-adds, 128 bytes of shared memory, about
 * 40 from the level 2 cache, 64 written. 1,500 begin and end a tile. */
#pragma hone let DEEP = align(K, BK)
#pragma hone let MULTIPLY = BM*DEEP/16*max(BN/2, 16 + BN/4)/64
#pragma hone let FETCH = (BM/CLUSTER_N + BN/CLUSTER_M)*DEEP/20
#pragma hone let TILE_CLOCKS = max(MULTIPLY, FETCH) + 1500 + BM*BN*sizeof(OUT)/64/(SCHEDULE == in_turn ? 2 : 1)
#pragma hone feature COST = ceildiv(LIKELY, max(RESIDENT, 1))*TILE_CLOCKS
#pragma hone feature DEPTH = STAGES*BK per DEEP
