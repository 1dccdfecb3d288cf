/* SPDX-License-Identifier: Apache-2.0 */
/* nbody/plain: a thread for a body, all others in turn, in f64: what the others
 * are compared with, and what is left where no other applies. */
#include "bodies.cuh"
#include "nbody.cuh"

#pragma hone implements nbody/plain reference "a thread for a body, f64, any device"

#pragma hone launch nbody_plain grid(min(ceildiv(n, 64), 1G)) block(64) args(body, softening, accel, i64(n))

extern "C" __global__ void __launch_bounds__(64)
nbody_plain(const float *body, float softening, float *accel, long long n)
{
    for (long long i = blockIdx.x * 64LL + threadIdx.x; i < n;
         i += gridDim.x * 64LL)
        hone::accelerate_plainly<LAYOUT, false>(body, softening, accel, i, n);
}
