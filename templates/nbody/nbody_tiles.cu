/* SPDX-License-Identifier: Apache-2.0 */
/* nbody/tiles: threads keep their bodies in registers and go through all others,
 * tile by tile, which a block reads once into shared memory, or which come from
 * the caches, the same address for all threads. Where there are few bodies for
 * the device, several blocks share the others of the same bodies (PARTS), and a
 * second launch adds what they have. The default is the textbook's.
 *
 * More bodies a thread: more that a body read from shared memory does; registers
 * for 7 numbers each. */
#include "bodies.cuh"
#include "nbody.cuh"

#pragma hone implements nbody/tiles "bodies in registers, tiles of others in shared memory"

#pragma hone param BLOCK in {64, 128, 256, 512} default 256
// Bodies of a thread.
#pragma hone param BODIES in {1, 2, 4, 8}
// Others that are read at a time.
#pragma hone param TILE in {64, 128, 256, 512, 1024} default 256
#pragma hone param UNROLL in {4, 8, 16, 32} default 8
#pragma hone param PARTS in {1, 2, 4, 8, 16, 32}
#pragma hone param SHARED: bool default true
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4}

#pragma hone let GROUPS = ceildiv(n, BLOCK*BODIES)
#pragma hone let TILES = ceildiv(n, TILE)
#pragma hone require PARTS <= TILES "there are fewer tiles than parts"
#pragma hone require PARTS == 1 || GROUPS*PARTS <= 16*device.sm_count "parts are for few bodies"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "so many blocks do not fit a multiprocessor"
#pragma hone require BODIES*UNROLL <= 64 "the body of the loop is too long"
#pragma hone require BLOCK*MIN_BLOCKS*(24 + 8*BODIES) <= device.regs_sm "registers for MIN_BLOCKS blocks"
#pragma hone require SHARED || TILE == 256 "without shared memory TILE says only what is shared out"
#pragma hone require n*PARTS <= 1G "the sums of parts are too many"

#pragma hone option ftz(true)
#pragma hone workspace sums: f32[PARTS > 1 ? 3*PARTS*n : 0]
#pragma hone launch nbody grid(min(GROUPS, 1G), PARTS) block(BLOCK) args(body, softening, accel, sums, i64(n))
#pragma hone launch nbody_join if(PARTS > 1) grid(min(ceildiv(n, 128), 1G)) block(128) args(sums, accel, i64(n))

/* What the bodies of tiles [first, last) add to those of this thread. */
__device__ inline void go_through(const float *body, long long first,
                                  long long last, long long n, float softening2,
                                  const float4 (&own)[BODIES],
                                  float3 (&a)[BODIES])
{
    __shared__ float4 others[SHARED ? TILE : 1];

    for (long long tile = first; tile < last; tile++) {
        if (SHARED) {
            __syncthreads(); /* the last one was read */
            for (int k = threadIdx.x; k < TILE; k += BLOCK)
                others[k] = hone::load_body<LAYOUT>(body, tile * TILE + k, n);
            __syncthreads();
        }
#pragma unroll UNROLL
        for (int k = 0; k < TILE; k++) {
            const float4 other =
                SHARED ? others[k]
                       : hone::load_body<LAYOUT>(body, tile * TILE + k, n);

#pragma unroll
            for (int b = 0; b < BODIES; b++)
                hone::attract<PRECISE != 0>(own[b], other, softening2, a[b]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
nbody(const float *body, float softening, float *accel, float *sums, long long n)
{
    const long long tiles = (n + TILE - 1) / TILE;
    const long long first = tiles * blockIdx.y / PARTS;
    const long long last = tiles * (blockIdx.y + 1) / PARTS;

    for (long long group = blockIdx.x; group * BLOCK * BODIES < n;
         group += gridDim.x) {
        const long long me = group * BLOCK * BODIES + threadIdx.x;
        float4 own[BODIES];
        float3 a[BODIES];

#pragma unroll
        for (int b = 0; b < BODIES; b++) {
            own[b] = hone::load_body<LAYOUT>(body, me + b * BLOCK, n);
            a[b] = make_float3(0.0f, 0.0f, 0.0f);
        }
        go_through(body, first, last, n, softening * softening, own, a);
#pragma unroll
        for (int b = 0; b < BODIES; b++) {
            const long long i = me + b * BLOCK;

            if (i >= n)
                break;
            if (PARTS == 1) {
                hone::store_accel<LAYOUT>(accel, i, n, a[b].x, a[b].y, a[b].z);
            } else {
                float *at = sums + 3 * n * blockIdx.y + i;

                at[0] = a[b].x;
                at[n] = a[b].y;
                at[2 * n] = a[b].z;
            }
        }
    }
}

#if HONE_PARTS > 1
extern "C" __global__ void __launch_bounds__(128)
nbody_join(const float *sums, float *accel, long long n)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < n;
         i += gridDim.x * 128LL) {
        float3 a = make_float3(0.0f, 0.0f, 0.0f);

#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            const float *at = sums + 3 * n * p + i;

            a.x += at[0];
            a.y += at[n];
            a.z += at[2 * n];
        }
        hone::store_accel<LAYOUT>(accel, i, n, a.x, a.y, a.z);
    }
}
#endif
