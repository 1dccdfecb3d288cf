/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_block.c. */
#include "hone_cuda_host.h"

struct by_value {
    char c;
    double d;
    float3 v;
};

__constant__ int squares[4] = {0, 1, 4, 9};
__device__ int counter;

/* Six numbers of each thread: where it is, as one index of each. */
extern "C" __global__ void places(unsigned *out)
{
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned t =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned b =
        (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

    out[b * threads + t] = 1 + threadIdx.x + 10 * threadIdx.y +
                           100 * threadIdx.z + 1000 * blockIdx.x +
                           10000 * blockIdx.y + 100000 * blockIdx.z;
}

extern "C" __global__ void arguments(double *out, by_value s, signed char a,
                                     unsigned short b, long long c, float d,
                                     const int *__restrict__ p)
{
    out[0] = s.c + s.d + s.v.x + s.v.y + s.v.z + a + b + double(c) + d +
             (p == nullptr) + squares[3];
}

/* Reverses each block's numbers through static shared memory. */
extern "C" __global__ void __launch_bounds__(256) reverse(int *data)
{
    __shared__ int all[256];
    const int me = blockIdx.x * blockDim.x + threadIdx.x;

    all[threadIdx.x] = data[me];
    __syncthreads();
    data[me] = all[blockDim.x - 1 - threadIdx.x];
}

/* Running sums, in dynamic shared memory, with two barriers a round. */
extern "C" __global__ void scan(int *data)
{
    int *all = hone_host::dynamic_shared<int>();
    const int n = blockDim.x;
    const int t = threadIdx.x;

    all[t] = data[blockIdx.x * n + t];
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        const int other = t >= step ? all[t - step] : 0;

        __syncthreads();
        all[t] += other;
        __syncthreads();
    }
    data[blockIdx.x * n + t] = all[t];
}

extern "C" __global__ void votes(int *out)
{
    const int t = threadIdx.x;
    const int count = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t < 1000) + 2 * __syncthreads_and(t);
    const int any = __syncthreads_or(t == 7) + 2 * __syncthreads_or(t > 1000);

    out[3 * t] = count;
    out[3 * t + 1] = all;
    out[3 * t + 2] = any;
}

/* Shared memory that nobody wrote; then everybody writes it. */
extern "C" __global__ void unwritten(unsigned *out)
{
    __shared__ unsigned fixed[64];
    unsigned *dynamic = hone_host::dynamic_shared<unsigned>();
    const int t = threadIdx.x;

    out[2 * (blockIdx.x * 64 + t)] = fixed[t];
    out[2 * (blockIdx.x * 64 + t) + 1] = dynamic[t];
    __syncthreads();
    fixed[t] = dynamic[t] = 5;
}

extern "C" __global__ void alignment(unsigned long long *out)
{
    __shared__ __align__(64) unsigned char a[3];
    __shared__ alignas(128) float b[2];
    __shared__ double c;

    a[0] = 1;
    b[0] = 1;
    c = 1;
    out[0] = (unsigned long long)a % 64;
    out[1] = (unsigned long long)b % 128;
    out[2] = (unsigned long long)&c % 8;
    out[3] = (unsigned long long)hone_host::dynamic_shared<char>() % 128;
    out[4] = sizeof(float3) * 100 + alignof(float4);
    out[5] = warpSize;
}

__noinline__ int deep(int n, volatile int *keep)
{
    volatile int room[100];

    for (int i = 0; i < 100; i++)
        room[i] = n;
    return n == 0 ? *keep : deep(n - 1, keep) + room[n % 100] - n + 1;
}

/* About 45 KB of stack in every thread, all alive at the same time. */
extern "C" __global__ void stacks(int *out)
{
    volatile int zero = 0;
    const int n = deep(90, &zero);

    __syncthreads();
    out[threadIdx.x] = n + deep(90, &zero);
}

/* Thread 0 waits for the last one without a barrier. */
extern "C" __global__ void wait_for_flag(int *out)
{
    __shared__ int flag;

    if (threadIdx.x == 0) {
        while (atomicAdd(&flag, 0) != 42)
            __nanosleep(100);
        out[0] = atomicAdd(&flag, 0);
    } else if (threadIdx.x == blockDim.x - 1) {
        atomicExch(&flag, 42);
    }
}

/* Every block adds; the last one says so. */
extern "C" __global__ void last_block(unsigned *tickets, int *sum, int *last)
{
    __shared__ bool is_last;

    atomicAdd(sum, int(threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        *last += *sum;
    if (threadIdx.x == 0)
        atomicAdd(&counter, 1);
}

extern "C" __global__ void read_counter(int *out)
{
    *out = counter;
}

/* Thread t copies the first t of 16 bytes. */
extern "C" __global__ void parts(int4 *out, const int4 *in)
{
    __shared__ int4 s[17];
    const int t = threadIdx.x;

    s[t] = in[0];
    hone_host_copy16_async(&s[t], in + t, t);
    hone_host_copy_commit();
    hone_host_copy_wait(0);
    out[t] = s[t];
}

HONE_HOST_KERNELS(places, arguments, reverse, scan, votes, unwritten,
                  alignment, stacks, wait_for_flag, last_block, read_counter,
                  parts)
