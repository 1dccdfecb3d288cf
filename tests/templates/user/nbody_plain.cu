// SPDX-License-Identifier: Apache-2.0
// What nbody.cu must give: one thread a body, in double.
#pragma hone op nbody_plain(n) "a[i] = sum over j of m[j]*(p[j] - p[i]) / (|p[j] - p[i]|^2 + e^2)^1.5"
#pragma hone arg body: in f32[n][4], a: out f32[n][3], softening: f32 from 0.05..0.5
#pragma hone param BLOCK in {64}
#pragma hone launch nbody_plain grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void nbody_plain(const float *body, float *a,
                                       float softening, long long n)
{
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    double sum[3] = {};

    if (i >= n)
        return;
    for (long long j = 0; j < n; ++j) {
        double d[3], square = (double)softening * softening;

        for (int k = 0; k < 3; ++k) {
            d[k] = (double)body[4 * j + k] - body[4 * i + k];
            square += d[k] * d[k];
        }
        for (int k = 0; k < 3; ++k)
            sum[k] += body[4 * j + 3] * d[k] / (square * sqrt(square));
    }
    for (int k = 0; k < 3; ++k)
        a[3 * i + k] = (float)sum[k];
}
