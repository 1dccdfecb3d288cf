// SPDX-License-Identifier: Apache-2.0
#pragma hone op gemm(n) "stands for two launches, one with clusters"
#pragma hone arch sm >= 90
#pragma hone device cuda "uses clusters and a grid that waits for itself"
#pragma hone arg y: out f32[n]
#pragma hone let TILES = ceildiv(n, 384)
// EXAMPLE
#pragma hone check none
extern "C" __global__ void gemm(float *y, long long n)
{
    const long long i = (long long)blockIdx.x * 384 + threadIdx.x;

    if (i < n)
        y[i] = CLUSTER;
}
extern "C" __global__ void sum(float *y, long long n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0 && n)
        y[0] = 0;
}
