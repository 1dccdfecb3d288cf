/* SPDX-License-Identifier: Apache-2.0 */
/* sum/ladder: the steps of the textbooks (M. Harris, Optimizing Parallel
 * Reduction in CUDA), one at a time, to see what each gains once its block is
 * tuned; f32 alone. It is no shipped implementation: reduction_ladder.sh tunes
 * a copy for each STEP, and sum/stream beside them.
 *
 *   1  a block's elements in shared memory, neighbours added in pairs: threads
 *      of a warp go different ways
 *   2  the same additions by the first threads: whole warps, bank conflicts
 *   3  halves of the block: neighbouring threads, neighbouring addresses
 *   4  the first addition while loading: half as many blocks
 *   5  the last warp by shuffles: no barriers, no shared memory
 *   6  several elements for each thread: as many blocks as the device holds
 *
 * As there, sums of blocks are summed by the same kernel until one is left. */
#include "sum.cuh"

#pragma hone implements sum/ladder "the steps of the textbooks, f32"

#pragma hone param STEP in {1, 2, 3, 4, 5, 6} default 6
#pragma hone param BLOCK in pow2 128..1024 default 256
// Of step 6: elements in flight, blocks for each multiprocessor.
#pragma hone param UNROLL in {1, 2, 4, 8} when STEP == 6
#pragma hone param BLOCKS_PER_SM in {1, 2, 4, 8, 16} default 8 when STEP == 6

#pragma hone require T == f32 "the ladder is for f32"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require STEP != 6 || BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid does not fit the device at once"

// Blocks of each launch: elements of the next.
#pragma hone let TILE = STEP < 4 ? BLOCK : 2*BLOCK
#pragma hone let FULL = max(1, ceildiv(n, TILE))
#pragma hone let N1 = STEP < 6 ? FULL : min(FULL, device.sm_count*BLOCKS_PER_SM)
#pragma hone let N2 = ceildiv(N1, TILE)
#pragma hone let N3 = ceildiv(N2, TILE)
#pragma hone let N4 = ceildiv(N3, TILE)
#pragma hone let N5 = ceildiv(N4, TILE)
#pragma hone require N1 <= 2G - 1 "CUDA has no grids of so many blocks"
#pragma hone require N5 == 1 "five launches do not do"
#pragma hone workspace a: f32[N1]
#pragma hone workspace b: f32[N2]
#pragma hone launch ladder grid(N1) block(BLOCK) args(x, a, out, i64(n))
#pragma hone launch ladder if(N1 > 1) grid(N2) block(BLOCK) args(a, b, out, i64(N1))
#pragma hone launch ladder if(N2 > 1) grid(N3) block(BLOCK) args(b, a, out, i64(N2))
#pragma hone launch ladder if(N3 > 1) grid(N4) block(BLOCK) args(a, b, out, i64(N3))
#pragma hone launch ladder if(N4 > 1) grid(N5) block(BLOCK) args(b, a, out, i64(N4))

/* What thread `me` of the block begins with. */
__device__ inline float load(const float *x, long long n)
{
    const long long at = blockIdx.x * (long long)TILE + threadIdx.x;
    float sum = 0;

    if constexpr (STEP < 4) {
        return at < n ? x[at] : 0.0f;
    } else if constexpr (STEP < 6) {
        sum = at < n ? x[at] : 0.0f;
        return sum + (at + BLOCK < n ? x[at + BLOCK] : 0.0f);
    } else {
        const long long step = (long long)gridDim.x * BLOCK;

#pragma unroll UNROLL
        for (long long i = blockIdx.x * (long long)BLOCK + threadIdx.x; i < n; i += step)
            sum += x[i];
        return sum;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
ladder(const float *x, float *of_block, float *out, long long n)
{
    __shared__ float sums[BLOCK];
    const int me = threadIdx.x;
    float sum = load(x, n);

    sums[me] = sum;
    __syncthreads();
    if constexpr (STEP == 1) {
        for (int s = 1; s < BLOCK; s *= 2) {
            if (me % (2 * s) == 0)
                sums[me] += sums[me + s];
            __syncthreads();
        }
        sum = sums[0];
    } else if constexpr (STEP == 2) {
        for (int s = 1; s < BLOCK; s *= 2) {
            const int at = 2 * s * me;

            if (at < BLOCK)
                sums[at] += sums[at + s];
            __syncthreads();
        }
        sum = sums[0];
    } else {
        constexpr int last = STEP < 5 ? 1 : 32;

        for (int s = BLOCK / 2; s >= last; s /= 2) {
            if (me < s)
                sums[me] += sums[me + s];
            __syncthreads();
        }
        sum = sums[me];
        if constexpr (STEP >= 5) {
            if (me < 32)
                for (int s = 16; s > 0; s /= 2)
                    sum += __shfl_down_sync(0xffffffffu, sum, s);
        }
    }
    if (me == 0)
        (gridDim.x == 1 ? out : of_block)[gridDim.x == 1 ? 0 : blockIdx.x] = sum;
}
