/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for test_host_small.c: so little shared memory that a loader has room
 * for it beside that of threads which run already. */
#include "hone_cuda_host.h"

/* What nobody wrote; then everybody writes it. */
extern "C" __global__ void unwritten(unsigned *out)
{
    __shared__ unsigned few[4];
    const int t = threadIdx.x;

    out[blockIdx.x * 4 + t] = few[t];
    __syncthreads();
    few[t] = 5;
}

/* A cache hint, which is for global memory alone. */
extern "C" __global__ void hint(unsigned *out)
{
    __shared__ unsigned few[4];

    few[threadIdx.x] = 5;
    out[threadIdx.x] = __ldg(&few[threadIdx.x]);
}

/* A barrier is missing. */
extern "C" __global__ void race(unsigned *out)
{
    __shared__ unsigned one;

    if (threadIdx.x == 0)
        one = 7;
    out[blockIdx.x * 64 + threadIdx.x] = one;
}

HONE_HOST_KERNELS(unwritten, hint, race)
