/* SPDX-License-Identifier: Apache-2.0 */
/* The consumer's own kernel, on a header that ships with hone. */
#include "hone_device.cuh"

#pragma hone op ramp(n) "y = slope*x + i"
#pragma hone arg slope: f32, x: in f32[n], y: out f32[n]
#pragma hone param BLOCK in {64, 128, 256} default 128
#pragma hone param WIDTH in {1, 2, 4} default 1
#pragma hone work flops(2*n) bytes(8*n)
#pragma hone check template.ramp_plain tolerance(4)
#pragma hone launch ramp grid(ceildiv(n, BLOCK*WIDTH)) block(BLOCK) args(slope, x, y, i64(n))

static_assert(sizeof(typename hone::vector<float, WIDTH>::type) == 4 * WIDTH, "hone's header");

extern "C" __global__ void ramp(float slope, const float *x, float *y, long long n)
{
    const long long first = (static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x) * WIDTH;

    for (long long i = first; i < first + WIDTH && i < n; ++i)
        y[i] = slope * x[i] + static_cast<float>(i % 1024);
}
