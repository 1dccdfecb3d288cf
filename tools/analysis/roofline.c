/* SPDX-License-Identifier: Apache-2.0 */
/* Peaks of arithmetic: see roofline.h. */
#include "tools/analysis/roofline.h"

#include "tuner/judge/statistics.h"

#include <stddef.h>

const char *const hone__unit_names[HONE_N_UNITS] = {
    [HONE_UNIT_F64] = "f64",
    [HONE_UNIT_F32] = "f32",
    [HONE_UNIT_TENSOR_TF32] = "tensor cores, tf32",
    [HONE_UNIT_TENSOR_F16] = "tensor cores, 16 bits",
    [HONE_UNIT_TENSOR_I8] = "tensor cores, 8 bits"};

/* Results of multiply-add per clock and multiprocessor: CUDA C++ Programming
 * Guide, "Arithmetic Instructions", table "Throughput of Native Arithmetic
 * Instructions", rows "32-bit" and "64-bit floating-point add, multiply,
 * multiply-add". */
static const struct {
    int64_t sm;
    double f32, f64;
} rates[] = {{70, 64, 32}, {75, 64, 2},   {80, 64, 32},   {86, 128, 2},
             {89, 128, 2}, {90, 128, 64}, {100, 128, 64}, {120, 128, 2}};

static double results_per_clock(int64_t sm, int is_f64)
{
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
        if (rates[i].sm == sm)
            return is_f64 ? rates[i].f64 : rates[i].f32;
    return 0; /* no peak is better than a wrong one */
}

double hone__peak_flops_per_s(const hone_properties *device, hone_unit unit,
                              double clock_mhz)
{
    const int64_t sm = device->value[HONE_PROPERTY_sm];
    const double clocks =
        1e6 * clock_mhz * (double)device->value[HONE_PROPERTY_sm_count];

    switch (unit) {
    case HONE_UNIT_TENSOR_TF32: /* half of 16 bits, in the same papers */
        return sm < 80 ? 0 : hone__tensor_flops_per_clock(sm) / 2 * clocks;
    case HONE_UNIT_TENSOR_F16:
        return hone__tensor_flops_per_clock(sm) * clocks;
    case HONE_UNIT_TENSOR_I8:
        return hone__tensor_flops_per_clock(sm) * 2 * clocks;
    case HONE_UNIT_F64:
    case HONE_UNIT_F32:
        return results_per_clock(sm, unit == HONE_UNIT_F64) * 2 * clocks;
    case HONE_N_UNITS:
        break;
    }
    return 0;
}
