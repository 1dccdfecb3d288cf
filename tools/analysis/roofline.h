/* SPDX-License-Identifier: Apache-2.0 */
/* How many operations a second a device can do at most, and which side of the
 * roofline bounds a problem. */
#ifndef HONE_TOOLS_ROOFLINE_H
#define HONE_TOOLS_ROOFLINE_H

#include "runtime/base/device_properties.h"

typedef enum hone_unit {
    HONE_UNIT_F64,         /* f64 without tensor cores */
    HONE_UNIT_F32,         /* f32 without tensor cores */
    HONE_UNIT_TENSOR_TF32, /* tf32 by tensor cores, dense */
    HONE_UNIT_TENSOR_F16,  /* f16 and bf16 by tensor cores, dense */
    HONE_UNIT_TENSOR_I8,   /* 8-bit elements by tensor cores, dense */
    HONE_N_UNITS
} hone_unit;

extern const char *const hone__unit_names[HONE_N_UNITS];

/* Operations a second of all multiprocessors at that clock, where a
 * multiply-add is two; 0: not known. The tables' sources are in roofline.c and
 * tuner/judge/statistics.c. */
double hone__peak_flops_per_s(const hone_properties *device, hone_unit unit,
                              double clock_mhz);

#endif
