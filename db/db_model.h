/* SPDX-License-Identifier: Apache-2.0 */
/* What trials teach about problems that nobody tuned: models as they are
 * stored, and the trials that they are learned from. Beside db.h. */
#ifndef HONE_DB_MODEL_H
#define HONE_DB_MODEL_H

#include "db/db.h"

/* The text that makes a prediction for problems that nobody tuned. Identity:
 * op, device, types, mode and kind; again replaces it. */
typedef struct hone_db_model {
    const char *op;
    int64_t device_id;
    const char *types; /* as of a variant; NULL: none */
    const char *mode;
    const char *kind; /* "time", "chooser" */
    const char *text; /* its first line says which format, and version */
    size_t text_bytes;
    int64_t n_trials;
    int64_t n_problems;
    double error; /* standard deviation of log(time), each problem left out
                     once; negative: unknown */
} hone_db_model;

hone_status hone__db_model_put(hone_db *db, const hone_db_model *model,
                               hone_error *err);

typedef struct hone_db_model_row {
    hone_text text; /* the caller frees it */
    char sha256[HONE_SHA256_HEX];
    int64_t n_trials;
    int64_t n_problems;
    double error; /* negative: unknown */
} hone_db_model_row;

/* By its identity; the rest of `key` is not read. HONE_ERR_NOT_FOUND;
 * HONE_ERR_DATABASE that hone__db_is_damage() knows: its text is not what was
 * stored. */
hone_status hone__db_model_get(hone_db *db, const hone_db_model *key,
                               hone_db_model_row *out, hone_error *err);

/* One trial of an operation. Strings are valid during the call. */
typedef struct hone_db_op_trial {
    int64_t problem_id;
    const char *dims;
    const char *template_name;
    const char *template_sha256;
    const char *config;
    const char *outcome;
    double time_ns; /* 0: not timed */
} hone_db_op_trial;

typedef hone_status (*hone_db_op_trial_fn)(void *user,
                                           const hone_db_op_trial *trial,
                                           hone_error *err);
/* All of them on the device of `key`, of its types and mode, by problem and
 * template; as hone__db_trials() calls back. */
hone_status hone__db_op_trials(hone_db *db, const hone_db_model *key,
                               hone_db_op_trial_fn callback, void *user,
                               hone_error *err);
/* How many there are, and of how many problems. */
hone_status hone__db_op_trials_count(hone_db *db, const hone_db_model *key,
                                     int64_t *out_trials, int64_t *out_problems,
                                     hone_error *err);

#endif
