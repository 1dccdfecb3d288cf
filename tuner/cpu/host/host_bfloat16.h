/* SPDX-License-Identifier: Apache-2.0 */
/* __nv_bfloat16 and its pair: the upper half of a float, rounded to nearest
 * even; the arithmetic is that of host_half.h. */
#ifndef HONE_TUNER_HOST_BFLOAT16_H
#define HONE_TUNER_HOST_BFLOAT16_H

#include <host_half.h>

namespace hone_host
{

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

} /* namespace hone_host */

struct __nv_bfloat16_raw {
    unsigned short x;
};

struct __nv_bfloat16 {
    unsigned short __x;

    HONE_HOST_SMALL_FLOAT(__nv_bfloat16, hone_host::float_to_bfloat16,
                          hone_host::bfloat16_to_float)
    __nv_bfloat16(__nv_bfloat16_raw r) : __x(r.x)
    {
    }
    operator __nv_bfloat16_raw() const
    {
        return {__x};
    }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b)
    {
    }
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

HONE_HOST_SMALL_ARITHMETIC(__nv_bfloat16, __nv_bfloat162, double)
HONE_HOST_SMALL_CONVERT(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)

inline float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return make_float2(a.x, a.y);
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}

#endif
