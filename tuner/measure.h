/* SPDX-License-Identifier: Apache-2.0 */
/* Timing anything that can be enqueued. One sample is one replay of a CUDA
 * graph that holds enough launches to last about half a millisecond, over
 * the time between two events: the events' own 5 us and the launches' 3 us
 * then weigh less than a percent, and every rival is timed the same way. In
 * cold mode the launches of a graph go round over the problem's copies. */
#ifndef HONE_TUNER_MEASURE_H
#define HONE_TUNER_MEASURE_H

#include "tuner/problem.h"
#include "tuner/variant.h"

enum { HONE_MAX_SAMPLES = 64 };

typedef struct hone_timer {
    hone_gpu *device;
    hone_problem *problem;
    hone_subject subject;
    int n_launches; /* per sample */
    double estimate_ns;
    hone_cu_graph graph;
    hone_cu_graph_exec exec;
    hone_cu_event start;
    hone_cu_event stop;
} hone_timer;

/* Warm the subject up, estimate its time, record its graph. */
hone_status hone__timer_open(hone_problem *problem, hone_subject subject,
                             hone_timer *out, hone_error *err);
/* One sample: time of one execution, in ns. */
hone_status hone__timer_sample(hone_timer *timer, double *out_ns,
                               hone_error *err);
/* A steady series after a short rest: the time a variant is known by. Under
 * long sustained load the card's power limit lowers the clock; the rest makes
 * the series the same whatever ran before. */
hone_status hone__timer_series(hone_timer *timer, int n, double *out_ns,
                               hone_error *err);
void hone__timer_close(hone_timer *timer);

/* Robust statistics. `values` is sorted in place. */
double hone__median(double *values, size_t n);
/* Half the interquartile range of sorted values. */
double hone__half_iqr(const double *sorted, size_t n);
/* Distribution-free 95 % confidence interval of the median of sorted values:
 * the order statistics of the sign test. */
void hone__median_interval(const double *sorted, size_t n, double *out_low,
                           double *out_high);

#endif
