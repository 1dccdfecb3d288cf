// SPDX-License-Identifier: Apache-2.0
#pragma hone op moments_plain(rows, columns) "mean and deviation of each row"
#pragma hone arg x: in f32[rows*columns], mean: out f32[rows]
#pragma hone arg deviation: out f32[rows]
#pragma hone param BLOCK in {32, 64}
#pragma hone launch moments_plain grid(ceildiv(rows, BLOCK)) block(BLOCK)
#pragma hone check none
extern "C" __global__ void moments_plain(const float *x, float *mean,
                                           float *deviation, long long rows,
                                           long long columns)
{
    const long long r = (long long)blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0, squares = 0;

    if (r >= rows)
        return;
    for (long long c = 0; c < columns; ++c)
        sum += x[r * columns + c];
    for (long long c = 0; c < columns; ++c) {
        const float d = x[r * columns + c] - sum / columns;

        squares += d * d;
    }
    mean[r] = sum;
    deviation[r] = sqrtf(squares / columns);
}
