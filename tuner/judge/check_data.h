/* SPDX-License-Identifier: Apache-2.0 */
/* What every device agrees on about checks: how elements are stored, which
 * elements are compared, with what, and how far off they may be. */
#ifndef HONE_TUNER_CHECK_DATA_H
#define HONE_TUNER_CHECK_DATA_H

#include "gen/parse/template.h"
#include "runtime/base/device_properties.h"
#include "runtime/launch/launch_spec.h"
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
 * numbers in `index` (room for HONE_N_SAMPLES): one of each of as many equal
 * intervals, at no fixed distance, and the last 64. Increasing. */
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

/* Unit round-off of the accumulation for results of this type, and the step
 * between neighbouring values of it. Half types accumulate in f32. Both are 0
 * for integers. */
void hone__check_round_off(hone_type type, double *out_u, double *out_ulp);
/* The step between the smallest values of a type, below which steps are no
 * longer in proportion: of f16 alone, whose smallest values are of use. Results
 * that differ by less than a rounding may lie so far apart. */
double hone__check_least(hone_type type);

/* ---- CPU references ------------------------------------------------------ */

/* What `check cpu.NAME` compares with. The tuner gets them as a table from its
 * caller. */

/* Compute elements [first, first + count) of one output of the operation, in
 * double: their values, and their magnitudes (the sum of the absolute values
 * of the terms, or what else rounding errors are in proportion to). A complex
 * number is two elements: its real and its imaginary part. `args` has a host
 * pointer per declared argument: to the array or the scalar, in its native
 * type, as it was before the run. Several threads call it at a time. */
typedef void hone_reference_compute(const int64_t *dims,
                                    const void *const *args, int64_t first,
                                    int64_t count, double *value,
                                    double *magnitude);

enum { HONE_MAX_REFERENCE_OUTPUTS = 8 };

typedef struct hone_reference {
    const char *name; /* what follows "cpu." in the template */
    /* One for each array that is written, in the order of declaration. */
    hone_reference_compute *compute[HONE_MAX_REFERENCE_OUTPUTS];
    /* Floating-point operations per output element. */
    double (*cost)(const int64_t *dims);
    /* Element types of the arguments that it can read, in the order of
     * declaration, as alternatives: "f32 f32|f64 f64". NULL: any. */
    const char *types;
    /* A range costs in proportion to its length wherever it begins, so that
     * parts of an array may be computed on several threads. */
    int is_apart;
} hone_reference;

/* The reference "cpu.NAME". HONE_ERR_INPUT if there is none. */
hone_status hone__reference_find(const hone_template *tmpl, const char *name,
                                 const hone_reference *references,
                                 size_t n_references,
                                 const hone_reference **out, hone_error *err);
/* Every "cpu.NAME" that the template's checks name is there. */
hone_status hone__references_check(const hone_template *tmpl,
                                   const hone_reference *references,
                                   size_t n_references, hone_error *err);

/* ---- magnitudes ---------------------------------------------------------- */

/* How far rounding may move an element: its magnitude M, so that a right
 * kernel is within tolerance * u * M of the reference f, u being the unit
 * round-off and the tolerance the number of roundings in a row.
 *
 * What is to be bounded. A stable kernel gives f(x_1 (1 + e_1), ..,
 * x_m (1 + e_m)) with |e_i| <= tolerance * u, up to rounding the result: a
 * small componentwise backward error (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., 2002, sections 1.5 and 3.1). To first order
 * it is off by sum e_i g_i, g_i = x_i df/dx_i. The sum of the |g_i| is the
 * componentwise condition number times |f| (Gohberg and Koltracht, 1993): for
 * x - z it is |x| + |z|, for a dot product twice sum |x_i y_i|. Roundings that
 * do not conspire stay within the 2-norm of g, times a small factor (Higham
 * and Mary, A new approach to probabilistic rounding error analysis, 2019).
 *
 * How it is found, by running the reference alone: statistical condition
 * estimation (Kenney and Laub, Small-sample statistical condition estimates
 * for general matrix functions, 1994). A run on x_i (1 + step * s_i) moves the
 * result by step * S, S = sum s_i g_i, plus step^2. s_i is random: a number of
 * the element itself, and half as large ones that are common to 32 elements,
 * to 1024 and to the array, each uniform in [-1, 1). So
 *     3 E S^2 = sum g_i^2 + 1/4 sum over blocks B of (sum over B of g_i)^2,
 * at least the square of the 2-norm of g, and where many terms act together,
 * as in a long sum of one sign, up to the square of its 1-norm. Then
 *     M = max(|f|, 8 sqrt(3 * mean of S^2 over 8 runs)).
 *
 * The factor 8. S is close to normal, so that the mean of 8 squares is as
 * chi-squared with 8 degrees of freedom: it is below 1/64 of what is expected,
 * M below the 2-norm, with probability 6e-7, and M below a fifth of it, which
 * is what errors reach in practice, with 2e-12. On the other side M is about 11
 * times the sum of the |g_i| at most, and 20 times only by chance.
 *
 * What it does not cover: terms that cancel and do not move with the inputs,
 * as in (x + 1) - 1, exp(x) - exp(z) near 0, or integers, which are not
 * moved. A kernel may err there by u times the terms, which no run of the
 * reference shows; `magnitude template.NAME` of a check says it. Steps are the
 * square root of the types' round-off: much larger than the noise of the
 * reference, much smaller than 1. */
enum { HONE_MAGNITUDE_RUNS = 8 };

/* Relative step for arguments and results of one type; 0 for integers, which
 * are not moved. The largest of all types is that of a run. */
double hone__magnitude_step(int type);

/* The largest number of a type; of integers, no limit. A magnitude that the
 * type does not hold (a sum of 100,000 products in f16) counts as that. */
double hone__magnitude_most(int type);
/* Element `index` of an argument, moved by `step`; `seed` is that of the
 * argument in this run. The same numbers as hone_perturb in device_code.cu. */
double hone__magnitude_perturbed(double value, uint64_t seed, uint64_t index,
                                 double step);
/* S^2 of one run; 0 if it is no number: a square root, say, whose domain ends
 * here. As in hone_spread. */
double hone__magnitude_square(double value, double moved, double step);
/* M, from |f| and the sum of the squares. As in hone_magnitude. */
double hone__magnitude(double value, double squares);
/* What the square root is taken of is so many times the sum of the squares. */
double hone__magnitude_factor(void);

#endif
