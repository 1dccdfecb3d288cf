/* SPDX-License-Identifier: Apache-2.0 */
/* How long rows take, in clocks of a multiprocessor: what a search tries first where
 * nothing is known, and what choosers begin with. Numbers are fitted to 10,168 trials of
 * softmax at 200 problems on H200s (decision 225).
 *
 * It reads the lets of rows_limits.cuh and
 *   TWICE   a pass for the maximum and one for the sum, in place of one for both. */
#pragma once

// The default variant counts as what it takes for rows of this length.
#pragma hone let PACK = !IS_DEFAULT ? VEC : KIND <= 2 || KIND == 10 ? 4 : WIDTH
#pragma hone let IN_HAND = !IS_DEFAULT ? ITEMS : KIND <= 3 ? 2 : KIND == 8 ? 8 : 4
#pragma hone let BY_REGISTERS = IS_DEFAULT ? KIND <= 8 : KEEP == registers
#pragma hone let REREAD = IS_DEFAULT ? KIND == 10 : KEEP == reread
#pragma hone let BY_SHARED = IS_DEFAULT ? KIND == 9 : KEEP == shared
#pragma hone let AHEAD = !IS_DEFAULT && KEEP == ahead
#pragma hone let PERSISTENT = !IS_DEFAULT && BLOCKS_PER_SM > 0
#pragma hone let ACCESS = PACK*sizeof(T)
#pragma hone let PACKS_EACH = ceildiv(max(columns/PACK, 1), TAKERS*CLUSTER)
// Rows that a multiprocessor has at once, times CLUSTER.
#pragma hone let REGISTERS = BY_REGISTERS ? 24 + IN_HAND*PACK*(WIDE ? 4 : sizeof(T))/4 : AHEAD ? 24 + IN_HAND*PACK : 40
#pragma hone let FITTING = max(min(min(device.threads_sm/BLOCK_TAKEN, device.regs_sm/(BLOCK_TAKEN*align(REGISTERS, 8))), device.smem_sm/(SHARED_TAKEN + 1536)), 1)
#pragma hone let AT_ONCE = (COPIED && PERSISTENT ? BLOCKS_PER_SM : PERSISTENT ? min(FITTING, BLOCKS_PER_SM) : BY_REGISTERS && !IS_DEFAULT ? max(FITTING, MIN_BLOCKS) : FITTING)*(BLOCK_TAKEN/TAKERS)

// Memory: 17.5 bytes a clock of each multiprocessor, and what keeps from that, in per
// cent: narrow accesses, and fewer than 32 KB of each multiprocessor on their way.
#pragma hone let SHARE = ceildiv(columns, TAKERS*CLUSTER)*sizeof(T)
#pragma hone let FLIGHT = AT_ONCE*TAKERS*min(SHARE, IN_HAND*ACCESS)
#pragma hone let IDLE = 100*(min(TAKERS*CLUSTER*PACK*IN_HAND, 3*columns) - columns)/max(columns, 1)
#pragma hone let HELD_SO = BY_REGISTERS ? 25*min(max(32K - FLIGHT, 0), 3*FLIGHT)/max(FLIGHT, 1) + max(IDLE, 0)/22 : 6*log2(max(SHARE/128, 1)) + (REREAD ? 79 : BY_SHARED ? 20 : AHEAD ? 16 : 7)
#pragma hone let SLOWER = HELD_SO + 3*(4 - log2(ACCESS)) + (BLOCK_TAKEN == 1024 ? 17 : BLOCK_TAKEN == 512 ? 4 : 0) + (CLUSTER > 1 ? 5 : 0) + (PERSISTENT && !AHEAD ? 8 : 0) + (READ == stream ? 5 : 0) + (WRITE == stream ? 1 : 0) + (WIDE ? (TWICE ? -5 : 5) : 0) + (TWICE ? 1 : 0)
#pragma hone let MEMORY = (5400 + 4*rows*columns*sizeof(T)/(35*device.sm_count))*(100 + SLOWER)/100
// Rows one after the other, each from its first load to its last store.
#pragma hone let ROW = max(3540 + 330*log2(TAKERS*CLUSTER) + (CLUSTER > 1 ? 2180 : 0) - (TWICE ? 2455 : 0) + 61*PACK*PACKS_EACH + (EDGE == none ? 0 : 900) - (PERSISTENT ? 2100 : 0) + (BY_REGISTERS ? 0 : REREAD ? 2760 : BY_SHARED ? -1270 : AHEAD ? -1155 : -640), 500)
#pragma hone let WAITING = ROW*max(rows*CLUSTER/(device.sm_count*AT_ONCE), 1)
// Instructions: of elements that are not f32 all the time they are many, also of threads
// that have nothing of a row.
#pragma hone let WORKING = WIDE ? 0 : rows*PACKS_EACH*TAKERS*CLUSTER*PACK*((sizeof(T) == 2 ? 22 : 32) - (TWICE ? 2 : 0))/(128*device.sm_count)

// The longest of the three, and a little where the second is nearly as long.
#pragma hone let LONGEST = max(max(MEMORY, WAITING), WORKING)
#pragma hone let SECOND = MEMORY + WAITING + WORKING - LONGEST - min(min(MEMORY, WAITING), WORKING)
#pragma hone feature COST = LONGEST + SECOND*(100*SECOND/LONGEST)/480
