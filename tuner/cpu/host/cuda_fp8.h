/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's header of this name for code that is compiled for the host: numbers of
 * 8 bits, e4m3 and e5m2 of OFP8. They are bytes that become floats and back,
 * and nothing is computed in them. */
#ifndef HONE_TUNER_HOST_CUDA_FP8_H
#define HONE_TUNER_HOST_CUDA_FP8_H

#include <hone_cuda_host.h>

namespace hone_host
{

/* Exact. The exponents of e5m2 are those of half; of e4m3 they differ by the
 * bias, 2^8. Only e4m3 has no infinity, and NaN there. */
inline float e5m2_to_float(uint8_t v)
{
    return half_to_float(uint16_t(v << 8));
}
inline float e4m3_to_float(uint8_t v)
{
    const float f = half_to_float(uint16_t((v & 0x7f) << 7)) * 256.0f;

    if ((v & 0x7f) == 0x7f)
        return bits_as<float>(0x7fffffffu);
    return v & 0x80 ? -f : f;
}

/* To nearest even; what is larger than `largest` is that, NaN is 0x7f. */
inline uint8_t float_to_small(float f, int stored, int bias, int largest)
{
    const uint8_t sign = uint8_t(bits_as<uint32_t>(f) >> 24 & 0x80u);
    double size = __builtin_fabs(double(f));
    int exponent, bits;

    if (f != f)
        return 0x7f;
    size = size < 0x1p20 ? size : 0x1p20;
    if (!(size > 0.0))
        return sign;
    __builtin_frexp(size, &exponent);
    exponent += bias - 1;
    exponent = exponent < 1 ? 1 : exponent;
    bits =
        int(__builtin_rint(__builtin_ldexp(size, stored + bias - exponent))) +
        ((exponent - 1) << stored);
    return uint8_t(sign | (bits < largest ? bits : largest));
}
inline uint8_t float_to_e4m3(float f)
{
    return float_to_small(f, 3, 7, 0x7e);
}
inline uint8_t float_to_e5m2(float f)
{
    return float_to_small(f, 2, 15, 0x7b);
}

} /* namespace hone_host */

using __nv_fp8_storage_t = unsigned char;

#define HONE_HOST_F8_FROM(T, I, ...)                                           \
    explicit T(I v) : __x(__VA_ARGS__)                                         \
    {                                                                          \
    }
#define HONE_HOST_F8_TO(I, ...)                                                \
    explicit operator I() const                                                \
    {                                                                          \
        return __VA_ARGS__;                                                    \
    }
#define HONE_HOST_F8(T, N)                                                     \
    struct T {                                                                 \
        __nv_fp8_storage_t __x;                                                \
        T() = default;                                                         \
        HONE_HOST_F8_FROM(T, float, hone_host::float_to_##N(v))                \
        HONE_HOST_F8_FROM(T, double,                                           \
                          hone_host::float_to_##N(hone_host::sticky_float(v))) \
        HONE_HOST_F8_FROM(T, __half, hone_host::float_to_##N(float(v)))        \
        HONE_HOST_F8_FROM(T, __nv_bfloat16, hone_host::float_to_##N(float(v))) \
        HONE_HOST_F8_FROM(T, int, hone_host::float_to_##N(float(v)))           \
        HONE_HOST_F8_FROM(T, unsigned, hone_host::float_to_##N(float(v)))      \
        HONE_HOST_F8_FROM(T, long long, hone_host::float_to_##N(float(v)))     \
        HONE_HOST_F8_TO(float, hone_host::N##_to_float(__x))                   \
        HONE_HOST_F8_TO(double, double(hone_host::N##_to_float(__x)))          \
        HONE_HOST_F8_TO(__half, __half(hone_host::N##_to_float(__x)))          \
        HONE_HOST_F8_TO(__nv_bfloat16,                                         \
                        __nv_bfloat16(hone_host::N##_to_float(__x)))           \
        HONE_HOST_F8_TO(int, int(hone_host::N##_to_float(__x)))                \
    };

HONE_HOST_F8(__nv_fp8_e4m3, e4m3)
HONE_HOST_F8(__nv_fp8_e5m2, e5m2)

#endif
