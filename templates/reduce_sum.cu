/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_sum: out[0] = x[0] + ... + x[n-1] in f32.
 *
 * Bound by memory at large n, by the launches at small n. Two ways to finish,
 * FINISH:
 *   ticket      one launch. The block that draws the last ticket adds up the
 *               other blocks' sums. A relaxed counter is not enough: the sum
 *               is written, fenced, then the ticket is drawn, and the last
 *               block fences again before it reads.
 *   two_launch  a second launch of one block adds up the blocks' sums.
 * atomicInc wraps the ticket back to 0 with the last draw, so that the next
 * run needs no memset. Two runs that share a workspace must not overlap, and
 * a run that was killed leaves a ticket that must be zeroed.
 *
 * No floating-point atomics: the result is the same in every run of the same
 * variant on devices with the same number of multiprocessors. Rounding: each
 * element passes at most DEPTH additions, so the error is at most
 * DEPTH * 2^-24 * sum|x|; it is near the square root of that in practice.
 *
 * x must start at a multiple of 16 bytes (any cudaMalloc result does). */
#include "hone_device.cuh"

#pragma hone op reduce_sum(n) "out[0] = sum of x[0..n), f32"
#pragma hone arg x: in f32[n], out: out f32[1]

// Elements of one access, accesses of one thread before the first is used.
#pragma hone param VEC in {1, 2, 4} default 4
#pragma hone param UNROLL in {1, 2, 4, 8, 16} default 4
#pragma hone param BLOCK in {64, 128, 256, 512, 1024} default 256
#pragma hone param BLOCKS_PER_SM in {1, 2, 4, 8, 16} default 4
#pragma hone param FINISH in {ticket, two_launch} default ticket

#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid does not fit the device at once"
#pragma hone require BLOCK*BLOCKS_PER_SM >= 256 "too few threads to keep the memory busy"
#pragma hone require VEC*UNROLL*4 <= 256 "a thread holds at most 256 bytes"

#pragma hone let GRID = min(device.sm_count*BLOCKS_PER_SM, ceildiv(n, BLOCK*VEC*UNROLL))
#pragma hone let DEPTH = ceildiv(n, GRID*BLOCK) + ceildiv(GRID, BLOCK) + 24
#pragma hone workspace partial: f32[GRID]
#pragma hone workspace ticket: u32[1] zero
#pragma hone launch reduce_sum grid(GRID) block(BLOCK) args(x, out, partial, ticket, i64(n))
#pragma hone launch reduce_sum_finish if(FINISH == two_launch) grid(1) block(BLOCK) args(partial, out, i32(GRID))
#pragma hone work flops(n) bytes(4*n + 4)
#pragma hone check cpu.sum tolerance(DEPTH) exact(3)
#pragma hone baseline cub.sum

/* Sum of the blocks' sums, in an order that depends on `count` and BLOCK.
 * They were written by other multiprocessors: read past the L1 cache. */
__device__ inline float sum_of_blocks(const float *partial, int count)
{
    float sum = 0.0f;

    for (int i = threadIdx.x; i < count; i += BLOCK)
        sum += __ldcg(partial + i);
    return hone::block_sum<BLOCK>(sum);
}

/* This thread's share of the sum. Each pass takes UNROLL vectors, BLOCK
 * vectors of every block apart, so that at the end of the array the blocks
 * differ by one vector at most. */
__device__ inline float sum_of_thread(const float *x, long long n)
{
    using V = hone::vector<float, VEC>::type;
    const V *vx = reinterpret_cast<const V *>(x);
    const long long n_vectors = n / VEC;
    const long long stride = (long long)gridDim.x * BLOCK;
    const long long me = (long long)blockIdx.x * BLOCK + threadIdx.x;
    long long at = me;
    float sum[UNROLL];

#pragma unroll
    for (int i = 0; i < UNROLL; i++)
        sum[i] = 0.0f;
    for (; at + (UNROLL - 1) * stride < n_vectors; at += UNROLL * stride) {
        V v[UNROLL];

#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            v[i] = __ldg(vx + at + i * stride);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            sum[i] += hone::lane_sum(v[i]);
    }
    /* Fewer than UNROLL vectors are left: all asked for at once too. */
#pragma unroll
    for (int i = 0; i < UNROLL - 1; i++) {
        if (at + i * stride < n_vectors)
            sum[i] += hone::lane_sum(__ldg(vx + at + i * stride));
    }
    if (me < n - n_vectors * VEC)
        sum[0] += x[n_vectors * VEC + me];

#pragma unroll
    for (int half = UNROLL / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    }
    return sum[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
reduce_sum(const float *__restrict__ x, float *out, float *partial,
           unsigned *ticket, long long n)
{
    float sum = hone::block_sum<BLOCK>(sum_of_thread(x, n));

    if constexpr (FINISH == FINISH_values::two_launch) {
        if (threadIdx.x == 0)
            partial[blockIdx.x] = sum;
    } else {
        __shared__ bool is_last;

        if (threadIdx.x == 0) {
            partial[blockIdx.x] = sum;
            __threadfence();
            is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
            __threadfence();
        }
        __syncthreads();
        if (is_last) {
            sum = sum_of_blocks(partial, (int)gridDim.x);
            if (threadIdx.x == 0)
                out[0] = sum;
        }
    }
}

#if HONE_FINISH == HONE_FINISH_two_launch
extern "C" __global__ void __launch_bounds__(BLOCK)
reduce_sum_finish(const float *partial, float *out, int count)
{
    const float sum = sum_of_blocks(partial, count);

    if (threadIdx.x == 0)
        out[0] = sum;
}
#endif
