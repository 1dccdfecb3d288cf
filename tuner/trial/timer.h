/* SPDX-License-Identifier: Apache-2.0 */
/* Timing anything that can be enqueued. One sample is enough executions to
 * last about half a millisecond, over the time between two events: what the
 * events themselves cost then weighs less than a percent. Short executions
 * are replays of a CUDA graph, because launching them one by one would be
 * timing the launches (3 us each here); long ones are launched, because then
 * the next launch is queued long before it is needed and a graph would only
 * cost the time to make it. A kernel of ours holds the stream meanwhile, so
 * that all of a sample is queued before its first event: whatever delays the
 * host then does not show. Where arrays are in host memory executions are
 * always launched, and what the host does for them lies between the events: the
 * stream waits for their copies. Baselines are timed the same way. In cold mode
 * the executions go round over the problem's copies. */
#ifndef HONE_TUNER_TIMER_H
#define HONE_TUNER_TIMER_H

#include "tuner/device/device.h"
#include "tuner/judge/rest.h"
#include "tuner/trial/problem.h"

enum { HONE_MAX_SAMPLE_LAUNCHES = 512 };

typedef struct hone_timer {
    hone_device *device;
    hone_problem *problem;
    hone_subject subject;
    hone_timing timing; /* EVENT or GRAPH, once it is open */
    int n_launches;     /* executions per sample */
    double estimate_ns; /* of one execution */
    size_t next_set;    /* of the rotation, with events */
    hone_cu_graph graph;
    hone_cu_graph_exec exec;
    hone_stopwatch watch;
} hone_timer;

/* Warm the subject up, estimate its time, choose how it is timed (or as
 * problem->timing says). If it ran before and took `estimate_ns` then, that is
 * believed if it is long enough; 0: unknown. */
hone_status hone__timer_open(hone_problem *problem, hone_subject subject,
                             double estimate_ns, hone_timer *out,
                             hone_error *err);
/* One sample: time of one execution, in ns. */
hone_status hone__timer_sample(hone_timer *timer, double *out_ns,
                               hone_error *err);

/* A steady series after a rest: the time a variant is known by. The rest makes
 * it the same whatever ran before; `*rest` becomes long where the short one
 * shows that it is needed. `loaded_ns`: what an execution took among others,
 * one behind the other; 0: nobody knows. */
hone_status hone__timer_series(hone_timer *timer, double loaded_ns,
                               hone_rest *rest, int n, double *out_ns,
                               hone_error *err);
/* So many samples that nobody times, one behind the other, and wait. */
hone_status hone__timer_burst(hone_timer *timer, int n, hone_error *err);
void hone__timer_close(hone_timer *timer);

/* Pure: how many executions of `estimate_ns` make a sample when the arguments
 * rotate over `n_sets`. */
int hone__launches_choose(hone_timing timing, double estimate_ns,
                          size_t n_sets);

#endif
