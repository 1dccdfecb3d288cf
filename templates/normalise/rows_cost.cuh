/* SPDX-License-Identifier: Apache-2.0 */
/* How long rows take, in clocks of a multiprocessor: what a search tries first where
 * nothing is known, and what choosers begin with. Per cents are fitted to 1,744 trials of
 * softmax at 16 shapes on an H200 (decision 222).
 *
 * It reads the lets of rows_limits.cuh and
 *   TWICE   a pass for the maximum and one for the sum, in place of one for both. */
#pragma once

/* 17 bytes a clock of each multiprocessor. */
#pragma hone let COPY = 3000 + 2*rows*columns*sizeof(T)/(17*device.sm_count)
/* Bytes of a row that a thread has, of one access, and of all threads of a multiprocessor
 * that wait for memory at once: less than 32 KB are not enough. */
#pragma hone let SHARE = ceildiv(columns, THREADS*CLUSTER)*sizeof(T)
#pragma hone let ACCESS = VEC*sizeof(T)
#pragma hone let FLIGHT = min(device.threads_sm, device.regs_sm/(24 + ITEMS*VEC*(WIDE ? 4 : sizeof(T))/4))*min(SHARE, ITEMS*ACCESS)
#pragma hone let IDLE = 100*(min(THREADS*CLUSTER*VEC*ITEMS, 3*columns) - columns)/max(columns, 1)
#pragma hone let HELD_SO = KEEP == registers ? 32*max(32K - FLIGHT, 0)/max(FLIGHT, 1) + max(IDLE, 0)/7 + (MIN_BLOCKS == 1 ? 3 : 0) - 6 : 5*log2(max(SHARE/128, 1)) + (KEEP == shared ? 16 : KEEP == bulk ? (BLOCKS_PER_SM > 0 ? 5 : -5) : KEEP == ahead ? -4 : 0)
#pragma hone let SLOWER = IS_DEFAULT ? (KIND > 8 ? 25 : 10) : HELD_SO + 13*(4 - log2(ACCESS)) + (BLOCK == 1024 ? 25 : BLOCK == 512 ? 12 : 0) + (CLUSTER > 1 ? 17 : 0) + (BLOCKS_PER_SM > 0 ? 6 : 0) + (READ == stream ? 3 : 0) + (WIDE ? (TWICE ? -4 : 8) : 0) - (TWICE ? 6 : 0)
#pragma hone feature COST = COPY*(100 + SLOWER)/100
