/* SPDX-License-Identifier: Apache-2.0 */
/* When an output is wrong: the first elements that are, and everything that
 * the run had in its hands as files. */
#ifndef HONE_TUNER_WRONG_VALUES_H
#define HONE_TUNER_WRONG_VALUES_H

#include "tuner/judge/verdict.h"
#include "tuner/trial/problem.h"

/* How far an element may be off: tolerance * magnitude + relative * |expected|
 * + absolute, as hone_compare has it; nothing in the exact pass. */
typedef struct hone_wrong_rule {
    double tolerance;
    double relative;
    double absolute;
} hone_wrong_rule;

/* Read the output of `check` in this run, and note in `out->wrong` as many of
 * its wrong elements as the problem wants shown. */
hone_status hone__wrong_values(hone_problem *problem, const hone_check *check,
                               const hone_verify_run *run,
                               const hone_wrong_rule *rule, int64_t n_wrong,
                               hone_verdict *out, hone_error *err);

#endif
