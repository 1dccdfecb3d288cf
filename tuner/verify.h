/* SPDX-License-Identifier: Apache-2.0 */
/* Is a variant right? Inputs with guard bands, poisoned outputs, inputs
 * unchanged, result against every check, on exact integers and on reals. */
#ifndef HONE_TUNER_VERIFY_H
#define HONE_TUNER_VERIFY_H

#include "tuner/problem.h"
#include "tuner/variant.h"

typedef struct hone_verdict {
    hone_outcome outcome; /* ok, wrong, fault or launch */
    int n_compared;       /* checks that compared something; 0: only the
                             memory was checked */
    double error_ratio;   /* worst error over its bound, on the reals */
    char message[320];    /* what is wrong */
} hone_verdict;

/* `blocks` are the subject's own guarded workspaces (may be none). HONE_OK
 * with the verdict; an error is a failure of the tuner's own work. */
hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         const hone_block *blocks, size_t n_blocks,
                         hone_verdict *out, hone_error *err);

#endif
