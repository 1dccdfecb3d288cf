/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of a database of ours: one recording per problem, device, mode,
 * template and compiler. */
#include "tuner/replay/replay_formats.h"

#include "db/db.h"

#include <stdlib.h>
#include <string.h>

/* The columns of every row; trials of one recording are next to each other. */
enum {
    RECORDING, /* from 1 */
    OP,
    DIMS,
    MODE,
    DEVICE,
    CONFIG,
    OUTCOME,
    TIME_NS,
    COMPILE_TIME_NS,
    DEVICE_TIME_NS,
    IS_DEFAULT,
    TRIAL_ID
};
static const char trials_sql[] =
    "SELECT dense_rank() OVER (ORDER BY op, dims, device_id, mode,"
    "  template_sha256, toolchain) AS recording,"
    " op, dims, mode, device_name, config, outcome, time_ns, compile_time_ns,"
    " device_time_ns, is_default, trial_id"
    " FROM trial_v1 WHERE device_kind <> 'replay'"
    " ORDER BY recording, trial_id";

static void parse_dims(const char *text, hone_recording *recording)
{
    while (*text && recording->n_dims < HONE_MAX_DIMS) {
        char *end;

        recording->dims[recording->n_dims++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
}

static hone_status begin_recording(hone_recordings *list, const char *path,
                                   const hone_db_value *values, hone_error *err)
{
    hone_recording *recording;

    HONE_TRY(hone__recording_add(list, path, "hone", &recording, err));
    HONE_TRY(
        hone__recording_text(recording, values[OP].text, &recording->op, err));
    HONE_TRY(hone__recording_text(recording, values[DEVICE].text,
                                  &recording->device, err));
    recording->mode =
        strcmp(values[MODE].text, "hot") == 0 ? HONE_MODE_HOT : HONE_MODE_COLD;
    parse_dims(values[DIMS].text, recording);
    return HONE_OK;
}

/* What is done with one pair of "BM=128,BN=64". */
typedef hone_status pair_function(hone_recording *recording, const char *name,
                                  const char *value, uint32_t *out,
                                  hone_error *err);

static hone_status for_pairs(hone_recording *recording,
                             const hone_db_value *values,
                             pair_function *function, uint32_t *out,
                             hone_error *err)
{
    char *text = hone__strdup(values[CONFIG].text);
    char *rest = text;
    hone_status status = HONE_OK;

    if (!text)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    while (status == HONE_OK && *rest) {
        char *name = rest;
        char *end = name + strcspn(name, ",");
        char *equals;

        rest = *end ? end + 1 : end;
        *end = '\0';
        equals = strchr(name, '=');
        if (equals) {
            *equals = '\0';
            status = function(recording, name, equals + 1, out, err);
        } else {
            status =
                hone__fail(err, HONE_ERR_INPUT,
                           "%s: trial %lld: the configuration '%.200s' "
                           "is not a list of NAME=VALUE",
                           recording->path, (long long)values[TRIAL_ID].integer,
                           values[CONFIG].text);
        }
    }
    hone__free(text);
    return status;
}

static hone_status add_name(hone_recording *recording, const char *name,
                            const char *value, uint32_t *out, hone_error *err)
{
    (void)value;
    (void)out;
    return hone__recording_find_param(recording, name) >= 0
               ? HONE_OK
               : hone__recording_add_param(recording, name, err);
}

static hone_status add_value(hone_recording *recording, const char *name,
                             const char *value, uint32_t *out, hone_error *err)
{
    const size_t param = (size_t)hone__recording_find_param(recording, name);

    return hone__recording_value(recording, param, value, &out[param], err);
}

/* Seconds of a column that may be NULL. */
static double seconds(const hone_db_value *value)
{
    return value->kind == HONE_DB_NULL ? 0 : 1e-9 * value->real;
}

typedef struct db_walk {
    const char *path;
    hone_recordings *list;
} db_walk;

/* First all parameters: configurations need not have the same ones. */
static hone_status on_names(void *user, const hone_db_row *row, hone_error *err)
{
    const db_walk *walk = user;
    const hone_db_value *values = row->values;
    const size_t recording = (size_t)values[RECORDING].integer;

    if (recording > walk->list->n)
        HONE_TRY(begin_recording(walk->list, walk->path, values, err));
    return for_pairs(walk->list->items[recording - 1], values, add_name, NULL,
                     err);
}

/* A parameter that the configuration does not have has the value "". */
static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    const db_walk *walk = user;
    const hone_db_value *values = row->values;
    hone_recording *recording =
        walk->list->items[values[RECORDING].integer - 1];
    uint32_t config[HONE_MAX_RECORDED_PARAMS];
    hone_recorded_trial trial = {.outcome =
                                     hone__outcome_find(values[OUTCOME].text)};
    int64_t index;

    for (size_t i = 0; i < recording->n_params; ++i)
        config[i] = UINT32_MAX;
    HONE_TRY(for_pairs(recording, values, add_value, config, err));
    for (size_t i = 0; i < recording->n_params; ++i) {
        if (config[i] == UINT32_MAX)
            HONE_TRY(hone__recording_value(recording, i, "", &config[i], err));
    }
    if (trial.outcome == HONE_OUTCOME_OK)
        trial.time_ns = 1e-9 * values[TIME_NS].real; /* as seconds */
    trial.cost_s[HONE_COST_COMPILE] = seconds(&values[COMPILE_TIME_NS]);
    trial.cost_s[HONE_COST_RUNS] = seconds(&values[DEVICE_TIME_NS]);
    HONE_TRY(hone__recording_put(recording, config, &trial, &index, err));
    if (values[IS_DEFAULT].integer)
        recording->default_index = index;
    return HONE_OK;
}

hone_status hone__replay_read_db(const char *path, hone_recordings *list,
                                 hone_error *err)
{
    db_walk walk = {path, list};
    hone_db *db = NULL;
    hone_status status = hone__db_open(path, HONE_DB_READONLY, &db, err);

    if (status == HONE_OK)
        status = hone__db_query(db, trials_sql, NULL, 0, on_names, &walk, err);
    if (status == HONE_OK)
        status = hone__db_query(db, trials_sql, NULL, 0, on_row, &walk, err);
    hone__db_close(db);
    if (status == HONE_OK && list->n == 0)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: there is no trial in this database (trials of "
                          "replayed recordings do not count)",
                          path);
    for (size_t i = 0; status == HONE_OK && i < list->n; ++i)
        status = hone__recording_finish(list->items[i], 1, err);
    return status;
}
