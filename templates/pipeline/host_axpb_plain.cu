/* SPDX-License-Identifier: Apache-2.0 */
/* host_axpb/plain: one copy in, one kernel, one copy out, each after the other,
 * with memory of the device for all of x and y. Any n that fits, any device. */
#include "host_axpb.cuh"

#pragma hone implements host_axpb/plain reference "one copy in, one kernel, one copy out"

#pragma hone launch host_axpb_plain grid(min(ceildiv(n, 256), 1G)) block(256) args(a, b, x, y, i64(n))

extern "C" __global__ void __launch_bounds__(256)
host_axpb_plain(float a, float b, const float *__restrict__ x,
                float *__restrict__ y, long long n)
{
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n;
         i += gridDim.x * 256LL)
        y[i] = a * x[i] + b;
}
