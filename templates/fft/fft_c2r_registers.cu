/* SPDX-License-Identifier: Apache-2.0 */
/* fft_c2r/registers: one pass over memory. What the complex transform begins with
 * is made of elements k and n/2 - k, both from memory, where the second one
 * comes from the caches; the numbers are written in pairs (real.cuh).
 *
 * Accuracy: see the contract. */
#include "fft_c2r.cuh"
#include "hone_device.cuh"
#include "real.cuh"

#pragma hone implements fft_c2r/registers "one pass over memory, a complex transform of half the length in registers, any device"

#include "real_space.cuh"
#pragma hone launch fft_c2r grid(ceildiv(batch, TOGETHER)) block(THREADS) shared(SHARED) args(x, y, i64(batch))

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
fft_c2r(const float2 *__restrict__ x, float *__restrict__ y, long long batch)
{
    extern __shared__ float2 shared[];
    const int t = threadIdx.x % LANES;
    const int which = threadIdx.x / LANES;
    const long long mine = (long long)blockIdx.x * TOGETHER + which;
    /* Threads without a transform read the last one again. */
    const long long from = mine < batch ? mine : batch - 1;
    float2 v[plan::elements];

    real::join<STREAM>(v, t, x + from * (pairs + 1));
    plan::swap_parts(v);
    plan::run(v, t, shared + which * ROOM, false);
    plan::swap_parts(v);
    if (mine < batch)
        plan::store<STREAM>(reinterpret_cast<float2 *>(y) + mine * pairs, t, v);
}
