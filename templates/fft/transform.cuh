/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of 2^LOG_N complex f32 in registers, which all tuned
 * implementations share: passes and the exchanges between them.
 *
 * A transform belongs to n/ELEMENTS threads. Register i of thread t holds
 * element t + i*threads before the first pass and after the last one, so both
 * sides of global memory are read and written in order. The passes are those
 * of Stockham's algorithm: nothing is ever permuted on its own, the exchange
 * after a pass puts elements where the next pass reads them.
 *
 * A pass of radix R over transforms of NS elements that are already done:
 * butterfly j (of n/R) takes elements j + r*n/R, multiplies the r-th by
 * exp(-2*pi*i * r*(j % NS) / (NS*R)), transforms the R of them and leaves
 * the r-th at (j / NS)*NS*R + j % NS + r*NS.
 *
 * All are forward transforms. An inverse one is the same with real and
 * imaginary parts swapped on both sides, which costs nothing in registers.
 *
 * No name of a template parameter: see hone_device.cuh. */
#ifndef HONE_FFT_TRANSFORM_CUH
#define HONE_FFT_TRANSFORM_CUH

#include "butterflies.cuh"

namespace hone {
namespace fft {

/* How elements get from pass to pass. */
enum exchanges { PAIRS, HALVES, SHUFFLE };

/* --- passes ------------------------------------------------------------- */

/* The way of a transform: the logarithms of its size, of the elements of a
 * thread and of the radices (0: no such pass); elements that a thread reads
 * and writes at once, where a pass lets it; a padding element after so many
 * (0: none); exchanges, twiddles. Of TOGETHER transforms whose threads
 * alternate, shared memory has the elements alternate, too: transform i of
 * them is given the room from element i on. */
template <int LOG_N, int LOG_E, int R0, int R1, int R2, int R3, int WIDTH,
          int PAD, int EXCHANGE, int SOURCE, int TOGETHER = 1>
struct plan {
    static constexpr int n = 1 << LOG_N;
    static constexpr int elements = 1 << LOG_E;
    static constexpr int threads = n / elements;
    static constexpr int n_passes =
        1 + (R1 > 0) + (R2 > 0) + (R3 > 0);

    /* Where an element stands in shared memory. Additive over numbers that
     * have no bit in common, as is spread(): so the part of an address that
     * the compiler knows stays apart from the one that it does not. */
    static constexpr __device__ int padded(int i)
    {
        return PAD ? i + i / (PAD ? PAD : 1) : i;
    }
    static constexpr int shared_elements = PAD ? n + n / (PAD ? PAD : 1) : n;

    static constexpr __device__ int radix(int pass)
    {
        return 1 << (pass == 0 ? R0 : pass == 1 ? R1 : pass == 2 ? R2 : R3);
    }
    /* Neighbouring elements of a thread in this pass. */
    static constexpr __device__ int width(int pass)
    {
        return radix(pass) * WIDTH <= elements ? WIDTH : 1;
    }
    /* Element of register i: that of thread 0, to which the thread's number
     * times width(pass) is added. */
    static constexpr __device__ int element(int pass, int i)
    {
        const int w = width(pass);

        return i % w + i / w * threads * w;
    }
    /* Where butterfly j of a pass leaves its first element. */
    template <int NS, int R> static constexpr __device__ int spread(int j)
    {
        return j / NS * NS * R + j % NS;
    }

    static __device__ inline void wait()
    {
        if constexpr (threads <= 32 && TOGETHER == 1)
            __syncwarp();
        else
            __syncthreads();
    }

    /* Butterflies of a thread differ in k by numbers that the compiler knows.
     * If they differ at all, short ones multiply the factors of the first by
     * constants instead of computing sines again. */
    template <int PASS, int NS> static constexpr __device__ bool is_related()
    {
        return SOURCE == POWERS && NS > threads * width(PASS) &&
               radix(PASS) <= 8 && radix(PASS) < elements;
    }

    /* Butterfly B and those after it; w are the factors of butterfly 0. */
    template <int PASS, int NS, int B>
    static __device__ inline void butterflies(float2 (&v)[elements], int t,
                                              float2 (&w)[radix(PASS)])
    {
        constexpr int R = radix(PASS);
        constexpr int step = elements / R;

        if constexpr (B < step) {
            constexpr int apart = element(PASS, B) % NS;
            constexpr offsets<NS, R, apart> turned;
            float2 a[R];

#pragma unroll
            for (int r = 0; r < R; r++)
                a[r] = v[B + r * step];
            if constexpr (NS > 1 && is_related<PASS, NS>()) {
#pragma unroll
                for (int r = 1; r < R; r++)
                    a[r] = mul(a[r],
                               apart ? mul(w[r], turned.at[r]) : w[r]);
            } else if constexpr (NS > 1) {
                twiddle<NS, R, SOURCE>(a, (t * width(PASS) + apart) % NS);
            }
            butterfly<R>(a);
#pragma unroll
            for (int r = 0; r < R; r++)
                v[B + r * step] = a[r];
            butterflies<PASS, NS, B + 1>(v, t, w);
        }
    }

    template <int PASS, int NS>
    static __device__ inline void pass(float2 (&v)[elements], int t)
    {
        float2 w[radix(PASS)];

        if constexpr (is_related<PASS, NS>())
            make_powers<NS>(w, t * width(PASS) % NS);
        butterflies<PASS, NS, 0>(v, t, w);
    }

    /* Where register i of thread 0 goes after a pass. */
    template <int PASS, int NS> static constexpr __device__ int place(int i)
    {
        constexpr int R = radix(PASS), step = elements / R;

        return (padded(spread<NS, R>(element(PASS, i % step))) +
                padded(i / step * NS)) *
               TOGETHER;
    }

    /* Both coordinates at once, or the real parts and then the imaginary
     * ones in half the space. `again`: somebody may still be reading. */
    template <int PASS, int NS>
    static __device__ inline void through_shared(float2 (&v)[elements],
                                                 int t, void *shared,
                                                 bool again)
    {
        constexpr int R = radix(PASS);
        const int to = padded(spread<NS, R>(t * width(PASS))) * TOGETHER;
        const int from = padded(t * width(PASS + 1)) * TOGETHER;

        if constexpr (EXCHANGE == PAIRS) {
            float2 *space = static_cast<float2 *>(shared);

            if (again)
                wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                space[to + place<PASS, NS>(i)] = v[i];
            wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i] = space[from + padded(element(PASS + 1, i)) * TOGETHER];
        } else {
            float *space = static_cast<float *>(shared);

            if (again)
                wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                space[to + place<PASS, NS>(i)] = v[i].x;
            wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i].x = space[from + padded(element(PASS + 1, i)) * TOGETHER];
            wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                space[to + place<PASS, NS>(i)] = v[i].y;
            wait();
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i].y = space[from + padded(element(PASS + 1, i)) * TOGETHER];
        }
    }

    /* After a first pass of radix `elements` over at most as many threads:
     * the bits of the register's number and those of the thread's number
     * change places, one pair after the other. */
    static __device__ inline void through_lanes(float2 (&v)[elements], int t)
    {
        constexpr int log_threads = LOG_N - LOG_E;

#pragma unroll
        for (int bit = 0; bit < log_threads; bit++) {
            const bool upper = t >> bit & 1;

#pragma unroll
            for (int i = 0; i < elements; i++) {
                const int j = i | 1 << bit;

                if (i == j)
                    continue;
                const float2 give = upper ? v[i] : v[j];
                const float2 get = make_float2(
                    __shfl_xor_sync(0xffffffffu, give.x, 1 << bit),
                    __shfl_xor_sync(0xffffffffu, give.y, 1 << bit));

                v[i] = upper ? get : v[i];
                v[j] = upper ? v[j] : get;
            }
        }

        /* Register i now holds what belongs to its number rotated. */
        float2 kept[elements];

#pragma unroll
        for (int i = 0; i < elements; i++)
            kept[i] = v[i];
#pragma unroll
        for (int i = 0; i < elements; i++)
            v[i >> log_threads |
              (i & (threads - 1)) << (LOG_E - log_threads)] = kept[i];
    }

    template <int PASS, int NS>
    static __device__ inline void passes(float2 (&v)[elements], int t,
                                         void *shared, bool again)
    {
        pass<PASS, NS>(v, t);
        if constexpr (PASS + 1 < n_passes) {
            if constexpr (EXCHANGE == SHUFFLE)
                through_lanes(v, t);
            else
                through_shared<PASS, NS>(v, t, shared, again || PASS > 0);
            passes<PASS + 1, NS * radix(PASS)>(v, t, shared, again);
        }
    }

    /* Transform; `t` is the thread's number in the transform, `shared` the
     * transform's room for shared_elements. `again`: it was used before. */
    static __device__ inline void run(float2 (&v)[elements], int t,
                                      void *shared, bool again)
    {
        passes<0, 1>(v, t, shared, again);
    }

    /* Multiply what run() left by the elements of h. It stays in the places
     * where run() begins. */
    static __device__ inline void multiply(float2 (&v)[elements], int t,
                                           const float2 *h)
    {
        constexpr int last = n_passes - 1;
        static_assert(width(0) == width(last), "the way back begins there");

#pragma unroll
        for (int i = 0; i < elements; i++)
            v[i] = mul(v[i], h[t * width(last) + element(last, i)]);
    }

    /* Real and imaginary parts. */
    static __device__ inline void swap_parts(float2 (&v)[elements])
    {
#pragma unroll
        for (int i = 0; i < elements; i++)
            v[i] = swap(v[i]);
    }

    /* Registers from and to a transform in memory whose elements stand
     * STEP*stride apart. A stride of 1 needs no products and few addresses. */
    template <bool STREAM, int STEP = 1>
    static __device__ inline void load_apart(float2 (&v)[elements], int t,
                                             const float2 *from,
                                             long long stride)
    {
        static_assert(width(0) == 1, "neighbours in a thread do not help");
        from += t * (STEP * stride);
        if (stride == 1) {
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i] = hone::load<STREAM>(from + element(0, i) * STEP);
        } else {
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i] = hone::load<STREAM>(from +
                                          element(0, i) * STEP * stride);
        }
    }
    template <bool STREAM, int STEP = 1>
    static __device__ inline void store_apart(float2 *to, int t,
                                              const float2 (&v)[elements],
                                              long long stride)
    {
        constexpr int last = n_passes - 1;

        static_assert(width(last) == 1, "neighbours in a thread do not help");
        to += t * (STEP * stride);
        if (stride == 1) {
#pragma unroll
            for (int i = 0; i < elements; i++)
                hone::store<STREAM>(to + element(last, i) * STEP, v[i]);
        } else {
#pragma unroll
            for (int i = 0; i < elements; i++)
                hone::store<STREAM>(to + element(last, i) * STEP * stride,
                                    v[i]);
        }
    }

    /* The same where they follow each other, WIDTH elements at once. */
    template <bool STREAM>
    static __device__ inline void load(float2 (&v)[elements], int t,
                                       const float2 *from)
    {
        if constexpr (width(0) == 1) {
#pragma unroll
            for (int i = 0; i < elements; i++)
                v[i] = hone::load<STREAM>(from + t + element(0, i));
        } else {
#pragma unroll
            for (int i = 0; i < elements; i += 2) {
                const float4 pair =
                    hone::load<STREAM>(reinterpret_cast<const float4 *>(
                        from + 2 * t + element(0, i)));

                v[i] = make_float2(pair.x, pair.y);
                v[i + 1] = make_float2(pair.z, pair.w);
            }
        }
    }
    template <bool STREAM>
    static __device__ inline void store(float2 *to, int t,
                                        const float2 (&v)[elements])
    {
        constexpr int last = n_passes - 1;

        if constexpr (width(last) == 1) {
#pragma unroll
            for (int i = 0; i < elements; i++)
                hone::store<STREAM>(to + t + element(last, i), v[i]);
        } else {
#pragma unroll
            for (int i = 0; i < elements; i += 2)
                hone::store<STREAM>(
                    reinterpret_cast<float4 *>(to + 2 * t + element(last, i)),
                    make_float4(v[i].x, v[i].y, v[i + 1].x, v[i + 1].y));
        }
    }
};

} /* namespace fft */
} /* namespace hone */

#endif
