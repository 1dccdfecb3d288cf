/* SPDX-License-Identifier: Apache-2.0 */
/* Cooley and Tukey's transform as textbooks have it, radix 2: what the plain
 * implementations of `fft` and `fft_filter` share. */
#ifndef HONE_FFT_RADIX2_CUH
#define HONE_FFT_RADIX2_CUH

namespace hone {

/* All threads of a block: y = the transform of `size` numbers, a power of two,
 * with exp(sign*2*pi*i * j*k/size), whose elements stand `stride` apart. x and y
 * do not overlap; barriers before and after are the caller's. */
__device__ inline void fft_plain(const float2 *x, float2 *y, int size, int sign,
                                 long long stride = 1)
{
    /* Element i goes where its bits, read from the other end, say. */
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        int to = 0;

        for (int bit = 1; bit < size; bit *= 2)
            to = to * 2 + ((i & bit) != 0);
        y[to * stride] = x[i * stride];
    }
    /* Two transforms of `half` numbers side by side become one of twice as
     * many. */
    for (int half = 1; half < size; half *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < size / 2; i += blockDim.x) {
            const int k = i % half;
            float2 *even = y + (2 * (i - k) + k) * stride;
            float2 *odd = even + half * stride;
            const float2 a = *even, b = *odd;
            float s, c;

            sincospif(float(sign * k) / float(half), &s, &c);
            const float2 turned = make_float2(b.x * c - b.y * s,
                                              b.x * s + b.y * c);

            *even = make_float2(a.x + turned.x, a.y + turned.y);
            *odd = make_float2(a.x - turned.x, a.y - turned.y);
        }
    }
}

} /* namespace hone */

#endif
