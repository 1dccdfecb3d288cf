// SPDX-License-Identifier: Apache-2.0
#pragma hone op fir(n, K) "y[i] = sum over k of h[k]*x[i-k]"
#pragma hone require K <= 4096 "more taps than the array of constants holds"
// EXAMPLE
#pragma hone check cpu.conv1d tolerance(K) exact(8)

extern "C" __global__ void fir(const float *x, const float *h, float *y,
                               long long n, long long K)
{
    const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
    float sum = 0;

    for (long long k = 0; k < K && i < n && k <= i; ++k)
        sum += (TAPS == TAPS_values::constant_memory ? taps[k] : h[k]) *
               x[i - k];
    if (i < n)
        y[i] = sum;
}
