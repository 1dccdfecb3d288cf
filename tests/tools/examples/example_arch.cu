// SPDX-License-Identifier: Apache-2.0
#pragma hone op gemm_sm90(n) "stands for a kernel that needs sm_90a"
// EXAMPLE
#pragma hone arg y: out f32[n]
#pragma hone param BLOCK in {128, 256}
#pragma hone launch gemm_sm90 grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check none
extern "C" __global__ void gemm_sm90(float *y, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;

    asm volatile("wgmma.fence.sync.aligned;");
    if (i < n)
        y[i] = 1;
}
