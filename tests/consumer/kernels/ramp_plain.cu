/* SPDX-License-Identifier: Apache-2.0 */
/* What ramp is compared with: one thread for each element. */
#pragma hone op ramp_plain(n) "y = slope*x + i"
#pragma hone arg slope: f32, x: in f32[n], y: out f32[n]
#pragma hone work flops(2*n) bytes(8*n)
#pragma hone check none
#pragma hone launch ramp_plain grid(ceildiv(n, 256)) block(256) args(slope, x, y, i64(n))

extern "C" __global__ void ramp_plain(float slope, const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;

    if (i < n)
        y[i] = slope * x[i] + static_cast<float>(i % 1024);
}
