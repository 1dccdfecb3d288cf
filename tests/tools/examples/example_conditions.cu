// SPDX-License-Identifier: Apache-2.0
#pragma hone op level(n) "y[i] = 1"
#pragma hone arg y: out f32[n]
// EXAMPLE
#pragma hone launch level grid(ceildiv(n, 64)) block(64)
#pragma hone check none
extern "C" __global__ void level(float *y, long long n)
{
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;

    if (i < n)
        y[i] = STAGES * CLUSTER > 0 ? 1 : (float)ALPHA;
}
