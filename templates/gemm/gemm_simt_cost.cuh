/* SPDX-License-Identifier: Apache-2.0 */
/* How long gemm/simt takes, in clocks of a multiprocessor, as the kernels on wgmma
 * (gemm_sm90_cost.cuh): what a search tries first where nothing is known. The numbers
 * are fitted to 860 trials of 14 products on an H200 (decision 236). It reads the lets
 * of gemm_simt.cu. */
#pragma once

#pragma hone let WARPS = THREADS/32
#pragma hone let FEW_REGISTERS = min(255, (TM*TN + 2*(TM + TN))*WORDS + 24 + HELD)
#pragma hone let RESIDENT = max(1, MIN_BLOCKS, min(device.threads_sm/THREADS, device.regs_sm/(FEW_REGISTERS*THREADS), device.smem_sm/(SMEM + 1K)))
/* Blocks of the multiprocessor that has the most, those of them that are there at once,
 * one after the other, and how many of the four units have a warp. */
#pragma hone let MOST = ceildiv(TILES*SPLIT_K, device.sm_count)
#pragma hone let AT_ONCE = min(RESIDENT, MOST)
#pragma hone let TURNS = ceildiv(MOST, RESIDENT)
#pragma hone let UNITS = min(4, WARPS*AT_ONCE)
/* A step of the ring, per cent: multiply-adds, which units of few warps wait for; loads
 * from shared memory and copies to it; what the level 2 cache brings; what one step waits
 * for, less where others were asked for ahead, and for all threads. */
#pragma hone let ADDS = WARPS*BK*TM*TN*(T == f64 ? 2 : 1)/SLICES
#pragma hone let MULTIPLY = MOST*ADDS*(116 + 168/(WARPS*AT_ONCE))/UNITS
#pragma hone let COPIES = BM*BK/(ONE_A ? 1 : VEC) + BN*BK/(ONE_B ? 1 : VEC)
#pragma hone let SHARED = MOST*(58*WARPS*BK*(TM + TN)/(CHUNK*SLICES) + 25*COPIES)
#pragma hone let BRING = MOST*(BM + BN)*BK*sizeof(T)*100/38
#pragma hone let WAIT = TURNS*(84000/(FETCH == async ? STAGES - 1 : 1) + 4900)
#pragma hone let LONGEST = max(MULTIPLY, SHARED, BRING, WAIT)
#pragma hone let TURN = LONGEST + (MULTIPLY + SHARED + BRING + WAIT - LONGEST)*18/100
/* The ends of a tile, sums of slices, and of parts of K: by the block that comes last or
 * by a second launch. */
#pragma hone let ENDS = MOST*(BM*BN*WORDS*(42 + 7*(SLICES - 1))/100 + 130*WARPS) + 840*TURNS
#pragma hone let ADD_UP = SPLIT_K == 1 ? 0 : FINISH == reduce ? 2200 + SPLIT_K*TILES*BM*BN*WORDS*4/(38*device.sm_count) : 2500 + 18*SPLIT_K*BM*BN*WORDS/THREADS
#pragma hone let PRODUCT = STEPS*TURN/100 + ENDS + ADD_UP
#pragma hone let MEMORY = BATCH*(M*K + K*N + M*N)*sizeof(T)/(15*device.sm_count)
#pragma hone feature COST = 2700 + max(PRODUCT, MEMORY) + min(PRODUCT, MEMORY)*3/10
