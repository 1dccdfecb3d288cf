/* SPDX-License-Identifier: Apache-2.0 */
/* Is a variant right, on a GPU? Poisoned outputs, the result against every
 * check, on exact integers and on reals (verdict.h), and nothing written but
 * the outputs: neither inputs and guard bands nor any other block. */
#ifndef HONE_TUNER_VERIFY_H
#define HONE_TUNER_VERIFY_H

#include "tuner/trial/problem.h"
#include "tuner/trial/variant.h"
#include "tuner/judge/verdict.h"

/* `blocks` are the subject's own guarded workspaces (may be none). HONE_OK
 * with the verdict; an error is a failure of the tuner's own work. */
hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         const hone_block *blocks, size_t n_blocks,
                         hone_verdict *out, hone_error *err);

/* The same after it has been timed, in one run: thousands of executions may
 * have left its workspaces in a state that the next one cannot stand. */
hone_status hone__verify_again(hone_problem *problem, hone_subject subject,
                               const hone_block *blocks, size_t n_blocks,
                               hone_verdict *out, hone_error *err);

/* Only whether everything that must not change is as it was. */
hone_status hone__verify_memory(hone_problem *problem, const hone_block *blocks,
                                size_t n_blocks, hone_verdict *out,
                                hone_error *err);

#endif
