/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_u8/copies: COPIES copies of the bins in shared memory, added up when
 * a block has come to its end. DEAL warps: warps take turns with the copies, so
 * that fewer meet in a bin. DEAL lanes: lanes do, and copies lie side by side
 * bin by bin, so that lanes with the same value meet different banks; 32 of
 * them leave only lanes of different warps to meet.
 *
 * RUNS: what neighbours have in common is added at once: of a thread's elements
 * as they follow each other (thread), or only where the 16 bytes of an access are
 * all the same (access), which costs little where they are not.
 *
 * FINISH, how blocks come together: ticket, one launch, sums in a workspace that
 * the last block hands over and leaves zeroed (two runs that share a workspace
 * must not overlap, and a run that was killed leaves one that must be zeroed);
 * zeroed, a launch in front zeroes the counts; partials, a launch behind adds up
 * what blocks have written. Additions of integers: the same result in any order. */
#include "histogram_bins.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"
#include "histogram_u8.cuh"

#pragma hone implements histogram_u8/copies "copies of 256 bins in shared memory, any device"

#pragma hone param BLOCK in {128, 256, 512, 768, 1024} default 512
#pragma hone param BLOCKS_PER_SM in {1, 2, 3, 4, 6, 8} default 2
// Accesses of 16 bytes of a thread before the first is counted.
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
#pragma hone param COPIES in {1, 2, 4, 8, 16, 32} default 1
#pragma hone param DEAL in {warps, lanes} default warps when COPIES > 1
#pragma hone param RUNS in {none, thread, access} default none
#pragma hone param FINISH in {ticket, zeroed, partials} default ticket

#pragma hone let WIDTH = 16/1
#pragma hone let SMEM = 4*256*COPIES
#pragma hone let GRID = max(1, min(device.sm_count*BLOCKS_PER_SM, ceildiv(n, BLOCK*ITEMS*WIDTH)))

#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM >= 512 || n < 100000 "too few threads to keep the memory busy"
#pragma hone require DEAL == lanes || 32*COPIES <= BLOCK "more copies than warps"
#pragma hone require SMEM <= device.smem_optin "the copies do not fit shared memory"
#pragma hone require BLOCKS_PER_SM <= 2 || BLOCKS_PER_SM*(SMEM + 1K) <= device.smem_sm "the blocks' copies do not fit a multiprocessor"
#pragma hone require n/GRID < 2G "a block counts fewer than 2^32 elements"

#pragma hone workspace sums: C[FINISH == ticket ? 256 : 0] zero
#pragma hone workspace partial: u32[FINISH == partials ? GRID*256 : 0]
#pragma hone workspace ticket: u32[1] zero
#pragma hone launch histogram_u8_zero if(FINISH == zeroed) grid(ceildiv(256, 256)) block(256) args(counts, i32(256))
#pragma hone launch histogram_u8 grid(GRID) block(BLOCK) shared(SMEM) args(x, counts, sums, partial, ticket, i64(n))
#pragma hone launch histogram_u8_add if(FINISH == partials) grid(ceildiv(256, 32)) block(256) args(counts, partial, i32(GRID), i32(256))

using count_type = C;

#include "histogram_count.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
histogram_u8(const unsigned char *__restrict__ x, C *counts, C *sums,
             unsigned *partial, unsigned *ticket, long long n)
{
    extern __shared__ __align__(16) unsigned copies[];
    const hone::byte_bins bin_of;

    count_block<true>(x, bin_of, kTicket ? sums : counts, partial, copies, n);
    if constexpr (kTicket)
        hand_over(counts, sums, ticket, bin_of.count);
}

#if HONE_FINISH == HONE_FINISH_zeroed
extern "C" __global__ void histogram_u8_zero(count_type *counts, int bins)
{
    const int bin = blockIdx.x * 256 + threadIdx.x;

    if (bin < bins)
        counts[bin] = 0;
}
#endif

#if HONE_FINISH == HONE_FINISH_partials
extern "C" __global__ void __launch_bounds__(256)
histogram_u8_add(count_type *counts, const unsigned *partial, int n_parts,
                 int bins)
{
    add_partials(counts, partial, n_parts, bins);
}
#endif
