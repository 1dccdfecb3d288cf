/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone bench` asks for: the stored winner of one problem, the default
 * variant and the rivals, timed in turns. Like everything in tuner.h, the
 * calling process never touches the GPU and must be single-threaded. */
#ifndef HONE_TUNER_BENCH_H
#define HONE_TUNER_BENCH_H

#include "tuner/tuner.h"

typedef struct hone_bench_request {
    const hone_template *tmpl;
    const int64_t *dims; /* completed */
    int device;          /* CUDA ordinal */
    hone_mode mode;
    const char *db_path;
    uint64_t seed;
    const hone_reference *references;
    size_t n_references;
    hone_farm_options farm; /* backend, cache folder, stop */
} hone_bench_request;

/* The winner, the default variant or a rival. Times are 0 if it could not be
 * timed. */
typedef struct hone_bench_row {
    char name[32];    /* "winner", "default", or the rival's name */
    char label[96];   /* for people */
    char config[256]; /* of a variant; "" for rivals */
    hone_outcome outcome;
    double time_ns;   /* median of a series of its own */
    double ci_low_ns;
    double ci_high_ns;
    double spread_ns; /* half the interquartile range */
    /* Median, round by round, of its time over the winner's, and its 95 %
     * interval; 0: unknown. */
    double ratio;
    double ratio_low;
    double ratio_high;
    int n_samples;
    double error_ratio; /* worst error over the bound */
    char message[320];  /* why it could not be timed, or what is wrong */
} hone_bench_row;

enum { HONE_MAX_BENCH_ROWS = 2 + HONE_MAX_BASELINES };

typedef struct hone_bench_result {
    char device_name[128];
    char arch[16];
    double tuned_time_ns; /* of the winner, as the database has it */
    int sm_clock_mhz;     /* -1 unknown */
    size_t n_rows;
    hone_bench_row rows[HONE_MAX_BENCH_ROWS]; /* the winner first */
} hone_bench_result;

/* On the cpu there are no rivals. A default variant that is the winner gets
 * no row of its own. HONE_ERR_NOT_FOUND: nothing is tuned for this problem on
 * this device, or there is no database; HONE_ERR_NO_GPU, HONE_ERR_NO_NVRTC,
 * HONE_ERR_CUDA, HONE_ERR_DATABASE, HONE_ERR_INTERRUPTED. */
hone_status hone__bench(const hone_bench_request *request,
                        hone_bench_result *out, hone_error *err);

#endif
