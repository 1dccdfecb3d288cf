// SPDX-License-Identifier: Apache-2.0
#pragma hone op pick(n) "y[i] = x[i], or a sum"
#pragma hone arg x: in f32[n + 63], y: out f32[n]
#pragma hone param BLOCK in {32}
#pragma hone param UNROLL in {1, 2}
#pragma hone param FORM in {scalar, other}
#pragma hone launch pick grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check none
static __device__ void store(float *y, float value)
{
    *y = value;
}
extern "C" __global__ void pick(const float *x, float *y, long long n)
{
    const long long base = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (base >= n)
        return;
    y += base;
// EXAMPLE
}
