/* SPDX-License-Identifier: Apache-2.0 */
/* What gemm_grouped/mma is tuned by: its parameters, what follows from them, and
 * which configurations make sense. TILES is a bound, since how many there are depends
 * on the offsets; LIKELY is what groups of drawn heights have. */
#pragma once

#pragma hone param BM in {16, 32, 64, 128, 256} default 128
#pragma hone param BN in {32, 64, 128, 256} default 128
#pragma hone param BK in {32, 64, 128} default 64
#pragma hone param WM in {16, 32, 64} default 64
#pragma hone param WN in {16, 32, 64} default 64
#pragma hone param STAGES in 2..5 default 3
#pragma hone param MIN_BLOCKS in {1, 2, 3} default 1
#pragma hone param RASTER in {along_m, along_n} default along_m
#pragma hone param BAND in {4, 8, 16} default 8

#pragma hone let WARPS = BM/WM*(BN/WN)
#pragma hone let THREADS = WARPS*32
#pragma hone let SLOT = (BM + BN)*BK*2
#pragma hone let SMEM = max(STAGES*SLOT, WARPS*16*(WN + 8)*4)
#pragma hone let REGISTERS = WM*WN/32 + (WM + WN)/2 + 24
#pragma hone let TILES = (ROWS/BM + min(GROUPS, ROWS))*ceildiv(N, BN)
#pragma hone let LIKELY = (ROWS/BM + max(min(GROUPS, ROWS)/2, 1))*ceildiv(N, BN)
#pragma hone let RESIDENT = device.sm_count*MIN_BLOCKS
#pragma hone let SMALL = ROWS*N < 100000

#pragma hone require TILES <= 100000000 "there are too many tiles"
#pragma hone require BM % WM == 0 && BN % WN == 0 "a block holds whole warp tiles"
#pragma hone require WARPS == 4 || WARPS == 8 "4 or 8 warps"
#pragma hone require min(BM, BN)*BK/8 >= THREADS "every thread copies a part of each tile"
#pragma hone require WM + WN >= 64 || BM*BN < 128*128 "warp tiles so small read shared memory too often"
#pragma hone require SMEM <= device.smem_optin "the ring does not fit shared memory"
#pragma hone require MIN_BLOCKS*(SMEM + 1024) <= device.smem_sm "MIN_BLOCKS rings do not fit a multiprocessor"
#pragma hone require MIN_BLOCKS*THREADS*align(REGISTERS, 8) <= device.regs_sm "MIN_BLOCKS blocks have too few registers"
#pragma hone require MIN_BLOCKS == 1 || MIN_BLOCKS*WARPS <= 16 "so many warps have too few registers each"
#pragma hone require STAGES*BK <= 512 "the ring is deeper than copies need"
#pragma hone require STAGES > 2 || BM*BN >= 128*128 "few products need more tiles under way"
#pragma hone prefer BM <= 32 || ROWS >= BM/2*GROUPS || SMALL "most of each tile would lie outside"
#pragma hone prefer BM > 32 || ROWS <= 64*GROUPS || SMALL "so low tiles are for low groups"
#pragma hone prefer BN <= 64 || N > BN/2 "most of a tile would lie outside"
#pragma hone prefer BN > 32 || N <= BN || SMALL "so narrow tiles are for a narrow C"
#pragma hone prefer BM*BN <= 128*128 || LIKELY >= device.sm_count "tiles so large leave multiprocessors idle"
#pragma hone prefer (RASTER == along_m && BAND == 8) || LIKELY > RESIDENT "all tiles run at once in any order"
#pragma hone prefer BAND == 8 || ROWS > 4*BM*GROUPS || RASTER == along_n "few groups have more lines of tiles"

/* Clocks of a multiprocessor: 1024 multiply-adds, what mma.sync reaches here, 128
 * bytes of shared memory, read by fragments and written by copies, about 40 from the
 * level 2 cache. Four warps alone wait for each other, all at each barrier, and for a
 * tile of the ring that was asked for less than 1,000 ago. */
#pragma hone let STEPS = ceildiv(K, BK)
#pragma hone let MULTIPLY = BM*BN*STEPS*BK/1024
#pragma hone let SHARED = (BM*BN/WM + BM*BN/WN + BM + BN)*STEPS*BK*2/128
#pragma hone let FETCH = (BM + BN)*STEPS*BK/20
#pragma hone let BUSY = max(MULTIPLY, SHARED, FETCH)*MIN_BLOCKS*(WARPS*MIN_BLOCKS < 8 ? 5 : 4)/4
#pragma hone feature COST = ceildiv(LIKELY, RESIDENT)*(max(BUSY, STEPS*1000/(STAGES - 1)) + STEPS*40 + 1500 + BM*BN/16)
#pragma hone feature DEPTH = STAGES*BK per STEPS*BK
