/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a recording has, and what stands around the trials in the two
 * JSON formats. */
#include "tuner/replay/replay_formats.h"

#include "runtime/base/grow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- objects and lists -------------------------------------------------- */

hone_status hone__replay_next(hone_replay_file *file, hone_error *err)
{
    return hone__json_next(file->reader, &file->event, err);
}

static hone_status read_as(hone_replay_file *file, hone_replay_fn_read *read,
                           hone_json_kind kind, const char *what,
                           hone_error *err)
{
    return kind == HONE_JSON_END || kind == file->event.kind
               ? read(file, err)
               : hone__json_fail(file->reader, err, "expected %s", what);
}

hone_status hone__replay_members(hone_replay_file *file,
                                 const hone_replay_member *members,
                                 int has_params, hone_error *err)
{
    for (;;) {
        const hone_replay_member *member = members;
        char name[sizeof file->name] = "";
        long param = -1;

        HONE_TRY(hone__replay_next(file, err));
        if (file->event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        if (has_params)
            param =
                hone__recording_find_param(file->recording, file->event.text);
        while (member->name && strcmp(member->name, file->event.text) != 0)
            ++member;
        file->member = member;
        if (has_params)
            (void)snprintf(name, sizeof name, "%.60s", file->event.text);
        HONE_TRY(hone__replay_next(file, err));
        if (param >= 0)
            HONE_TRY(hone__replay_value(file, (size_t)param, err));
        else if (member->name)
            HONE_TRY(
                read_as(file, member->read, member->kind, member->what, err));
        else if (has_params && file->event.kind == HONE_JSON_NUMBER)
            HONE_TRY(hone__replay_extra_put(file, name, "", file->event.number,
                                            err));
        else
            HONE_TRY(hone__json_skip(file->reader, &file->event, err));
    }
}

hone_status hone__replay_each(hone_replay_file *file, hone_replay_fn_read *read,
                              hone_json_kind kind, const char *what,
                              hone_error *err)
{
    for (;;) {
        HONE_TRY(hone__replay_next(file, err));
        if (file->event.kind == HONE_JSON_ARRAY_END ||
            file->event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        if (file->event.kind == HONE_JSON_KEY)
            HONE_TRY(hone__replay_next(file, err));
        HONE_TRY(read_as(file, read, kind, what, err));
    }
}

/* ---- trials ------------------------------------------------------------- */

/* A number as the file spells it, since the keys of Kernel Tuner's caches are
 * made of that: "0.1", "1.0", "1e-05". Returns 0 for a value that cannot be a
 * parameter's. */
static int value_text(const hone_json_event *event, char *out, size_t size)
{
    int n;

    if (event->kind == HONE_JSON_NUMBER && isfinite(event->number) &&
        event->length < size)
        n = snprintf(out, size, "%s", event->text);
    else if (event->kind == HONE_JSON_NUMBER)
        n = snprintf(out, size, "%.17g", event->number);
    else if (event->kind == HONE_JSON_TRUE || event->kind == HONE_JSON_FALSE)
        n = snprintf(out, size, "%s",
                     event->kind == HONE_JSON_TRUE ? "true" : "false");
    else if (event->kind == HONE_JSON_STRING)
        n = snprintf(out, size, "%s", event->text);
    else
        return 0;
    return n >= 0 && (size_t)n < size;
}

/* The same number by another spelling that was there earlier: 16.0 of a list
 * of 16. What is the same twice must not become two values. */
static const char *earlier_spelling(const hone_recorded_param *param,
                                    const char *text, double number)
{
    for (size_t i = 0; i < param->n_values; ++i)
        if (strcmp(param->values[i], text) == 0)
            return text;
    for (size_t i = 0; i < param->n_values; ++i) {
        char *end;

        if (strtod(param->values[i], &end) == number &&
            end != param->values[i] && !*end)
            return param->values[i];
    }
    return text;
}

hone_status hone__replay_value(hone_replay_file *file, size_t param,
                               hone_error *err)
{
    const hone_recorded_param *known = &file->recording->params[param];
    const char *value;
    char text[256];

    if (!value_text(&file->event, text, sizeof text))
        return hone__json_fail(
            file->reader, err,
            "a value of parameter '%.100s' must be a number, a truth value "
            "or a text of less than %zu characters",
            known->name, sizeof text);
    file->known[param] = 1;
    value = file->event.kind == HONE_JSON_NUMBER
                ? earlier_spelling(known, text, file->event.number)
                : text;
    return hone__recording_value(file->recording, param, value,
                                 &file->values[param], err);
}

void hone__replay_begin(hone_replay_file *file)
{
    memset(file->known, 0, sizeof file->known);
    file->trial = (hone_recorded_trial){.time_ns = 0};
    file->time = file->samples_sum = 0;
    file->has_outcome = file->has_config = 0;
    file->n_samples = 0;
    file->n_extras = 0;
    file->timestamp[0] = file->time_text[0] = '\0';
}

hone_status hone__replay_extra_put(hone_replay_file *file, const char *name,
                                   const char *unit, double value,
                                   hone_error *err)
{
    hone_replay_extra *extra;

    if (!file->on_trial || !name[0] || !isfinite(value))
        return HONE_OK;
    if (!HONE_GROW(file->extras, file->n_extras))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    extra = &file->extras[file->n_extras++];
    *extra = (hone_replay_extra){.value = value};
    (void)snprintf(extra->name, sizeof extra->name, "%.60s", name);
    (void)snprintf(extra->unit, sizeof extra->unit, "%.30s", unit);
    return HONE_OK;
}

hone_status hone__replay_timestamp(hone_replay_file *file, hone_error *err)
{
    if (file->event.kind != HONE_JSON_STRING)
        return hone__json_skip(file->reader, &file->event, err);
    (void)snprintf(file->timestamp, sizeof file->timestamp, "%.60s",
                   file->event.text);
    return HONE_OK;
}

static hone_status tell(const hone_replay_file *file, hone_error *err)
{
    const hone_replay_seen seen = {.recording = file->recording,
                                   .values = file->values,
                                   .outcome = file->trial.outcome,
                                   .time = file->time,
                                   .time_text = file->time_text,
                                   .cost = file->trial.cost_s,
                                   .samples = file->samples,
                                   .n_samples = file->n_samples,
                                   .timestamp = file->timestamp,
                                   .extras = file->extras,
                                   .n_extras = file->n_extras};
    const hone_status status = file->on_trial(file->user, &seen, err);
    hone_error inner;

    if (status != HONE_ERR_INPUT)
        return status;
    inner = *err;
    return hone__json_fail(file->reader, err, "%.900s", inner.text);
}

hone_status hone__replay_put(hone_replay_file *file, hone_error *err)
{
    hone_recording *recording = file->recording;
    hone_recorded_trial *trial = &file->trial;
    int64_t index;

    for (size_t i = 0; i < recording->n_params; ++i) {
        if (!file->known[i])
            return hone__json_fail(file->reader, err,
                                   "this configuration has no value for "
                                   "parameter '%.100s'",
                                   recording->params[i].name);
    }
    if (file->on_trial)
        HONE_TRY(tell(file, err));
    if (trial->outcome == HONE_OUTCOME_OK)
        trial->time_ns = file->time;
    if (trial->cost_s[HONE_COST_RUNS] <= 0)
        trial->cost_s[HONE_COST_RUNS] = file->samples_sum;
    return hone__recording_put(recording, file->values, trial, &index, err);
}

static hone_status get_duration(const hone_replay_file *file, const char *name,
                                double *out, hone_error *err)
{
    const hone_json_event *event = &file->event;

    if (event->kind != HONE_JSON_NUMBER || !isfinite(event->number) ||
        event->number < 0)
        return hone__json_fail(file->reader, err,
                               "\"%s\" must be a time: a number from 0", name);
    *out = event->number;
    return HONE_OK;
}

hone_status hone__replay_duration(hone_replay_file *file, hone_error *err)
{
    return get_duration(file, file->member->name,
                        (double *)(void *)((char *)file + file->member->at),
                        err);
}

/* [0, x]: the last number counts. */
static hone_status read_pair(hone_replay_file *file, double *out,
                             hone_error *err)
{
    for (;;) {
        HONE_TRY(hone__replay_next(file, err));
        if (file->event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        HONE_TRY(get_duration(file, "times", out, err));
    }
}

static hone_status read_sample(hone_replay_file *file, hone_error *err)
{
    double sample = 0;

    if (file->n_samples == file->sample_capacity) {
        const size_t capacity =
            file->sample_capacity ? 2 * file->sample_capacity : 64;
        double *samples =
            hone__realloc(file->samples, capacity * sizeof *samples);

        if (!samples)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        file->samples = samples;
        file->sample_capacity = capacity;
    }
    if (file->event.kind != HONE_JSON_ARRAY)
        HONE_TRY(get_duration(file, "times", &sample, err));
    else
        HONE_TRY(read_pair(file, &sample, err));
    file->samples[file->n_samples++] = sample;
    file->samples_sum += sample;
    return HONE_OK;
}

hone_status hone__replay_samples(hone_replay_file *file, hone_error *err)
{
    file->n_samples = 0;
    file->samples_sum = 0;
    return hone__replay_each(file, read_sample, HONE_JSON_END, NULL, err);
}

/* ---- around the trials -------------------------------------------------- */

static hone_status read_unit(hone_replay_file *file, hone_error *err)
{
    const double before_s = file->unit_s;

    file->unit_s = file->event.kind == HONE_JSON_STRING
                       ? hone__replay_unit_s(file->event.text)
                       : 0;
    if (file->unit_s > 0 && file->unit_s != before_s && file->has_units)
        return hone__json_fail(file->reader, err,
                               "\"metadata\" must stand before \"results\": "
                               "times of measurements with a unit were read "
                               "before it was known that the others are %.60s",
                               file->event.text);
    if (file->unit_s > 0)
        return HONE_OK;
    return hone__json_fail(file->reader, err,
                           "\"timeunit\" must be a unit of time such as "
                           "milliseconds, not '%.60s'",
                           file->event.text);
}

static hone_status read_metadata(hone_replay_file *file, hone_error *err)
{
    static const hone_replay_member members[] = {
        {"timeunit", read_unit, 0, HONE_JSON_END, ""}, {0}};

    return file->event.kind == HONE_JSON_OBJECT
               ? hone__replay_members(file, members, 0, err)
               : hone__json_skip(file->reader, &file->event, err);
}

hone_status hone__replay_add_param(hone_replay_file *file, const char *name,
                                   hone_error *err)
{
    if (hone__recording_find_param(file->recording, name) >= 0)
        return HONE_OK;
    if (file->recording->n_params == HONE_MAX_RECORDED_PARAMS)
        return hone__json_fail(file->reader, err, "more than %d parameters",
                               HONE_MAX_RECORDED_PARAMS);
    return hone__recording_add_param(file->recording, name, err);
}

static hone_status read_param_key(hone_replay_file *file, hone_error *err)
{
    return hone__replay_add_param(file, file->event.text, err);
}

static hone_status read_param_keys(hone_replay_file *file, hone_error *err)
{
    return hone__replay_each(file, read_param_key, HONE_JSON_STRING,
                             "the name of a parameter", err);
}

/* {"BLOCK": [32, 64], ..} */
static hone_status read_params(hone_replay_file *file, hone_error *err)
{
    for (;;) {
        size_t param;

        HONE_TRY(hone__replay_next(file, err));
        if (file->event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        HONE_TRY(hone__replay_add_param(file, file->event.text, err));
        param = (size_t)hone__recording_find_param(file->recording,
                                                   file->event.text);
        HONE_TRY(hone__json_expect(file->reader, HONE_JSON_ARRAY,
                                   "a list of values [..]", &file->event, err));
        for (;;) {
            HONE_TRY(hone__replay_next(file, err));
            if (file->event.kind == HONE_JSON_ARRAY_END)
                break;
            HONE_TRY(hone__replay_value(file, param, err));
        }
    }
}

static hone_status read_size(hone_replay_file *file, hone_error *err)
{
    const hone_json_event *event = &file->event;
    hone_recording *recording = file->recording;

    if (event->kind == HONE_JSON_NUMBER && event->number >= 0 &&
        event->number <= 9e15 && recording->n_dims < HONE_MAX_DIMS)
        recording->dims[recording->n_dims++] = (int64_t)event->number;
    else
        file->is_odd_problem = 1;
    return hone__json_skip(file->reader, event, err);
}

/* A list of numbers becomes the dimensions; anything else (a text, a formula)
 * is left out. */
static hone_status read_problem(hone_replay_file *file, hone_error *err)
{
    if (file->event.kind == HONE_JSON_OBJECT)
        return hone__json_skip(file->reader, &file->event, err);
    file->is_odd_problem = 0;
    HONE_TRY(file->event.kind == HONE_JSON_ARRAY
                 ? hone__replay_each(file, read_size, HONE_JSON_END, NULL, err)
                 : read_size(file, err));
    if (file->is_odd_problem)
        file->recording->n_dims = 0;
    return HONE_OK;
}

static hone_status read_name(hone_replay_file *file, hone_error *err)
{
    const char **out = strcmp(file->member->name, "kernel_name") == 0
                           ? &file->recording->op
                           : &file->recording->device;

    return file->event.kind == HONE_JSON_STRING && file->event.length
               ? hone__recording_text(file->recording, file->event.text, out,
                                      err)
               : hone__json_skip(file->reader, &file->event, err);
}

static hone_status read_file(hone_replay_file *file, hone_error *err)
{
    static const hone_replay_member members[] = {
        {"results", hone__replay_t4, 0, HONE_JSON_ARRAY,
         "a list of results [..]"},
        {"cache", hone__replay_kernel_tuner, 0, HONE_JSON_OBJECT,
         "configurations {..}"},
        {"metadata", read_metadata, 0, HONE_JSON_END, ""},
        {"tune_params_keys", read_param_keys, 0, HONE_JSON_ARRAY,
         "a list of parameter names [..]"},
        {"tune_params", read_params, 0, HONE_JSON_OBJECT, "parameters {..}"},
        {"problem_size", read_problem, 0, HONE_JSON_END, ""},
        {"kernel_name", read_name, 0, HONE_JSON_END, ""},
        {"device_name", read_name, 0, HONE_JSON_END, ""},
        {0}};
    static const char shape[] =
        "this is not a recording: expected T4 results {\"results\": [..]}, a "
        "Kernel Tuner cache {\"cache\": {..}} or a hone database";
    hone_status status;

    HONE_TRY(hone__replay_next(file, err));
    if (file->event.kind != HONE_JSON_OBJECT)
        return hone__json_fail(file->reader, err, "%s", shape);
    status = hone__replay_members(file, members, 0, err);
    if (status == HONE_OK)
        status = hone__replay_next(file, err); /* there is no more */
    /* A cache is appended to and gets its last braces at the end of a run. */
    if (status != HONE_OK && file->is_cache &&
        hone__json_ended_early(file->reader)) {
        file->recording->interrupted = 1;
        status = HONE_OK;
    }
    HONE_TRY(status);
    if (!file->has_trials)
        return hone__json_fail(file->reader, err, "%s", shape);
    file->recording->unit_s = file->unit_s;
    return hone__recording_finish(file->recording, file->unit_s, err);
}

static hone_status read_json(const char *path, hone_recordings *list,
                             hone_replay_seen_fn on_trial, void *user,
                             hone_error *err)
{
    hone_replay_file file = {
        .unit_s = 1e-3, .on_trial = on_trial, .user = user};
    hone_status status = hone__json_open(path, &file.reader, err);

    if (status == HONE_OK)
        status = hone__recording_add(list, path, "", &file.recording, err);
    if (status == HONE_OK)
        status = read_file(&file, err);
    hone__json_close(file.reader);
    hone__free(file.samples);
    hone__free(file.extras);
    return status;
}

hone_status hone__recording_walk(const char *path, hone_replay_seen_fn callback,
                                 void *user, hone_error *err)
{
    hone_recordings list = {0};
    const hone_status status = read_json(path, &list, callback, user, err);

    hone__recordings_free(&list);
    return status;
}

/* ---- by content --------------------------------------------------------- */

hone_status hone__recordings_read(const char *path, hone_recordings *out,
                                  hone_error *err)
{
    static const char database[] = "SQLite format 3";
    char begin[sizeof database] = "";
    gzFile file;
    int is_database, is_plain;

    *out = (hone_recordings){0};
    HONE_TRY(hone__gz_open(path, &file, err));
    is_database = gzread(file, begin, sizeof begin) == (int)sizeof begin &&
                  memcmp(begin, database, sizeof begin) == 0;
    is_plain = gzdirect(file);
    (void)gzclose(file);
    if (is_database && !is_plain)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s is a compressed database; unpack it first "
                          "(gunzip)",
                          path);
    return is_database ? hone__replay_read_db(path, out, err)
                       : read_json(path, out, NULL, NULL, err);
}
