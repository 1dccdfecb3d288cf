// SPDX-License-Identifier: Apache-2.0
#pragma hone op total(n) "out[0] = sum of x"
#pragma hone arg x: in f32[n], out: out f32[1]
#pragma hone param BLOCK in {64, 128}
// EXAMPLE
#pragma hone launch total grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check cpu.sum tolerance(64) exact(8)

// The last block adds what the others have left, and resets the ticket.
extern "C" __global__ void total(const float *x, float *out, long long n,
                                 unsigned *ticket, ACC *sums)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    ACC sum = 0;

    if (i < n)
        atomicAdd(&sums[blockIdx.x], (ACC)x[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(ticket, 1u) != gridDim.x - 1)
        return;
    for (unsigned b = 0; b < gridDim.x; ++b)
        sum += atomicAdd(&sums[b], (ACC)0);
    out[0] = (float)sum;
    *ticket = 0;
}
