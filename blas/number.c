/* SPDX-License-Identifier: Apache-2.0 */
#include "blas/number.h"

#include "runtime/vendor/vendor_api.h"

#include <math.h>
#include <string.h>

static double half_of(uint16_t bits)
{
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;

    if (exponent == 31)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    return exponent ? sign * ldexp(1024 + fraction, exponent - 25)
                    : sign * ldexp(fraction, -24);
}

double hone__number_at(int cuda_type, const void *array, int64_t at)
{
    uint16_t bits;
    uint32_t wide;
    float f32;
    double f64;

    switch (cuda_type) {
    case HONE_CUDA_R_16F:
        memcpy(&bits, (const char *)array + at * 2, sizeof bits);
        return half_of(bits);
    case HONE_CUDA_R_16BF:
        memcpy(&bits, (const char *)array + at * 2, sizeof bits);
        wide = (uint32_t)bits << 16;
        memcpy(&f32, &wide, sizeof f32);
        return (double)f32;
    case HONE_CUDA_R_32F:
        memcpy(&f32, (const char *)array + at * 4, sizeof f32);
        return (double)f32;
    default:
        memcpy(&f64, (const char *)array + at * 8, sizeof f64);
        return f64;
    }
}

double hone__number_unit(int cuda_type)
{
    return cuda_type == HONE_CUDA_R_16F    ? 0x1p-11
           : cuda_type == HONE_CUDA_R_16BF ? 0x1p-8
           : cuda_type == HONE_CUDA_R_32F  ? 0x1p-24
                                           : 0x1p-53;
}
