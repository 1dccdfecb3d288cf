/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of 2*PLAN::n real numbers by one of half as many complex ones
 * (transform.cuh), shared by fft_r2c/registers, fft_c2r/registers and
 * image_pipeline/strips.
 *
 * With M = PLAN::n, the numbers 2*j and 2*j+1 are taken as real and imaginary
 * part of number j. Of its transform Z (Z[M] being Z[0]), element k of the
 * wanted one is
 *
 *   X[k] = (Z[k] + conj Z[M-k])/2 - i/2 * w^k * (Z[k] - conj Z[M-k]),
 *
 * w = exp(-2*pi*i / (2*M)): the transforms of the even and of the odd numbers,
 * put together. Back, the unscaled inverse transform of
 *
 *   (X[k] + conj X[M-k]) + i * conj(w^k) * (X[k] - conj X[M-k])
 *
 * has the numbers in pairs. No name of a template parameter: see
 * hone_device.cuh. */
#ifndef HONE_FFT_REAL_CUH
#define HONE_FFT_REAL_CUH

#include "transform.cuh"

namespace hone {
namespace fft {

__device__ inline float2 conj(float2 a)
{
    return make_float2(a.x, -a.y);
}

template <typename PLAN> struct real {
    static constexpr int n = PLAN::n;
    static constexpr int elements = PLAN::elements;
    static constexpr int threads = PLAN::threads;

    /* Calls f(i, k, w^k) for all elements k = t + i*threads of thread t: one
     * sine for the thread, constants for its elements. */
    template <int I = 0, typename F>
    static __device__ inline void each(int t, float2 first, F f)
    {
        if constexpr (I < elements) {
            constexpr offsets<1, 2 * elements, 1> turned;

            f(I, t + I * threads, I ? mul(first, turned.at[I]) : first);
            each<I + 1>(t, first, f);
        }
    }

    /* other[i] = element (n - k) % n where v[i] is element k, through the
     * transform's room for shared_elements, which run() used before. */
    static __device__ inline void mirror(const float2 (&v)[elements],
                                         float2 (&other)[elements], int t,
                                         void *shared)
    {
        float2 *const space = static_cast<float2 *>(shared);

        PLAN::wait();
#pragma unroll
        for (int i = 0; i < elements; i++)
            space[PLAN::padded(t + i * threads)] = v[i];
        PLAN::wait();
#pragma unroll
        for (int i = 0; i < elements; i++)
            other[i] = space[PLAN::padded((n - t - i * threads) % n)];
    }

    /* What run() left becomes elements 0 to n - 1; `last` is element n, for
     * thread 0. */
    static __device__ inline void split(float2 (&v)[elements], int t,
                                        void *shared, float2 &last)
    {
        float2 other[elements];

        mirror(v, other, t, shared);
        last = make_float2(v[0].x - v[0].y, 0.0f);
        each(t, factor<2 * n>(t), [&](int i, int, float2 w) {
            const float2 b = conj(other[i]);
            const float2 even = add(v[i], b);
            const float2 odd = turn(mul(w, sub(v[i], b)));

            v[i] = make_float2(0.5f * (even.x + odd.x),
                               0.5f * (even.y + odd.y));
        });
    }

    /* Elements 0 to n of a transform become what the inverse transform begins
     * with; each is asked for twice, read(k, false) and then read(k, true). The
     * imaginary parts of the first and the last one are not looked at. */
    template <typename READ>
    static __device__ inline void join_read(float2 (&v)[elements], int t,
                                            READ read)
    {
        float2 other[elements];

#pragma unroll
        for (int i = 0; i < elements; i++)
            v[i] = read(t + i * threads, false);
#pragma unroll
        for (int i = 0; i < elements; i++)
            other[i] = read(n - t - i * threads, true);
        if (t == 0)
            v[0].y = other[0].y = 0.0f;
        each(t, factor<2 * n>(t), [&](int i, int, float2 w) {
            const float2 b = conj(other[i]);
            const float2 odd = turn(mul(conj(w), sub(v[i], b)));

            v[i] = sub(add(v[i], b), odd);
        });
    }

    /* The same of elements that follow each other in memory. */
    template <bool STREAM>
    static __device__ inline void join(float2 (&v)[elements], int t,
                                       const float2 *from)
    {
        join_read(v, t, [=](int k, bool again) {
            return again ? hone::load<false>(from + k)
                         : hone::load<STREAM>(from + k);
        });
    }
};

} /* namespace fft */
} /* namespace hone */

#endif
