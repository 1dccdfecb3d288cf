/* SPDX-License-Identifier: Apache-2.0 */
/* The final: the best variants and the rivals, verified again on awkward
 * shapes and a second seed, then timed in turns (A B .. B A), so that drift
 * of clock and temperature hits all of them alike. */
#ifndef HONE_TUNER_FINAL_H
#define HONE_TUNER_FINAL_H

#include "tuner/gpu_worker.h"

enum { HONE_MAX_FINALISTS = 10, HONE_FINAL_ROUNDS = 16,
       /* Series of a variant with workspaces: each with new ones, since where
        * an allocation lies in the level 2 cache moves a 4 us kernel by 5 %. */
       HONE_PLACEMENTS = 3,
       HONE_SERIES = HONE_FINAL_ROUNDS * HONE_PLACEMENTS };

typedef struct hone_finalist {
    int64_t id;           /* of the job; -1 - n for baseline n */
    hone_outcome outcome; /* ok, or wrong on an awkward shape */
    char message[320];
    double time_ns; /* median of a series of its own */
    double spread_ns;
    double ci_low_ns;
    double ci_high_ns;
    int n_samples;
    /* Median of the round-by-round ratio to the fastest variant, and its
     * interval: what decides. */
    double ratio;
    double ratio_low;
    double ratio_high;
    double rounds_ns[HONE_FINAL_ROUNDS]; /* the first n_samples: in turns */
    double error_ratio;
    int choice;    /* rivals: which way was the fastest */
    int n_choices; /* rivals; 0: a variant */
    char label[96];
} hone_finalist;

typedef struct hone_final_report {
    int n; /* jobs in their order, then baselines in the template's order */
    int sm_clock_mhz;
    int power_mw;
    int temperature_c;
    int64_t clock_reasons;
    hone_finalist items[HONE_MAX_FINALISTS + HONE_MAX_BASELINES];
} hone_final_report;

hone_status hone__final_run(hone_problem *problem,
                            const hone_problem_setup *setup,
                            const hone_trial_job *jobs, int n_jobs,
                            hone_final_report *out, hone_error *err);

#endif
