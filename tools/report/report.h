/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is made of. A group is an operation on a device in a mode: the
 * problems that were tuned, their baselines, every trial. Groups are read one
 * after another, so that memory is that of the largest. */
#ifndef HONE_TOOLS_REPORT_H
#define HONE_TOOLS_REPORT_H

#include "db/db.h"
#include "runtime/base/device_properties.h"
#include "tools/analysis/importance.h"

#include <stdint.h>

enum {
    HONE_REPORT_NAMES = 64,    /* implementations, outcomes and the like */
    HONE_REPORT_MOST_IMPLS = 4 /* whose parameters are shown */
};

/* Short texts that occur often, each once; those behind the last are "other".
 */
typedef struct hone_report_names {
    char items[HONE_REPORT_NAMES][80];
    size_t n;
} hone_report_names;
size_t hone__report_name(hone_report_names *names, const char *text);

typedef struct hone_report_problem {
    int64_t problem_id;
    char *dims, *label;
    double time_ns, low_ns, high_ns; /* of the winner; 0: there is none */
    double default_ns;               /* 0: unknown */
    char *config, *default_config;   /* NULL: unknown */
    char *implementation;            /* NULL: there is no winner */
    char *decided_by, *verdict;      /* NULL: unknown */
    int is_vendor;                   /* the winner is a vendor's function */
    int is_latest;
    int64_t registers, spill_bytes; /* negative: unknown */
    int64_t clock_mhz;              /* of the winner's trial; 0: unknown */
    int64_t flops, bytes;           /* declared; 0: not declared */
    int has_bytes;                  /* arrays of 8-bit elements */
    double best_ns; /* of its correct trials; 0: there is none */
    size_t n_trials;
} hone_report_problem;

/* What is compared with a winner: a baseline, or an implementation that is a
 * vendor's function. */
typedef struct hone_report_baseline {
    size_t problem; /* index */
    size_t name;    /* in `baselines` */
    int is_copy;    /* a copy of the same bytes: no competitor */
    double time_ns; /* 0: it could not run */
    int is_same_session;
    char *message; /* NULL: none */
} hone_report_baseline;

typedef struct hone_report_trial {
    double time_ns; /* 0: none */
    int64_t trial_id;
    uint32_t problem, session; /* indices */
    unsigned char implementation, outcome;
} hone_report_trial;

typedef struct hone_report_session {
    int64_t session_id;
    size_t problem; /* index */
    char *strategy, *budget, *verdict, *started, *version, *stopped;
    int64_t seed;
    double noise_floor; /* negative: unknown */
    double seconds;     /* negative: not finished */
    size_t first, n;    /* trials */
} hone_report_session;

/* Least and most of what trials say; `n` is 0 where none does. */
typedef struct hone_report_range {
    double least, most;
    size_t n;
} hone_report_range;

typedef struct hone_report_outcome {
    size_t implementation, outcome;
    size_t n;
    char *example; /* NULL: nothing was said */
} hone_report_outcome;

/* The parameters of one implementation, by its correct trials. */
typedef struct hone_report_params {
    size_t implementation; /* in `implementations` */
    size_t n_right;        /* its correct trials */
    hone_trials trials;    /* as many of them as are looked at */
    hone_importance importance;
    double *ratios; /* of each trial, its time over the best of its problem */
    size_t order[HONE_TRIALS_MOST_PARAMS]; /* parameters, what matters first */
    /* Levels of each parameter in the order of their values. */
    unsigned char level_order[HONE_TRIALS_MOST_PARAMS][HONE_TRIALS_MOST_LEVELS];
    unsigned char level_place[HONE_TRIALS_MOST_PARAMS][HONE_TRIALS_MOST_LEVELS];
} hone_report_params;

typedef struct hone_report_key {
    char *op;
    char mode[8];
    int64_t device_id;
} hone_report_key;

typedef struct hone_report_group {
    hone_report_key key;
    char device[128], device_kind[16], arch[32], driver[32];
    hone_properties properties;
    int64_t memory_bytes;

    hone_report_problem *problems;
    size_t n_problems;
    hone_report_baseline *others;
    size_t n_others;
    hone_report_trial *trials;
    size_t n_trials;
    hone_report_session *sessions;
    size_t n_sessions;
    hone_report_outcome *ends;
    size_t n_ends;
    hone_report_params *params[HONE_REPORT_MOST_IMPLS];
    size_t n_params;

    hone_report_names baselines, implementations, outcomes, toolchains, timings;
    unsigned char is_vendor[HONE_REPORT_NAMES]; /* implementations */
    hone_report_range clock_mhz, power_mw, temperature_c;
    size_t n_throttled; /* trials with a reason beside idle and power cap */
} hone_report_group;

/* Which rows are wanted; NULL and "": all. */
typedef struct hone_report_filter {
    const char *op, *dims, *device, *mode;
} hone_report_filter;

/* The groups that there are, by op, device and mode. Freed by
 * hone__report_keys_free(), also after a failure. */
hone_status hone__report_keys(hone_db *db, const hone_report_filter *filter,
                              hone_report_key **out, size_t *out_n,
                              hone_error *err);
void hone__report_keys_free(hone_report_key *keys, size_t n);
/* Read one; free it, also after a failure. */
hone_status hone__report_read(hone_db *db, const hone_report_filter *filter,
                              const hone_report_key *key,
                              hone_report_group *out, hone_error *err);
void hone__report_free(hone_report_group *group);

/* ---- what follows from the rows (report_figures.c) -------------------------
 */

/* Analysis of the parameters of the implementations with most correct trials;
 * `dims` as the filter has them.
 */
hone_status hone__report_params(hone_db *db, const char *dims,
                                hone_report_group *group, hone_error *err);
void hone__report_params_free(hone_report_group *group);

/* How a time of a baseline compares: above 1 ours is faster; 0: unknown. */
double hone__report_ratio(const hone_report_group *group,
                          const hone_report_baseline *other);
/* Geometric mean, least and most of the ratios to the fastest competitor of
 * each problem; `n` problems. */
typedef struct hone_report_summary {
    size_t n;
    double mean, least, most;
} hone_report_summary;
hone_report_summary hone__report_vendor_summary(const hone_report_group *group);
hone_report_summary
hone__report_default_summary(const hone_report_group *group);

/* Bytes a second: of the fastest copy that was measured, 0: none was. And the
 * most arithmetic of the architecture's tensor cores at the clock that was
 * measured, 0: unknown. */
typedef struct hone_report_roof {
    double copy_bytes_per_s;
    double flops_per_s;
    double clock_mhz;
} hone_report_roof;
hone_report_roof hone__report_roof(const hone_report_group *group);

#endif
