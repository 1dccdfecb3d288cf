/* SPDX-License-Identifier: Apache-2.0 */
/* fft_r2c/registers: one pass over memory. The numbers are read in pairs,
 * transformed as fft/registers does, and put together (real.cuh) before they
 * are written: one exchange more through shared memory.
 *
 * Accuracy: see the contract. */
#include "fft_r2c.cuh"
#include "hone_device.cuh"
#include "real.cuh"

#pragma hone implements fft_r2c/registers "one pass over memory, a complex transform of half the length in registers, any device"

#include "real_space.cuh"
#pragma hone launch fft_r2c grid(ceildiv(batch, TOGETHER)) block(THREADS) shared(SHARED) args(x, y, i64(batch))

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
fft_r2c(const float *__restrict__ x, float2 *__restrict__ y, long long batch)
{
    extern __shared__ float2 shared[];
    const int t = threadIdx.x % LANES;
    const int which = threadIdx.x / LANES;
    const long long mine = (long long)blockIdx.x * TOGETHER + which;
    /* Threads without a transform read the last one again. */
    const long long from = mine < batch ? mine : batch - 1;
    float2 v[plan::elements];

    float2 last;

    plan::load<STREAM>(v, t, reinterpret_cast<const float2 *>(x) + from * pairs);
    plan::run(v, t, shared + which * ROOM, false);
    real::split(v, t, shared + which * ROOM, last);
    if (mine >= batch)
        return;
    y += mine * (pairs + 1);
    if (t == 0)
        y[pairs] = last;
    plan::store<STREAM>(y, t, v);
}
