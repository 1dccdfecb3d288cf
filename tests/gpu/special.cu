/* SPDX-License-Identifier: Apache-2.0 */
/* conv1d once more, in the ways that plain launches cannot take: the filter in
 * constant memory, sums in a workspace that is zeroed for each run (of a type
 * that is a parameter), a barrier of the whole grid in a cooperative launch,
 * the filter spread over the shared memory of a cluster, a launch that starts
 * while the one before it runs. And what must be refused: more blocks than fit
 * at the same time. Slow on purpose: it shows that they work, and
 * hone_special.sh what is said where they cannot. */

#include "hone_device.cuh"

#pragma hone op special(n, taps) "y[i] = sum of h[k]*x[i-k], in unusual ways"
#pragma hone arch sm >= 80
#pragma hone arg x: in f32[n], h: in f32[taps], y: out f32[n]
#pragma hone param WAY in {plain, constant_memory, zeroed, together, clustered, too_wide, early}
#pragma hone param CLUSTER in {1, 2, 8, 16}
#pragma hone param ACC in {f32, f64}
#pragma hone require (WAY == clustered) == (CLUSTER > 1)
#pragma hone require ACC == f32 || WAY == zeroed
#pragma hone require WAY != clustered || device.sm >= 90 "clusters need sm_90"
#pragma hone require WAY != clustered || taps <= 1024 "the cluster keeps 1024"
#pragma hone let BLOCKS = ceildiv(n, 256)
#pragma hone let WAITS = WAY == together || WAY == too_wide
#pragma hone workspace sums: ACC[WAY == zeroed ? n : 0] zero each
#pragma hone workspace partial: f32[WAITS || WAY == early ? n : 0]
#pragma hone workspace arrived: u32[WAITS ? 1 : 0] zero each
#pragma hone constant filter: f32[taps] from h if(WAY == constant_memory)
#pragma hone launch fir if(WAY != zeroed && WAY != early && !WAITS) \
    grid(align(BLOCKS, CLUSTER)) block(256) cluster(CLUSTER)
#pragma hone launch fir_add if(WAY == zeroed) grid(BLOCKS, 2) block(256)
#pragma hone launch fir_store if(WAY == zeroed) grid(BLOCKS) block(256)
#pragma hone launch fir_together if(WAITS) block(256) cooperative \
    grid(WAY == too_wide ? device.sm_count*device.blocks_sm + 1 : min(BLOCKS, device.sm_count))
#pragma hone launch fir_first if(WAY == early) grid(BLOCKS) block(256)
#pragma hone launch fir_second if(WAY == early) grid(BLOCKS) block(256) early
#pragma hone work flops(2*n*taps) bytes(8*n + 4*taps)
#pragma hone check cpu.conv1d tolerance(2*taps + 8) exact(4)

#ifndef HONE
constexpr int CLUSTER = 1;
using ACC = float;
#endif

__constant__ float filter[1024];

/* Taps first, first + step, .. of output i. */
__device__ float fir_of(const float *x, const float *h, long long i,
                        long long taps, long long first, long long step)
{
    float sum = 0;

    for (long long k = first; k < taps && k <= i; k += step)
        sum += h[k] * x[i - k];
    return sum;
}

#if HONE_WAY == HONE_WAY_clustered

__device__ void meet()
{
    asm volatile("barrier.cluster.arrive;\n"
                 "barrier.cluster.wait;" ::: "memory");
}

/* Each block of the cluster keeps every CLUSTER-th tap. */
__device__ float clustered(const float *x, const float *h, long long i,
                           long long taps)
{
    __shared__ float part[512];
    unsigned rank, size;
    float sum = 0;

    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    for (long long k = rank + (long long)CLUSTER * threadIdx.x; k < taps;
         k += CLUSTER * blockDim.x)
        part[k / CLUSTER] = h[k];
    meet();
    for (long long k = 0; k < taps && k <= i; k++) {
        const unsigned at =
            (unsigned)__cvta_generic_to_shared(&part[k / CLUSTER]);
        unsigned remote;
        float tap;

        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(remote)
                     : "r"(at), "r"((unsigned)(k % CLUSTER)));
        asm volatile("ld.shared::cluster.f32 %0, [%1];"
                     : "=f"(tap)
                     : "r"(remote)
                     : "memory");
        sum += tap * x[i - k];
    }
    meet(); /* nobody leaves while others read its part */
    return size == CLUSTER ? sum : __int_as_float(0x7fffffff);
}

#endif

extern "C" __global__ void fir(const float *x, const float *h, float *y,
                               long long n, long long taps, ACC *, float *,
                               unsigned *)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;

#if HONE_WAY == HONE_WAY_clustered
    const float sum = clustered(x, h, i < n ? i : -1, taps);

    if (i < n)
        y[i] = sum;
#elif HONE_WAY == HONE_WAY_constant_memory
    if (i < n)
        y[i] = fir_of(x, filter, i, taps, 0, 1);
#else
    if (i < n)
        y[i] = fir_of(x, h, i, taps, 0, 1);
#endif
}

/* Two blocks add to each sum: in either order the same, from zero. */
extern "C" __global__ void fir_add(const float *x, const float *h, float *,
                                   long long n, long long taps, ACC *sums,
                                   float *, unsigned *)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;

    if (i < n)
        atomicAdd(&sums[i], (ACC)fir_of(x, h, i, taps, blockIdx.y, 2));
}

extern "C" __global__ void fir_store(const float *, const float *, float *y,
                                     long long n, long long, ACC *sums,
                                     float *, unsigned *)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;

    if (i < n)
        y[i] = (float)sums[i];
}

/* Even taps, everybody waits for everybody, odd taps at the other end. */
extern "C" __global__ void fir_together(const float *x, const float *h,
                                        float *y, long long n,
                                        long long taps, ACC *,
                                        float *partial, unsigned *arrived)
{
    const long long step = gridDim.x * 256ll;
    const long long first = blockIdx.x * 256ll + threadIdx.x;

    for (long long i = first; i < n; i += step)
        partial[i] = fir_of(x, h, i, taps, 0, 2);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    for (long long i = n - 1 - first; i >= 0; i -= step)
        y[i] = partial[i] + fir_of(x, h, i, taps, 1, 2);
}

/* Even taps; the launch behind it may start at once. */
extern "C" __global__ void fir_first(const float *x, const float *h, float *,
                                     long long n, long long taps, ACC *,
                                     float *partial, unsigned *)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;

    hone::start_next();
    if (i < n)
        partial[i] = fir_of(x, h, i, taps, 0, 2);
}

/* Odd taps, from the other end: what is added there is written last. */
extern "C" __global__ void fir_second(const float *x, const float *h, float *y,
                                      long long n, long long taps, ACC *,
                                      float *partial, unsigned *)
{
    const long long i = n - 1 - (blockIdx.x * 256ll + threadIdx.x);

    hone::wait_for_previous();
    if (i >= 0)
        y[i] = partial[i] + fir_of(x, h, i, taps, 1, 2);
}
