/* SPDX-License-Identifier: Apache-2.0 */
/* Many runs of one strategy on one recording, step by step: what scores and
 * curves are made of. */
#ifndef HONE_TUNER_REPLAY_TRACES_H
#define HONE_TUNER_REPLAY_TRACES_H

#include "tuner/replay/replay_run.h"

typedef struct hone_replay_point {
    double simulated_s; /* clock when the trial ended */
    double best_ns;     /* so far; 0: none is valid */
} hone_replay_point;

/* One run: a point per trial. */
typedef struct hone_replay_trace {
    hone_replay_point *points;
    size_t n;
    size_t capacity;
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

#endif
