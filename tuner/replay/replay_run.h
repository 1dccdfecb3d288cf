/* SPDX-License-Identifier: Apache-2.0 */
/* A search strategy on a recording: trials cost simulated time, namely what
 * they cost when they were recorded. */
#ifndef HONE_TUNER_REPLAY_RUN_H
#define HONE_TUNER_REPLAY_RUN_H

#include "tuner/replay/replay_recording.h"

/* No trial begins once a limit is reached; 0: no such limit. */
typedef struct hone_replay_budget {
    int64_t evaluations;
    double seconds;
} hone_replay_budget;

/* After one trial. */
typedef struct hone_replay_step {
    int64_t index; /* of the configuration */
    const hone_recorded_trial *trial;
    int64_t n;          /* trials so far */
    double simulated_s; /* clock when it ended */
    double best_ns;     /* so far; 0: none is valid */
} hone_replay_step;

/* Anything but HONE_OK ends the run and is returned. */
typedef hone_status (*hone_replay_fn)(void *user, const hone_replay_step *step,
                                      hone_error *err);

enum { HONE_MOST_AHEAD = 1024 };

typedef struct hone_replay_request {
    const hone_recording *recording;
    const char *strategy; /* of tuner/search.h */
    int64_t first;        /* the configuration that is tried first, or -1 */
    uint64_t seed;
    hone_replay_budget budget;
    int64_t batch; /* so many are asked for before the first answer,
                      HONE_MOST_AHEAD at most; 0 and 1: each is
                      answered before the next */
    hone_replay_budget at_least; /* a spent budget does not end the run before
                                    these are reached too */
    int is_secret;     /* the strategy is not told how many evaluations the
                          budget allows */
    double until_gain; /* stop when another such gain is unlikely (until.h),
                          whatever `at_least` says; 0: do not */
} hone_replay_request;

/* `out_last` is the last step (n 0: there was none). HONE_ERR_ARGUMENT: no
 * such strategy. */
hone_status hone__replay_run(const hone_replay_request *request,
                             hone_replay_fn on_step, void *user,
                             hone_replay_step *out_last, hone_error *err);

/* Does no trial begin after so many trials and seconds? */
int hone__replay_is_spent(const hone_replay_budget *budget, int64_t n,
                          double simulated_s);

/* Seed of repeat `repeat` of something that was asked for with `seed`. */
uint64_t hone__replay_seed(uint64_t seed, int64_t repeat);

#endif
