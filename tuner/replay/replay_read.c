/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a recording has, and what stands around the trials in the two
 * JSON formats. */
#include "tuner/replay/replay_formats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- shared by the formats ----------------------------------------------
 */

hone_status hone__replay_value(hone_replay_file *file, size_t param,
                               const hone_json_event *event, hone_error *err)
{
    char text[256];

    if (!hone__recorded_value_text(event, text, sizeof text))
        return hone__json_fail(
            file->reader, err,
            "a value of parameter '%.100s' must be a number, a truth value "
            "or a text of less than %zu characters",
            file->recording->params[param].name, sizeof text);
    file->known[param] = 1;
    return hone__recording_value(file->recording, param, text,
                                 &file->values[param], err);
}

hone_status hone__replay_put(hone_replay_file *file,
                             const hone_recorded_trial *trial, hone_error *err)
{
    hone_recording *recording = file->recording;
    int64_t index;

    for (size_t i = 0; i < recording->n_params; ++i) {
        if (!file->known[i])
            return hone__json_fail(file->reader, err,
                                   "this configuration has no value for "
                                   "parameter '%.100s'",
                                   recording->params[i].name);
    }
    memset(file->known, 0, sizeof file->known);
    return hone__recording_put(recording, file->values, trial, &index, err);
}

hone_status hone__replay_duration(const hone_replay_file *file,
                                  const hone_json_event *event,
                                  const char *what, double *out,
                                  hone_error *err)
{
    if (event->kind != HONE_JSON_NUMBER || !isfinite(event->number) ||
        event->number < 0)
        return hone__json_fail(file->reader, err,
                               "\"%s\" must be a time: a number from 0", what);
    *out = event->number;
    return HONE_OK;
}

static hone_status add_sample(hone_replay_file *file, double sample,
                              hone_error *err)
{
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
    file->samples[file->n_samples++] = sample;
    return HONE_OK;
}

/* [0, x]: the last number counts. */
static hone_status read_pair(hone_replay_file *file, double *out,
                             hone_error *err)
{
    hone_json_event event;

    for (;;) {
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        HONE_TRY(hone__replay_duration(file, &event, "times", out, err));
    }
}

hone_status hone__replay_samples(hone_replay_file *file,
                                 const hone_json_event *begin, hone_error *err)
{
    hone_json_event event;

    file->n_samples = 0;
    if (begin->kind != HONE_JSON_ARRAY)
        return hone__json_fail(file->reader, err,
                               "expected a list of times [..]");
    for (;;) {
        double sample = 0;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        if (event.kind == HONE_JSON_ARRAY)
            HONE_TRY(read_pair(file, &sample, err));
        else
            HONE_TRY(
                hone__replay_duration(file, &event, "times", &sample, err));
        HONE_TRY(add_sample(file, sample, err));
    }
}

double hone__replay_samples_sum(const hone_replay_file *file)
{
    double sum = 0;

    for (size_t i = 0; i < file->n_samples; ++i)
        sum += file->samples[i];
    return sum;
}

double hone__replay_unit_s(const char *name)
{
    static const struct {
        const char *name;
        double unit_s;
    } units[] = {
        {"s", 1},
        {"seconds", 1},
        {"ms", 1e-3},
        {"milliseconds", 1e-3},
        {"miliseconds", 1e-3}, /* as the published files spell it */
        {"us", 1e-6},
        {"microseconds", 1e-6},
        {"ns", 1e-9},
        {"nanoseconds", 1e-9},
    };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i)
        if (strcmp(units[i].name, name) == 0)
            return units[i].unit_s;
    return 0;
}

/* ---- around the trials --------------------------------------------------
 */

static hone_status read_metadata(hone_replay_file *file,
                                 const hone_json_event *begin, hone_error *err)
{
    hone_json_event event;

    if (begin->kind != HONE_JSON_OBJECT)
        return hone__json_skip(file->reader, begin, err);
    for (;;) {
        int is_unit;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        is_unit = strcmp(event.text, "timeunit") == 0;
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (!is_unit) {
            HONE_TRY(hone__json_skip(file->reader, &event, err));
            continue;
        }
        file->unit_s = event.kind == HONE_JSON_STRING
                           ? hone__replay_unit_s(event.text)
                           : 0;
        if (file->unit_s <= 0)
            return hone__json_fail(file->reader, err,
                                   "\"timeunit\" must be a unit of time such "
                                   "as milliseconds, not '%.60s'",
                                   event.text);
    }
}

static hone_status add_param(hone_replay_file *file, const char *name,
                             hone_error *err)
{
    if (hone__recording_find_param(file->recording, name) >= 0)
        return HONE_OK;
    if (file->recording->n_params == HONE_MAX_RECORDED_PARAMS)
        return hone__json_fail(file->reader, err, "more than %d parameters",
                               HONE_MAX_RECORDED_PARAMS);
    return hone__recording_add_param(file->recording, name, err);
}

static hone_status read_param_keys(hone_replay_file *file,
                                   const hone_json_event *begin,
                                   hone_error *err)
{
    hone_json_event event;

    if (begin->kind != HONE_JSON_ARRAY)
        return hone__json_fail(file->reader, err,
                               "expected a list of parameter names [..]");
    for (;;) {
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        if (event.kind != HONE_JSON_STRING)
            return hone__json_fail(file->reader, err,
                                   "expected the name of a parameter");
        HONE_TRY(add_param(file, event.text, err));
    }
}

/* {"BLOCK": [32, 64], ..} */
static hone_status read_params(hone_replay_file *file,
                               const hone_json_event *begin, hone_error *err)
{
    hone_json_event event;

    if (begin->kind != HONE_JSON_OBJECT)
        return hone__json_fail(file->reader, err, "expected parameters {..}");
    for (;;) {
        size_t param;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        HONE_TRY(add_param(file, event.text, err));
        param = (size_t)hone__recording_find_param(file->recording, event.text);
        HONE_TRY(hone__json_expect(file->reader, HONE_JSON_ARRAY,
                                   "a list of values [..]", &event, err));
        for (;;) {
            HONE_TRY(hone__json_next(file->reader, &event, err));
            if (event.kind == HONE_JSON_ARRAY_END)
                break;
            HONE_TRY(hone__replay_value(file, param, &event, err));
        }
        file->known[param] = 0;
    }
}

/* A list of numbers becomes the dimensions; anything else (a text, a formula)
 * is left out. */
static hone_status read_problem(hone_replay_file *file,
                                const hone_json_event *begin, hone_error *err)
{
    hone_recording *recording = file->recording;
    hone_json_event event = *begin;
    const int is_list = begin->kind == HONE_JSON_ARRAY;
    int usable = 1;

    if (begin->kind == HONE_JSON_OBJECT)
        return hone__json_skip(file->reader, begin, err);
    for (;;) {
        if (is_list) {
            HONE_TRY(hone__json_next(file->reader, &event, err));
            if (event.kind == HONE_JSON_ARRAY_END)
                break;
        }
        if (event.kind == HONE_JSON_NUMBER && event.number >= 0 &&
            event.number <= 9e15 && recording->n_dims < HONE_MAX_DIMS)
            recording->dims[recording->n_dims++] = (int64_t)event.number;
        else
            usable = 0;
        HONE_TRY(hone__json_skip(file->reader, &event, err));
        if (!is_list)
            break;
    }
    if (!usable)
        recording->n_dims = 0;
    return HONE_OK;
}

static hone_status read_name(hone_replay_file *file,
                             const hone_json_event *begin, const char **out,
                             hone_error *err)
{
    if (begin->kind == HONE_JSON_STRING && begin->length)
        return hone__recording_text(file->recording, begin->text, out, err);
    return hone__json_skip(file->reader, begin, err);
}

static hone_status read_member(hone_replay_file *file, const char *key,
                               hone_error *err)
{
    hone_recording *recording = file->recording;
    hone_json_event event;

    HONE_TRY(hone__json_next(file->reader, &event, err));
    if (strcmp(key, "results") == 0)
        return hone__replay_t4(file, &event, err);
    if (strcmp(key, "cache") == 0)
        return hone__replay_kernel_tuner(file, &event, err);
    if (strcmp(key, "metadata") == 0)
        return read_metadata(file, &event, err);
    if (strcmp(key, "tune_params_keys") == 0)
        return read_param_keys(file, &event, err);
    if (strcmp(key, "tune_params") == 0)
        return read_params(file, &event, err);
    if (strcmp(key, "problem_size") == 0)
        return read_problem(file, &event, err);
    if (strcmp(key, "kernel_name") == 0)
        return read_name(file, &event, &recording->op, err);
    if (strcmp(key, "device_name") == 0)
        return read_name(file, &event, &recording->device, err);
    return hone__json_skip(file->reader, &event, err);
}

/* A cache file that lacks its last brace only. */
static int is_cut_cache(const hone_replay_file *file)
{
    return file->is_cache && hone__json_ended_early(file->reader);
}

static hone_status read_file(hone_replay_file *file, hone_error *err)
{
    static const char shape[] =
        "this is not a recording: expected T4 results {\"results\": [..]}, a "
        "Kernel Tuner cache {\"cache\": {..}} or a hone database";
    hone_json_event event;

    HONE_TRY(hone__json_next(file->reader, &event, err));
    if (event.kind != HONE_JSON_OBJECT)
        return hone__json_fail(file->reader, err, "%s", shape);
    while (!file->recording->interrupted) {
        char key[32];
        const hone_status status = hone__json_next(file->reader, &event, err);

        if (status != HONE_OK && is_cut_cache(file)) {
            file->recording->interrupted = 1;
            break;
        }
        HONE_TRY(status);
        if (event.kind == HONE_JSON_OBJECT_END) {
            HONE_TRY(hone__json_next(file->reader, &event, err));
            break;
        }
        (void)snprintf(key, sizeof key, "%.31s", event.text);
        HONE_TRY(read_member(file, key, err));
    }
    if (!file->has_trials)
        return hone__json_fail(file->reader, err, "%s", shape);
    return hone__recording_finish(file->recording, file->unit_s, err);
}

hone_status hone__replay_read_json(const char *path, hone_recordings *list,
                                   hone_error *err)
{
    hone_replay_file *file = hone__alloc(sizeof *file);
    hone_status status;

    if (!file)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    file->unit_s = 1e-3;
    status = hone__json_open(path, &file->reader, err);
    if (status == HONE_OK)
        status = hone__recording_add(list, path, "", &file->recording, err);
    if (status == HONE_OK)
        status = read_file(file, err);
    hone__json_close(file->reader);
    hone__free(file->samples);
    hone__free(file);
    return status;
}

/* ---- by content ---------------------------------------------------------
 */

hone_status hone__recordings_read(const char *path, hone_recordings *out,
                                  hone_error *err)
{
    static const char database[] = "SQLite format 3";
    char begin[sizeof database] = "";
    gzFile file = gzopen(path, "rbe");
    int is_database, is_plain;

    *out = (hone_recordings){0};
    if (!file)
        return hone__fail_native(
            err, errno == ENOENT ? HONE_ERR_NOT_FOUND : HONE_ERR_IO,
            HONE_DOMAIN_ERRNO, errno, "cannot open %s: %s", path,
            strerror(errno));
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
                       : hone__replay_read_json(path, out, err);
}
