/* SPDX-License-Identifier: Apache-2.0 */
/* nbody/ladder: the steps that lead to a fast sum over all pairs (as in Nyland,
 * Harris, Prins, Fast N-Body Simulation with CUDA), one at a time, to see what each
 * gains with the best block for it. It is no shipped implementation: nbody_ladder.sh
 * tunes a copy for each STEP, and nbody/tiles beside them.
 *
 *   1  a thread for each body, one body after another in memory
 *   2  the same, n of each number in memory
 *   3  tiles of the others in shared memory
 *   4  several bodies of a thread
 *   5  the loop over a tile unrolled
 *   6  the device's approximation of the inverse root
 *
 * The others' terms are added up in one sum each. At up to a million bodies that
 * keeps within the check for numbers as they are drawn, though the bound of
 * nbody.cuh holds for sums in parts. */
#include "bodies.cuh"
#include "nbody.cuh"

#pragma hone implements nbody/ladder "the steps to a fast sum over all pairs"

#pragma hone param STEP in {1, 2, 3, 4, 5, 6} default 6
#pragma hone param BLOCK in {64, 128, 256, 512} default 256
// Others that are read at a time.
#pragma hone param TILE in {128, 256, 512} default 256 when STEP >= 3
#pragma hone param BODIES in {2, 4, 8} default 4 when STEP >= 4
#pragma hone param UNROLL in {4, 8, 16, 32} default 8 when STEP >= 5
#pragma hone param MIN_BLOCKS in {1, 2, 4}

#pragma hone let OWN = STEP < 4 ? 1 : BODIES
#pragma hone let ROUND = STEP < 5 ? 1 : UNROLL
#pragma hone require PRECISE == 0 && LAYOUT == (STEP == 1 ? 0 : 1) "step 1 has one body after another, the others n of each number"
#pragma hone require BLOCK*MIN_BLOCKS*(24 + 8*OWN) <= device.regs_sm && BLOCK*MIN_BLOCKS <= device.threads_sm "registers for MIN_BLOCKS blocks"
#pragma hone require OWN*ROUND <= 64 "the body of the loop is too long"
#pragma hone require n <= 1G "a launch has no grid for so many bodies"

#pragma hone option ftz(true)
#pragma hone launch ladder grid(ceildiv(n, BLOCK*OWN)) block(BLOCK) args(body, softening, accel, i32(n))

/* What `other` adds to the acceleration of a body at `own`; the root and the
 * division rounded correctly, but in the last step. */
__device__ inline void attract(const float4 &own, const float4 &other,
                               float softening2, float3 &a)
{
    if constexpr (STEP == 6) {
        hone::attract<false>(own, other, softening2, a);
    } else {
        const float x = other.x - own.x, y = other.y - own.y,
                    z = other.z - own.z;
        const float r2 = x * x + y * y + z * z + softening2;
        const float s = other.w / (r2 * sqrtf(r2));

        a.x += s * x;
        a.y += s * y;
        a.z += s * z;
    }
}

/* x, y, z and mass, number by number. */
__device__ inline float4 read_body(const float *body, int i, int n)
{
    if constexpr (LAYOUT == 0) {
        const float *at = body + 4LL * i;

        return make_float4(at[0], at[1], at[2], at[3]);
    } else {
        return hone::load_body<LAYOUT>(body, i, n);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
ladder(const float *body, float softening, float *accel, int n)
{
    const float softening2 = softening * softening;
    const int me = blockIdx.x * (BLOCK * OWN) + threadIdx.x;
    float4 own[OWN];
    float3 a[OWN];

#pragma unroll
    for (int b = 0; b < OWN; b++) {
        own[b] = hone::load_body<LAYOUT>(body, me + b * BLOCK, n);
        a[b] = make_float3(0.0f, 0.0f, 0.0f);
    }
    if constexpr (STEP < 3) {
#pragma unroll 1
        for (int j = 0; j < n; j++)
            attract(own[0], read_body(body, j, n), softening2, a[0]);
    } else {
        __shared__ float4 others[TILE];

#pragma unroll 1
        for (int tile = 0; tile < n; tile += TILE) {
            __syncthreads(); /* the last one was read */
            for (int k = threadIdx.x; k < TILE; k += BLOCK)
                others[k] = hone::load_body<LAYOUT>(body, tile + k, n);
            __syncthreads();
            /* Behind the last body are some without mass. */
#pragma unroll 1
            for (int k = 0; k < TILE; k += ROUND) {
#pragma unroll
                for (int u = 0; u < ROUND; u++) {
#pragma unroll
                    for (int b = 0; b < OWN; b++)
                        attract(own[b], others[k + u], softening2, a[b]);
                }
            }
        }
    }
#pragma unroll
    for (int b = 0; b < OWN; b++)
        if (me + b * BLOCK < n)
            hone::store_accel<LAYOUT>(accel, me + b * BLOCK, n, a[b].x, a[b].y,
                                      a[b].z);
}
