/* SPDX-License-Identifier: Apache-2.0 */
/* What every device agrees on about checks: how elements are stored, which
 * elements are compared, and with what. */
#ifndef HONE_TUNER_CHECK_DATA_H
#define HONE_TUNER_CHECK_DATA_H

#include "gen/parse/template.h"
#include "runtime/base/device_properties.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/judge/cpu_reference.h"
#include "tuner/judge/input_values.h"

enum {
    /* A CPU reference is computed whole up to so many operations (0.2 s on
     * one core), else at HONE_N_SAMPLES elements. */
    HONE_N_SAMPLES = 2048,
    HONE_MAX_REFERENCE_FLOPS = 400 * 1000 * 1000
};

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

/* What expressions of a template read for one problem, with the parameters at
 * their defaults: room for all of its slots. */
typedef struct hone_check_slots {
    int64_t value[512];
} hone_check_slots;
hone_status hone__check_slots(const hone_template *tmpl, const int64_t *dims,
                              const hone_properties *properties,
                              hone_check_slots *out, hone_error *err);

/* The numbers of a check for one array; 0 where none was given. */
typedef struct hone_bounds {
    double number[HONE_N_BOUNDS];
    int given[HONE_N_BOUNDS];
} hone_bounds;

/* Those of array `arg` for one problem, with the parameters at their
 * defaults. HONE_ERR_INPUT: one is negative. */
hone_status hone__check_bounds(const hone_template *tmpl,
                               const hone_template_check *check, int arg,
                               const int64_t *dims,
                               const hone_properties *properties,
                               hone_bounds *out, hone_error *err);

/* What the helper kernel `hone_compare` finds; as in device_code.cu. */
typedef struct hone_compared {
    uint64_t n_bad;
    uint64_t first_bad;   /* ~0 if none */
    uint64_t n_nan;       /* of the bad ones */
    uint64_t n_unbounded; /* bad ones whose bound is 0 or no number */
    uint64_t n_loose;     /* elements where 0 would pass that are not 0 .. */
    uint64_t n_tight;     /* .. and where it would not */
    double error2;        /* squares of 2-norms: of what it is off by .. */
    double magnitude2;    /* .. of the magnitudes .. */
    double value2;        /* .. and of the reference */
    uint32_t worst_ratio; /* bits of a float: the largest error / bound */
    uint32_t unused;
} hone_compared;

/* Unit round-off of the accumulation for results of this type, and the step
 * between neighbouring values of it. Half types accumulate in f32. Both are 0
 * for integers. */
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
