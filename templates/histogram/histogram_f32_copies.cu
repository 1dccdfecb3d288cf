/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_f32/copies: as histogram_u8/copies (there is said what COPIES, DEAL,
 * RUNS and FINISH are), for bins of one width, any number of them: what does not
 * fit shared memory is counted in global memory. */
#include "histogram_bins.cuh"
#include "hone_pack.cuh"
#include "hone_reduce.cuh"
#include "histogram_f32.cuh"

#pragma hone implements histogram_f32/copies "copies of the bins in shared memory, or bins in global memory, any device"

#pragma hone param BLOCK in {128, 256, 512, 768, 1024} default 512
#pragma hone param BLOCKS_PER_SM in {1, 2, 3, 4, 6, 8} default 2
// Accesses of 16 bytes of a thread before the first is counted.
#pragma hone param ITEMS in {1, 2, 4, 8} default 2
// Bins in shared memory where they fit, or in global memory (level 2 cache).
#pragma hone param PLACE in {shared, global} default shared
#pragma hone param COPIES in {1, 2, 4, 8, 16, 32} default 1 when PLACE == shared
#pragma hone param DEAL in {warps, lanes} default warps when COPIES > 1
#pragma hone param RUNS in {none, thread, access} default none
#pragma hone param FINISH in {ticket, zeroed, partials} default ticket

#pragma hone let WIDTH = 16/4
#pragma hone let SMEM = PLACE == global || 4*bins*COPIES > device.smem_optin - 1K ? 0 : 4*bins*COPIES
#pragma hone let GRID = max(1, min(device.sm_count*BLOCKS_PER_SM, ceildiv(n, BLOCK*ITEMS*WIDTH)))

#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "a multiprocessor does not hold so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM >= 512 || n < 100000 "too few threads to keep the memory busy"
#pragma hone require DEAL == lanes || 32*COPIES <= BLOCK "more copies than warps"
#pragma hone require SMEM <= device.smem_optin "the copies do not fit shared memory"
#pragma hone require BLOCKS_PER_SM <= 2 || BLOCKS_PER_SM*(SMEM + 1K) <= device.smem_sm "the blocks' copies do not fit a multiprocessor"
#pragma hone require n/GRID < 2G "a block counts fewer than 2^32 elements"
#pragma hone require FINISH != partials || SMEM > 0 "bins in global memory need no adding up"
#pragma hone require COPIES == 1 || SMEM > 0 "the copies do not fit shared memory"
#pragma hone require PLACE == shared || bins >= 1024 || n < 100000 "few bins are counted in shared memory"
#pragma hone require FINISH != partials || bins <= 4096 || n < 100000 "so many bins are added to in place"

#pragma hone workspace sums: C[FINISH == ticket ? bins : 0] zero
#pragma hone workspace partial: u32[FINISH == partials ? GRID*bins : 0]
#pragma hone workspace ticket: u32[1] zero
#pragma hone launch histogram_f32_zero if(FINISH == zeroed) grid(ceildiv(bins, 256)) block(256) args(counts, i32(bins))
#pragma hone launch histogram_f32 grid(GRID) block(BLOCK) shared(SMEM) args(x, lo, hi, counts, sums, partial, ticket, i64(n), i32(bins), i32(SMEM > 0))
#pragma hone launch histogram_f32_add if(FINISH == partials) grid(ceildiv(bins, 32)) block(256) args(counts, partial, i32(GRID), i32(bins))

using count_type = C;

#include "histogram_count.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
histogram_f32(const float *__restrict__ x, float lo, float hi, C *counts, C *sums,
             unsigned *partial, unsigned *ticket, long long n, int bins, int fits)
{
    extern __shared__ __align__(16) unsigned copies[];
    const hone::even_bins bin_of(lo, hi, bins);

    C *const target = kTicket ? sums : counts;

    if (PLACE == PLACE_values::shared && fits)
        count_block<true>(x, bin_of, target, partial, copies, n);
    else
        count_block<false>(x, bin_of, target, partial, copies, n);
    if constexpr (kTicket)
        hand_over(counts, sums, ticket, bin_of.count);
}

#if HONE_FINISH == HONE_FINISH_zeroed
extern "C" __global__ void histogram_f32_zero(count_type *counts, int bins)
{
    const int bin = blockIdx.x * 256 + threadIdx.x;

    if (bin < bins)
        counts[bin] = 0;
}
#endif

#if HONE_FINISH == HONE_FINISH_partials
extern "C" __global__ void __launch_bounds__(256)
histogram_f32_add(count_type *counts, const unsigned *partial, int n_parts,
                 int bins)
{
    add_partials(counts, partial, n_parts, bins);
}
#endif
