/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's mathematical functions under their names: of integers (also min and
 * max, and reading a value's bits as another type), then of reals. Those of C++
 * are included before the macros below can get in their way, so that a kernel
 * may include them too; the fast intrinsics are the exact functions, which lie
 * within their bounds. */
#ifndef HONE_TUNER_HOST_MATH_H
#define HONE_TUNER_HOST_MATH_H

#include <host_half.h>
#include <stddef.h>
#include <new> /* for the library's own configuration */
/* Bessel functions and the like, which take most of the time of <cmath>. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <cmath>
#include <cstdlib>

/* --- the bits of a value ------------------------------------------------ */

#define HONE_HOST_AS(name, FROM, TO)                                           \
    HONE_HOST_FN(TO, name, (FROM v), hone_host::bits_as<TO>(v))
HONE_HOST_AS(__float_as_int, float, int)
HONE_HOST_AS(__float_as_uint, float, unsigned)
HONE_HOST_AS(__int_as_float, int, float)
HONE_HOST_AS(__uint_as_float, unsigned, float)
HONE_HOST_AS(__double_as_longlong, double, long long)
HONE_HOST_AS(__longlong_as_double, long long, double)
#undef HONE_HOST_AS

HONE_HOST_FN(int, __double2hiint, (double d),
             int(hone_host::bits_as<uint64_t>(d) >> 32))
HONE_HOST_FN(int, __double2loint, (double d),
             int(unsigned(hone_host::bits_as<uint64_t>(d))))
HONE_HOST_FN(double, __hiloint2double, (int high, int low),
             hone_host::bits_as<double>(uint64_t(unsigned(high)) << 32 |
                                        unsigned(low)))

/* --- min and max -------------------------------------------------------- */

#define HONE_HOST_MIN_MAX(A, B, R)                                             \
    HONE_HOST_FN(R, min, (A a, B b), (R)b < (R)a ? (R)b : (R)a)                \
    HONE_HOST_FN(R, max, (A a, B b), (R)a < (R)b ? (R)b : (R)a)
#define HONE_HOST_MIN_MAX_PAIR(S, U)                                           \
    HONE_HOST_MIN_MAX(S, S, S)                                                 \
    HONE_HOST_MIN_MAX(U, U, U)                                                 \
    HONE_HOST_MIN_MAX(S, U, U)                                                 \
    HONE_HOST_MIN_MAX(U, S, U)
HONE_HOST_MIN_MAX_PAIR(int, unsigned)
HONE_HOST_MIN_MAX_PAIR(long, unsigned long)
HONE_HOST_MIN_MAX_PAIR(long long, unsigned long long)
#undef HONE_HOST_MIN_MAX_PAIR
#undef HONE_HOST_MIN_MAX

/* NaN loses against a number. */
#define HONE_HOST_MIN_MAX_REAL(A, B, R, suffix)                                \
    HONE_HOST_FN(R, min, (A a, B b), __builtin_fmin##suffix(a, b))             \
    HONE_HOST_FN(R, max, (A a, B b), __builtin_fmax##suffix(a, b))
HONE_HOST_MIN_MAX_REAL(float, float, float, f)
HONE_HOST_MIN_MAX_REAL(double, double, double, )
HONE_HOST_MIN_MAX_REAL(float, double, double, )
HONE_HOST_MIN_MAX_REAL(double, float, double, )
#undef HONE_HOST_MIN_MAX_REAL

HONE_HOST_FN(unsigned, umin, (unsigned a, unsigned b), min(a, b))
HONE_HOST_FN(unsigned, umax, (unsigned a, unsigned b), max(a, b))

/* --- counting and moving bits ------------------------------------------- */

HONE_HOST_FN(int, __clz, (int v), v ? __builtin_clz(unsigned(v)) : 32)
HONE_HOST_FN(int, __clzll, (long long v),
             v ? __builtin_clzll((unsigned long long)v) : 64)
HONE_HOST_FN(int, __popc, (unsigned v), __builtin_popcount(v))
HONE_HOST_FN(int, __popcll, (unsigned long long v), __builtin_popcountll(v))
HONE_HOST_FN(int, __ffs, (int v), __builtin_ffs(v))
HONE_HOST_FN(int, __ffsll, (long long v), __builtin_ffsll(v))
inline unsigned __brev(unsigned v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}
HONE_HOST_FN(unsigned long long, __brevll, (unsigned long long v),
             (unsigned long long)__brev(unsigned(v)) << 32 |
                 __brev(unsigned(v >> 32)))
/* Bytes of `b:a` chosen by the four hexadecimal digits of `s`; digit 8 and
 * up: the sign of byte digit-8. */
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    const uint64_t both = uint64_t(b) << 32 | a;
    unsigned r = 0;

    for (unsigned i = 0; i < 4; i++) {
        const unsigned digit = s >> (4 * i) & 15;
        unsigned byte = unsigned(both >> (8 * (digit & 7))) & 255;
        if (digit & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}
HONE_HOST_FN(unsigned, __funnelshift_l,
             (unsigned low, unsigned high, unsigned n),
             unsigned((uint64_t(high) << 32 | low) << (n & 31) >> 32))
HONE_HOST_FN(unsigned, __funnelshift_r,
             (unsigned low, unsigned high, unsigned n),
             unsigned((uint64_t(high) << 32 | low) >> (n & 31)))
HONE_HOST_FN(unsigned, __funnelshift_lc,
             (unsigned low, unsigned high, unsigned n),
             n >= 32 ? low : __funnelshift_l(low, high, n))
HONE_HOST_FN(unsigned, __funnelshift_rc,
             (unsigned low, unsigned high, unsigned n),
             n >= 32 ? high : __funnelshift_r(low, high, n))

/* --- products and sums -------------------------------------------------- */

namespace hone_host
{

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

} /* namespace hone_host */

HONE_HOST_FN(int, __mulhi, (int a, int b), int((long long)a *b >> 32))
HONE_HOST_FN(unsigned, __umulhi, (unsigned a, unsigned b),
             unsigned(uint64_t(a) * b >> 32))
HONE_HOST_FN(long long, __mul64hi, (long long a, long long b),
             (long long)(hone_host::wide(a) * b >> 64))
HONE_HOST_FN(unsigned long long, __umul64hi,
             (unsigned long long a, unsigned long long b),
             (unsigned long long)(hone_host::unsigned_wide(a) * b >> 64))
HONE_HOST_FN(int, __mul24, (int a, int b),
             int(unsigned(int(unsigned(a) << 8) >> 8) *
                 unsigned(int(unsigned(b) << 8) >> 8)))
HONE_HOST_FN(unsigned, __umul24, (unsigned a, unsigned b),
             (a & 0xffffffu) * (b & 0xffffffu))
HONE_HOST_FN(unsigned, __sad, (int a, int b, unsigned c),
             c + (a > b ? unsigned(a) - unsigned(b)
                        : unsigned(b) - unsigned(a)))
HONE_HOST_FN(unsigned, __usad, (unsigned a, unsigned b, unsigned c),
             c + (a > b ? a - b : b - a))
HONE_HOST_FN(int, __hadd, (int a, int b), int(((long long)a + b) >> 1))
HONE_HOST_FN(int, __rhadd, (int a, int b), int(((long long)a + b + 1) >> 1))
HONE_HOST_FN(unsigned, __uhadd, (unsigned a, unsigned b),
             unsigned((uint64_t(a) + b) >> 1))

/* c plus the products of four bytes each; S is the bytes' type. */
#define HONE_HOST_DP4A(A, S)                                                   \
    inline A __dp4a(A a, A b, A c)                                             \
    {                                                                          \
        unsigned sum = unsigned(c);                                            \
                                                                               \
        for (int i = 0; i < 32; i += 8)                                        \
            sum += unsigned(int((S)(unsigned(a) >> i)) *                       \
                            int((S)(unsigned(b) >> i)));                       \
        return A(sum);                                                         \
    }
HONE_HOST_DP4A(int, signed char)
HONE_HOST_DP4A(unsigned, unsigned char)
#undef HONE_HOST_DP4A

/* --- four bytes or two shorts of a word --------------------------------- */

#define HONE_HOST_PARTS(name, S, test)                                         \
    inline unsigned name(unsigned a, unsigned b)                               \
    {                                                                          \
        constexpr unsigned bits = 8 * sizeof(S), mask = (1u << bits) - 1;      \
        unsigned r = 0;                                                        \
                                                                               \
        for (unsigned i = 0; i < 32; i += bits)                                \
            r |= (((S)(a >> i) test(S)(b >> i) ? a : b) >> i & mask) << i;     \
        return r;                                                              \
    }
HONE_HOST_PARTS(__vminu4, unsigned char, <)
HONE_HOST_PARTS(__vmaxu4, unsigned char, >)
HONE_HOST_PARTS(__vmins4, signed char, <)
HONE_HOST_PARTS(__vmaxs4, signed char, >)
HONE_HOST_PARTS(__vminu2, unsigned short, <)
HONE_HOST_PARTS(__vmaxu2, unsigned short, >)
HONE_HOST_PARTS(__vmins2, short, <)
HONE_HOST_PARTS(__vmaxs2, short, >)
#undef HONE_HOST_PARTS

/* --- functions of reals ------------------------------------------------- */

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

namespace hone_host
{

/* sin(pi*x + turn*pi/2): exact where the argument is a multiple of a half. */
inline double sin_turned(double x, int turn)
{
    const double pi = 3.14159265358979323846;
    const double n = rint(2.0 * x); /* quarter turns */
    const double rest = pi * (x - 0.5 * n);

    turn = (turn + int(n - 4.0 * floor(n * 0.25))) % 4;
    const double value = turn % 2 ? cos(rest) : sin(rest);

    return turn < 2 ? value : -value;
}

} /* namespace hone_host */

HONE_HOST_FN(double, sinpi, (double x), hone_host::sin_turned(x, 0))
HONE_HOST_FN(double, cospi, (double x), hone_host::sin_turned(x, 1))
inline void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}
inline void sincospif(float x, float *s, float *c)
{
    *s = float(sinpi(double(x)));
    *c = float(cospi(double(x)));
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
