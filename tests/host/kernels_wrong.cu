/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one mistake each, for test_host_errors.c; the marks name the
 * lines that reports must name. Some are right and look suspicious. */
#include "hone_cuda_host.h"
#include <mma.h>

extern "C" __global__ void left_early(int *out)
{
    if (threadIdx.x == 40)
        return;
    __syncthreads(); /* MARK: left_early */
    out[threadIdx.x] = 1;
}

extern "C" __global__ void two_barriers(int *out)
{
    if (threadIdx.x < 5)
        __syncthreads(); /* MARK: two_barriers_first */
    else
        __syncthreads(); /* MARK: two_barriers */
    out[threadIdx.x] = 1;
}

extern "C" __global__ void barrier_or_shuffle(int *out)
{
    int v = threadIdx.x;

    if (v < 16)
        v = __shfl_xor_sync(~0u, v, 1); /* MARK: barrier_or_shuffle */
    __syncthreads();
    out[threadIdx.x] = v;
}

extern "C" __global__ void two_masks(int *out)
{
    int v = threadIdx.x;

    if (v < 16)
        v = __shfl_xor_sync(0xffffu, v, 1);
    else
        v = __shfl_xor_sync(0xffffff00u, v, 1); /* MARK: two_masks */
    out[threadIdx.x] = v;
}

/* Each waits for the other. */
extern "C" __global__ void crossed(int *out)
{
    int v = threadIdx.x;

    if (v < 31)
        v = __shfl_xor_sync(~0u, v, 1);
    else
        v = __reduce_add_sync(0xc0000000u, v); /* MARK: crossed */
    out[threadIdx.x] = v;
}

extern "C" __global__ void not_in_mask(int *out)
{
    out[threadIdx.x] = __ballot_sync(0xfffffffdu, 1); /* MARK: not_in_mask */
}

extern "C" __global__ void lane_gone(int *out)
{
    if (threadIdx.x == 3)
        return;
    out[threadIdx.x] =
        __shfl_xor_sync(~0u, int(threadIdx.x), 1); /* MARK: lane_gone */
}

extern "C" __global__ void trapped(int *out)
{
    if (blockIdx.x == 2 && threadIdx.x == 33)
        __trap(); /* MARK: trapped */
    out[threadIdx.x] = 1;
}

extern "C" __global__ void asserted(int *out)
{
    assert(threadIdx.x + 1 < blockDim.x); /* MARK: asserted */
    out[threadIdx.x] = 1;
}

extern "C" __global__ void too_long(int *out)
{
    unsigned char *s = hone_host::dynamic_shared<unsigned char>();

    s[threadIdx.x + 1] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

/* Accesses with cache hints, which are for global memory. */
extern "C" __global__ void hint_dynamic(int *out)
{
    int *s = hone_host::dynamic_shared<int>();

    __stwb(s + threadIdx.x, 1);
    out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void hint_fixed(int *out)
{
    __shared__ int s[64];

    s[threadIdx.x] = 1;
    __stcs(out + threadIdx.x, 1); /* right */
    out[threadIdx.x] = __ldg(s + threadIdx.x);
}

extern "C" __global__ void half_a_product(float *out)
{
    using namespace nvcuda::wmma;
    fragment<accumulator, 16, 16, 16, float> c;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> b;

    fill_fragment(a, 1.0f);
    fill_fragment(b, 1.0f);
    fill_fragment(c, 0.0f);
    if (threadIdx.x < 20)
        mma_sync(c, a, b, c); /* MARK: half_a_product */
    out[threadIdx.x] = c.x[0];
}

extern "C" __global__ void half_a_load(float *out)
{
    using namespace nvcuda::wmma;
    fragment<accumulator, 16, 16, 16, float> c;
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, row_major> b;

    fill_fragment(a, 1.0f);
    fill_fragment(b, 1.0f);
    fill_fragment(c, 0.0f);
    if (threadIdx.x != 9)
        load_matrix_sync(c, out, 16, mem_row_major);
    mma_sync(c, a, b, c); /* MARK: half_a_load */
    out[threadIdx.x] = c.x[0];
}

/* --- races -------------------------------------------------------------- */

extern "C" __global__ void race_read(int *out)
{
    __shared__ int s[64];

    s[threadIdx.x] = 1; /* MARK: race_read */
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

extern "C" __global__ void race_write(int *out)
{
    __shared__ int s[64];

    s[threadIdx.x / 2] = 1; /* MARK: race_write */
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}

/* The barrier at the end of the loop is missing. */
extern "C" __global__ void race_loop(int *out)
{
    int *s = hone_host::dynamic_shared<int>();
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i;
        __syncthreads();
        sum += s[63 - threadIdx.x]; /* MARK: race_loop */
    }
    out[threadIdx.x] = sum;
}

__device__ void store_helper(int *s, int v)
{
    *s = v; /* MARK: race_warp */
}

extern "C" __global__ void race_warp(int *out)
{
    __shared__ int s[64];

    store_helper(&s[threadIdx.x], 1);
    __syncwarp(threadIdx.x % 32 < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = s[threadIdx.x ^ 1];
    store_helper(&s[threadIdx.x ^ 16], 2);
}

extern "C" __global__ void race_copy(int *out, const int4 *in)
{
    __shared__ int4 s[64];

    hone_host_copy16_async(&s[threadIdx.x], in + threadIdx.x, 16);
    hone_host_copy_commit();
    __syncthreads();
    hone_host_copy_wait(0); /* MARK: race_copy */
    out[threadIdx.x] = s[63 - threadIdx.x].x;
}

/* A byte of a word that another thread wrote as a whole. */
extern "C" __global__ void race_part(int *out)
{
    __shared__ int s[64];

    s[threadIdx.x] = 1;
    if (threadIdx.x == 33)
        ((unsigned char *)s)[4 * 1 + 2] = 3; /* MARK: race_part */
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

/* A word whose bytes four threads of another warp wrote. */
extern "C" __global__ void race_whole(int *out)
{
    __shared__ int s[16];

    if (threadIdx.x < 32)
        ((unsigned char *)s)[threadIdx.x] = 1;
    else
        out[threadIdx.x] = s[threadIdx.x / 4 - 8]; /* MARK: race_whole */
}

extern "C" __global__ void no_race(int *out, const int4 *in)
{
    __shared__ __align__(4) unsigned char bytes[64];
    __shared__ int sum;
    __shared__ int4 s[64];
    const int t = threadIdx.x;

    if (t == 0)
        sum = 0;
    bytes[t] = (unsigned char)t;
    hone_host_copy16_async(&s[t], in + t, t != 5 ? 16 : 0);
    hone_host_copy_commit();
    __syncwarp();
    int v = bytes[t ^ 1];
    __syncwarp();
    bytes[t ^ 3] = 1;
    hone_host_copy_wait(0);
    __syncthreads();
    atomicAdd(&sum, v);
    v = s[63 - t].w;
    if (t < 16)
        ((int *)bytes)[t] = t;
    __syncthreads();
    bytes[t ^ 1] = 2;
    s[t].x = 4;
    out[t] = sum + v;
}

/* Reads before the copies have been waited for. */
extern "C" __global__ void no_wait(int *out, const int4 *in)
{
    __shared__ int4 s[64];

    for (int i = 0; i < 3; i++) {
        hone_host_copy16_async(&s[threadIdx.x], in + threadIdx.x, 16);
        hone_host_copy_commit();
    }
    hone_host_copy_wait(3);
    out[threadIdx.x] = s[threadIdx.x].x;
}

HONE_HOST_KERNELS(left_early, two_barriers, barrier_or_shuffle, two_masks,
                  crossed, not_in_mask, lane_gone, trapped, asserted, too_long,
                  hint_dynamic, hint_fixed, half_a_product, half_a_load, race_read, race_write,
                  race_loop, race_warp, race_copy, race_part, race_whole, no_race, no_wait)
