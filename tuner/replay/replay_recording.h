/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded trials of one problem on one device: a search space whose answers
 * are known. Read from T4 results, Kernel Tuner caches and hone databases. */
#ifndef HONE_TUNER_REPLAY_RECORDING_H
#define HONE_TUNER_REPLAY_RECORDING_H

#include "runtime/base/alloc.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/hone.h"
#include "runtime/launch/launch_spec.h"
#include "runtime/base/text.h"
#include "tuner/judge/outcome.h"
#include "tuner/search/search.h"
#include "tuner/session/tune.h"

#include <stddef.h>
#include <stdint.h>

enum { HONE_MAX_RECORDED_PARAMS = 256 };

/* What a trial cost when it was recorded, in seconds. */
typedef enum hone_cost {
    HONE_COST_COMPILE,
    HONE_COST_FRAMEWORK,
    HONE_COST_SEARCH,
    HONE_COST_VALIDATION,
    HONE_COST_RUNS,
    HONE_N_COSTS
} hone_cost;

typedef struct hone_recorded_trial {
    hone_outcome outcome;
    double time_ns;              /* of one execution; 0 unless ok */
    double cost_s[HONE_N_COSTS]; /* 0: not recorded */
} hone_recorded_trial;

/* A number that came with a trial beside what a replay needs: "GFLOP/s". */
typedef struct hone_replay_extra {
    char name[64];
    char unit[32];
    double value;
} hone_replay_extra;

typedef struct hone_recorded_param {
    const char *name;
    size_t n_values;
    const char **values; /* as text, in the file's order */
    int *rank;           /* of each value: numbers ascend, others stay */
    int *by_rank;        /* the other way round */
} hone_recorded_param;

typedef struct hone_recording {
    hone_arena arena; /* holds the texts */
    const char *path;
    const char *file;   /* its name without the folder */
    const char *format; /* "T4", "Kernel Tuner", "hone" */
    const char *op;     /* kernel, or the file's base name */
    const char *device; /* "" if the file does not say */
    hone_mode mode;
    int64_t dims[HONE_MAX_DIMS];
    size_t n_dims;
    int interrupted; /* the file ends early; what it has was read */
    double unit_s;   /* of the times in it */

    size_t n_params;
    hone_recorded_param *params;
    int *n_values; /* of each parameter */
    int64_t n_configs;
    int64_t capacity;
    uint32_t *values;            /* n_params value indexes per configuration */
    hone_recorded_trial *trials; /* one per configuration */
    int64_t default_index;       /* -1: unknown */
    int64_t *table;              /* from a configuration to its index + 1 */
    size_t table_size;

    int64_t n_valid;              /* outcome ok */
    double best_ns;               /* of all; 0 if none is valid */
    double total_s;               /* all costs of all configurations */
    char sha256[HONE_SHA256_HEX]; /* of what it says, not of its bytes */
} hone_recording;

typedef struct hone_recordings {
    size_t n;
    hone_recording **items;
} hone_recordings;

/* Read a file, its format told by its content. T4 and Kernel Tuner files hold
 * one recording; a database has one per problem, device, mode, template and
 * compiler (trials of devices that are replays themselves are left out).
 * HONE_ERR_NOT_FOUND, HONE_ERR_IO, HONE_ERR_INPUT (with the place, also for a
 * file without any trial), HONE_ERR_DATABASE. Free also on failure. */
hone_status hone__recordings_read(const char *path, hone_recordings *out,
                                  hone_error *err);
void hone__recordings_free(hone_recordings *recordings);

/* One trial as it stands in the file, in the file's unit of time; valid during
 * the call. */
typedef struct hone_replay_seen {
    const hone_recording *recording; /* parameters and their values so far */
    const uint32_t *values;
    hone_outcome outcome;
    double time;
    const char *time_text; /* as it is spelled, "" if it was computed */
    const double *cost;    /* HONE_N_COSTS; 0: not recorded */
    const double *samples;
    size_t n_samples;
    const char *timestamp; /* "" if there is none */
    const hone_replay_extra *extras;
    size_t n_extras;
} hone_replay_seen;
typedef hone_status (*hone_replay_seen_fn)(void *user,
                                           const hone_replay_seen *seen,
                                           hone_error *err);
/* Read a T4 file or a Kernel Tuner cache again, and hand every trial to the
 * callback, those of one configuration too. */
hone_status hone__recording_walk(const char *path, hone_replay_seen_fn callback,
                                 void *user, hone_error *err);

/* The view that strategies search; values are their ranks. */
hone_search_space hone__recording_space(const hone_recording *recording);
/* "block_size_x=16,..", appended. */
void hone__recording_config(const hone_recording *recording, int64_t index,
                            hone_text *out);
double hone__recorded_cost_s(const hone_recorded_trial *trial);

/* ---- for the readers of the formats ------------------------------------- */

/* A recording without trials, appended to `list`, which owns it. */
hone_status hone__recording_add(hone_recordings *list, const char *path,
                                const char *format, hone_recording **out,
                                hone_error *err);
/* A copy in the recording's arena. */
hone_status hone__recording_text(hone_recording *recording, const char *text,
                                 const char **out, hone_error *err);
/* Index of a parameter, -1 if there is none. */
long hone__recording_find_param(const hone_recording *recording,
                                const char *name);
/* Append a parameter. Only before the first trial. */
hone_status hone__recording_add_param(hone_recording *recording,
                                      const char *name, hone_error *err);
/* Index of a value, which is appended if it is new. */
hone_status hone__recording_value(hone_recording *recording, size_t param,
                                  const char *text, uint32_t *out,
                                  hone_error *err);
/* One trial; of several of one configuration the last one counts. */
hone_status hone__recording_put(hone_recording *recording,
                                const uint32_t *values,
                                const hone_recorded_trial *trial,
                                int64_t *out_index, hone_error *err);
/* When all is read: multiply what is in the file's unit, then count.
 * HONE_ERR_INPUT if there is no trial. */
hone_status hone__recording_finish(hone_recording *recording, double unit_s,
                                   hone_error *err);

/* The reader of databases; replay_read.c has that of JSON. */
hone_status hone__replay_read_db(const char *path, hone_recordings *list,
                                 hone_error *err);

#endif
