/* SPDX-License-Identifier: Apache-2.0 */
/* What samples say, robustly: medians, spreads, intervals. And numbers that
 * cannot be true: zero times, times that are the events' own, more work than
 * the card can do, every variant equal: a wrong unit or an empty kernel shows
 * here before it becomes a winner. Pure. */
#ifndef HONE_TUNER_STATISTICS_H
#define HONE_TUNER_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

/* `values` is sorted in place. */
double hone__median(double *values, size_t n);
/* Half the interquartile range of sorted values. */
double hone__half_iqr(const double *sorted, size_t n);
/* Distribution-free 95 % confidence interval of the median of sorted values:
 * the order statistics of the sign test. */
void hone__median_interval(const double *sorted, size_t n, double *out_low,
                           double *out_high);

/* ---- numbers that cannot be true ----------------------------------------- */

typedef enum hone_alarm {
    HONE_ALARM_NONE,     /* nothing strange */
    HONE_ALARM_ZERO,     /* a time is zero, negative or not a number */
    HONE_ALARM_FLOOR,    /* the time is that of the events around it */
    HONE_ALARM_ROOFLINE, /* more work per second than the card can do */
    HONE_ALARM_EQUAL     /* different variants all take the same time */
} hone_alarm;

/* What the card can do at most, 0 where unknown. */
typedef struct hone_roofline {
    double bytes_per_s;       /* device memory, theoretical */
    double cache_bytes_per_s; /* when the data may lie in the level 2 cache */
    double flops_per_s;       /* dense, with the widest tensor operations */
} hone_roofline;

/* What decides about one time. */
typedef struct hone_selfcheck {
    double time_ns;        /* of one execution */
    int n_launches;        /* executions in one sample */
    double event_floor_ns; /* of an empty sample; 0: unknown */
    double bytes;          /* declared work of one execution; 0: none */
    double flops;
    int in_cache; /* hot mode, or copies that do not cover the cache */
    hone_roofline peak;
} hone_selfcheck;

/* A sample whose total is below so many floors says nothing. */
enum { HONE_FLOORS_OF_A_SAMPLE = 2 };

/* HONE_ALARM_NONE, ZERO, FLOOR or ROOFLINE with a sentence. */
hone_alarm hone__selfcheck_trial(const hone_selfcheck *check, char *message,
                                 size_t size);

/* HONE_ALARM_EQUAL if at least 16 times of variants with different code are
 * all within 0.1 %. */
enum { HONE_EQUAL_TIMES = 16 };
hone_alarm hone__selfcheck_session(const double *times_ns, size_t n,
                                   char *message, size_t size);

/* Dense f16 operations by tensor cores of one multiprocessor per clock; 0: not
 * known. */
double hone__tensor_flops_per_clock(int64_t sm);

/* The roofline of a device from what its driver tells. Clocks in kHz, the
 * memory's as the driver gives it (two transfers a cycle); `sm` is 10*major +
 * minor; `has_bytes` says that an array holds 8-bit elements, for which the
 * tensor cores are twice as fast. */
hone_roofline hone__selfcheck_roofline(int64_t sm, int64_t sm_count,
                                       int64_t clock_khz,
                                       int64_t memory_clock_khz,
                                       int64_t bus_bits, int has_bytes);

#endif
