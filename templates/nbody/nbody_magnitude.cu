/* SPDX-License-Identifier: Apache-2.0 */
/* How large the terms of nbody are that cancel, for its check. */
#include "bodies.cuh"

#pragma hone op nbody_magnitude(n, LAYOUT in {0, 1, 2} default 0, PRECISE in {0, 1} default 0) "the sizes of nbody's terms, for its check"
#pragma hone arg body: in f32[LAYOUT == 2 ? 128*ceildiv(n, 32) : 4*n] from -1..1, softening: f32 from 0.05..0.2, accel: inout f32[LAYOUT == 2 ? 96*ceildiv(n, 32) : 3*n]
#pragma hone check none

#pragma hone launch nbody_magnitude grid(min(ceildiv(n, 64), 1G)) block(64) args(body, softening, accel, i64(n))

extern "C" __global__ void __launch_bounds__(64)
nbody_magnitude(const float *body, float softening, float *accel, long long n)
{
    /* What stands behind the last body is as it was, to the bit: any size. */
    const long long places = LAYOUT == 2 ? (n + 31) / 32 * 32 : n;

    for (long long i = blockIdx.x * 64LL + threadIdx.x; i < places;
         i += gridDim.x * 64LL) {
        if (i < n)
            hone::accelerate_plainly<LAYOUT, true, PRECISE == 0>(
                body, softening, accel, i, n);
        else
            hone::store_accel<LAYOUT>(accel, i, n, 1.0f, 1.0f, 1.0f);
    }
}
