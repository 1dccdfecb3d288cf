/* SPDX-License-Identifier: Apache-2.0 */
/* A second kernel, whose work is its own. */
#include "shift.cuh"

#pragma hone op shift(n) "x = x + 1"
#pragma hone arg x: inout f32[n]
#pragma hone param BLOCK in {64, 128}
#pragma hone work flops(n) bytes(8*n)
#pragma hone check none
#pragma hone launch shift grid(ceildiv(n, BLOCK)) block(BLOCK) args(x, i64(n))

extern "C" __global__ void shift(float *x, long long n)
{
    const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;

    if (i < n)
        x[i] += shift_by;
}
