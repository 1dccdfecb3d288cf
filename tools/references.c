/* SPDX-License-Identifier: Apache-2.0 */
/* The table of CPU references: name in the template, function, cost. A new
 * one is a function in templates/reference.c and a row here. */
#include "tools/references.h"

#include "templates/reference.h"

static const hone_reference table[] = {
    {"saxpy", {hone_reference_saxpy}, hone_reference_saxpy_cost},
    {"sum", {hone_reference_sum}, hone_reference_sum_cost},
    {"gemm_f16", {hone_reference_gemm_f16}, hone_reference_gemm_f16_cost},
    {"gemm_sm90", {hone_reference_gemm_sm90}, hone_reference_gemm_sm90_cost},
    {"scan", {hone_reference_scan}, hone_reference_scan_cost},
    {"conv1d", {hone_reference_conv1d}, hone_reference_conv1d_cost},
    {"fft", {hone_reference_fft}, hone_reference_fft_cost},
    {"fft_filter", {hone_reference_fft_filter}, hone_reference_fft_filter_cost},
};

const hone_reference *hone__references(size_t *out_n)
{
    *out_n = sizeof table / sizeof table[0];
    return table;
}
