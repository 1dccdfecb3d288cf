/* SPDX-License-Identifier: Apache-2.0 */
/* A search strategy on a recording: trials cost simulated time, namely what
 * they cost when they were recorded. And many runs of it, step by step: what
 * scores and curves are made of. */
#ifndef HONE_TUNER_REPLAY_RUN_H
#define HONE_TUNER_REPLAY_RUN_H

#include "tuner/replay/replay_recording.h"
#include "tuner/search/start.h"

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
    char why[256];      /* of the last: the strategy's program failed */
} hone_replay_step;

/* Anything but HONE_OK ends the run and is returned. */
typedef hone_status (*hone_replay_fn)(void *user, const hone_replay_step *step,
                                      hone_error *err);

enum { HONE_MOST_AHEAD = 1024 };

typedef struct hone_replay_request {
    const hone_recording *recording;
    const char *strategy; /* of tuner/search.h */
    int64_t first;        /* the configuration that is tried first, or -1 */
    const int64_t *start; /* and those that come next, -1 ones left out */
    size_t n_start;
    uint64_t seed;
    hone_replay_budget budget;
    int64_t batch; /* so many are asked for before the first answer,
                      HONE_MOST_AHEAD at most; 0 and 1: each is
                      answered before the next */
    hone_replay_budget at_least; /* a spent budget does not end the run before
                                    these are reached too */
    int is_secret;   /* the strategy is not told how many evaluations the
                        budget allows */
    double answer_s; /* of a strategy that is a program; 0: 60 */
    const volatile sig_atomic_t *stop; /* while it is waited for; NULL ok */
    double until_gain; /* stop when another such gain is unlikely (rules.h),
                          whatever `at_least` says; 0: do not */
} hone_replay_request;

/* Where `start` has its configurations in a recording: as many numbers as it
 * has, -1 for one that was not recorded, which it is told of. What one leaves
 * out is that of the recording's default, without which it must be complete.
 * hone__free(). HONE_ERR_NO_MEMORY. */
hone_status hone__replay_start(const hone_recording *recording,
                               const hone_start *start, int64_t **out,
                               hone_error *err);

/* `out_last` is the last step (n 0: there was none), on errors too.
 * HONE_ERR_ARGUMENT: no such strategy. */
hone_status hone__replay_run(const hone_replay_request *request,
                             hone_replay_fn on_step, void *user,
                             hone_replay_step *out_last, hone_error *err);

/* Does no trial begin after so many trials and seconds? */
int hone__replay_is_spent(const hone_replay_budget *budget, int64_t n,
                          double simulated_s);

/* Seed of repeat `repeat` of something that was asked for with `seed`. */
uint64_t hone__replay_seed(uint64_t seed, int64_t repeat);

/* ---- many runs ---------------------------------------------------------- */

typedef struct hone_replay_point {
    double simulated_s; /* clock when the trial ended */
    double best_ns;     /* so far; 0: none is valid */
} hone_replay_point;

/* One run: a point per trial. */
typedef struct hone_replay_trace {
    hone_replay_point *points;
    size_t n;
} hone_replay_trace;

typedef struct hone_replay_traces {
    hone_replay_trace *runs;
    size_t n;
} hone_replay_traces;

/* `repeats` runs of `run`, run i with hone__replay_seed(run->seed, i), on
 * `n_threads` threads; what they give does not depend on how many those are.
 * Free also on failure. */
hone_status hone__replay_traces(const hone_replay_request *run, int64_t repeats,
                                int n_threads, hone_replay_traces *out,
                                hone_error *err);
void hone__replay_traces_free(hone_replay_traces *traces);

/* How many points of a trace are within a budget: all whose trial began
 * before it was spent. */
size_t hone__replay_trace_within(const hone_replay_trace *trace,
                                 const hone_replay_budget *budget);

/* One mark of a curve: the optimum's time over the best time found so far,
 * 0 for a run that has found no valid configuration yet. */
typedef struct hone_replay_fraction {
    double mean;
    double median;
} hone_replay_fraction;

/* The fraction after `evaluations`, over the runs; failed configurations are
 * evaluations too. A run that ended earlier has tried the whole space. The
 * recording has a valid configuration. HONE_ERR_NO_MEMORY. */
hone_status hone__replay_fraction_at(const hone_recording *recording,
                                     const hone_replay_traces *traces,
                                     int64_t evaluations,
                                     hone_replay_fraction *out,
                                     hone_error *err);

#endif
