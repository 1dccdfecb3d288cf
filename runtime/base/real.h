/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers where int64 values are kept: as the bits of a
 * double. */
#ifndef HONE_RUNTIME_REAL_H
#define HONE_RUNTIME_REAL_H

#include <stdint.h>
#include <string.h>

static inline int64_t hone__real_bits(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double hone__real_of_bits(int64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
