/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a tuning run, shared by tune_final.c (who takes part, how often)
 * and tune_final_record.c (what the database keeps of it). */
#ifndef HONE_TUNER_TUNE_FINAL_H
#define HONE_TUNER_TUNE_FINAL_H

#include "tuner/session/tune_state.h"

/* Text and cubin of a finalist, as the worker takes them. */
typedef struct hone_tune_finalist {
    hone_tune_job *job;
    hone_text cubin;
    size_t candidate;
} hone_tune_finalist;

typedef struct hone_tune_final_state {
    hone_tune_finalist finalists[HONE_MAX_FINALISTS];
    int n;
    int n_by_time; /* of them; the default variant may be there as such */
    hone_final_request request;
    hone_final_report report;
} hone_tune_final_state;

/* Who takes part, one decision each. */
hone_status hone__tune_final_announce(hone_tune_run *run,
                                      const hone_tune_final_state *f,
                                      hone_error *err);
/* Finalists that turned out wrong: a trial with that outcome, which counts
 * from now on, and a decision each. They are no candidates any more. */
hone_status hone__tune_final_refute(hone_tune_run *run,
                                    hone_tune_final_state *f, hone_error *err);
/* Baselines, decisions, ranking and what the final says of the session, in
 * one step. */
hone_status hone__tune_final_store(hone_tune_run *run,
                                   const hone_tune_final_state *f,
                                   hone_error *err);

#endif
