/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm/sm90 is tuned by: its parameters, what follows from them, and which
 * configurations make sense. It reads the contract's sizes and layout. */
#pragma once

#pragma hone param BM in {64, 128, 192, 256} default 128
#pragma hone param BN in {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248, 256} default 128
#pragma hone param BK in {64, 128} default 64
#pragma hone param SWAP: bool default false
#pragma hone param CONSUMERS in {1, 2, 3} default 2
#pragma hone param SCHEDULE in {together, in_turn} default together
#pragma hone param CLUSTER in {c1x1, c2x1, c1x2, c4x1, c1x4, c2x2, c4x2, c2x4} default c1x1
#pragma hone param SPLIT_K in {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128} default 1
#pragma hone param FINISH in {ticket, reduce, cluster} default ticket when SPLIT_K > 1
#pragma hone param STAGES in {2, 3, 4, 5, 6, 7, 8, 10, 12, 16} default 4
#pragma hone param STORE in {tensor, direct} default tensor when FINISH != cluster
#pragma hone param BUFFERS in {1, 2, 3, 4} default 2 when FINISH != cluster
#pragma hone param STREAM: bool default false
#pragma hone param RUN in {1, 2, 3, 4, 6, 8, 12, 16} default 1
#pragma hone param PENDING in {0, 1} default 1
#pragma hone param MIN_BLOCKS in {1, 2} default 1
#pragma hone param PERSISTENT: bool default true
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param GROUP in {4, 8, 16} default 8
#pragma hone param LOOSE in {packed, shifted, meanwhile} default packed
#pragma hone param FILLERS in {1, 2} default 1 when LOOSE == shifted

/* Blocks of a cluster that share a tile's K; they write it from registers. */
#pragma hone let K_BLOCKS = FINISH == cluster ? gcd(SPLIT_K, 8) : 1
#pragma hone let STAGED = STORE == tensor && FINISH != cluster
#pragma hone let CLUSTER_M = CLUSTER == c4x1 || CLUSTER == c4x2 ? 4 : CLUSTER == c2x1 || CLUSTER == c2x2 || CLUSTER == c2x4 ? 2 : 1
#pragma hone let CLUSTER_N = CLUSTER == c1x4 || CLUSTER == c2x4 ? 4 : CLUSTER == c1x2 || CLUSTER == c2x2 || CLUSTER == c4x2 ? 2 : 1
#pragma hone let WM = SCHEDULE == in_turn ? BM : BM/CONSUMERS
#pragma hone let THREADS = (CONSUMERS + FILLERS)*128
#pragma hone let X_ACROSS = SWAP ? TRANS_B == 0 : TRANS_A == 1
#pragma hone let Y_ACROSS = SWAP ? TRANS_A == 1 : TRANS_B == 0
#pragma hone let SLOT_X = BM*BK*2
/* What lies across K comes 64 columns at a time. */
#pragma hone let WIDE_Y = Y_ACROSS ? align(BN, 64) : BN
#pragma hone let SLOT_Y = WIDE_Y*BK*2
#pragma hone let SPLITS = SPLIT_K > 1
#pragma hone let PHASE = 128/sizeof(OUT)
#pragma hone let BOX = BN % PHASE == 0 ? PHASE : BN % (PHASE/2) == 0 ? PHASE/2 : BN % (PHASE/4) == 0 ? PHASE/4 : PHASE/8
/* Groups in turn have one set of buffers between them where two would not fit:
 * tiles of three buffers, and rings of five slots beside two. */
#pragma hone let SHARES = SCHEDULE == in_turn && RUN > 1 && ADD == 0 && (BUFFERS == 3 || (BUFFERS == 2 && STAGES >= 5))
#pragma hone let STAGING = STAGED ? (SHARES ? 1 : CONSUMERS)*BUFFERS*WM*128 : 0
#pragma hone let EDGES = RUN > 1 ? (SCHEDULE == in_turn ? 3 : 2)*BM*32 : 0
/* Rows that do not begin at multiples of 16 bytes. */
#pragma hone let LOOSE_A = (ROWS_A > 1 && LDA % 8 != 0) || (BATCH > 1 && STRIDE_A % 8 != 0)
#pragma hone let LOOSE_B = (ROWS_B > 1 && LDB % 8 != 0) || (BATCH > 1 && STRIDE_B % 8 != 0)
/* What is packed, by the launch in front of the product or meanwhile, elements. */
#pragma hone let PACK_A = LOOSE_A && LOOSE != shifted
#pragma hone let PACK_B = LOOSE_B && LOOSE != shifted
#pragma hone let PITCH_A = align(COLS_A, COLS_A > 384 ? 64 : 16)
#pragma hone let PITCH_B = align(COLS_B, COLS_B > 384 ? 64 : 16)
#pragma hone let PACKED_A = PACK_A ? BATCH*ROWS_A*PITCH_A : 0
#pragma hone let PACKED_B = PACK_B ? BATCH*ROWS_B*PITCH_B : 0
#pragma hone let RING = 1024 + STAGES*(SLOT_X + SLOT_Y) + STAGING + EDGES + 384 + (LOOSE == shifted ? FILLERS*128 : LOOSE == meanwhile ? 3*128 : 0)
/* Steps of raw lines, 16 bytes longer than a slot's, that are under way to be shifted:
 * as many as fit, up to four for each group that fills the ring. */
#pragma hone let LOOSE_X = LOOSE == shifted && (SWAP ? LOOSE_B : LOOSE_A)
#pragma hone let LOOSE_Y = LOOSE == shifted && (SWAP ? LOOSE_A : LOOSE_B)
#pragma hone let RAW_X = LOOSE_X ? SLOT_X + (X_ACROSS ? BK : BM)*16 : 0
#pragma hone let RAW_Y = LOOSE_Y ? SLOT_Y + (Y_ACROSS ? BK : BN)*16 : 0
#pragma hone let ROOM = min(device.smem_optin, device.smem_sm/MIN_BLOCKS - 1024) - RING
/* Of each of three warps that pack meanwhile four lines of 256 elements, 16 bytes longer,
 * are. */
#pragma hone let RAW = LOOSE == meanwhile ? 3*2112 : FILLERS*(RAW_X + RAW_Y)
#pragma hone let RAWS = max(2, min(4, ROOM/max(RAW, 1)))
#pragma hone let SMEM = RING + RAWS*RAW
#pragma hone let REGISTERS = 65536/(THREADS*MIN_BLOCKS)/8*8
#pragma hone let PRODUCER = LOOSE == shifted ? 112 : LOOSE == meanwhile ? 56 : CONSUMERS*MIN_BLOCKS > 2 ? 32 : 40
#pragma hone let GROWN = min(240, (REGISTERS*(CONSUMERS + FILLERS) - PRODUCER*FILLERS)/CONSUMERS/8*8)
#pragma hone let ROWS = SWAP ? N : M
#pragma hone let COLS = SWAP ? M : N
#pragma hone let TILES = ceildiv(ROWS, BM)*ceildiv(COLS, BN)*BATCH
#pragma hone let PARTS = min(SPLIT_K, ceildiv(K, BK))
/* Parts that meet in the workspace, clusters, and those that run at once: 30 of four
 * blocks and 15 of eight on an H100 of 132 multiprocessors. */
#pragma hone let PARTIALS = PARTS/K_BLOCKS
#pragma hone let IN_CLUSTER = CLUSTER_M*CLUSTER_N*K_BLOCKS
#pragma hone let CLUSTERS = ceildiv(ceildiv(ROWS, BM), CLUSTER_M)*ceildiv(ceildiv(COLS, RUN*BN), CLUSTER_N)*BATCH*PARTIALS
#pragma hone let RESIDENT = max((IN_CLUSTER > 2 ? device.sm_count - 12 : device.sm_count)*MIN_BLOCKS/IN_CLUSTER, 1)
/* Clusters are whole, also where tiles of theirs lie outside. */
#pragma hone let ALL_TILES = CLUSTERS/max(PARTIALS, 1)*CLUSTER_M*CLUSTER_N
#pragma hone let STEP_C = BATCH > 1 ? STRIDE_C : align(M*LDC, 8)
/* The copy engine writes whole 16 bytes, also of a row that ends within them: what
 * lies behind it, or between rows, would be overwritten. */
#pragma hone let MAPPED_C = LDC*sizeof(OUT) % 16 == 0 && STEP_C*sizeof(OUT) % 16 == 0 && N*sizeof(OUT) % 16 == 0
#pragma hone let SMALL = M*N < 100000 && K <= 4096

#pragma hone require max(max(M, N), max(K, BATCH)) <= 2000000000 "a dimension must fit 31 bits"
#pragma hone require ceildiv(ROWS, BM)*ceildiv(COLS, BN) <= 500000000 && TILES*PARTS <= 500000000 && (SPLIT_K == 1 || TILES*SPLIT_K <= 64*device.sm_count) "there are too many tiles, or parts of them"
#pragma hone require WM == 64 || WM == 128 || (WM == 192 && RUN == 1 && FINISH != cluster && LOOSE == packed) "a warp group computes 64 or 128 rows; 192 where it writes and adds up by itself"
#pragma hone require WM*BN/128 + (LOOSE == meanwhile ? 32 : 40) <= GROWN "the sums need more registers than a thread can have"
#pragma hone require BN/2 + 28 <= REGISTERS "the compiler needs the registers of one product"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require SCHEDULE == together || (CONSUMERS == 2 && MIN_BLOCKS == 1 && PERSISTENT) "two groups take turns, tile by tile"
#pragma hone require LOOSE != shifted || CLUSTER == c1x1 "what threads write is seen by their own block alone"
#pragma hone require CONSUMERS < 3 || (BM == 192 && BN >= 144 && SCHEDULE == together && STORE == tensor && SPLIT_K == 1 && RUN == 1 && MIN_BLOCKS == 1 && LOOSE == packed && !SWAP && PENDING == 1 && BK == 64) "three groups have 64 rows each of tiles that two have no registers for"
#pragma hone require LOOSE != shifted || max(CONSUMERS, FILLERS)*MIN_BLOCKS <= 2 "threads that shift need the registers of a warp group"
#pragma hone require FILLERS == 1 || SCHEDULE == together "two groups that fill the ring count on slots that come back in order"
#pragma hone require LOOSE != shifted || max(LDA, LDB) <= 64M "threads that shift count from row to row in 31 bits"
#pragma hone prefer LOOSE == packed || LOOSE_A || LOOSE_B "rows of A and B are aligned"
#pragma hone require LOOSE != meanwhile || (MIN_BLOCKS == 1 && PERSISTENT && FINISH != cluster) "warps that pack stay, and what seldom helps is tried one at a time"
#pragma hone prefer LOOSE != meanwhile || (PACKED_A + PACKED_B >= 20M && BATCH == 1 && BK == 64 && PENDING == 1 && !STREAM && RASTER == along_m && GROUP == 8) "packing takes no longer than a launch of its own"
#pragma hone prefer LOOSE != shifted || BATCH*M*N*K <= 512M || M*N <= 512*(LOOSE_A*M + LOOSE_B*N) "a pass over A and B costs little beside so many products"
#pragma hone prefer LOOSE != shifted || FILLERS*RAWS > 2 || STAGES == 2 "raw lines need the room more than slots do"
#pragma hone prefer FILLERS == 1 || ceildiv(K, PARTS) > BK "the second group has no step"
#pragma hone prefer LOOSE != shifted || (SCHEDULE == together && BK == 64 && PENDING == 1 && !STREAM && PERSISTENT && RASTER == along_m && GROUP == 8) "threads that shift are slower than what these are for"
#pragma hone require !STAGED || SWAP || BN % 16 == 0 "a tile is staged 16 columns at a time"
#pragma hone require STORE == tensor || BUFFERS == 2 "nothing is staged"
#pragma hone require BUFFERS != 3 || (SHARES && BUFFERS == ceildiv(BN, PHASE)) "three buffers hold a whole tile, which groups have in turn"
#pragma hone require BUFFERS <= 3 || (BN >= BUFFERS*PHASE && BK == 64 && PENDING == 1 && !SWAP) "a tile does not fill the buffers, or what seldom helps is tried one at a time"
#pragma hone require !SWAP || STAGED || SCHEDULE == together "a transposed tile is written from registers where few are"
#pragma hone require SPLIT_K == 1 || (SCHEDULE == together && (CLUSTER == c1x1 || FINISH != cluster) && PERSISTENT && RASTER == along_m && GROUP == 8) "K is shared where tiles are few"
#pragma hone require CLUSTER_M == 1 || Y_ACROSS || BN % (8*CLUSTER_M) == 0 "parts of a tile are boxes of whole groups of 8 rows"
#pragma hone require FINISH != cluster || (K_BLOCKS > 1 && PARTS == SPLIT_K) "clusters share K by 2, 4 or 8"
#pragma hone require FINISH != cluster || BM*BN*4 <= STAGES*(SLOT_X + SLOT_Y) "the sums of a tile do not fit the ring"
#pragma hone require (STORE != tensor && !SWAP && BN >= 64) + (BUFFERS == 4 || (BUFFERS == 1 && SMEM + STAGING <= device.smem_optin)) + (MIN_BLOCKS != 1) <= 1 "what seldom helps is tried one at a time"
#pragma hone require RUN == 1 || (STORE == tensor && !SWAP && !MAPPED_C && PERSISTENT && SPLIT_K == 1 && MIN_BLOCKS == 1 && BN >= 64 && PENDING == 1 && BUFFERS <= 3 && GROUP == 8 && BK == 64 && (WM*BN <= 160*128 || BUFFERS == 3)) "runs of tiles are for rows of C that the copy engine cannot write"
#pragma hone prefer RUN == 1 || 10*ceildiv(COLS, RUN*BN)*RUN <= 11*ceildiv(COLS, BN) "too many tiles of the last run would lie outside"
#pragma hone prefer RUN == 1 || 2*CLUSTERS >= RESIDENT "runs so long leave multiprocessors idle"
#pragma hone require STAGES*BK <= (BM*BN <= 64*64 || (BM*BN <= 64*160 && (IN_CLUSTER > 2 || SPLIT_K > 1)) ? 1024 : 512) "the ring is deeper than copies need"
#pragma hone require !STREAM || (RASTER == along_m && GROUP == 8 && PENDING == 1 && STORE == tensor && SPLIT_K == 1 && !SWAP) "what seldom helps is tried one at a time"
#pragma hone prefer !STREAM || M*N*BATCH*sizeof(OUT) >= 16M "C stays in the cache anyway"
#pragma hone require STAGES*BK >= min(LOOSE != shifted ? 256 : 128, align(ceildiv(K, PARTS), BK)) || SMEM + SLOT_X + SLOT_Y > device.smem_optin || MIN_BLOCKS*(SMEM + SLOT_X + SLOT_Y + 1024) > device.smem_sm "the ring is too short, and there is room for more"
#pragma hone prefer BM <= 128 || ROWS > 128 "more than half of each tile would lie outside"
#pragma hone prefer BM != 192 || (BN >= 64 && PENDING == 1 && BK == 64 && MIN_BLOCKS == 1 && !STREAM) "of 192 rows what seldom helps is not tried"
#pragma hone prefer BN <= 64 || BN == 128 || COLS > BN - 64 "a tile would lie outside by more than 64 columns"
#pragma hone prefer BN % 16 == 0 || BN <= 56 || (2*TILES > device.sm_count && ceildiv(TILES, device.sm_count) == ceildiv(ceildiv(ROWS, BM)*ceildiv(COLS, BN + 8)*BATCH, device.sm_count)) "tiles wider by 8 take fewer rounds, or most multiprocessors idle"
#pragma hone prefer BN <= 16 || BN == 128 || BN < 2*COLS + 16 "most of a tile would lie outside"
#pragma hone prefer BN >= 64 || COLS <= 2*BN || TILES <= device.sm_count "so narrow tiles are for a narrow C"
#pragma hone require 2*ROWS > BM*CLUSTER_M || CLUSTER_M == 1 "most rows of a cluster would lie outside"
#pragma hone require 2*COLS > BN*CLUSTER_N || CLUSTER_N == 1 "most columns of a cluster would lie outside"
#pragma hone prefer IN_CLUSTER <= 2 || (PENDING == 1 && BUFFERS == 2 && MIN_BLOCKS == 1 && BK == 64 && SCHEDULE == together && PERSISTENT && RASTER == along_m && GROUP == 8 && RUN == 1 && !STREAM) "of large clusters what seldom helps is not tried"
#pragma hone prefer IN_CLUSTER == 1 || SPLIT_K == 1 || (PENDING == 1 && BUFFERS == 2 && BK == 64 && MIN_BLOCKS == 1) "of clusters that share K what seldom helps is not tried"
#pragma hone prefer IN_CLUSTER <= 2 || 2*SMEM > device.smem_optin || STAGES*BK >= min(512, align(ceildiv(K, PARTS), BK)) "a ring so short lets other blocks of the cluster wait"
#pragma hone prefer IN_CLUSTER == 1 || PENDING == 1 || STAGED "of clusters what seldom helps is not tried twice"
#pragma hone prefer SPLIT_K == 1 || FINISH != reduce || STORE == direct "the second launch writes C"
#pragma hone prefer SPLIT_K == 1 || FINISH != cluster || (PENDING == 1 && BK == 64 && MIN_BLOCKS == 1 && ceildiv(K, BK) >= 8*SPLIT_K) "of clusters that share K what seldom helps is not tried"
#pragma hone prefer SPLIT_K == 1 || LOOSE == shifted || 2*SMEM*MIN_BLOCKS > device.smem_optin || STAGES*BK >= min(512, align(ceildiv(K, PARTS), BK)) "K is long, and the ring could be"
#pragma hone prefer BN % 16 == 0 || BN == 8 || SWAP || COLS <= 64 "tiles of such widths are written from registers"
#pragma hone let TURN = ceildiv(ROWS, BM)*ceildiv(COLS, BN) < ceildiv(M, BM)*ceildiv(N, BN) || (BN % 64 != 0 && TRANS_A == 0 && TRANS_B == 0 && 10*ceildiv(ROWS, BM)*ceildiv(COLS, BN) <= 11*ceildiv(M, BM)*ceildiv(N, BN))
#pragma hone prefer !SWAP || (M <= 256 && M < N) || (SMALL && !STAGED) || (STAGED && N >= 64 && (SMALL || (BM >= 128 && (BN >= 96 || BM == 192) && PENDING == 1)) && TURN) "C has rows enough, and transposed tiles are no fewer or narrower"
#pragma hone prefer SWAP || M > 64 || N <= 64 || (BM == 128 && BN == 128) || SMALL "so few rows are better columns"
#pragma hone prefer SPLIT_K == 1 || ceildiv(K, BK) >= 4*SPLIT_K || (K <= 128 && SMALL) "K is too short to be split so often"
#pragma hone prefer SPLIT_K == 1 || TILES*SPLIT_K <= 2*MIN_BLOCKS*device.sm_count "enough tiles without splitting K so often"
#pragma hone prefer SPLIT_K == 1 || 2*TILES*SPLIT_K >= device.sm_count || ceildiv(K, BK) < 8*SPLIT_K || SMALL "K could be split more often, and most multiprocessors idle"
#pragma hone prefer SPLIT_K > 1 || 4*TILES >= device.sm_count || ceildiv(K, BK) < 64 || (BM == 128 && BN == 128) || SMALL "most multiprocessors idle unless K is shared"
#pragma hone require SPLIT_K*BM*BN <= 256K || FINISH != ticket || SPLIT_K == 1 "the last block would add up for too long"
#pragma hone prefer BM*BN <= 128*128 || 2*TILES*SPLIT_K >= device.sm_count || SMALL "tiles so large leave multiprocessors idle"
#pragma hone prefer BM*BN >= 128*128 || TILES <= 4*device.sm_count || COLS <= BN "tiles so small read A and B too often"
#pragma hone prefer PERSISTENT || CLUSTERS > RESIDENT "every block has one tile anyway"
#pragma hone prefer SCHEDULE == together || CLUSTERS > RESIDENT "no block has a second tile"
#pragma hone prefer (RASTER == along_m && GROUP == 8) || CLUSTERS > RESIDENT "all tiles run at once in any order"
