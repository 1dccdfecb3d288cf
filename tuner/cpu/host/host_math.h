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

using std::abs, std::acos, std::acosh, std::asin, std::asinh, std::atan,
    std::atan2, std::atanh, std::cbrt, std::ceil, std::copysign, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs,
    std::fdim, std::floor, std::fma, std::fmax, std::fmin, std::fmod,
    std::frexp, std::hypot, std::ilogb, std::isfinite, std::isinf, std::isnan,
    std::ldexp, std::lgamma, std::llrint, std::llround, std::log, std::log10,
    std::log1p, std::log2, std::logb, std::lrint, std::lround, std::modf,
    std::nearbyint, std::nextafter, std::pow, std::remainder, std::rint,
    std::round, std::scalbn, std::signbit, std::sin, std::sinh, std::sqrt,
    std::tan, std::tanh, std::tgamma, std::trunc;

/* C++ makes the power of a float with an integer a double, CUDA does not. */
HONE_HOST_FN(float, pow, (float x, int n), powf(x, float(n)))

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
    HONE_HOST_FN(double, name, (double x), __VA_ARGS__)
#define HONE_HOST_FLOAT(name, ...)                                             \
    HONE_HOST_FN(float, name, (float x), float(__VA_ARGS__))
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

HONE_HOST_FN(float, __powf, (float x, float y), powf(x, y))
HONE_HOST_FN(float, fdividef, (float x, float y), x / y)
HONE_HOST_FN(float, __fdividef, (float x, float y), x / y)
HONE_HOST_FN(float, norm3df, (float x, float y, float z),
             float(sqrt(double(x) * x + double(y) * y + double(z) * z)))
HONE_HOST_FN(double, norm3d, (double x, double y, double z),
             hypot(hypot(x, y), z))

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
    HONE_HOST_FN(float, __fadd_##suffix, (float a, float b),                   \
                 hone_host::round_to_float(hone_host::sticky_fma(1.0, a, b),   \
                                           direction))                         \
    HONE_HOST_FN(float, __fsub_##suffix, (float a, float b),                   \
                 hone_host::round_to_float(hone_host::sticky_fma(1.0, a, -b),  \
                                           direction))                         \
    HONE_HOST_FN(float, __fmul_##suffix, (float a, float b),                   \
                 hone_host::round_to_float(double(a) * double(b), direction))  \
    HONE_HOST_FN(                                                              \
        float, __fmaf_##suffix, (float a, float b, float c),                   \
        hone_host::round_to_float(hone_host::sticky_fma(a, b, c), direction))  \
    HONE_HOST_FN(float, __fdiv_##suffix, (float a, float b),                   \
                 hone_host::round_to_float(double(a) / double(b), direction))  \
    HONE_HOST_FN(float, __double2float_##suffix, (double d),                   \
                 hone_host::round_to_float(d, direction))                      \
    HONE_HOST_FN(float, __int2float_##suffix, (int i),                         \
                 hone_host::round_to_float(double(i), direction))              \
    HONE_HOST_FN(float, __uint2float_##suffix, (unsigned i),                   \
                 hone_host::round_to_float(double(i), direction))
HONE_HOST_ROUNDED(rn, 'n')
HONE_HOST_ROUNDED(rz, 'z')
HONE_HOST_ROUNDED(ru, 'u')
HONE_HOST_ROUNDED(rd, 'd')
#undef HONE_HOST_ROUNDED

HONE_HOST_FN(double, __dadd_rn, (double a, double b), a + b)
HONE_HOST_FN(double, __dsub_rn, (double a, double b), a - b)
HONE_HOST_FN(double, __dmul_rn, (double a, double b), a *b)
HONE_HOST_FN(double, __ddiv_rn, (double a, double b), a / b)
HONE_HOST_FN(double, __fma_rn, (double a, double b, double c), fma(a, b, c))
HONE_HOST_FN(float, __ll2float_rn, (long long i), float(i))
HONE_HOST_FN(float, __ull2float_rn, (unsigned long long i), float(i))
HONE_HOST_FN(double, __int2double_rn, (int i), double(i))
HONE_HOST_FN(double, __ll2double_rn, (long long i), double(i))

HONE_HOST_TO_INT(float, float, int, int)
HONE_HOST_TO_INT(float, float, unsigned, uint)
HONE_HOST_TO_INT(float, float, long long, ll)
HONE_HOST_TO_INT(float, float, unsigned long long, ull)
HONE_HOST_TO_INT(double, double, int, int)
HONE_HOST_TO_INT(double, double, unsigned, uint)
HONE_HOST_TO_INT(double, double, long long, ll)
HONE_HOST_TO_INT(double, double, unsigned long long, ull)

#endif
