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
#pragma hone let ASKED = min(76, 38*device.sm_count/max(min(CLUSTERS*IN_CLUSTER, device.sm_count), 1))
#pragma hone let FETCH = TURNS*max((SLOT_X*ASK_X/CLUSTER_N + SLOT_Y*ASK_Y/CLUSTER_M)/(100*ASKED), (SLOT_X + SLOT_Y)/64)
/* A slot is filled 3,000 clocks after it was asked for. */
#pragma hone let WAIT = 3000*max(TURNS, STAGES)/STAGES
#pragma hone let BUSY = max(max(MULTIPLY, FETCH)*BESIDE, max(WAIT, SHIFT))
/* The shorter ones hide behind the longest, but for a quarter. */
#pragma hone let HIDDEN = (MULTIPLY + FETCH)*BESIDE + WAIT + SHIFT - BUSY
/* Writing, 6.5 bytes a clock. Boxes that are no 128 bytes wide take longer, rows that the
 * copy engine cannot write twice as long and something for each, and from registers
 * 16-bit elements are three times as slow. C that is added is read, which takes four
 * fifths of that. */
#pragma hone let SHAPE = STAGED ? (70 + 4800/(BOX*sizeof(OUT)))*(MAPPED_C ? 10 : 22)*(SWAP ? 8 : 10)/100 : PARTS == 1 && sizeof(OUT) == 2 ? 320 : 140
#pragma hone let WRITE = BM*BN*(PARTS > 1 ? 20 : sizeof(OUT)*(ADD ? 9 : 5))*SHAPE/3250 + (STAGED && !MAPPED_C ? 16*BM : 0)
/* A block's first tile, and what each further one takes: of two groups in turn one
 * multiplies while the other writes. */
#pragma hone let SUM = BUSY + HIDDEN/4
#pragma hone let FIRST = SUM + WRITE + 1000 + 43*STAGES + (IN_CLUSTER == 1 ? 0 : IN_CLUSTER == 2 ? 200 : 300)
#pragma hone let NEXT = SCHEDULE == in_turn ? max(SUM, 7*(SUM + WRITE + 1000)/10) : PERSISTENT ? SUM + WRITE + 1000 : FIRST
/* Rounds of tiles, per cent: in the last one, if it is not full, a tile takes less. */
#pragma hone let ROUNDS = max(100, 80*ceildiv(CLUSTERS, max(RESIDENT, 1)) + 20*CLUSTERS/max(RESIDENT, 1))
#pragma hone let PERCENT = 100 + TASTE + (STORE == direct && FINISH != cluster ? 3 : 0) - (CONSUMERS > 1 ? 4 : 0) - (IN_CLUSTER > 2 ? 4 : 0) + (PENDING == 0 ? 9 : 0) + (PERSISTENT ? 0 : 7)
/* Memory brings 16 bytes a clock to each multiprocessor. */
#pragma hone let PRODUCT = max((100*FIRST + (ROUNDS*RUNS - 100)*NEXT)/100*PERCENT/100, max(MEANWHILE, TRAFFIC/(16*device.sm_count)))
/* Blocks of a cluster meet, parts of K in the workspace: a second launch adds them
 * up, or the block that comes last, one part after the other. */
#pragma hone let MEET = FINISH == cluster ? 2300 + BM*BN/11 : 0
#pragma hone let ADD_UP = PARTIALS == 1 ? 0 : FINISH == reduce ? 4200 + PARTIALS*BM*BN/80/min(PARTS, 8) : 4400 + PARTIALS*(300 + BM*BN/11/K_BLOCKS)
#pragma hone feature COST = 1300 + PACK + PRODUCT + MEET + ADD_UP
