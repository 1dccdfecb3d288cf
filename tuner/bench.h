/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone bench` asks for: the stored winner of one problem, the default
 * variant, the best of each other implementation, the baselines, and any
 * configurations besides, timed in turns. Like everything in tuner.h, the
 * calling process never touches the device and must be single-threaded. */
#ifndef HONE_TUNER_BENCH_H
#define HONE_TUNER_BENCH_H

#include "tuner/tuner.h"

enum { HONE_MAX_BENCH_CONFIGS = 24, HONE_MAX_BENCH_OTHERS = 8 };

/* A configuration that is asked for: a value per parameter of `tmpl`, one of
 * the implementations that are given. */
typedef struct hone_bench_config {
    const hone_template *tmpl;
    int64_t *values;
} hone_bench_config;

/* A variant or a baseline. Times are 0 if it could not be timed. */
typedef struct hone_bench_row {
    char name[64];           /* "winner", "default", "best of", "config", or the
                                baseline's name */
    char implementation[64]; /* of a variant */
    char label[96];          /* for people */
    char config[256];        /* of a variant; "" for baselines */
    hone_outcome outcome;
    double time_ns; /* median of a series of its own, or by the ratio */
    double ci_low_ns;
    double ci_high_ns;
    double spread_ns; /* half the interquartile range */
    /* Median, round by round, of its time over that of the row `reference`,
     * and its 95 % interval; 0: unknown. */
    double ratio;
    double ratio_low;
    double ratio_high;
    int n_samples;      /* rounds */
    double error_ratio; /* worst error over the bound */
    char message[320];  /* why it could not be timed, or what is wrong */
} hone_bench_row;

enum {
    HONE_MAX_BENCH_ROWS =
        2 + HONE_MAX_BENCH_OTHERS + HONE_MAX_BENCH_CONFIGS + HONE_MAX_BASELINES
};

typedef struct hone_bench_result {
    char device_name[128];
    char arch[16];
    int has_winner;       /* in the database: the first row, and reference */
    double tuned_time_ns; /* of the winner, as the database has it */
    int sm_clock_mhz;     /* -1 unknown */
    int reference; /* row that ratios are to: the winner, or without one the
                      fastest variant; -1: no variant could be timed */
    int n_rounds;
    double noise_floor; /* relative; negative: unknown */
    char verdict[16];   /* as of a final; "": nothing raced */
    char decided_by[160];
    size_t n_rows;
    hone_bench_row rows[HONE_MAX_BENCH_ROWS]; /* winner, default, the best of
                                                 each other implementation,
                                                 configs in their order,
                                                 baselines */
} hone_bench_result;

/* `configs`: more, of any of the implementations, up to HONE_MAX_BENCH_CONFIGS
 * of them. On the cpu there are no baselines. A configuration that has a row
 * already gets no other. With configurations nothing needs to be tuned.
 * HONE_ERR_NOT_FOUND: nothing is tuned for this problem on this device, or
 * there is no database; HONE_ERR_CONSTRAINT, HONE_ERR_INPUT (a configuration
 * that is not valid for this problem, or does not compile); HONE_ERR_NO_GPU,
 * HONE_ERR_NO_NVRTC, HONE_ERR_CUDA, HONE_ERR_DATABASE, HONE_ERR_INTERRUPTED.
 */
hone_status hone__bench(const hone_tuned *tuned,
                        const hone_bench_config *configs, size_t n_configs,
                        hone_bench_result *out, hone_error *err);

#endif
