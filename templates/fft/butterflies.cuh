/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of Fourier transforms that fit into registers: complex numbers,
 * butterflies of 2 to 32 elements, factors between passes. All are forward.
 * transform.cuh puts them together. No name of a template parameter: see
 * hone_device.cuh. */
#ifndef HONE_FFT_BUTTERFLIES_CUH
#define HONE_FFT_BUTTERFLIES_CUH

namespace hone {
namespace fft {

/* Where factors come from: few sines and their products, a sine for each, or
 * a table. */
enum twiddles { POWERS, DIRECT, TABLE };

/* --- complex numbers ---------------------------------------------------- */

__device__ inline float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}
__device__ inline float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline float2 swap(float2 a)
{
    return make_float2(a.y, a.x);
}
/* Times -i. */
__device__ inline float2 turn(float2 a)
{
    return make_float2(a.y, -a.x);
}

/* --- butterflies -------------------------------------------------------- */

/* Times exp(-2*pi*i * K/16), K from 0 to 9. */
template <int K> __device__ inline float2 turn16(float2 a)
{
    constexpr float c = 0x1.d906bcp-1f; /* cos(pi/8) */
    constexpr float s = 0x1.87de2ap-2f; /* sin(pi/8) */
    constexpr float h = 0x1.6a09e6p-1f; /* sqrt(1/2) */

    if constexpr (K == 0)
        return a;
    else if constexpr (K == 2)
        return make_float2((a.x + a.y) * h, (a.y - a.x) * h);
    else if constexpr (K == 4)
        return turn(a);
    else if constexpr (K > 4)
        return turn(turn16<K - 4>(a));
    else if constexpr (K == 1)
        return mul(a, make_float2(c, -s));
    else
        return mul(a, make_float2(s, -c));
}

__device__ inline void butterfly2(float2 &a, float2 &b)
{
    const float2 sum = add(a, b);

    b = sub(a, b);
    a = sum;
}

__device__ inline void butterfly4(float2 &a, float2 &b, float2 &c, float2 &d)
{
    butterfly2(a, c);
    butterfly2(b, d);
    d = turn(d);
    butterfly2(a, b);
    butterfly2(c, d);

    /* The results stand in the order 0, 2, 1, 3. */
    const float2 second = c;

    c = b;
    b = second;
}

/* Times exp(-2*pi*i * K/32), K from 0 to 15. */
template <int K> __device__ inline float2 turn32(float2 a)
{
    constexpr float c[8] = {0x1p0f,         0x1.f6297cp-1f, 0x1.d906bcp-1f,
                            0x1.a9b662p-1f, 0x1.6a09e6p-1f, 0x1.1c73b4p-1f,
                            0x1.87de2ap-2f, 0x1.8f8b84p-3f};

    if constexpr (K % 2 == 0)
        return turn16<K / 2>(a);
    else if constexpr (K > 8)
        return turn(turn32<K - 8>(a));
    else
        return mul(a, make_float2(c[K], -c[8 - K]));
}

/* Elements I, I + 16 and the following out of the transforms of halves. */
template <int I>
__device__ inline void combine(float2 (&v)[32], const float2 (&even)[16],
                               const float2 (&odd)[16])
{
    if constexpr (I < 16) {
        const float2 turned = turn32<I>(odd[I]);

        v[I] = add(even[I], turned);
        v[I + 16] = sub(even[I], turned);
        combine<I + 1>(v, even, odd);
    }
}

/* R elements in place, in their natural order. */
template <int R> __device__ inline void butterfly(float2 (&v)[R])
{
    if constexpr (R == 2) {
        butterfly2(v[0], v[1]);
    } else if constexpr (R == 4) {
        butterfly4(v[0], v[1], v[2], v[3]);
    } else if constexpr (R == 8) {
        float2 even[4] = {v[0], v[2], v[4], v[6]};
        float2 odd[4] = {v[1], v[3], v[5], v[7]};

        butterfly<4>(even);
        butterfly<4>(odd);
        odd[1] = turn16<2>(odd[1]);
        odd[2] = turn16<4>(odd[2]);
        odd[3] = turn16<6>(odd[3]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            v[i] = add(even[i], odd[i]);
            v[i + 4] = sub(even[i], odd[i]);
        }
    } else if constexpr (R == 32) {
        float2 even[16], odd[16];

#pragma unroll
        for (int i = 0; i < 16; i++) {
            even[i] = v[2 * i];
            odd[i] = v[2 * i + 1];
        }
        butterfly<16>(even);
        butterfly<16>(odd);
        combine<0>(v, even, odd);
    } else {
        static_assert(R == 16, "radices are 2, 4, 8, 16 and 32");
#pragma unroll
        for (int i = 0; i < 4; i++)
            butterfly4(v[i], v[i + 4], v[i + 8], v[i + 12]);
        v[5] = turn16<1>(v[5]);
        v[6] = turn16<2>(v[6]);
        v[7] = turn16<3>(v[7]);
        v[9] = turn16<2>(v[9]);
        v[10] = turn16<4>(v[10]);
        v[11] = turn16<6>(v[11]);
        v[13] = turn16<3>(v[13]);
        v[14] = turn16<6>(v[14]);
        v[15] = turn16<9>(v[15]);
#pragma unroll
        for (int i = 0; i < 16; i += 4)
            butterfly4(v[i], v[i + 1], v[i + 2], v[i + 3]);
        /* Element q + 4*s stands at 4*q + s. */
#pragma unroll
        for (int q = 0; q < 4; q++) {
#pragma unroll
            for (int s = q + 1; s < 4; s++) {
                const float2 low = v[4 * q + s];

                v[4 * q + s] = v[4 * s + q];
                v[4 * s + q] = low;
            }
        }
    }
}

/* --- factors ------------------------------------------------------------ */

/* cos and sin of 2*pi / 2^i, from i = 0: what a table is multiplied from. */
struct turn_parts {
    double c, s;
};
constexpr turn_parts whole_turn_over_power[17] = {
    {1.0, 0.0},
    {-1.0, 0.0},
    {0.0, 1.0},
    {0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1},
    {0x1.d906bcf328d46p-1, 0x1.87de2a6aea963p-2},
    {0x1.f6297cff75cbp-1, 0x1.8f8b83c69a60bp-3},
    {0x1.fd88da3d12526p-1, 0x1.917a6bc29b42cp-4},
    {0x1.ff621e3796d7ep-1, 0x1.91f65f10dd814p-5},
    {0x1.ffd886084cd0dp-1, 0x1.92155f7a3667ep-6},
    {0x1.fff62169b92dbp-1, 0x1.921d1fcdec784p-7},
    {0x1.fffd8858e8a92p-1, 0x1.921f0fe670071p-8},
    {0x1.ffff621621d02p-1, 0x1.921f8becca4bap-9},
    {0x1.ffffd88586ee6p-1, 0x1.921faaee6472ep-10},
    {0x1.fffff62161a34p-1, 0x1.921fb2aecb36p-11},
    {0x1.fffffd8858675p-1, 0x1.921fb49ee4ea6p-12},
    {0x1.ffffff621619cp-1, 0x1.921fb51aeb57cp-13},
    {0x1.ffffffd885867p-1, 0x1.921fb539ecf31p-14},
};

/* The factors of one pass, row r-1 those of the elements r: correctly rounded
 * but for a few. Evaluated by the compiler. */
template <int NS, int R> struct factors {
    float2 at[(R - 1) * NS];

    constexpr factors() : at{}
    {
        double c[NS * R] = {1.0}, s[NS * R] = {0.0};
        int log_size = 0;

        while ((1 << log_size) < NS * R)
            log_size++;
        for (int bit = 0; bit < log_size; bit++) {
            const turn_parts part = whole_turn_over_power[log_size - bit];

            for (int i = 0; i < 1 << bit; i++) {
                c[(1 << bit) + i] = part.c * c[i] - part.s * s[i];
                s[(1 << bit) + i] = part.s * c[i] + part.c * s[i];
            }
        }
        for (int r = 1; r < R; r++) {
            for (int k = 0; k < NS; k++) {
                at[(r - 1) * NS + k].x = (float)c[r * k];
                at[(r - 1) * NS + k].y = (float)-s[r * k];
            }
        }
    }
};
template <int NS, int R>
static __device__ const factors<NS, R> factor_table = factors<NS, R>();

/* exp(-2*pi*i * m / SIZE). The argument is exact. */
template <int SIZE> __device__ inline float2 factor(int m)
{
    float s, c;

    sincospif((float)m * (-2.0f / SIZE), &s, &c);
    return make_float2(c, s);
}

/* exp(-2*pi*i * r*K / (NS*R)) for all r, by the compiler. */
template <int NS, int R, int K> struct offsets {
    float2 at[R];

    constexpr offsets() : at{}
    {
        int log_size = 0;

        while ((1 << log_size) < NS * R)
            log_size++;
        for (int r = 0; r < R; r++) {
            double c = 1.0, s = 0.0;

            for (int bit = 0; bit < log_size; bit++) {
                const turn_parts part = whole_turn_over_power[log_size - bit];
                const double c_before = c;

                if (r * K >> bit & 1) {
                    c = part.c * c - part.s * s;
                    s = part.s * c_before + part.c * s;
                }
            }
            at[r].x = (float)c;
            at[r].y = (float)-s;
        }
    }
};

/* w[r] becomes the factor of r and k. Only those of powers of two are
 * computed, the others are their products: at most two roundings more (with
 * radix 32 three). */
template <int NS, int R>
__device__ inline void make_powers(float2 (&w)[R], int k)
{
#pragma unroll
    for (int r = 1; r < R; r++) {
        const int rest = r & (r - 1);

        w[r] = rest ? mul(w[rest], w[r - rest]) : factor<NS * R>(r * k);
    }
}

/* Multiply a[r] by the factor of r and k, r from 1 to R-1. */
template <int NS, int R, int SOURCE>
__device__ inline void twiddle(float2 (&a)[R], int k)
{
    if constexpr (SOURCE == TABLE) {
#pragma unroll
        for (int r = 1; r < R; r++)
            a[r] = mul(a[r], factor_table<NS, R>.at[(r - 1) * NS + k]);
    } else if constexpr (SOURCE == DIRECT) {
#pragma unroll
        for (int r = 1; r < R; r++)
            a[r] = mul(a[r], factor<NS * R>(r * k));
    } else {
        float2 w[R];

        make_powers<NS>(w, k);
#pragma unroll
        for (int r = 1; r < R; r++)
            a[r] = mul(a[r], w[r]);
    }
}

} /* namespace fft */
} /* namespace hone */

#endif
