/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a final share: final_enter.c lets runners in, final_steps.c
 * runs them. */
#ifndef HONE_TUNER_FINAL_RUNNER_H
#define HONE_TUNER_FINAL_RUNNER_H

#include "tuner/baselines/baseline.h"
#include "tuner/judge/final.h"
#include "tuner/trial/timer.h"
#include "tuner/trial/trial.h"

/* One that runs: a variant, a baseline or the control. */
typedef struct hone_final_runner {
    hone_variant variant;  /* also of a baseline that is another template */
    hone_baseline *vendor; /* a kernel of somebody else's; NULL: it is not */
    hone_timer timer;
    int is_timed; /* the timer is open */
    int spoils;   /* a baseline that changes its inputs */
} hone_final_runner;

/* A final in its process. */
typedef struct hone_final_state {
    hone_problem *problem;
    hone_edge_shapes *shapes;
    int to_parent;
    int is_rest_chosen;
    hone_rest rest; /* of its series */
    hone_final_request request;
    hone_final_report report;
    hone_final_runner
        runners[HONE_MAX_RUNNERS + 1]; /* the last is the A/A control */
} hone_final_state;

/* The step `enter` of judge/final.h, `user` being a hone_final_state: load
 * runner `i` and verify it. */
hone_status hone__final_enter(void *user, int i, hone_finalist *item,
                              hone_error *err);

hone_subject hone__final_subject(hone_final_runner *r);
/* Load entry `of`. */
hone_status hone__final_load(hone_final_state *f, int of, hone_variant *out,
                             hone_error *err);
/* Check runner `i` on the problem; one that is wrong is out. */
hone_status hone__final_verify(void *user, int i, hone_finalist *item,
                               hone_error *err);
/* What the failure of a runner means: the loss of the context ends the process
 * (`status`), anything else takes the runner out (HONE_OK). */
hone_status hone__final_failed(hone_status status, hone_finalist *item,
                               hone_error *err);

#endif
