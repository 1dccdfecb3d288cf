/* SPDX-License-Identifier: Apache-2.0 */
/* One variant in the worker: load, verify, then time. */
#ifndef HONE_TUNER_TRIAL_H
#define HONE_TUNER_TRIAL_H

#include "tuner/judge/trial_protocol.h"
#include "tuner/trial/edge_shapes.h"
#include "tuner/trial/problem.h"

/* `job->spec` is read. HONE_OK with the report; an error is a failure of the
 * tuner's own work. */
hone_status hone__trial_run(hone_problem *problem, const hone_trial_job *job,
                            hone_trial_report *out, hone_error *err);
/* Only verify it, on edge shapes. */
hone_status hone__trial_verify(hone_edge_shapes *edge_shapes,
                               const hone_trial_job *job,
                               hone_trial_report *out, hone_error *err);

#endif
