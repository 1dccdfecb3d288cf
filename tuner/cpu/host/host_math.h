/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's mathematical functions under their names. Those of C are declared
 * here rather than included, which halves the time the headers take; the
 * fast intrinsics are the exact functions, which lie within their bounds. */
#ifndef HONE_TUNER_HOST_MATH_H
#define HONE_TUNER_HOST_MATH_H

#include <host_half.h>

/* A function of C: its double and float form, and the float overload. */
#define HONE_HOST_MATH_1(name)                                                 \
    extern "C" double name(double) noexcept;                                   \
    extern "C" float name##f(float) noexcept;                                  \
    inline float name(float x)                                                 \
    {                                                                          \
        return name##f(x);                                                     \
    }
#define HONE_HOST_MATH_2(name)                                                 \
    extern "C" double name(double, double) noexcept;                           \
    extern "C" float name##f(float, float) noexcept;                           \
    inline float name(float x, float y)                                        \
    {                                                                          \
        return name##f(x, y);                                                  \
    }                                                                          \
    inline double name(double x, float y)                                      \
    {                                                                          \
        return name(x, double(y));                                             \
    }                                                                          \
    inline double name(float x, double y)                                      \
    {                                                                          \
        return name(double(x), y);                                             \
    }

HONE_HOST_MATH_1(acos)
HONE_HOST_MATH_1(acosh)
HONE_HOST_MATH_1(asin)
HONE_HOST_MATH_1(asinh)
HONE_HOST_MATH_1(atan)
HONE_HOST_MATH_1(atanh)
HONE_HOST_MATH_1(cbrt)
HONE_HOST_MATH_1(ceil)
HONE_HOST_MATH_1(cos)
HONE_HOST_MATH_1(cosh)
HONE_HOST_MATH_1(erf)
HONE_HOST_MATH_1(erfc)
HONE_HOST_MATH_1(exp)
HONE_HOST_MATH_1(exp2)
HONE_HOST_MATH_1(expm1)
HONE_HOST_MATH_1(fabs)
HONE_HOST_MATH_1(floor)
HONE_HOST_MATH_1(lgamma)
HONE_HOST_MATH_1(log)
HONE_HOST_MATH_1(log10)
HONE_HOST_MATH_1(log1p)
HONE_HOST_MATH_1(log2)
HONE_HOST_MATH_1(logb)
HONE_HOST_MATH_1(nearbyint)
HONE_HOST_MATH_1(rint)
HONE_HOST_MATH_1(round)
HONE_HOST_MATH_1(sin)
HONE_HOST_MATH_1(sinh)
HONE_HOST_MATH_1(sqrt)
HONE_HOST_MATH_1(tan)
HONE_HOST_MATH_1(tanh)
HONE_HOST_MATH_1(tgamma)
HONE_HOST_MATH_1(trunc)
HONE_HOST_MATH_2(atan2)
HONE_HOST_MATH_2(copysign)
HONE_HOST_MATH_2(fdim)
HONE_HOST_MATH_2(fmax)
HONE_HOST_MATH_2(fmin)
HONE_HOST_MATH_2(fmod)
HONE_HOST_MATH_2(hypot)
HONE_HOST_MATH_2(nextafter)
HONE_HOST_MATH_2(pow)
HONE_HOST_MATH_2(remainder)
#undef HONE_HOST_MATH_1
#undef HONE_HOST_MATH_2

extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double frexp(double, int *) noexcept;
float frexpf(float, int *) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double modf(double, double *) noexcept;
float modff(float, float *) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}

inline float fma(float a, float b, float c)
{
    return fmaf(a, b, c);
}
inline float frexp(float x, int *e)
{
    return frexpf(x, e);
}
inline float ldexp(float x, int e)
{
    return ldexpf(x, e);
}
inline double scalbn(double x, int e)
{
    return ldexp(x, e);
}
inline float scalbnf(float x, int e)
{
    return ldexpf(x, e);
}
inline float pow(float x, int n)
{
    return powf(x, float(n));
}
inline double pow(double x, int n)
{
    return pow(x, double(n));
}
inline long abs(long x)
{
    return labs(x);
}
inline long long abs(long long x)
{
    return llabs(x);
}
inline float abs(float x)
{
    return fabsf(x);
}
inline double abs(double x)
{
    return fabs(x);
}

template <typename T> inline bool isnan(T x)
{
    return __builtin_isnan(x);
}
template <typename T> inline bool isinf(T x)
{
    return __builtin_isinf(x);
}
template <typename T> inline bool isfinite(T x)
{
    return __builtin_isfinite(x);
}
template <typename T> inline bool signbit(T x)
{
    return __builtin_signbit(x);
}
inline float nanf(const char *)
{
    return __builtin_nanf("");
}

/* --- functions C lacks -------------------------------------------------- */

/* sin and cos of pi*x: exact where the argument is a multiple of a half. */
inline void sincospi(double x, double *s, double *c)
{
    const double pi = 3.14159265358979323846;
    const double n = rint(2.0 * x); /* quarter turns */
    const double rest = pi * (x - 0.5 * n);
    const double sine = sin(rest), cosine = cos(rest);
    const int turn = int(n - 4.0 * floor(n * 0.25));

    *s = turn == 0 ? sine : turn == 1 ? cosine : turn == 2 ? -sine : -cosine;
    *c = turn == 0 ? cosine : turn == 1 ? -sine : turn == 2 ? -cosine : sine;
}
inline void sincospif(float x, float *s, float *c)
{
    double sd, cd;

    sincospi(double(x), &sd, &cd);
    *s = float(sd);
    *c = float(cd);
}
inline double sinpi(double x)
{
    double s, c;

    sincospi(x, &s, &c);
    return s;
}
inline double cospi(double x)
{
    double s, c;

    sincospi(x, &s, &c);
    return c;
}
inline void hone_host_sincos(double x, double *s, double *c)
{
    *s = sin(x);
    *c = cos(x);
}
inline void hone_host_sincosf(float x, float *s, float *c)
{
    *s = sinf(x);
    *c = cosf(x);
}
#define sincos(x, s, c) hone_host_sincos(x, s, c)
#define sincosf(x, s, c) hone_host_sincosf(x, s, c)
#define __sincosf(x, s, c) hone_host_sincosf(x, s, c)

#define HONE_HOST_DOUBLE(name, ...)                                            \
    inline double name(double x)                                               \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }
#define HONE_HOST_FLOAT(name, ...)                                             \
    inline float name(float x)                                                 \
    {                                                                          \
        return float(__VA_ARGS__);                                             \
    }
HONE_HOST_DOUBLE(rsqrt, 1.0 / sqrt(x))
HONE_HOST_DOUBLE(rcbrt, 1.0 / cbrt(x))
HONE_HOST_DOUBLE(hone_host_exp10, pow(10.0, x))
HONE_HOST_DOUBLE(normcdf, 0.5 * erfc(-x * 0.70710678118654752440))
HONE_HOST_DOUBLE(__drcp_rn, 1.0 / x)
HONE_HOST_DOUBLE(__dsqrt_rn, sqrt(x))
HONE_HOST_FLOAT(rsqrtf, 1.0 / sqrt(double(x)))
HONE_HOST_FLOAT(rsqrt, 1.0 / sqrt(double(x)))
HONE_HOST_FLOAT(rcbrtf, 1.0 / cbrt(double(x)))
HONE_HOST_FLOAT(hone_host_exp10f, pow(10.0, double(x)))
HONE_HOST_FLOAT(normcdff, normcdf(double(x)))
HONE_HOST_FLOAT(sinpif, sinpi(double(x)))
HONE_HOST_FLOAT(cospif, cospi(double(x)))
HONE_HOST_FLOAT(__expf, expf(x))
HONE_HOST_FLOAT(__exp10f, pow(10.0, double(x)))
HONE_HOST_FLOAT(__logf, logf(x))
HONE_HOST_FLOAT(__log2f, log2f(x))
HONE_HOST_FLOAT(__log10f, log10f(x))
HONE_HOST_FLOAT(__sinf, sinf(x))
HONE_HOST_FLOAT(__cosf, cosf(x))
HONE_HOST_FLOAT(__tanf, tanf(x))
HONE_HOST_FLOAT(__tanhf, tanhf(x))
HONE_HOST_FLOAT(__saturatef, hone_host::saturate(x))
HONE_HOST_FLOAT(__frcp_rn, 1.0f / x)
HONE_HOST_FLOAT(__fsqrt_rn, sqrtf(x))
HONE_HOST_FLOAT(__frsqrt_rn, 1.0 / sqrt(double(x)))
#undef HONE_HOST_DOUBLE
#undef HONE_HOST_FLOAT
#define exp10 hone_host_exp10
#define exp10f hone_host_exp10f

inline float __powf(float x, float y)
{
    return powf(x, y);
}
inline float fdividef(float x, float y)
{
    return x / y;
}
inline float __fdividef(float x, float y)
{
    return x / y;
}
inline float norm3df(float x, float y, float z)
{
    return float(sqrt(double(x) * x + double(y) * y + double(z) * z));
}
inline double norm3d(double x, double y, double z)
{
    return hypot(hypot(x, y), z);
}

/* --- arithmetic with a rounding in its name ----------------------------- */

namespace hone_host
{

/* `exact` (a double, or wider than the float by a sticky bit) as float in
 * direction 'n', 'z', 'u' or 'd'. */
inline float round_to_float(double exact, char direction)
{
    const float f = float(exact);
    const double back = double(f);

    if (direction == 'n' || back == exact || exact != exact)
        return f;
    const bool want_less = direction == 'd' || (direction == 'z' && exact > 0);
    if (want_less && back > exact)
        return nextafterf(f, -__builtin_inff());
    if (!want_less && back < exact)
        return nextafterf(f, __builtin_inff());
    return f;
}

} /* namespace hone_host */

#define HONE_HOST_ROUNDED(suffix, direction)                                   \
    inline float __fadd_##suffix(float a, float b)                             \
    {                                                                          \
        return hone_host::round_to_float(hone_host::sticky_fma(1.0, a, b),     \
                                         direction);                           \
    }                                                                          \
    inline float __fsub_##suffix(float a, float b)                             \
    {                                                                          \
        return hone_host::round_to_float(hone_host::sticky_fma(1.0, a, -b),    \
                                         direction);                           \
    }                                                                          \
    inline float __fmul_##suffix(float a, float b)                             \
    {                                                                          \
        return hone_host::round_to_float(double(a) * double(b), direction);    \
    }                                                                          \
    inline float __fmaf_##suffix(float a, float b, float c)                    \
    {                                                                          \
        return hone_host::round_to_float(hone_host::sticky_fma(a, b, c),       \
                                         direction);                           \
    }                                                                          \
    inline float __fdiv_##suffix(float a, float b)                             \
    {                                                                          \
        return hone_host::round_to_float(double(a) / double(b), direction);    \
    }                                                                          \
    inline float __double2float_##suffix(double d)                             \
    {                                                                          \
        return hone_host::round_to_float(d, direction);                        \
    }                                                                          \
    inline float __int2float_##suffix(int i)                                   \
    {                                                                          \
        return hone_host::round_to_float(double(i), direction);                \
    }                                                                          \
    inline float __uint2float_##suffix(unsigned i)                             \
    {                                                                          \
        return hone_host::round_to_float(double(i), direction);                \
    }
HONE_HOST_ROUNDED(rn, 'n')
HONE_HOST_ROUNDED(rz, 'z')
HONE_HOST_ROUNDED(ru, 'u')
HONE_HOST_ROUNDED(rd, 'd')
#undef HONE_HOST_ROUNDED

inline double __dadd_rn(double a, double b)
{
    return a + b;
}
inline double __dsub_rn(double a, double b)
{
    return a - b;
}
inline double __dmul_rn(double a, double b)
{
    return a * b;
}
inline double __ddiv_rn(double a, double b)
{
    return a / b;
}
inline double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}
inline float __ll2float_rn(long long i)
{
    return float(i);
}
inline float __ull2float_rn(unsigned long long i)
{
    return float(i);
}
inline double __int2double_rn(int i)
{
    return double(i);
}
inline double __ll2double_rn(long long i)
{
    return double(i);
}

#define HONE_HOST_TO_INTEGER(from, F, suffix, round)                           \
    inline int __##from##2int_##suffix(F x)                                    \
    {                                                                          \
        return hone_host::clamp_to<int>(round(double(x)));                     \
    }                                                                          \
    inline unsigned __##from##2uint_##suffix(F x)                              \
    {                                                                          \
        return hone_host::clamp_to<unsigned>(round(double(x)));                \
    }                                                                          \
    inline long long __##from##2ll_##suffix(F x)                               \
    {                                                                          \
        return hone_host::clamp_to<long long>(round(double(x)));               \
    }                                                                          \
    inline unsigned long long __##from##2ull_##suffix(F x)                     \
    {                                                                          \
        return hone_host::clamp_to<unsigned long long>(round(double(x)));      \
    }
HONE_HOST_TO_INTEGER(float, float, rn, rint)
HONE_HOST_TO_INTEGER(float, float, rz, trunc)
HONE_HOST_TO_INTEGER(float, float, ru, ceil)
HONE_HOST_TO_INTEGER(float, float, rd, floor)
HONE_HOST_TO_INTEGER(double, double, rn, rint)
HONE_HOST_TO_INTEGER(double, double, rz, trunc)
HONE_HOST_TO_INTEGER(double, double, ru, ceil)
HONE_HOST_TO_INTEGER(double, double, rd, floor)
#undef HONE_HOST_TO_INTEGER

#endif
