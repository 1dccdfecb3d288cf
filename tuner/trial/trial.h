/* SPDX-License-Identifier: Apache-2.0 */
/* What the device's worker is asked for: one variant tried, or verified on
 * edge shapes, and a final. `job->spec` is read. HONE_OK with the report; an
 * error is a failure of the tuner's own work. */
#ifndef HONE_TUNER_TRIAL_H
#define HONE_TUNER_TRIAL_H

#include "tuner/judge/cover.h"
#include "tuner/judge/trial_protocol.h"
#include "tuner/trial/problem.h"

/* Load, verify, then time. */
hone_status hone__trial_run(hone_problem *problem, const hone_trial_job *job,
                            hone_trial_report *out, hone_error *err);

/* ---- edge_shapes.c ------------------------------------------------------- */

/* Verification on the shapes of judge/cover.h, with another seed. Their
 * problems are made when they are first needed and kept for the next variant:
 * their references cost more than a variant's run. */
typedef struct hone_edge_row {
    int is_wanted; /* the operation has it, and it is unlike those before */
    int64_t dims[HONE_MAX_DIMS];
    hone_problem *problem; /* perhaps of other dims; NULL: not made yet */
} hone_edge_row;

typedef struct hone_edge_shapes {
    hone_device *device; /* these two are given, and borrowed */
    const hone_problem_setup *setup;
    const hone_trial_job *job; /* what the rows are for */
    int is_tight; /* there was no room: rows grow as on a slow device */
    hone_edge_row rows[HONE_N_EDGE_SHAPES + 1]; /* the last: the problem */
} hone_edge_shapes;

/* Free the problems; they can be made again. */
void hone__edge_shapes_forget(hone_edge_shapes *shapes);

/* Run `job` on each shape, as far as its constraints allow them. The verdict
 * is the first that is not ok; then the problems are made anew for the next
 * variant, since this one may have written into them. HONE_ERR_NO_MEMORY: no
 * room, which says nothing about the variant. */
hone_status hone__edge_shapes_check(hone_edge_shapes *shapes,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err);
/* The same as a trial's report. */
hone_status hone__trial_verify(hone_edge_shapes *shapes,
                               const hone_trial_job *job,
                               hone_trial_report *out, hone_error *err);

/* ---- final_steps.c ------------------------------------------------------- */

/* Answer HONE_DEVICE_FINAL: the steps of a final (judge/final.h) on a device.
 * HONE_ERR_KERNEL, or a fatal error of CUDA: a runner ruined this process. */
hone_status hone__final_answer(hone_problem *problem, hone_edge_shapes *shapes,
                               hone_unpack *in, int to_parent, hone_error *err);

#endif
