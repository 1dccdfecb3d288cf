/* SPDX-License-Identifier: Apache-2.0 */
/* Times of variants at problems where nobody timed them, from what their
 * template says that they cost there and from how far this was wrong where they
 * and others were timed. Pure. */
#ifndef HONE_TUNER_IMPUTE_H
#define HONE_TUNER_IMPUTE_H

#include "runtime/base/error.h"

#include <stddef.h>

typedef struct hone_impute_request {
    size_t n_problems, n_variants;
    const double *cost; /* n_variants x cost_row: its logarithm; not a
                           finite number: none */
    size_t cost_row;
    const unsigned char *counts; /* n_variants: of one template; the others are
                                    left as they are */
    double *time_ns; /* n_problems x n_variants; 0: not known. Filled in of
                        those that have a time where they have a cost. */
} hone_impute_request;

/* log(time) = log(cost) + unit + what is particular to the problem + to the
 * variant, the last two as small as times allow. Times far from the best of
 * their problem say little. HONE_ERR_NO_MEMORY. */
hone_status hone__impute_times(const hone_impute_request *request,
                               hone_error *err);

#endif
