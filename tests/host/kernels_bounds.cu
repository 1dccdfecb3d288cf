/* SPDX-License-Identifier: Apache-2.0 */
/* A program for AddressSanitizer and UBSan: its argument says which kernel
 * to run. All but `right` reach too far. */
#include "hone_cuda_host.h"

extern "C" __global__ void right(int *out)
{
    __shared__ int fixed[64];
    int *dynamic = hone_host::dynamic_shared<int>();
    const int t = threadIdx.x;

    for (int i = 0; i < 5; i++) {
        fixed[t] = dynamic[t] = i;
        __syncthreads();
        out[t] = fixed[63 - t] + dynamic[63 - t] +
                 __shfl_xor_sync(~0u, t, 1);
        __syncthreads();
    }
}

extern "C" __global__ void past_dynamic(int *out)
{
    int *dynamic = hone_host::dynamic_shared<int>();

    dynamic[threadIdx.x + 1] = 1; /* MARK: past_dynamic */
    __syncthreads();
    out[threadIdx.x] = dynamic[threadIdx.x];
}

extern "C" __global__ void past_fixed(int *out)
{
    __shared__ int fixed[64];
    int *p = fixed + threadIdx.x;

    __syncthreads();
    p[1] = 1; /* MARK: past_fixed */
    __syncthreads();
    out[threadIdx.x] = p[0];
}

extern "C" __global__ void past_global(int *out)
{
    out[threadIdx.x + 1] = 1; /* MARK: past_global */
}

extern "C" __global__ void past_local(int *out)
{
    int local[4] = {1, 2, 3, 4};

    __syncthreads();
    out[threadIdx.x] = local[threadIdx.x / 8 % 5]; /* MARK: past_local */
}

extern "C" __global__ void past_copied(int *out)
{
    __shared__ int4 s[64];
    const int t = threadIdx.x;

    hone_host_copy16_async(&s[t], out + 4 * t, 16); /* MARK: past_copied */
    hone_host_copy_commit();
    hone_host_copy_wait(0);
}

extern "C" __global__ void misaligned(int *out)
{
    out[0] = reinterpret_cast<int4 *>(out + 1)->x; /* MARK: misaligned */
}

HONE_HOST_KERNELS(right, past_dynamic, past_fixed, past_global, past_local,
                  past_copied, misaligned)

#ifdef HONE_TEST_MAIN
int main(int, char **arguments)
{
    int *out = new int[64];
    void *params[] = {&out};
    const hone_host_launch launch = {arguments[1], {3, 1, 1}, {64, 1, 1},
                                     256,          params,    2};
    hone_host_report report;

    hone_host_run(&launch, &report);
    fprintf(stderr, "%s", report.text);
    delete[] out;
    return report.kind;
}
#endif
