/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's mathematical functions under their names. Those of C++ are included
 * before the macros below can get in their way, so that a kernel may include
 * them too; the fast intrinsics are the exact functions, which lie within
 * their bounds. */
#ifndef HONE_TUNER_HOST_MATH_H
#define HONE_TUNER_HOST_MATH_H

#include <host_half.h>
#include <stddef.h>
#include <new> /* for the library's own configuration */
/* Bessel functions and the like, which take most of the time of <cmath>. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <cmath>
#include <cstdlib>

using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::fdim;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::frexp;
using std::hypot;
using std::ilogb;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::ldexp;
using std::lgamma;
using std::llrint;
using std::llround;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::logb;
using std::lrint;
using std::lround;
using std::modf;
using std::nearbyint;
using std::nextafter;
using std::pow;
using std::remainder;
using std::rint;
using std::round;
using std::scalbn;
using std::signbit;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;

/* C++ makes the power of a float with an integer a double, CUDA does not. */
inline float pow(float x, int n)
{
    return powf(x, float(n));
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
