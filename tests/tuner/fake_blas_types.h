/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of the fake cuBLAS: which go together, and elements of
 * arrays. */
#ifndef HONE_TESTS_FAKE_BLAS_TYPES_H
#define HONE_TESTS_FAKE_BLAS_TYPES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    R_32F = 0,
    R_64F = 1,
    R_16F = 2,
    R_8I = 3,
    C_32F = 4,
    R_32I = 10,
    R_16BF = 14,
    R_8F_E4M3 = 28,
    R_8F_E5M2 = 29
};
enum {
    COMPUTE_32F = 68,
    COMPUTE_TF32 = 77,
    COMPUTE_64F = 70,
    COMPUTE_32I = 72
};

static inline float half_value(uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const float fraction = (float)(bits & 1023);
    const float size = exponent ? ldexpf(1024.0f + fraction, exponent - 25)
                                : ldexpf(fraction, -24);

    return bits & 0x8000 ? -size : size;
}

/* Of 8 bits: their exponents are those of f16 but for the bias of e4m3. */
static inline float small_value(uint8_t bits, int type)
{
    const uint16_t size =
        (uint16_t)((bits & 0x7f) << (type == R_8F_E5M2 ? 8 : 7));
    const float value = half_value(size) * (type == R_8F_E5M2 ? 1.0f : 256.0f);

    return bits & 0x80 ? -value : value;
}

static inline double element(const void *x, int type, int64_t index)
{
    uint32_t bits;
    float value;

    if (type == R_32F)
        return (double)((const float *)x)[index];
    if (type == R_64F)
        return ((const double *)x)[index];
    if (type == R_8I)
        return (double)((const int8_t *)x)[index];
    if (type == R_32I)
        return (double)((const int32_t *)x)[index];
    if (type >= R_8F_E4M3)
        return (double)small_value(((const uint8_t *)x)[index], type);
    bits = ((const uint16_t *)x)[index];
    if (type == R_16F)
        return (double)half_value((uint16_t)bits);
    bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The nearest of f16. */
static inline uint32_t half_bits(float value)
{
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    int exponent = 0;
    float fraction;
    uint32_t bits;

    if (size < 0x1p-14f)
        return sign | (uint32_t)nearbyintf(size * 0x1p24f);
    fraction = frexpf(size, &exponent);
    bits = ((uint32_t)(exponent + 14) << 10) +
           ((uint32_t)nearbyintf(fraction * 2048.0f) - 1024);
    return sign | (bits < 0x7c00 ? bits : 0x7c00);
}

/* The nearest value of the type. */
static inline void set_element(void *x, int type, int64_t index, double wide)
{
    const float value = (float)wide;
    uint32_t bits;

    if (type == R_32F)
        ((float *)x)[index] = value;
    if (type == R_64F)
        ((double *)x)[index] = wide;
    if (type == R_32I)
        ((int32_t *)x)[index] = (int32_t)wide;
    if (type != R_16F && type != R_16BF)
        return;
    memcpy(&bits, &value, sizeof bits);
    bits = type == R_16F ? half_bits(value)
                         : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    ((uint16_t *)x)[index] = (uint16_t)bits;
}

/* Types of A, B and C, how sums are computed, and the type of scalars. */
static inline int types_fit(int a, int b, int c, int compute, int scale)
{
    if (a >= R_8F_E4M3 && b >= R_8F_E4M3)
        return a + b < 2 * R_8F_E5M2 && compute == COMPUTE_32F &&
               scale == R_32F && (c == R_32F || c == R_16F || c == R_16BF);
    if (a != b)
        return 0;
    if (a == R_64F || a == R_8I)
        return a == R_64F
                   ? c == R_64F && compute == COMPUTE_64F && scale == R_64F
                   : c == R_32I && compute == COMPUTE_32I && scale == R_32I;
    return (c == R_32F || (c == a && a != R_32F)) && compute == COMPUTE_32F &&
           scale == R_32F;
}

/* What cublasGemmEx() takes scalars for. */
static inline int scale_of(int compute)
{
    return compute == COMPUTE_64F   ? R_64F
           : compute == COMPUTE_32I ? R_32I
                                    : R_32F;
}

static inline int64_t size_of(int type)
{
    return type == R_64F || type == C_32F      ? 8
           : type == R_32F || type == R_32I    ? 4
           : type == R_8I || type >= R_8F_E4M3 ? 1
                                               : 2;
}

#endif
