/* SPDX-License-Identifier: Apache-2.0 */
/* fft_c2r_halves: of what is drawn for x, halves of the transforms of real
 * numbers: the first and the last number of each are real.
 * No operation of use: the inputs of fft_c2r are made by it. */

#pragma hone op fft_c2r_halves(n in {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} default 1024, batch default 1) "x with a real number at both ends of each half"
#pragma hone arg x: inout c32[batch][n/2 + 1], y: out f32[batch][n]
#pragma hone launch fft_c2r_halves grid(min(ceildiv(batch, 128), 1G)) block(256) args(x, y, i64(batch))
#pragma hone check none

extern "C" __global__ void __launch_bounds__(256)
fft_c2r_halves(float2 *x, float *y, long long batch)
{
    const int end = threadIdx.x % 2;
    long long b = blockIdx.x * 128LL + threadIdx.x / 2;

    for (; b < batch; b += gridDim.x * 128LL) {
        x[b * (n / 2 + 1) + end * (n / 2)].y = 0;
        y[b * n + end] = 0;
    }
}
