/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs of a problem must be, by each kind of reference: a CPU
 * reference in double ("cpu.NAME"), or on the device a vendor's library
 * ("cublas.gemm") or another template ("template.NAME"). Those that take
 * `checks` get the checks of one statement, one for each output, and fill them
 * for all passes that they want; where a reference is not for this problem or
 * this machine, `skipped` says so. */
#ifndef HONE_TUNER_EXPECTATIONS_H
#define HONE_TUNER_EXPECTATIONS_H

#include "tuner/trial/problem.h"

/* Compute what each check expects. HONE_ERR_INPUT: there is no such reference,
 * or it does not compute every array that is written. */
hone_status hone__expectations_make(hone_problem *problem, hone_error *err);

/* Whether a check compares in this pass. */
int hone__check_wants(const hone_check *check, int pass);

/* Not on this machine, or not for these types: the checks of the statement say
 * so, and all goes on. */
hone_status hone__expectations_skip(const hone_problem *problem,
                                    hone_check *checks, hone_error *err);

/* ---- expect_run.c -------------------------------------------------------- */

/* How magnitudes are found. */
typedef enum hone_magnitude_source {
    HONE_MAGNITUDE_TERMS,  /* by running on the absolute values of the inputs:
                              for sums of products, as libraries compute */
    HONE_MAGNITUDE_SPREAD, /* by moving the inputs (check_data.h) */
    HONE_MAGNITUDE_GIVEN   /* they are there */
} hone_magnitude_source;

/* By running `subject` on copies of the inputs. */
hone_status hone__expectations_run(hone_problem *problem, hone_check *checks,
                                   hone_magnitude_source source,
                                   hone_subject subject, hone_error *err);

/* By running another template on the same inputs. */
hone_status hone__expect_template(hone_problem *problem, hone_check *checks,
                                  hone_error *err);

/* Load another template's default variant for a problem, whose arguments it
 * must have. `*out_why` is a sentence, and `out` empty, where it refuses the
 * problem. */
hone_status hone__reference_template_load(const hone_problem *problem,
                                          const char *name, hone_variant *out,
                                          char out_why[256], hone_error *err);

/* ---- expect_agree.c ------------------------------------------------------ */

/* The check by a library of one output, whose expectations are made: is its
 * result on integers that of the CPU references that were made, as far as they
 * compute the same elements? Libraries err, too. If it is not, it compares
 * nothing, and `skipped` says why. Nothing is looked at where a sum of
 * integers need not be exact. */
hone_status hone__expectations_agree(hone_problem *problem, hone_check *check,
                                     hone_error *err);

/* ---- expect_vendor.c ----------------------------------------------------- */

/* By a vendor's library. */
hone_status hone__expect_vendor(hone_problem *problem, hone_check *checks,
                                hone_error *err);

#endif
