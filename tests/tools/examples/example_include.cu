// SPDX-License-Identifier: Apache-2.0
// EXAMPLE
#pragma hone op step(n) "y[i] = the step of mylib"
#pragma hone arg y: out f32[n]
#pragma hone param BLOCK in {32, 64}
#pragma hone launch step grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check none
extern "C" __global__ void step(float *y, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    if (i < n)
        y[i] = mylib_step(i);
}
