// SPDX-License-Identifier: Apache-2.0
#include "hone_device.cuh"

#pragma hone op total(n) "stands for two launches, the second of which starts early"
#pragma hone arg x: in i32[n], y: out i32[1]
#pragma hone workspace sums: i32[264]
// EXAMPLE
#pragma hone check template.total_plain exact(1000)
extern "C" __global__ void parts(const int *x, int *, long long n, int *sums)
{
    hone::start_next();
    if (threadIdx.x == 0) {
        int sum = 0;

        for (long long i = blockIdx.x; i < n; i += gridDim.x)
            sum += x[i];
        sums[blockIdx.x] = sum;
    }
}
extern "C" __global__ void join(const int *, int *y, long long, const int *sums)
{
    int sum = 0;

    hone::wait_for_previous();
    if (threadIdx.x)
        return;
    for (int i = 0; i < 264; ++i)
        sum += sums[i];
    y[0] = sum;
}
