/* SPDX-License-Identifier: Apache-2.0 */
/* Cooley and Tukey's transform as textbooks have it, radix 2: what the plain
 * implementations of `fft` and `fft_filter` share. */
#ifndef HONE_FFT_RADIX2_CUH
#define HONE_FFT_RADIX2_CUH

namespace hone {

/* All threads of a block: y = the transform of `size` numbers, a power of two,
 * with exp(sign*2*pi*i * j*k/size), whose elements stand `stride` apart. x and y
 * do not overlap; barriers before and after are the caller's. V is float2 or
 * double2. */
template <typename V>
__device__ inline void fft_plain(const V *x, V *y, int size, int sign,
                                 long long stride = 1)
{
    using R = decltype(V::x);

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
            V *even = y + (2 * (i - k) + k) * stride;
            V *odd = even + half * stride;
            const V a = *even, b = *odd;
            R s, c;

            if constexpr (sizeof(R) == 8)
                sincospi(R(sign * k) / R(half), &s, &c);
            else
                sincospif(R(sign * k) / R(half), &s, &c);
            const V turned = {b.x * c - b.y * s, b.x * s + b.y * c};

            *even = {a.x + turned.x, a.y + turned.y};
            *odd = {a.x - turned.x, a.y - turned.y};
        }
    }
}

} /* namespace hone */

#endif
