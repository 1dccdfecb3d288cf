/* SPDX-License-Identifier: Apache-2.0 */
/* What every device agrees on about inputs and checks: the random numbers,
 * how elements are stored, which elements are compared, and with what. */
#ifndef HONE_TUNER_CHECK_DATA_H
#define HONE_TUNER_CHECK_DATA_H

#include "gen/parse/template.h"
#include "runtime/base/device_properties.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/judge/cpu_reference.h"

/* The two runs a variant is verified with: integers, where the result must
 * be exact, and reals within the bound. Timing uses the reals: integers and
 * zeros toggle fewer bits and run up to 13 % faster on a GPU. */
typedef enum hone_pass_data {
    HONE_PASS_EXACT,
    HONE_PASS_REALS,
    HONE_N_PASSES
} hone_pass_data;

enum {
    /* A CPU reference is computed whole up to so many operations (0.2 s on
     * one core), else at HONE_N_SAMPLES elements. */
    HONE_N_SAMPLES = 2048,
    HONE_MAX_REFERENCE_FLOPS = 400 * 1000 * 1000
};

/* splitmix64's finaliser, from which all random numbers come. */
uint64_t hone__inputs_mix(uint64_t x);
/* Seed of one argument's values. */
uint64_t hone__inputs_seed(uint64_t seed, size_t arg, int pass);
/* Element `index` of an array: an integer in [-amplitude, amplitude] (from 0
 * for unsigned types), or with amplitude 0 a real in [-1, 1). The same
 * numbers as hone_fill in device_code.cu. */
double hone__inputs_value(int type, uint64_t seed, uint64_t index,
                          int64_t amplitude);
/* The value of a scalar argument, of any type. */
typedef union hone_scalar {
    uint64_t bits[2];
    double f64[2];
} hone_scalar;

/* An integer from 1, or a real in [0.25, 1); the imaginary part is half of
 * the real one. */
void hone__inputs_scalar(hone_type type, uint64_t seed, size_t arg, int pass,
                         int64_t amplitude, hone_scalar *out);

/* Integers in the exact pass are as small as the strictest of the checks
 * wants: the amplitude after one more check with `exact` (0: none). */
int64_t hone__inputs_amplitude(int64_t so_far, int64_t exact);
/* An out or inout array. */
int hone__arg_is_written(const hone_resolved_arg *arg);

/* Elements as arrays hold them; complex arrays are twice as many f32. */
double hone__element_load(int type, const void *array, int64_t index);
void hone__element_store(int type, void *array, int64_t index, double value);

/* A floating-point type, of those that are not complex. */
int hone__type_is_real(int type);
/* 64-bit integers, of which a double does not hold all. */
int hone__type_is_long(int type);

/* Elements to compare: 0 for all of them, if that is cheap; else so many
 * numbers in `index` (room for HONE_N_SAMPLES): spread over the array, and
 * the last 64. Increasing. */
int64_t hone__inputs_elements(int64_t n, double cost, int64_t *index);

/* Tolerance and amplitude of a check of array `arg` for one problem, with the
 * parameters at their defaults. */
hone_status hone__check_bounds(const hone_template *tmpl,
                               const hone_template_check *check, int arg,
                               const int64_t *dims,
                               const hone_properties *properties,
                               double *out_tolerance, int64_t *out_exact,
                               hone_error *err);
/* Unit round-off of the accumulation for results of this type, and the step
 * between neighbouring values of it. Half types accumulate in f32. */
void hone__check_round_off(hone_type type, double *out_u, double *out_ulp);
/* The reference "cpu.NAME". HONE_ERR_INPUT if there is none. */
hone_status hone__reference_find(const hone_template *tmpl, const char *name,
                                 const hone_reference *references,
                                 size_t n_references,
                                 const hone_reference **out, hone_error *err);
/* Every "cpu.NAME" that the template's checks name is there. */
hone_status hone__references_check(const hone_template *tmpl,
                                   const hone_reference *references,
                                   size_t n_references, hone_error *err);

#endif
