/* SPDX-License-Identifier: Apache-2.0 */
/* How long the kernels on wgmma take, in clocks of a multiprocessor: what a search
 * tries first where nothing is known. The numbers are fitted to trials of gemm/sm90
 * on an H200 (decisions 210, 213 and 221).
 *
 * It reads the lets of a template's space (gemm_sm90_space.cuh and the like) and
 *   TURNS   steps of the ring that a tile, or its part of K, takes
 *   BESIDE  blocks on a multiprocessor at the same time
 *   RUNS    tiles that a block writes together
 *   ROW_X, ROW_Y  bytes from row to row of what tiles of X and Y are copied from
 *   SHIFT   clocks of threads that fill the ring in place of the copy engine
 *   PACK, MEANWHILE  clocks of a launch in front of the product that packs, and of
 *           warps that pack beside it
 *   TRAFFIC bytes of A, B and C
 *   TASTE   what the template knows besides, per cent. */
#pragma once

/* 8192 multiply-adds of 16 bits a clock, or 128 bytes of shared memory; 18 to wait
 * for a slot and give it back. */
#pragma hone let MULTIPLY = TURNS*(SLOT_X/2048*max(BN/2, 16 + BN/4) + 18)
/* What 128 bytes of a row ask of the level 2 cache, per cent: where rows begin within
 * lines, parts of two of them, and where they begin within sectors, a fifth sector
 * (decisions 213 and 221). */
#pragma hone let ASK_X = 100 + (ROW_X % 128 ? 20 : 0) + (ROW_X % 32 ? 32 : 0)
#pragma hone let ASK_Y = 100 + (ROW_Y % 128 ? 20 : 0) + (ROW_Y % 32 ? 32 : 0)
/* The level 2 cache gives 38 bytes a clock to each multiprocessor where all ask, up to 76
 * to one; 64 arrive, also of what other blocks of the cluster ask for. */
#pragma hone let ASKED = min(7600, 3800*device.sm_count/max(min(CLUSTERS*IN_CLUSTER, device.sm_count), 1))
#pragma hone let FETCH = TURNS*max((SLOT_X/CLUSTER_N*ASK_X + SLOT_Y/CLUSTER_M*ASK_Y)/ASKED, (SLOT_X + SLOT_Y)/64)
/* A slot is filled 3,000 clocks after it was asked for. */
#pragma hone let WAIT = 3000/STAGES*max(TURNS, STAGES)
/* The shorter ones hide behind the longest, but for a quarter. */
#pragma hone let SUM = (3*max(max(MULTIPLY, FETCH)*BESIDE, max(WAIT, SHIFT)) + (MULTIPLY + FETCH)*BESIDE + WAIT + SHIFT)/4
/* Writing, 6 bytes a clock, transposed tiles 8. Boxes that are no 128 bytes wide take longer, rows that the
 * copy engine cannot write twice as long and something for each, and from registers
 * 16-bit elements are three times as slow. C that is added is read, which takes four
 * fifths of that. */
#pragma hone let ELEMENTS = BM*BN*(PARTS > 1 ? 20 : sizeof(OUT)*(ADD ? 9 : 5))
#pragma hone let BOXES = ELEMENTS*(70 + 4800/(BOX*sizeof(OUT)))*(SWAP ? 8 : 10)
#pragma hone let WRITE = STAGED ? (MAPPED_C ? BOXES/32500 : BOXES*22/325000 + 16*BM) : ELEMENTS*(PARTS == 1 && sizeof(OUT) == 2 ? 320 : 140)/3250
/* A tile, and what a block's first one takes besides: of two groups in turn one multiplies
 * while the other writes, but for the first time. */
#pragma hone let TILE = SCHEDULE == in_turn ? max(SUM, 7*(SUM + (WRITE + 1000))/10) : SUM + (WRITE + 1000)
#pragma hone let BEGIN = 43*STAGES + (IN_CLUSTER == 1 ? 0 : IN_CLUSTER == 2 ? 200 : 300)
#pragma hone let FIRST = SCHEDULE == in_turn ? SUM + (WRITE + 1000 + BEGIN) - TILE : PERSISTENT ? BEGIN : 0
#pragma hone let NEXT = PERSISTENT ? TILE : TILE + BEGIN
/* Rounds of tiles, per cent: in the last one, if it is not full, a tile takes less. */
#pragma hone let ROUNDS = max(100, 80*ceildiv(CLUSTERS, max(RESIDENT, 1)) + 20*CLUSTERS/max(RESIDENT, 1))
#pragma hone let PERCENT = 100 + TASTE + (STORE == direct && FINISH != cluster ? 3 : 0) - (CONSUMERS > 1 ? 4 : 0) - (IN_CLUSTER > 2 ? 4 : 0) + (PENDING == 0 ? 9 : 0) + (PERSISTENT ? 0 : 7)
/* Memory brings 16 bytes a clock to each multiprocessor. */
#pragma hone let PRODUCT = max(FIRST*PERCENT/100 + ROUNDS*NEXT*(RUNS*PERCENT)/10000, max(MEANWHILE, TRAFFIC/(16*device.sm_count)))
/* Blocks of a cluster meet, parts of K in the workspace: a second launch adds them
 * up, or the block that comes last, one part after the other. */
#pragma hone let MEET = FINISH == cluster ? 2300 + BM*BN/11 : 0
#pragma hone let ADD_UP = PARTIALS == 1 ? 0 : FINISH == reduce ? 4200 + PARTIALS*BM*BN/80/min(PARTS, 8) : 4400 + PARTIALS*(300 + BM*BN/11/K_BLOCKS)
#pragma hone feature COST = 1300 + PACK + PRODUCT + MEET + ADD_UP
