/* SPDX-License-Identifier: Apache-2.0 */
/* What reductions of whole arrays are tuned by: how many bytes each thread
 * keeps in flight, how many threads there are, and how what blocks found
 * becomes one. It reads n, T, and two numbers of the template: IN_FLIGHT,
 * arrays that are read side by side, and PART_WORDS, words of 8 bytes that a
 * block leaves behind. */
#pragma once

// Bytes of one access, accesses of one thread before the first is used.
#pragma hone param BYTES in {4, 8, 16} default 16
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 4
#pragma hone param BLOCK in pow2 32..1024 default 256
// How what blocks found becomes one: the names of hone::finish, in its order.
#pragma hone param FINISH in {ticket, two_launch, one_block} for device sm >= 90 in {cluster, two_launch_early}
// Blocks for each multiprocessor, or in the cluster.
#pragma hone param BLOCKS_PER_SM in {1, 2, 4, 8, 16, 32} default 4 when FINISH == ticket || FINISH == two_launch || FINISH == two_launch_early
#pragma hone param CLUSTER in {2, 4, 8, 16} when FINISH == cluster
// How arrays are read: the names of hone::access, in its order.
#pragma hone param READ in {normal, stream}
// Blocks the compiler must leave registers for.
#pragma hone param MIN_BLOCKS in {1, 2} when BYTES*UNROLL*IN_FLIGHT >= 64

#pragma hone require BYTES >= sizeof(T) "an access is an element at least"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*MIN_BLOCKS*BYTES*UNROLL*IN_FLIGHT <= 128K "what is in flight takes more than half of the registers"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require BLOCK >= 64 || FINISH == one_block "one warp alone is for few elements"
#pragma hone let JOINS = FINISH == two_launch || FINISH == two_launch_early
#pragma hone let IS_GRID = FINISH == ticket || JOINS
#pragma hone require !IS_GRID || BLOCK*BLOCKS_PER_SM >= 256 "too few threads to keep the memory busy"
#pragma hone require !IS_GRID || BLOCK*BLOCKS_PER_SM <= 4*device.threads_sm "more blocks than four rounds of the device"
#pragma hone prefer !IS_GRID || n*sizeof(T) < 16M || BLOCK*BLOCKS_PER_SM*BYTES*UNROLL*IN_FLIGHT >= 16K "too little under way to keep the memory busy"
#pragma hone require FINISH != one_block || n*sizeof(T) <= min(1M, 256*BLOCK*BYTES*UNROLL) "one block takes longer than the whole device"
#pragma hone prefer FINISH != one_block || BLOCK*BYTES*UNROLL <= max(4*n*sizeof(T), 4K) "most threads of the block would have nothing to do"
#pragma hone prefer FINISH == one_block || n*sizeof(T) > 16K || (FINISH == ticket && BLOCK == 256 && BLOCKS_PER_SM == 4) "so little is done by one block before others would join"
#pragma hone require FINISH != cluster || n*sizeof(T) <= min(1M, 256*BLOCK*BYTES*UNROLL)*CLUSTER "a cluster takes longer than the whole device"

#pragma hone let VEC = BYTES/sizeof(T)
#pragma hone let FULL = max(1, ceildiv(n, BLOCK*VEC*UNROLL))
#pragma hone let GRID = FINISH == one_block ? 1 : FINISH == cluster ? CLUSTER : min(device.sm_count*BLOCKS_PER_SM, FULL)
#pragma hone require !IS_GRID || BLOCKS_PER_SM <= 4 || device.sm_count*BLOCKS_PER_SM < 2*FULL "fewer blocks are the same grid"
#pragma hone workspace blocks: u64[IS_GRID ? PART_WORDS*GRID : 0]
#pragma hone workspace ticket: u32[FINISH == ticket] zero
