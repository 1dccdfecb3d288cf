/* SPDX-License-Identifier: Apache-2.0 */
/* Integer intrinsics, min and max, and reading a value's bits as another
 * type. */
#ifndef HONE_TUNER_HOST_INTEGERS_H
#define HONE_TUNER_HOST_INTEGERS_H

#include <host_half.h>

/* --- the bits of a value ------------------------------------------------ */

#define HONE_HOST_AS(name, FROM, TO)                                           \
    inline TO name(FROM v)                                                     \
    {                                                                          \
        return hone_host::bits_as<TO>(v);                                      \
    }
HONE_HOST_AS(__float_as_int, float, int)
HONE_HOST_AS(__float_as_uint, float, unsigned)
HONE_HOST_AS(__int_as_float, int, float)
HONE_HOST_AS(__uint_as_float, unsigned, float)
HONE_HOST_AS(__double_as_longlong, double, long long)
HONE_HOST_AS(__longlong_as_double, long long, double)
#undef HONE_HOST_AS

inline int __double2hiint(double d)
{
    return int(hone_host::bits_as<uint64_t>(d) >> 32);
}
inline int __double2loint(double d)
{
    return int(unsigned(hone_host::bits_as<uint64_t>(d)));
}
inline double __hiloint2double(int high, int low)
{
    return hone_host::bits_as<double>(uint64_t(unsigned(high)) << 32 |
                                      unsigned(low));
}

/* --- min and max -------------------------------------------------------- */

#define HONE_HOST_MIN_MAX(A, B, R)                                             \
    inline R min(A a, B b)                                                     \
    {                                                                          \
        return (R)b < (R)a ? (R)b : (R)a;                                      \
    }                                                                          \
    inline R max(A a, B b)                                                     \
    {                                                                          \
        return (R)a < (R)b ? (R)b : (R)a;                                      \
    }
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
    inline R min(A a, B b)                                                     \
    {                                                                          \
        return __builtin_fmin##suffix(a, b);                                   \
    }                                                                          \
    inline R max(A a, B b)                                                     \
    {                                                                          \
        return __builtin_fmax##suffix(a, b);                                   \
    }
HONE_HOST_MIN_MAX_REAL(float, float, float, f)
HONE_HOST_MIN_MAX_REAL(double, double, double, )
HONE_HOST_MIN_MAX_REAL(float, double, double, )
HONE_HOST_MIN_MAX_REAL(double, float, double, )
#undef HONE_HOST_MIN_MAX_REAL

inline unsigned umin(unsigned a, unsigned b)
{
    return min(a, b);
}
inline unsigned umax(unsigned a, unsigned b)
{
    return max(a, b);
}

/* --- counting and moving bits ------------------------------------------- */

inline int __clz(int v)
{
    return v ? __builtin_clz(unsigned(v)) : 32;
}
inline int __clzll(long long v)
{
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}
inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
inline int __popcll(unsigned long long v)
{
    return __builtin_popcountll(v);
}
inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
inline int __ffsll(long long v)
{
    return __builtin_ffsll(v);
}
inline unsigned __brev(unsigned v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}
inline unsigned long long __brevll(unsigned long long v)
{
    return (unsigned long long)__brev(unsigned(v)) << 32 |
           __brev(unsigned(v >> 32));
}
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
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    return unsigned((uint64_t(high) << 32 | low) << (n & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n)
{
    return unsigned((uint64_t(high) << 32 | low) >> (n & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? low : __funnelshift_l(low, high, n);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n)
{
    return n >= 32 ? high : __funnelshift_r(low, high, n);
}

/* --- products and sums -------------------------------------------------- */

namespace hone_host
{

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

} /* namespace hone_host */

inline int __mulhi(int a, int b)
{
    return int((long long)a * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return unsigned(uint64_t(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b)
{
    return (long long)(hone_host::wide(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)(hone_host::unsigned_wide(a) * b >> 64);
}
inline int __mul24(int a, int b)
{
    return int(unsigned(int(unsigned(a) << 8) >> 8) *
               unsigned(int(unsigned(b) << 8) >> 8));
}
inline unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}
inline unsigned __sad(int a, int b, unsigned c)
{
    return c + (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return c + (a > b ? a - b : b - a);
}
inline int __hadd(int a, int b)
{
    return int(((long long)a + b) >> 1);
}
inline int __rhadd(int a, int b)
{
    return int(((long long)a + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b)
{
    return unsigned((uint64_t(a) + b) >> 1);
}

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
