// SPDX-License-Identifier: Apache-2.0
// nbody: the acceleration of n bodies by all others, gravity with softening.
//
// A body is four numbers: place and mass. A thread follows OWN bodies and walks
// over all others, which a block takes in tiles through shared memory or reads
// where they lie (SOURCE), UNROLL of them without a look at the loop's end.

#pragma hone op nbody(n) "a[i] = sum over j of m[j]*(p[j] - p[i]) / (|p[j] - p[i]|^2 + e^2)^1.5"
#pragma hone arg body: in f32[n][4], a: out f32[n][3], softening: f32 from 0.05..0.5

#pragma hone param BLOCK in {32, 64, 128, 256} default 128
#pragma hone param OWN in {1, 2, 4}
#pragma hone param SOURCE in {shared_tile, global_memory}
#pragma hone param UNROLL in {1, 2, 4, 8} default 4

#pragma hone launch nbody grid(ceildiv(n, BLOCK*OWN)) block(BLOCK)
#pragma hone work flops(20*n*n) bytes(28*n)
#pragma hone check template.nbody_plain tolerance(n + 16)
#pragma hone baseline template.nbody_plain

__device__ inline void add_pull(float4 me, float4 other, float e, float *sum)
{
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float near = rsqrtf(dx * dx + dy * dy + dz * dz + e * e);
    const float pull = other.w * near * near * near;

    sum[0] += dx * pull;
    sum[1] += dy * pull;
    sum[2] += dz * pull;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
nbody(const float4 *__restrict__ body, float *__restrict__ a, float softening,
      long long n)
{
    __shared__ float4 tile[BLOCK];
    const float4 nobody = make_float4(0, 0, 0, 0); /* has no mass: no pull */
    const long long first = (long long)blockIdx.x * (BLOCK * OWN) + threadIdx.x;
    float4 me[OWN];
    float sum[OWN][3] = {};

    for (int o = 0; o < OWN; ++o)
        me[o] = first + o * BLOCK < n ? body[first + o * BLOCK] : nobody;
    for (long long j0 = 0; j0 < n; j0 += BLOCK) {
        if constexpr (SOURCE == SOURCE_values::shared_tile) {
            __syncthreads();
            tile[threadIdx.x] =
                j0 + threadIdx.x < n ? body[j0 + threadIdx.x] : nobody;
            __syncthreads();
        }
#pragma unroll UNROLL
        for (int j = 0; j < BLOCK; ++j) {
            float4 other;

            if constexpr (SOURCE == SOURCE_values::shared_tile)
                other = tile[j];
            else
                other = j0 + j < n ? body[j0 + j] : nobody;
            for (int o = 0; o < OWN; ++o)
                add_pull(me[o], other, softening, sum[o]);
        }
    }
    for (int o = 0; o < OWN; ++o) {
        const long long i = first + o * BLOCK;

        for (int d = 0; i < n && d < 3; ++d)
            a[3 * i + d] = sum[o][d];
    }
}
