/* SPDX-License-Identifier: Apache-2.0 */
/* nbody/tiles: threads keep their bodies in registers and go through all others,
 * tile by tile, which a block reads once into shared memory, or which come from
 * the caches, the same address for all threads. BLOCKS_PER_SM says how many
 * blocks a multiprocessor gets in all: where the bodies alone are fewer, several
 * blocks share the others of the same bodies (PARTS), and a second launch adds
 * what they have. The textbook's kernel is BODIES=1, BLOCKS_PER_SM=0.
 *
 * More bodies a thread: more that a body read from shared memory does; registers
 * for 7 numbers each. Blocks take the same time, so all but the last of several
 * waves of them have to be whole: that is what BLOCKS_PER_SM finds.
 *
 * SCALED: positions of others come into shared memory divided by the square root
 * of the mass (scale() in bodies.cuh), which saves one of 13 instructions for
 * each pair.
 *
 * Sums of up to TERMS terms are added up apart and then to the others' sum,
 * which lies in shared memory: nbody.cuh bounds the error by that. */
#include "bodies.cuh"
#include "nbody.cuh"

#pragma hone implements nbody/tiles "bodies in registers, tiles of others in shared memory"

#pragma hone param BLOCK in {64, 128, 256, 512} default 256
// Bodies of a thread.
#pragma hone param BODIES in {1, 2, 4, 8} default 4
// Others that are read at a time.
#pragma hone param TILE in {128, 256, 512} default 512
#pragma hone param UNROLL in {8, 16, 32} default 16
#pragma hone param BLOCKS_PER_SM in {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48} default 32
#pragma hone param SHARED: bool default true
#pragma hone param SCALED: bool default false
#pragma hone param MIN_BLOCKS in {1, 2, 3, 4}

#pragma hone let GROUPS = ceildiv(n, BLOCK*BODIES)
#pragma hone let PARTS = max(1, min(BLOCKS_PER_SM*device.sm_count/GROUPS, ceildiv(n, 64)))
// Others of a part: whole rounds of the inner loop.
#pragma hone let OTHERS = align(ceildiv(n, PARTS), UNROLL)
#pragma hone require BLOCKS_PER_SM == 32 || BLOCKS_PER_SM == 0 || PARTS > 1 "without parts the bodies alone say how many blocks there are"
#pragma hone require PARTS <= 65535 "parts are the second dimension of the grid"
#pragma hone require BLOCK*MIN_BLOCKS <= device.threads_sm "so many blocks do not fit a multiprocessor"
#pragma hone require BODIES*UNROLL <= 64 "the body of the loop is too long"
#pragma hone require BLOCK*MIN_BLOCKS*(24 + 8*BODIES) <= device.regs_sm "registers for MIN_BLOCKS blocks"
#pragma hone require SHARED || TILE == 512 "without shared memory TILE says nothing"
#pragma hone require 12*BLOCK*BODIES + (SHARED ? TILE*(SCALED ? 20 : 16) : 32) <= 48K "sums and tile do not fit shared memory"
#pragma hone require !SCALED || SHARED "others are scaled on the way into shared memory"
#pragma hone require !SCALED || PRECISE == 0 "scaled positions are not precise"
#pragma hone require n*PARTS <= 1G "the sums of parts are too many"

#pragma hone option ftz(true)
#pragma hone workspace sums: f32[PARTS > 1 ? 3*PARTS*n : 0]
#pragma hone launch nbody grid(min(GROUPS, 1G), PARTS) block(BLOCK) args(body, softening, accel, sums, i64(n), i64(OTHERS), i32(PARTS))
#pragma hone launch nbody_join if(PARTS > 1) grid(min(ceildiv(n, 128), 1G)) block(128) args(sums, accel, i64(n), i32(PARTS))

/* Terms that are added up in registers; bounds the error of sums. */
constexpr int TERMS = 4096;

/* A tile of others, as float4: x y z and mass, or scaled; the softenings of
 * scaled ones, four in each. */
struct tile {
    float4 body[SHARED ? TILE : 1];
    float4 softening2[SCALED ? TILE / 4 : 1];
};

/* The others from `first` on: all TILE, without mass behind the last body. */
__device__ inline void read_tile(tile &others, const float *body,
                                 long long first, long long n, float softening2)
{
    __syncthreads(); /* the last one was read */
    for (int k = threadIdx.x; k < TILE; k += BLOCK) {
        const float4 one = hone::load_body<LAYOUT>(body, first + k, n);

        if (SCALED) {
            const hone::scaled_body scaled = hone::scale(one, softening2);

            others.body[k] = scaled.place;
            reinterpret_cast<float *>(others.softening2)[k] = scaled.softening2;
        } else {
            others.body[k] = one;
        }
    }
    __syncthreads();
}

__device__ inline float part_of(const float4 &four, int i)
{
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/* What the other bodies from `first` on, before `last`, do to those of this
 * thread. Both are multiples of UNROLL, or `last` is n: a body behind it is
 * nothing. */
__device__ inline void go_through(const float *body, long long first,
                                  long long last, long long n, float softening2,
                                  const float4 (&own)[BODIES],
                                  float3 (&a)[BODIES])
{
    __shared__ tile others;

    for (long long at = first; at < last; at += TILE) {
        const int count = (int)min((long long)TILE, last - at);

        if (SHARED)
            read_tile(others, body, at, n, softening2);
#pragma unroll 1
        for (int k = 0; k < count; k += UNROLL) {
            float4 softening = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const float4 other =
                    SHARED ? others.body[k + u]
                           : hone::load_body<LAYOUT>(body, at + k + u, n);

                if (SCALED && u % 4 == 0)
                    softening = others.softening2[(k + u) / 4];
#pragma unroll
                for (int b = 0; b < BODIES; b++) {
                    if (SCALED)
                        hone::attract_scaled(own[b], other,
                                             part_of(softening, u % 4), a[b]);
                    else
                        hone::attract<PRECISE != 0>(own[b], other, softening2,
                                                    a[b]);
                }
            }
        }
    }
}

/* The same, TERMS others at a time. */
__device__ inline void sum_up(const float *body, long long first, long long last,
                              long long n, float softening2,
                              const float4 (&own)[BODIES], float3 (&a)[BODIES])
{
    __shared__ float3 totals[BODIES][BLOCK];

#pragma unroll
    for (int b = 0; b < BODIES; b++)
        totals[b][threadIdx.x] = a[b] = make_float3(0.0f, 0.0f, 0.0f);
    for (long long at = first; at < last; at += TERMS) {
        go_through(body, at, min(last, at + TERMS), n, softening2, own, a);
#pragma unroll
        for (int b = 0; b < BODIES; b++) {
            float3 &total = totals[b][threadIdx.x];

            total.x += a[b].x;
            total.y += a[b].y;
            total.z += a[b].z;
            a[b] = make_float3(0.0f, 0.0f, 0.0f);
        }
    }
#pragma unroll
    for (int b = 0; b < BODIES; b++)
        a[b] = totals[b][threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(BLOCK, MIN_BLOCKS)
nbody(const float *body, float softening, float *accel, float *sums, long long n,
      long long others, int parts)
{
    const long long first = others * blockIdx.y;

    for (long long group = blockIdx.x; group * BLOCK * BODIES < n;
         group += gridDim.x) {
        const long long me = group * BLOCK * BODIES + threadIdx.x;
        float4 own[BODIES];
        float3 a[BODIES];

#pragma unroll
        for (int b = 0; b < BODIES; b++)
            own[b] = hone::load_body<LAYOUT>(body, me + b * BLOCK, n);
        sum_up(body, first, min(n, first + others), n, softening * softening, own,
               a);
#pragma unroll
        for (int b = 0; b < BODIES; b++) {
            const long long i = me + b * BLOCK;

            if (i >= n)
                break;
            if (parts == 1) {
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

extern "C" __global__ void __launch_bounds__(128)
nbody_join(const float *sums, float *accel, long long n, int parts)
{
    for (long long i = blockIdx.x * 128LL + threadIdx.x; i < n;
         i += gridDim.x * 128LL) {
        float3 a = make_float3(0.0f, 0.0f, 0.0f);

#pragma unroll 8
        for (int p = 0; p < parts; p++) {
            const float *at = sums + 3 * n * p + i;

            a.x += at[0];
            a.y += at[n];
            a.z += at[2 * n];
        }
        hone::store_accel<LAYOUT>(accel, i, n, a.x, a.y, a.z);
    }
}
