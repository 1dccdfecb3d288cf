// SPDX-License-Identifier: Apache-2.0
// EXAMPLE
#pragma hone param BLOCK in {32, 64}
#pragma hone launch norms grid(ceildiv(rows, BLOCK)) block(BLOCK)
extern "C" __global__ void norms(const float *x, float *y, long long rows,
                                 long long columns)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;

    for (long long c = columns - 1; r < rows && c >= 0; --c)
        sum += x[r * columns + c] * x[r * columns + c];
    if (r < rows)
        y[r] = sum;
}
