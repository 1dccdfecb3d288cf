/* SPDX-License-Identifier: Apache-2.0 */
/* __half and __half2: IEEE binary16 with round to nearest even, subnormals,
 * infinities and NaN. Sums, products, quotients and roots are computed in
 * float and rounded once more, which gives the correctly rounded result (24
 * bits are enough for 11); fused operations go through double with a sticky
 * last bit. The macros serve bfloat16 too. */
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

} /* namespace hone_host */

struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};

/* A type of 16 bits with conversions and arithmetic; FROM and TO convert
 * between its bits and float. Shared by half and bfloat16. */
#define HONE_HOST_SMALL_FLOAT(type, FROM, TO)                                  \
    type() = default;                                                          \
    type(float f) : __x(FROM(f))                                               \
    {                                                                          \
    }                                                                          \
    type(double d) : __x(FROM(hone_host::sticky_float(d)))                     \
    {                                                                          \
    }                                                                          \
    type(short i) : __x(FROM(float(i)))                                        \
    {                                                                          \
    }                                                                          \
    type(unsigned short i) : __x(FROM(float(i)))                               \
    {                                                                          \
    }                                                                          \
    type(int i) : type(double(i))                                              \
    {                                                                          \
    }                                                                          \
    type(unsigned i) : type(double(i))                                         \
    {                                                                          \
    }                                                                          \
    type(long i) : type((long long)i)                                          \
    {                                                                          \
    }                                                                          \
    type(unsigned long i) : type((unsigned long long)i)                        \
    {                                                                          \
    }                                                                          \
    type(unsigned long long i) : type(hone_host::sticky_double(i))             \
    {                                                                          \
    }                                                                          \
    type(long long i)                                                          \
        : type(i < 0 ? -hone_host::sticky_double(0ull - (unsigned long long)i) \
                     : hone_host::sticky_double((unsigned long long)i))        \
    {                                                                          \
    }                                                                          \
    operator float() const                                                     \
    {                                                                          \
        return TO(__x);                                                        \
    }

struct __half {
    unsigned short __x;

    HONE_HOST_SMALL_FLOAT(__half, hone_host::float_to_half,
                          hone_host::half_to_float)
    __half(__half_raw r) : __x(r.x)
    {
    }
    operator __half_raw() const
    {
        return {__x};
    }
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b)
    {
    }
};
using half = __half;
using half2 = __half2;

/* Arithmetic of a 16-bit type T and its pair T2. Exact copies of the
 * intrinsics exist for both types of CUDA; sat clamps to [0, 1] with NaN to
 * 0. Operators work in W, wide enough that rounding twice is rounding once.
 */
#define HONE_HOST_SMALL_OPERATOR(T, T2, W, op)                                 \
    inline T operator op(T a, T b)                                             \
    {                                                                          \
        return T(W(float(a)) op W(float(b)));                                  \
    }                                                                          \
    inline T2 operator op(T2 a, T2 b)                                          \
    {                                                                          \
        return T2(a.x op b.x, a.y op b.y);                                     \
    }                                                                          \
    inline T &operator op##=(T &a, T b)                                        \
    {                                                                          \
        return a = a op b;                                                     \
    }                                                                          \
    inline T2 &operator op##=(T2 &a, T2 b)                                     \
    {                                                                          \
        return a = a op b;                                                     \
    }
#define HONE_HOST_SMALL_COMPARE(T, T2, name, op)                               \
    inline bool operator op(T a, T b)                                          \
    {                                                                          \
        return float(a) op float(b);                                           \
    }                                                                          \
    inline bool operator op(T2 a, T2 b)                                        \
    {                                                                          \
        return a.x op b.x && a.y op b.y;                                       \
    }                                                                          \
    inline bool __h##name(T a, T b)                                            \
    {                                                                          \
        return float(a) op float(b);                                           \
    }                                                                          \
    inline bool __h##name##u(T a, T b)                                         \
    {                                                                          \
        return !(float(a) == float(a) && float(b) == float(b)) ||              \
               float(a) op float(b);                                           \
    }                                                                          \
    inline bool __hb##name##2(T2 a, T2 b)                                      \
    {                                                                          \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                     \
    }                                                                          \
    inline T2 __h##name##2(T2 a, T2 b)                                         \
    {                                                                          \
        return T2(T(__h##name(a.x, b.x) ? 1.0f : 0.0f),                        \
                  T(__h##name(a.y, b.y) ? 1.0f : 0.0f));                       \
    }
#define HONE_HOST_SMALL_BINARY(T, T2, name, expression)                        \
    inline T name(T a, T b)                                                    \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    inline T2 name##2(T2 a, T2 b)                                              \
    {                                                                          \
        return T2(name(a.x, b.x), name(a.y, b.y));                             \
    }
/* Names of functions of one value: h.. in CUDA, h2.. for pairs. */
#define HONE_HOST_SMALL_UNARY(T, T2, name, name2, expression)                  \
    inline T name(T a)                                                         \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    inline T2 name2(T2 a)                                                      \
    {                                                                          \
        return T2(name(a.x), name(a.y));                                       \
    }

namespace hone_host
{

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

} /* namespace hone_host */

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
    inline bool operator!=(T a, T b)                                           \
    {                                                                          \
        return float(a) != float(b);                                           \
    }                                                                          \
    inline bool operator!=(T2 a, T2 b)                                         \
    {                                                                          \
        return a.x != b.x && a.y != b.y;                                       \
    }                                                                          \
    inline bool __hne(T a, T b)                                                \
    {                                                                          \
        return float(a) < float(b) || float(a) > float(b);                     \
    }                                                                          \
    inline bool __hneu(T a, T b)                                               \
    {                                                                          \
        return float(a) != float(b);                                           \
    }                                                                          \
    inline T operator-(T a)                                                    \
    {                                                                          \
        a.__x ^= 0x8000u;                                                      \
        return a;                                                              \
    }                                                                          \
    inline T operator+(T a)                                                    \
    {                                                                          \
        return a;                                                              \
    }                                                                          \
    inline T2 operator-(T2 a)                                                  \
    {                                                                          \
        return T2(-a.x, -a.y);                                                 \
    }                                                                          \
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
    inline T __hdiv(T a, T b)                                                  \
    {                                                                          \
        return a / b;                                                          \
    }                                                                          \
    inline T2 __h2div(T2 a, T2 b)                                              \
    {                                                                          \
        return a / b;                                                          \
    }                                                                          \
    inline T __hfma(T a, T b, T c)                                             \
    {                                                                          \
        return T(hone_host::sticky_fma(float(a), float(b), float(c)));         \
    }                                                                          \
    inline T2 __hfma2(T2 a, T2 b, T2 c)                                        \
    {                                                                          \
        return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));               \
    }                                                                          \
    inline T __hfma_sat(T a, T b, T c)                                         \
    {                                                                          \
        return T(hone_host::saturate(__hfma(a, b, c)));                        \
    }                                                                          \
    inline T __hfma_relu(T a, T b, T c)                                        \
    {                                                                          \
        return T(hone_host::greater(__hfma(a, b, c), 0.0f));                   \
    }                                                                          \
    inline T2 __hfma2_relu(T2 a, T2 b, T2 c)                                   \
    {                                                                          \
        return T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));     \
    }                                                                          \
    inline bool __hisnan(T a)                                                  \
    {                                                                          \
        return float(a) != float(a);                                           \
    }                                                                          \
    inline int __hisinf(T a)                                                   \
    {                                                                          \
        return __builtin_isinf_sign(float(a));                                 \
    }                                                                          \
    HONE_HOST_SMALL_UNARY(T, T2, __hneg, __hneg2, -a)                          \
    HONE_HOST_SMALL_UNARY(T, T2, __habs, __habs2, T(__builtin_fabsf(a)))       \
    HONE_HOST_SMALL_UNARY(T, T2, hsqrt, h2sqrt, T(__builtin_sqrtf(a)))         \
    HONE_HOST_SMALL_UNARY(T, T2, hrsqrt, h2rsqrt,                              \
                          T(1.0 / __builtin_sqrt(double(float(a)))))           \
    HONE_HOST_SMALL_UNARY(T, T2, hrcp, h2rcp, T(1.0f / float(a)))              \
    HONE_HOST_SMALL_UNARY(T, T2, hexp, h2exp,                                  \
                          T(__builtin_exp(double(float(a)))))                  \
    HONE_HOST_SMALL_UNARY(T, T2, hexp2, h2exp2,                                \
                          T(__builtin_exp2(double(float(a)))))                 \
    HONE_HOST_SMALL_UNARY(T, T2, hexp10, h2exp10,                              \
                          T(__builtin_pow(10.0, double(float(a)))))            \
    HONE_HOST_SMALL_UNARY(T, T2, hlog, h2log,                                  \
                          T(__builtin_log(double(float(a)))))                  \
    HONE_HOST_SMALL_UNARY(T, T2, hlog2, h2log2,                                \
                          T(__builtin_log2(double(float(a)))))                 \
    HONE_HOST_SMALL_UNARY(T, T2, hlog10, h2log10,                              \
                          T(__builtin_log10(double(float(a)))))                \
    HONE_HOST_SMALL_UNARY(T, T2, hsin, h2sin,                                  \
                          T(__builtin_sin(double(float(a)))))                  \
    HONE_HOST_SMALL_UNARY(T, T2, hcos, h2cos,                                  \
                          T(__builtin_cos(double(float(a)))))                  \
    HONE_HOST_SMALL_UNARY(T, T2, htanh, h2tanh,                                \
                          T(__builtin_tanh(double(float(a)))))                 \
    HONE_HOST_SMALL_UNARY(T, T2, hfloor, h2floor, T(__builtin_floorf(a)))      \
    HONE_HOST_SMALL_UNARY(T, T2, hceil, h2ceil, T(__builtin_ceilf(a)))         \
    HONE_HOST_SMALL_UNARY(T, T2, htrunc, h2trunc, T(__builtin_truncf(a)))      \
    HONE_HOST_SMALL_UNARY(T, T2, hrint, h2rint, T(__builtin_rintf(a)))

HONE_HOST_SMALL_ARITHMETIC(__half, __half2, float)

/* --- conversions -------------------------------------------------------- */

namespace hone_host
{

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

/* The functions CUDA names after the type: T2int_rn and the like. */
#define HONE_HOST_SMALL_TO_INT(T, N, I, name)                                  \
    inline I __##N##2##name##_rn(T a)                                          \
    {                                                                          \
        return hone_host::clamp_to<I>(__builtin_rintf(a));                     \
    }                                                                          \
    inline I __##N##2##name##_rz(T a)                                          \
    {                                                                          \
        return hone_host::clamp_to<I>(__builtin_truncf(a));                    \
    }                                                                          \
    inline I __##N##2##name##_rd(T a)                                          \
    {                                                                          \
        return hone_host::clamp_to<I>(__builtin_floorf(a));                    \
    }                                                                          \
    inline I __##N##2##name##_ru(T a)                                          \
    {                                                                          \
        return hone_host::clamp_to<I>(__builtin_ceilf(a));                     \
    }                                                                          \
    inline T __##name##2##N##_rn(I i)                                          \
    {                                                                          \
        return T(i);                                                           \
    }
#define HONE_HOST_SMALL_CONVERT(T, T2, N, N2)                                  \
    inline T __float2##N(float f)                                              \
    {                                                                          \
        return T(f);                                                           \
    }                                                                          \
    inline T __float2##N##_rn(float f)                                         \
    {                                                                          \
        return T(f);                                                           \
    }                                                                          \
    inline T __double2##N(double d)                                            \
    {                                                                          \
        return T(d);                                                           \
    }                                                                          \
    inline float __##N##2float(T a)                                            \
    {                                                                          \
        return float(a);                                                       \
    }                                                                          \
    inline T2 __float2##N2##_rn(float f)                                       \
    {                                                                          \
        return T2(T(f), T(f));                                                 \
    }                                                                          \
    inline T2 __floats2##N2##_rn(float a, float b)                             \
    {                                                                          \
        return T2(T(a), T(b));                                                 \
    }                                                                          \
    inline T2 __float22##N2##_rn(float2 f)                                     \
    {                                                                          \
        return T2(T(f.x), T(f.y));                                             \
    }                                                                          \
    inline T2 make_##N2(T a, T b)                                              \
    {                                                                          \
        return T2(a, b);                                                       \
    }                                                                          \
    inline float __low2float(T2 a)                                             \
    {                                                                          \
        return float(a.x);                                                     \
    }                                                                          \
    inline float __high2float(T2 a)                                            \
    {                                                                          \
        return float(a.y);                                                     \
    }                                                                          \
    inline T __low2##N(T2 a)                                                   \
    {                                                                          \
        return a.x;                                                            \
    }                                                                          \
    inline T __high2##N(T2 a)                                                  \
    {                                                                          \
        return a.y;                                                            \
    }                                                                          \
    inline T2 __##N##2##N2(T a)                                                \
    {                                                                          \
        return T2(a, a);                                                       \
    }                                                                          \
    inline T2 __low2##N2(T2 a)                                                 \
    {                                                                          \
        return T2(a.x, a.x);                                                   \
    }                                                                          \
    inline T2 __high2##N2(T2 a)                                                \
    {                                                                          \
        return T2(a.y, a.y);                                                   \
    }                                                                          \
    inline T2 __lowhigh2highlow(T2 a)                                          \
    {                                                                          \
        return T2(a.y, a.x);                                                   \
    }                                                                          \
    inline T2 __lows2##N2(T2 a, T2 b)                                          \
    {                                                                          \
        return T2(a.x, b.x);                                                   \
    }                                                                          \
    inline T2 __highs2##N2(T2 a, T2 b)                                         \
    {                                                                          \
        return T2(a.y, b.y);                                                   \
    }                                                                          \
    inline unsigned short __##N##_as_ushort(T a)                               \
    {                                                                          \
        return a.__x;                                                          \
    }                                                                          \
    inline short __##N##_as_short(T a)                                         \
    {                                                                          \
        return short(a.__x);                                                   \
    }                                                                          \
    inline T __ushort_as_##N(unsigned short bits)                              \
    {                                                                          \
        return hone_host::bits_as<T>(bits);                                    \
    }                                                                          \
    inline T __short_as_##N(short bits)                                        \
    {                                                                          \
        return hone_host::bits_as<T>(bits);                                    \
    }                                                                          \
    HONE_HOST_SMALL_TO_INT(T, N, int, int)                                     \
    HONE_HOST_SMALL_TO_INT(T, N, unsigned, uint)                               \
    HONE_HOST_SMALL_TO_INT(T, N, short, short)                                 \
    HONE_HOST_SMALL_TO_INT(T, N, unsigned short, ushort)                       \
    HONE_HOST_SMALL_TO_INT(T, N, long long, ll)                                \
    HONE_HOST_SMALL_TO_INT(T, N, unsigned long long, ull)

HONE_HOST_SMALL_CONVERT(__half, __half2, half, half2)

inline __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
inline float2 __half22float2(__half2 a)
{
    return make_float2(a.x, a.y);
}

#endif
