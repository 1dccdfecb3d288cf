/* SPDX-License-Identifier: Apache-2.0 */
/* __half and __nv_bfloat16 and their pairs: 16 bits with round to nearest
 * even, subnormals, infinities and NaN. Sums, products, quotients and roots
 * are computed in W (float of half, double of bfloat16), wide enough that
 * rounding twice is rounding once; fused operations go through double with a
 * sticky last bit. */
#ifndef HONE_TUNER_HOST_HALF_H
#define HONE_TUNER_HOST_HALF_H

#include <host_vectors.h>
#include <stdint.h>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace hone_host
{

template <typename TO, typename FROM> inline TO bits_as(FROM v)
{
    static_assert(sizeof(TO) == sizeof(FROM), "the same bits");
    TO to;

    __builtin_memcpy(&to, &v, sizeof(to));
    return to;
}

/* Exact. 2^112 moves the exponent; subnormals come out normal by it. */
inline float half_to_float(uint16_t h)
{
#if defined(__F16C__)
    return _cvtsh_ss(h);
#else
    const uint32_t sign = uint32_t(h & 0x8000u) << 16;
    const uint32_t rest = h & 0x7fffu;
    uint32_t bits = bits_as<uint32_t>(bits_as<float>(rest << 13) * 0x1p112f);

    if (rest >= 0x7c00u)
        bits |= 0x7f800000u;
    return bits_as<float>(bits | sign);
#endif
}

/* NaN becomes 0x7fff, as on the device. */
inline uint16_t float_to_half(float f)
{
    const uint32_t bits = bits_as<uint32_t>(f);
    const uint16_t sign = uint16_t(bits >> 16 & 0x8000u);
    uint32_t rest = bits & 0x7fffffffu;

    if (rest > 0x7f800000u)
        return 0x7fff;
    if (rest >= 0x477ff000u) /* 65520 and more */
        return uint16_t(sign | 0x7c00u);
    if (rest < 0x38800000u) { /* subnormal: the sum's unit is 2^-24 */
        const float sum = bits_as<float>(rest) + 0.5f;
        return uint16_t(sign | (bits_as<uint32_t>(sum) - 0x3f000000u));
    }
    rest += 0xfffu + (rest >> 13 & 1) - 0x38000000u;
    return uint16_t(sign | rest >> 13);
}

inline float bfloat16_to_float(uint16_t b)
{
    return bits_as<float>(uint32_t(b) << 16);
}

/* NaN becomes 0x7fff, as on the device. */
inline uint16_t float_to_bfloat16(float f)
{
    const uint32_t bits = bits_as<uint32_t>(f);

    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return uint16_t((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* The nearest float towards zero with its last bit set if that was not
 * exact: rounding it to fewer bits rounds the double once. */
inline float sticky_float(double d)
{
    float f = float(d);
    uint32_t bits = bits_as<uint32_t>(f);

    if (double(f) == d || d != d)
        return f;
    if ((bits & 0x7f800000u) == 0x7f800000u)
        bits--; /* too large for a float */
    else if (__builtin_fabs(double(f)) > __builtin_fabs(d))
        bits--;
    return bits_as<float>(bits | 1);
}

/* a*b + c for values of at most 24 bits: the product is exact in double, the
 * sum gets a sticky last bit. */
inline double sticky_fma(double a, double b, double c)
{
    const double p = a * b;
    const double s = p + c;
    const double back = s - p;
    const double error = (p - (s - back)) + (c - back);
    uint64_t bits = bits_as<uint64_t>(s);

    if (!(error != 0.0) || s - s != 0.0)
        return s;
    if (!(bits & 1)) {
        /* The true value lies between s and a neighbour; take the odd one. */
        if ((error > 0.0) == (s > 0.0))
            bits++;
        else
            bits--;
    }
    return bits_as<double>(bits);
}

/* An integer as double whose last bit is sticky. */
inline double sticky_double(unsigned long long u)
{
    if (u >> 53)
        return double(u >> 11 | ((u & 2047) != 0)) * 2048.0;
    return double(u);
}
inline double sticky_double(long long i)
{
    const auto u = static_cast<unsigned long long>(i);

    return i < 0 ? -sticky_double(0ull - u) : sticky_double(u);
}

inline float saturate(float f)
{
    return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
}

/* Of two values the one that is a number; -0 is less than 0. */
inline float lesser(float a, float b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
}
inline float greater(float a, float b)
{
    if (a != a || b != b)
        return a != a ? b : a;
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
}

/* Float to an integer type: out of range is the nearest end, NaN is 0. */
template <typename I> inline I clamp_to(double d)
{
    const I lowest = I(-1) < I(0) ? I(1ull << (8 * sizeof(I) - 1)) : I(0);
    const I highest = I(~lowest);

    if (d != d)
        return 0;
    if (d <= double(lowest))
        return lowest;
    return d >= double(highest) ? highest : I(d);
}

} /* namespace hone_host */

/* --- the types ---------------------------------------------------------- */

#define HONE_HOST_SMALL_FROM(T, I, ...)                                        \
    T(I v) : __VA_ARGS__                                                       \
    {                                                                          \
    }
#define HONE_HOST_SMALL_TYPES(T, T2, N)                                        \
    struct T##_raw {                                                           \
        unsigned short x;                                                      \
    };                                                                         \
    struct T2##_raw {                                                          \
        unsigned short x, y;                                                   \
    };                                                                         \
    struct T {                                                                 \
        unsigned short __x;                                                    \
        T() = default;                                                         \
        HONE_HOST_SMALL_FROM(T, T##_raw, __x(v.x))                             \
        HONE_HOST_SMALL_FROM(T, float, __x(hone_host::float_to_##N(v)))        \
        HONE_HOST_SMALL_FROM(T, double, T(hone_host::sticky_float(v)))         \
        HONE_HOST_SMALL_FROM(T, short, T(float(v)))                            \
        HONE_HOST_SMALL_FROM(T, unsigned short, T(float(v)))                   \
        HONE_HOST_SMALL_FROM(T, int, T(double(v)))                             \
        HONE_HOST_SMALL_FROM(T, unsigned, T(double(v)))                        \
        HONE_HOST_SMALL_FROM(T, long, T((long long)v))                         \
        HONE_HOST_SMALL_FROM(T, unsigned long, T((unsigned long long)v))       \
        HONE_HOST_SMALL_FROM(T, unsigned long long,                            \
                             T(hone_host::sticky_double(v)))                   \
        HONE_HOST_SMALL_FROM(T, long long, T(hone_host::sticky_double(v)))     \
        operator float() const                                                 \
        {                                                                      \
            return hone_host::N##_to_float(__x);                               \
        }                                                                      \
        operator T##_raw() const                                               \
        {                                                                      \
            return {__x};                                                      \
        }                                                                      \
    };                                                                         \
    struct __attribute__((aligned(4))) T2 {                                    \
        T x, y;                                                                \
        T2() = default;                                                        \
        T2(T a, T b) : x(a), y(b)                                              \
        {                                                                      \
        }                                                                      \
    };

/* --- arithmetic --------------------------------------------------------- */

/* Functions come for T and for the pair T2; CUDA's names end with 2 then, or
 * begin with h2. `_sat` clamps to [0, 1] with NaN to 0. */
#define HONE_HOST_SMALL_OPERATOR(T, T2, W, op)                                 \
    HONE_HOST_FN(T, operator op, (T a, T b), T(W(float(a)) op W(float(b))))    \
    HONE_HOST_FN(T2, operator op, (T2 a, T2 b), T2(a.x op b.x, a.y op b.y))    \
    HONE_HOST_FN(T &, operator op##=, (T & a, T b), a = a op b)                \
    HONE_HOST_FN(T2 &, operator op##=, (T2 & a, T2 b), a = a op b)
#define HONE_HOST_SMALL_EQUAL(T, T2, op)                                       \
    HONE_HOST_FN(bool, operator op, (T a, T b), float(a) op float(b))          \
    HONE_HOST_FN(bool, operator op, (T2 a, T2 b), a.x op b.x &&a.y op b.y)
#define HONE_HOST_SMALL_COMPARE(T, T2, name, op)                               \
    HONE_HOST_SMALL_EQUAL(T, T2, op)                                           \
    HONE_HOST_FN(bool, __h##name, (T a, T b), float(a) op float(b))            \
    HONE_HOST_FN(bool, __h##name##u, (T a, T b),                               \
                 !(float(a) == float(a) && float(b) == float(b)) ||            \
                     float(a) op float(b))                                     \
    HONE_HOST_FN(bool, __hb##name##2, (T2 a, T2 b),                            \
                 __h##name(a.x, b.x) && __h##name(a.y, b.y))                   \
    HONE_HOST_FN(                                                              \
        T2, __h##name##2, (T2 a, T2 b),                                        \
        T2(T(float(__h##name(a.x, b.x))), T(float(__h##name(a.y, b.y)))))
#define HONE_HOST_SMALL_BINARY(T, T2, name, expression)                        \
    HONE_HOST_FN(T, name, (T a, T b), expression)                              \
    HONE_HOST_FN(T2, name##2, (T2 a, T2 b), T2(name(a.x, b.x), name(a.y, b.y)))
#define HONE_HOST_SMALL_SIGN(T, T2, name, expression)                          \
    HONE_HOST_FN(T, name, (T a), expression)                                   \
    HONE_HOST_FN(T2, name##2, (T2 a), T2(name(a.x), name(a.y)))
/* Of a value `v` in the type V. */
#define HONE_HOST_SMALL_UNARY(T, T2, name, V, expression)                      \
    inline T h##name(T a)                                                      \
    {                                                                          \
        const V v = float(a);                                                  \
        return T(expression);                                                  \
    }                                                                          \
    HONE_HOST_FN(T2, h2##name, (T2 a), T2(h##name(a.x), h##name(a.y)))

#define HONE_HOST_SMALL_ARITHMETIC(T, T2, W)                                   \
    HONE_HOST_SMALL_OPERATOR(T, T2, W, +)                                      \
    HONE_HOST_SMALL_OPERATOR(T, T2, W, -)                                      \
    HONE_HOST_SMALL_OPERATOR(T, T2, W, *)                                      \
    HONE_HOST_SMALL_OPERATOR(T, T2, W, /)                                      \
    HONE_HOST_SMALL_COMPARE(T, T2, eq, ==)                                     \
    HONE_HOST_SMALL_COMPARE(T, T2, lt, <)                                      \
    HONE_HOST_SMALL_COMPARE(T, T2, le, <=)                                     \
    HONE_HOST_SMALL_COMPARE(T, T2, gt, >)                                      \
    HONE_HOST_SMALL_COMPARE(T, T2, ge, >=)                                     \
    HONE_HOST_SMALL_EQUAL(T, T2, !=)                                           \
    HONE_HOST_FN(bool, __hne, (T a, T b),                                      \
                 float(a) < float(b) || float(a) > float(b))                   \
    HONE_HOST_FN(bool, __hneu, (T a, T b), float(a) != float(b))               \
    HONE_HOST_FN(T, operator-, (T a), (a.__x ^= 0x8000u, a))                   \
    HONE_HOST_FN(T, operator+, (T a), a)                                       \
    HONE_HOST_FN(T2, operator-, (T2 a), T2(-a.x, -a.y))                        \
    HONE_HOST_SMALL_BINARY(T, T2, __hadd, a + b)                               \
    HONE_HOST_SMALL_BINARY(T, T2, __hsub, a - b)                               \
    HONE_HOST_SMALL_BINARY(T, T2, __hmul, a *b)                                \
    HONE_HOST_SMALL_BINARY(T, T2, __hadd_rn, a + b)                            \
    HONE_HOST_SMALL_BINARY(T, T2, __hsub_rn, a - b)                            \
    HONE_HOST_SMALL_BINARY(T, T2, __hmul_rn, a *b)                             \
    HONE_HOST_SMALL_BINARY(T, T2, __hadd_sat, T(hone_host::saturate(a + b)))   \
    HONE_HOST_SMALL_BINARY(T, T2, __hsub_sat, T(hone_host::saturate(a - b)))   \
    HONE_HOST_SMALL_BINARY(T, T2, __hmul_sat, T(hone_host::saturate(a *b)))    \
    HONE_HOST_SMALL_BINARY(T, T2, __hmin, T(hone_host::lesser(a, b)))          \
    HONE_HOST_SMALL_BINARY(T, T2, __hmax, T(hone_host::greater(a, b)))         \
    HONE_HOST_FN(T, __hdiv, (T a, T b), a / b)                                 \
    HONE_HOST_FN(T2, __h2div, (T2 a, T2 b), a / b)                             \
    HONE_HOST_FN(T, __hfma, (T a, T b, T c),                                   \
                 T(hone_host::sticky_fma(float(a), float(b), float(c))))       \
    HONE_HOST_FN(T2, __hfma2, (T2 a, T2 b, T2 c),                              \
                 T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)))             \
    HONE_HOST_FN(T, __hfma_sat, (T a, T b, T c),                               \
                 T(hone_host::saturate(__hfma(a, b, c))))                      \
    HONE_HOST_FN(T, __hfma_relu, (T a, T b, T c),                              \
                 T(hone_host::greater(__hfma(a, b, c), 0.0f)))                 \
    HONE_HOST_FN(T2, __hfma2_relu, (T2 a, T2 b, T2 c),                         \
                 T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)))   \
    HONE_HOST_FN(bool, __hisnan, (T a), float(a) != float(a))                  \
    HONE_HOST_FN(int, __hisinf, (T a), __builtin_isinf_sign(float(a)))         \
    HONE_HOST_SMALL_SIGN(T, T2, __hneg, -a)                                    \
    HONE_HOST_SMALL_SIGN(T, T2, __habs, T(__builtin_fabsf(a)))                 \
    HONE_HOST_SMALL_UNARY(T, T2, sqrt, float, __builtin_sqrtf(v))              \
    HONE_HOST_SMALL_UNARY(T, T2, rsqrt, double, 1.0 / __builtin_sqrt(v))       \
    HONE_HOST_SMALL_UNARY(T, T2, rcp, float, 1.0f / v)                         \
    HONE_HOST_SMALL_UNARY(T, T2, exp, double, __builtin_exp(v))                \
    HONE_HOST_SMALL_UNARY(T, T2, exp2, double, __builtin_exp2(v))              \
    HONE_HOST_SMALL_UNARY(T, T2, exp10, double, __builtin_pow(10.0, v))        \
    HONE_HOST_SMALL_UNARY(T, T2, log, double, __builtin_log(v))                \
    HONE_HOST_SMALL_UNARY(T, T2, log2, double, __builtin_log2(v))              \
    HONE_HOST_SMALL_UNARY(T, T2, log10, double, __builtin_log10(v))            \
    HONE_HOST_SMALL_UNARY(T, T2, sin, double, __builtin_sin(v))                \
    HONE_HOST_SMALL_UNARY(T, T2, cos, double, __builtin_cos(v))                \
    HONE_HOST_SMALL_UNARY(T, T2, tanh, double, __builtin_tanh(v))              \
    HONE_HOST_SMALL_UNARY(T, T2, floor, float, __builtin_floorf(v))            \
    HONE_HOST_SMALL_UNARY(T, T2, ceil, float, __builtin_ceilf(v))              \
    HONE_HOST_SMALL_UNARY(T, T2, trunc, float, __builtin_truncf(v))            \
    HONE_HOST_SMALL_UNARY(T, T2, rint, float, __builtin_rintf(v))

/* --- conversions -------------------------------------------------------- */

/* The functions CUDA names after the types: half2int_rn and the like. */
#define HONE_HOST_TO_INT_BY(F, f, I, i, suffix, round)                         \
    HONE_HOST_FN(I, __##f##2##i##_##suffix, (F x),                             \
                 hone_host::clamp_to<I>(__builtin_##round(x)))
#define HONE_HOST_TO_INT(F, f, I, i)                                           \
    HONE_HOST_TO_INT_BY(F, f, I, i, rn, rint)                                  \
    HONE_HOST_TO_INT_BY(F, f, I, i, rz, trunc)                                 \
    HONE_HOST_TO_INT_BY(F, f, I, i, rd, floor)                                 \
    HONE_HOST_TO_INT_BY(F, f, I, i, ru, ceil)
#define HONE_HOST_SMALL_INTEGER(T, N, I, i)                                    \
    HONE_HOST_TO_INT(T, N, I, i)                                               \
    HONE_HOST_FN(T, __##i##2##N##_rn, (I v), T(v))
#define HONE_HOST_SMALL_CONVERT(T, T2, N, N2)                                  \
    HONE_HOST_FN(T, __float2##N, (float f), T(f))                              \
    HONE_HOST_FN(T, __float2##N##_rn, (float f), T(f))                         \
    HONE_HOST_FN(T, __double2##N, (double d), T(d))                            \
    HONE_HOST_FN(float, __##N##2float, (T a), float(a))                        \
    HONE_HOST_FN(T2, __float2##N2##_rn, (float f), T2(T(f), T(f)))             \
    HONE_HOST_FN(T2, __floats2##N2##_rn, (float a, float b), T2(T(a), T(b)))   \
    HONE_HOST_FN(T2, __float22##N2##_rn, (float2 f), T2(T(f.x), T(f.y)))       \
    HONE_HOST_FN(T2, make_##N2, (T a, T b), T2(a, b))                          \
    HONE_HOST_FN(float, __low2float, (T2 a), float(a.x))                       \
    HONE_HOST_FN(float, __high2float, (T2 a), float(a.y))                      \
    HONE_HOST_FN(T, __low2##N, (T2 a), a.x)                                    \
    HONE_HOST_FN(T, __high2##N, (T2 a), a.y)                                   \
    HONE_HOST_FN(T2, __##N##2##N2, (T a), T2(a, a))                            \
    HONE_HOST_FN(T2, __low2##N2, (T2 a), T2(a.x, a.x))                         \
    HONE_HOST_FN(T2, __high2##N2, (T2 a), T2(a.y, a.y))                        \
    HONE_HOST_FN(T2, __lowhigh2highlow, (T2 a), T2(a.y, a.x))                  \
    HONE_HOST_FN(T2, __lows2##N2, (T2 a, T2 b), T2(a.x, b.x))                  \
    HONE_HOST_FN(T2, __highs2##N2, (T2 a, T2 b), T2(a.y, b.y))                 \
    HONE_HOST_FN(unsigned short, __##N##_as_ushort, (T a), a.__x)              \
    HONE_HOST_FN(short, __##N##_as_short, (T a), short(a.__x))                 \
    HONE_HOST_FN(T, __ushort_as_##N, (unsigned short bits),                    \
                 hone_host::bits_as<T>(bits))                                  \
    HONE_HOST_FN(T, __short_as_##N, (short bits), hone_host::bits_as<T>(bits)) \
    HONE_HOST_SMALL_INTEGER(T, N, int, int)                                    \
    HONE_HOST_SMALL_INTEGER(T, N, unsigned, uint)                              \
    HONE_HOST_SMALL_INTEGER(T, N, short, short)                                \
    HONE_HOST_SMALL_INTEGER(T, N, unsigned short, ushort)                      \
    HONE_HOST_SMALL_INTEGER(T, N, long long, ll)                               \
    HONE_HOST_SMALL_INTEGER(T, N, unsigned long long, ull)                     \
    HONE_HOST_FN(T2, __halves2##N2, (T a, T b), T2(a, b))                      \
    HONE_HOST_FN(float2, __##N2##2float2, (T2 a), make_float2(a.x, a.y))

#define HONE_HOST_SMALL(T, T2, N, N2, W)                                       \
    HONE_HOST_SMALL_TYPES(T, T2, N)                                            \
    HONE_HOST_SMALL_ARITHMETIC(T, T2, W)                                       \
    HONE_HOST_SMALL_CONVERT(T, T2, N, N2)

HONE_HOST_SMALL(__half, __half2, half, half2, float)
HONE_HOST_SMALL(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, double)
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#endif
