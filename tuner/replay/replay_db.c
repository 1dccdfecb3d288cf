/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of a database of ours: one recording per problem, device, mode,
 * template and compiler. */
#include "tuner/replay/replay_formats.h"

#include "db/db.h"

#include <stdlib.h>
#include <string.h>

/* X(column of trial_v1): in this order in every row. */
#define COLUMNS(X)                                                             \
    X(op)                                                                      \
    X(dims)                                                                    \
    X(mode)                                                                    \
    X(device_name)                                                             \
    X(device_id)                                                               \
    X(template_sha256)                                                         \
    X(toolchain)                                                               \
    X(config)                                                                  \
    X(outcome)                                                                 \
    X(time_ns) X(compile_time_ns) X(gpu_time_ns) X(is_default) X(trial_id)

enum {
#define COLUMN_ENUM(name) COLUMN_##name,
    COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
};

#define COLUMN_SQL(name) #name ","
static const char trials_sql[] =
    "SELECT " COLUMNS(COLUMN_SQL) " 0 FROM trial_v1"
                                  " WHERE device_kind <> 'replay'"
                                  " ORDER BY op, dims, device_id, mode, "
                                  "template_sha256, toolchain,"
                                  " trial_id";
#undef COLUMN_SQL

/* What the trials of one recording have in common. */
static const int group_columns[] = {COLUMN_op,        COLUMN_dims,
                                    COLUMN_mode,      COLUMN_device_id,
                                    COLUMN_toolchain, COLUMN_template_sha256};
enum { N_GROUP = sizeof group_columns / sizeof group_columns[0] };

typedef struct db_walk {
    const char *path;
    hone_recordings *list;
    hone_recording *recording; /* the current one */
    hone_text group;           /* what makes it the current one */
    size_t next;               /* in the list */
} db_walk;

static void group_text(const hone_db_value *values, hone_text *out)
{
    for (int i = 0; i < N_GROUP; ++i) {
        const hone_db_value *value = &values[group_columns[i]];

        hone__text_printf(out, "%s|%lld\n", value->text,
                          (long long)value->integer);
    }
}

static void parse_dims(const char *text, hone_recording *recording)
{
    while (*text && recording->n_dims < HONE_MAX_DIMS) {
        char *end;

        recording->dims[recording->n_dims++] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
}

static hone_status begin_recording(db_walk *walk, const hone_db_value *values,
                                   hone_error *err)
{
    hone_recording *recording;

    HONE_TRY(
        hone__recording_add(walk->list, walk->path, "hone", &recording, err));
    HONE_TRY(hone__recording_text(recording, values[COLUMN_op].text,
                                  &recording->op, err));
    HONE_TRY(hone__recording_text(recording, values[COLUMN_device_name].text,
                                  &recording->device, err));
    recording->mode = strcmp(values[COLUMN_mode].text, "hot") == 0
                          ? HONE_MODE_HOT
                          : HONE_MODE_COLD;
    parse_dims(values[COLUMN_dims].text, recording);
    walk->recording = recording;
    return HONE_OK;
}

static hone_status bad_config(const db_walk *walk, const hone_db_value *values,
                              hone_error *err)
{
    return hone__fail(err, HONE_ERR_INPUT,
                      "%s: trial %lld: the configuration '%.200s' is not a "
                      "list of NAME=VALUE",
                      walk->path, (long long)values[COLUMN_trial_id].integer,
                      values[COLUMN_config].text);
}

/* What is done with one pair of "BM=128,BN=64". */
typedef hone_status pair_function(hone_recording *recording, const char *name,
                                  const char *value, uint32_t *out,
                                  hone_error *err);

static hone_status for_pairs(db_walk *walk, const hone_db_value *values,
                             pair_function *function, uint32_t *out,
                             hone_error *err)
{
    char *text = hone__strdup(values[COLUMN_config].text);
    char *rest = text;
    hone_status status = HONE_OK;

    if (!text)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    while (status == HONE_OK && *rest) {
        char *name = rest;
        char *equals = strchr(name, '=');
        char *end = name + strcspn(name, ",");

        rest = *end ? end + 1 : end;
        *end = '\0';
        if (!equals || equals > end) {
            status = bad_config(walk, values, err);
            break;
        }
        *equals = '\0';
        status = function(walk->recording, name, equals + 1, out, err);
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

/* A parameter that the configuration does not have has the value "". */
static hone_status parse_config(db_walk *walk, const hone_db_value *values,
                                uint32_t *out, hone_error *err)
{
    hone_recording *recording = walk->recording;

    for (size_t i = 0; i < recording->n_params; ++i)
        out[i] = UINT32_MAX;
    HONE_TRY(for_pairs(walk, values, add_value, out, err));
    for (size_t i = 0; i < recording->n_params; ++i) {
        if (out[i] == UINT32_MAX)
            HONE_TRY(hone__recording_value(recording, i, "", &out[i], err));
    }
    return HONE_OK;
}

/* Seconds of a column that may be NULL. */
static double seconds(const hone_db_value *value)
{
    return value->kind == HONE_DB_NULL ? 0 : 1e-9 * value->real;
}

/* Does the row begin another recording? */
static hone_status change_group(db_walk *walk, const hone_db_value *values,
                                int *out_changed, hone_error *err)
{
    hone_text group = {0};
    hone_status status;

    group_text(values, &group);
    status = hone__text_check(&group, err);
    *out_changed = status == HONE_OK &&
                   (!walk->recording || strcmp(hone__text_str(&group),
                                               hone__text_str(&walk->group)));
    if (*out_changed) {
        const hone_text last = walk->group;

        walk->group = group;
        group = last;
    }
    hone__text_free(&group);
    return status;
}

/* First all parameters: configurations need not have the same ones. */
static hone_status on_names(void *user, const hone_db_row *row, hone_error *err)
{
    db_walk *walk = user;
    int changed;

    HONE_TRY(change_group(walk, row->values, &changed, err));
    if (changed)
        HONE_TRY(begin_recording(walk, row->values, err));
    return for_pairs(walk, row->values, add_name, NULL, err);
}

static hone_status on_row(void *user, const hone_db_row *row, hone_error *err)
{
    db_walk *walk = user;
    uint32_t config[HONE_MAX_RECORDED_PARAMS];
    hone_recorded_trial trial = {
        .outcome = hone__outcome_find(row->values[COLUMN_outcome].text)};
    int64_t index;
    int changed;

    HONE_TRY(change_group(walk, row->values, &changed, err));
    if (changed)
        walk->recording = walk->list->items[walk->next++];
    HONE_TRY(parse_config(walk, row->values, config, err));
    if (trial.outcome == HONE_OUTCOME_OK)
        trial.time_ns =
            1e-9 * row->values[COLUMN_time_ns].real; /* as seconds */
    trial.cost_s[HONE_COST_COMPILE] =
        seconds(&row->values[COLUMN_compile_time_ns]);
    trial.cost_s[HONE_COST_RUNS] = seconds(&row->values[COLUMN_gpu_time_ns]);
    HONE_TRY(hone__recording_put(walk->recording, config, &trial, &index, err));
    if (row->values[COLUMN_is_default].integer)
        walk->recording->default_index = index;
    return HONE_OK;
}

hone_status hone__replay_read_db(const char *path, hone_recordings *list,
                                 hone_error *err)
{
    db_walk walk = {.path = path, .list = list};
    hone_db *db = NULL;
    hone_status status = hone__db_open(path, HONE_DB_READONLY, &db, err);

    if (status == HONE_OK)
        status = hone__db_query(db, trials_sql, NULL, 0, on_names, &walk, err);
    walk.recording = NULL;
    if (status == HONE_OK)
        status = hone__db_query(db, trials_sql, NULL, 0, on_row, &walk, err);
    hone__db_close(db);
    hone__text_free(&walk.group);
    if (status == HONE_OK && list->n == 0)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: there is no trial in this database (trials of "
                          "replayed recordings do not count)",
                          path);
    for (size_t i = 0; status == HONE_OK && i < list->n; ++i)
        status = hone__recording_finish(list->items[i], 1, err);
    return status;
}
