/* SPDX-License-Identifier: Apache-2.0 */
/* Integer intrinsics, min and max, and reading a value's bits as another
 * type. */
#ifndef HONE_TUNER_HOST_INTEGERS_H
#define HONE_TUNER_HOST_INTEGERS_H

#include <host_half.h>

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

#endif
