/* SPDX-License-Identifier: Apache-2.0 */
/* The list of results of a T4 file. */
#include "tuner/replay/replay_formats.h"

#include "tuner/judge/statistics.h"

#include <stdio.h>
#include <string.h>

/* One result while it is read: members come in any order. */
typedef struct result {
    hone_recorded_trial trial;
    double time; /* the measurement "time"; 0: none */
    int has_config;
    int has_outcome;
} result;

/* The first configuration says what the parameters are. */
static hone_status read_config(hone_replay_file *file, hone_error *err)
{
    hone_recording *recording = file->recording;
    const int is_first = recording->n_configs == 0;
    hone_json_event event;

    for (;;) {
        long param;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        param = hone__recording_find_param(recording, event.text);
        if (param < 0 && !is_first)
            return hone__json_fail(file->reader, err,
                                   "the first configuration has no "
                                   "parameter '%.100s'",
                                   event.text);
        if (param < 0) {
            if (recording->n_params == HONE_MAX_RECORDED_PARAMS)
                return hone__json_fail(file->reader, err,
                                       "more than %d parameters",
                                       HONE_MAX_RECORDED_PARAMS);
            param = (long)recording->n_params;
            HONE_TRY(hone__recording_add_param(recording, event.text, err));
        }
        HONE_TRY(hone__json_next(file->reader, &event, err));
        HONE_TRY(hone__replay_value(file, (size_t)param, &event, err));
    }
}

static hone_status read_times(hone_replay_file *file, result *r,
                              hone_error *err)
{
    static const struct {
        const char *name;
        hone_cost cost;
    } costs[] = {
        {"compilation", HONE_COST_COMPILE},
        {"compilation_time", HONE_COST_COMPILE},
        {"framework", HONE_COST_FRAMEWORK},
        {"search_algorithm", HONE_COST_SEARCH},
        {"validation", HONE_COST_VALIDATION},
    };
    const size_t n = sizeof costs / sizeof costs[0];
    hone_json_event event;

    for (;;) {
        size_t i = 0;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        if (strcmp(event.text, "runtimes") == 0) {
            HONE_TRY(hone__json_next(file->reader, &event, err));
            HONE_TRY(hone__replay_samples(file, &event, err));
            r->trial.cost_s[HONE_COST_RUNS] = hone__replay_samples_sum(file);
            continue;
        }
        while (i < n && strcmp(costs[i].name, event.text) != 0)
            ++i;
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (i == n)
            HONE_TRY(hone__json_skip(file->reader, &event, err));
        else
            HONE_TRY(hone__replay_duration(file, &event, costs[i].name,
                                           &r->trial.cost_s[costs[i].cost],
                                           err));
    }
}

/* {"name": "time", "value": 3.9 or "RuntimeFailedConfig", "unit": ""} */
static hone_status read_measurement(hone_replay_file *file, result *r,
                                    hone_error *err)
{
    hone_json_event event;
    char name[64] = "";
    char unit[32] = "";
    double value = 0;

    for (;;) {
        char *text = NULL;
        int is_value;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            break;
        if (strcmp(event.text, "name") == 0)
            text = name;
        else if (strcmp(event.text, "unit") == 0)
            text = unit;
        if (text) {
            HONE_TRY(hone__json_expect(file->reader, HONE_JSON_STRING, "a text",
                                       &event, err));
            (void)snprintf(text, text == name ? sizeof name : sizeof unit,
                           "%.30s", event.text);
            continue;
        }
        is_value = strcmp(event.text, "value") == 0;
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (is_value)
            value = event.kind == HONE_JSON_NUMBER ? event.number : 0;
        HONE_TRY(hone__json_skip(file->reader, &event, err));
    }
    if (strcmp(name, "time") != 0)
        return HONE_OK;
    if (unit[0] && hone__replay_unit_s(unit) <= 0)
        return hone__json_fail(file->reader, err, "'%s' is not a unit of time",
                               unit);
    r->time = value;
    if (unit[0])
        r->time *= hone__replay_unit_s(unit) / file->unit_s;
    return HONE_OK;
}

static hone_status read_measurements(hone_replay_file *file, result *r,
                                     hone_error *err)
{
    hone_json_event event;

    for (;;) {
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        if (event.kind != HONE_JSON_OBJECT)
            return hone__json_fail(file->reader, err,
                                   "expected a measurement {..}");
        HONE_TRY(read_measurement(file, r, err));
    }
}

static hone_status read_outcome(hone_replay_file *file, result *r,
                                hone_error *err)
{
    static const struct {
        const char *name;
        hone_outcome outcome;
    } names[] = {
        {"correct", HONE_OUTCOME_OK},
        {"compile", HONE_OUTCOME_COMPILE},
        {"runtime", HONE_OUTCOME_LAUNCH},
        {"timeout", HONE_OUTCOME_TIMEOUT},
        {"correctness", HONE_OUTCOME_WRONG},
        {"constraints", HONE_OUTCOME_CONSTRAINT},
    };
    hone_json_event event;

    HONE_TRY(hone__json_expect(file->reader, HONE_JSON_STRING,
                               "a text for \"invalidity\"", &event, err));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(names[i].name, event.text) == 0) {
            r->trial.outcome = names[i].outcome;
            r->has_outcome = 1;
            return HONE_OK;
        }
    }
    return hone__json_fail(file->reader, err,
                           "unknown invalidity '%.60s'; there are correct, "
                           "compile, runtime, timeout, correctness and "
                           "constraints",
                           event.text);
}

static hone_status store_result(hone_replay_file *file, result *r,
                                hone_error *err)
{
    if (!r->has_config || !r->has_outcome)
        return hone__json_fail(file->reader, err, "this result has no \"%s\"",
                               r->has_config ? "invalidity" : "configuration");
    if (r->trial.outcome == HONE_OUTCOME_OK) {
        r->trial.time_ns = r->time;
        if (r->time <= 0 && file->n_samples)
            r->trial.time_ns = hone__median(file->samples, file->n_samples);
        if (!(r->trial.time_ns > 0 && r->trial.time_ns < 1e300))
            return hone__json_fail(file->reader, err,
                                   "this result is correct and has no "
                                   "positive time: neither a measurement "
                                   "\"time\" nor runtimes");
    }
    return hone__replay_put(file, &r->trial, err);
}

static hone_status read_result(hone_replay_file *file, hone_error *err)
{
    result r = {0};
    hone_json_event event;

    file->n_samples = 0;
    for (;;) {
        char key[32];

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            break;
        (void)snprintf(key, sizeof key, "%.31s", event.text);
        if (strcmp(key, "invalidity") == 0) {
            HONE_TRY(read_outcome(file, &r, err));
        } else if (strcmp(key, "configuration") == 0) {
            HONE_TRY(hone__json_expect(file->reader, HONE_JSON_OBJECT,
                                       "a configuration {..}", &event, err));
            HONE_TRY(read_config(file, err));
            r.has_config = 1;
        } else if (strcmp(key, "times") == 0) {
            HONE_TRY(hone__json_expect(file->reader, HONE_JSON_OBJECT,
                                       "times {..}", &event, err));
            HONE_TRY(read_times(file, &r, err));
        } else if (strcmp(key, "measurements") == 0) {
            HONE_TRY(hone__json_expect(file->reader, HONE_JSON_ARRAY,
                                       "measurements [..]", &event, err));
            HONE_TRY(read_measurements(file, &r, err));
        } else {
            HONE_TRY(hone__json_next(file->reader, &event, err));
            HONE_TRY(hone__json_skip(file->reader, &event, err));
        }
    }
    return store_result(file, &r, err);
}

hone_status hone__replay_t4(hone_replay_file *file,
                            const hone_json_event *begin, hone_error *err)
{
    hone_json_event event;

    if (begin->kind != HONE_JSON_ARRAY)
        return hone__json_fail(file->reader, err,
                               "expected a list of results [..]");
    file->recording->format = "T4";
    file->has_trials = 1;
    for (;;) {
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        if (event.kind != HONE_JSON_OBJECT)
            return hone__json_fail(file->reader, err, "expected a result {..}");
        HONE_TRY(read_result(file, err));
    }
}
