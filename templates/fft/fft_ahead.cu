/* SPDX-License-Identifier: Apache-2.0 */
/* fft/ahead: one pass over memory, as fft/registers, by blocks that stay: while
 * a transform is in registers, the next one of the block is copied to shared
 * memory. For transforms that take a large part of a multiprocessor's
 * registers, so that few of them are under way at the same time.
 *
 * A thread reads what it copied itself. The barrier before it asks for more
 * keeps copies behind the reads.
 *
 * Accuracy: as fft/registers. */
#include "fft.cuh"
#include "hone_device.cuh"
#include "four_step.cuh"

#pragma hone implements fft/ahead "one pass over memory, the next transform copied ahead, compute capability 8.0 and newer"
#pragma hone arch sm >= 80

#pragma hone let LOG_N = log2(n)
#pragma hone require LOG_N >= 12 && LOG_N <= 14 "so few elements leave room for many transforms, so many do not fit"
// Elements of a thread, as logarithm.
#pragma hone param LOG_E in 4..5 default 4
// Pairs of coordinates; or real parts, then imaginary parts, in half the shared
// memory.
#pragma hone param EXCHANGE in {pairs, halves} default halves
// A padding element after so many, against bank conflicts.
#pragma hone param PAD in {0, 16, 32} default 32
#pragma hone param TWIDDLE in {powers, table} default powers
// Mark lines of y as not needed again.
#pragma hone param STREAM: bool default false

#pragma hone let THREADS = 1 << (LOG_N - LOG_E)
#pragma hone require THREADS <= device.threads_block "the device has no blocks of so many threads"
#pragma hone let ROOM = n + (PAD > 0 ? n/max(PAD, 1) : 0)
#pragma hone let SHARED = 8*n + (EXCHANGE == pairs ? 8 : 4)*ROOM
#pragma hone require SHARED <= device.smem_optin "shared memory is too small"
#pragma hone let MIN_BLOCKS = max(min((LOG_E == 5 ? 512 : 1024)/THREADS, 227K/(SHARED + 1K)), 1)
#pragma hone launch fft_ahead grid(min(batch, device.sm_count*MIN_BLOCKS)) block(THREADS) shared(SHARED) args(x, y, i64(batch), i64(STRIDE), i64(DISTANCE))

constexpr int exchange = EXCHANGE == EXCHANGE_values::pairs ? hone::fft::PAIRS
                                                            : hone::fft::HALVES;
constexpr int source = TWIDDLE == TWIDDLE_values::powers ? hone::fft::POWERS
                                                         : hone::fft::TABLE;
using plan = hone::fft::plan<
    LOG_N, LOG_E, hone::fft::even_radix<LOG_N, LOG_E, 0>(),
    hone::fft::even_radix<LOG_N, LOG_E, 1>(),
    hone::fft::even_radix<LOG_N, LOG_E, 2>(),
    hone::fft::even_radix<LOG_N, LOG_E, 3>(), 1, PAD, exchange, source>;

/* Start copying this thread's elements of the transform at x. */
static __device__ inline void copy_ahead(float2 *ahead, const float2 *x, int t,
                                         long long stride)
{
#pragma unroll
    for (int i = 0; i < plan::elements; i++)
        hone::copy_async_part<8>(
            ahead + t + plan::element(0, i),
            x + (t + plan::element(0, i)) * stride, 8, true);
    hone::copy_commit();
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
fft_ahead(const float2 *__restrict__ x, float2 *__restrict__ y,
          long long batch, long long stride, long long distance)
{
    extern __shared__ float2 shared[];
    float2 *const ahead = shared, *const room = shared + n;

    copy_ahead(ahead, x + blockIdx.x * distance, threadIdx.x, stride);
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const int t = hone::afresh(threadIdx.x);
        float2 v[plan::elements];

        hone::copy_wait(0);
#pragma unroll
        for (int i = 0; i < plan::elements; i++)
            v[i] = ahead[t + plan::element(0, i)];
        __syncthreads();
        if (b + gridDim.x < batch)
            copy_ahead(ahead, x + (b + gridDim.x) * distance, t, stride);
        if constexpr (direction == 2)
            plan::swap_parts(v);
        plan::run(v, t, room, false);
        if constexpr (direction == 2)
            plan::swap_parts(v);
        plan::store_apart<STREAM>(y + b * distance, t, v, stride);
    }
}
