/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of one implementation of an operation, as numbers. */
#ifndef HONE_TOOLS_TRIALS_H
#define HONE_TOOLS_TRIALS_H

#include "db/db.h"

enum {
    HONE_TRIALS_MOST = 40000, /* more are not read */
    HONE_TRIALS_MOST_PARAMS = 32,
    HONE_TRIALS_MOST_LEVELS = 64 /* values of a parameter; later ones count as
                                    the last */
};

typedef struct hone_trials_param {
    char name[64];
    size_t n_levels;
    char levels[HONE_TRIALS_MOST_LEVELS][40];
} hone_trials_param;

typedef struct hone_trials_row {
    int64_t problem_id;
    double log_time; /* less the mean of its problem, so that shapes do not
                        count as variance */
    unsigned char level[HONE_TRIALS_MOST_PARAMS];
} hone_trials_row;

/* Only parameters with two values at least. */
typedef struct hone_trials {
    size_t n_params;
    hone_trials_param params[HONE_TRIALS_MOST_PARAMS];
    hone_trials_row *rows;
    size_t n;
    size_t n_problems;
} hone_trials;

/* Which: the correct trials of an implementation on a device in a mode, the
 * first HONE_TRIALS_MOST in the order of problems. */
typedef struct hone_trials_query {
    const char *op;
    const char *dims; /* as the database spells how they begin; "": any */
    const char *implementation;
    int64_t device_id;
    const char *mode;
} hone_trials_query;

/* Free with hone__trials_free(), also after a failure. */
hone_status hone__trials_read(hone_db *db, const hone_trials_query *query,
                              hone_trials *out, hone_error *err);
void hone__trials_free(hone_trials *trials);

/* For tests and for what comes from elsewhere: one more, with the time in any
 * unit; then hone__trials_finish(). */
hone_status hone__trials_add(hone_trials *trials, const char *config,
                             int64_t problem_id, double time, hone_error *err);
void hone__trials_finish(hone_trials *trials);

#endif
