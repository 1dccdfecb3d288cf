/* SPDX-License-Identifier: Apache-2.0 */
/* The list of results of a T4 file. */
#include "tuner/replay/replay_formats.h"

#include "tuner/judge/statistics.h"

#include <stdio.h>
#include <string.h>

/* The first configuration says what the parameters are. */
static hone_status read_config(hone_replay_file *file, hone_error *err)
{
    file->has_config = 1;
    for (;;) {
        long param;

        HONE_TRY(hone__replay_next(file, err));
        if (file->event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        if (file->recording->n_configs == 0)
            HONE_TRY(hone__replay_add_param(file, file->event.text, err));
        param = hone__recording_find_param(file->recording, file->event.text);
        if (param < 0)
            return hone__json_fail(file->reader, err,
                                   "the first configuration has no "
                                   "parameter '%.100s'",
                                   file->event.text);
        HONE_TRY(hone__replay_next(file, err));
        HONE_TRY(hone__replay_value(file, (size_t)param, err));
    }
}

/* Of newer files; what the runs took is the sum of them, as in older ones. */
static hone_status read_benchmark(hone_replay_file *file, hone_error *err)
{
    if (file->event.kind == HONE_JSON_NUMBER)
        return hone__replay_extra_put(file, "benchmark_time", "",
                                      file->event.number, err);
    return hone__json_skip(file->reader, &file->event, err);
}

static hone_status read_times(hone_replay_file *file, hone_error *err)
{
#define COST(name, cost)                                                       \
    {                                                                          \
        name, hone__replay_duration, HONE_REPLAY_COST(cost), HONE_JSON_END, "" \
    }
    static const hone_replay_member members[] = {
        COST("compilation", HONE_COST_COMPILE),
        COST("compilation_time", HONE_COST_COMPILE),
        COST("framework", HONE_COST_FRAMEWORK),
        COST("search_algorithm", HONE_COST_SEARCH),
        COST("validation", HONE_COST_VALIDATION),
        {"benchmark", read_benchmark, 0, HONE_JSON_END, ""},
        {"runtimes", hone__replay_samples, 0, HONE_JSON_ARRAY,
         "a list of times [..]"},
        {0}};
#undef COST

    return hone__replay_members(file, members, 0, err);
}

/* ---- measurements ------------------------------------------------------- */

static hone_status read_text(hone_replay_file *file, hone_error *err)
{
    (void)err;
    (void)snprintf((char *)file + file->member->at, sizeof file->unit, "%.30s",
                   file->event.text);
    return HONE_OK;
}

static hone_status read_number(hone_replay_file *file, hone_error *err)
{
    file->has_value = file->event.kind == HONE_JSON_NUMBER;
    file->value = file->has_value ? file->event.number : 0;
    (void)snprintf(file->value_text, sizeof file->value_text, "%.60s",
                   file->has_value ? file->event.text : "");
    return hone__json_skip(file->reader, &file->event, err);
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

/* {"name": "time", "value": 3.9 or "RuntimeFailedConfig", "unit": ""} */
static hone_status read_measurement(hone_replay_file *file, hone_error *err)
{
    static const hone_replay_member members[] = {
        {"name", read_text, offsetof(hone_replay_file, name), HONE_JSON_STRING,
         "a text"},
        {"unit", read_text, offsetof(hone_replay_file, unit), HONE_JSON_STRING,
         "a text"},
        {"value", read_number, 0, HONE_JSON_END, ""},
        {0}};

    file->name[0] = file->unit[0] = '\0';
    file->value = 0;
    file->has_value = 0;
    HONE_TRY(hone__replay_members(file, members, 0, err));
    if (strcmp(file->name, "time") != 0)
        return file->has_value
                   ? hone__replay_extra_put(file, file->name, file->unit,
                                            file->value, err)
                   : HONE_OK;
    file->time = file->value;
    memcpy(file->time_text, file->value_text, sizeof file->time_text);
    file->has_units |= file->unit[0] != '\0';
    if (!file->unit[0] || hone__replay_unit_s(file->unit) == file->unit_s)
        return HONE_OK;
    file->time_text[0] = '\0';
    file->time *= hone__replay_unit_s(file->unit) / file->unit_s;
    return hone__replay_unit_s(file->unit) > 0
               ? HONE_OK
               : hone__json_fail(file->reader, err,
                                 "'%s' is not a unit of time", file->unit);
}

static hone_status read_measurements(hone_replay_file *file, hone_error *err)
{
    return hone__replay_each(file, read_measurement, HONE_JSON_OBJECT,
                             "a measurement {..}", err);
}

/* ---- results ------------------------------------------------------------ */

static hone_status read_outcome(hone_replay_file *file, hone_error *err)
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

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(names[i].name, file->event.text) == 0) {
            file->trial.outcome = names[i].outcome;
            file->has_outcome = 1;
            return HONE_OK;
        }
    }
    return hone__json_fail(file->reader, err,
                           "unknown invalidity '%.60s'; there are correct, "
                           "compile, runtime, timeout, correctness and "
                           "constraints",
                           file->event.text);
}

static hone_status read_result(hone_replay_file *file, hone_error *err)
{
    static const hone_replay_member members[] = {
        {"timestamp", hone__replay_timestamp, 0, HONE_JSON_END, ""},
        {"invalidity", read_outcome, 0, HONE_JSON_STRING,
         "a text for \"invalidity\""},
        {"configuration", read_config, 0, HONE_JSON_OBJECT,
         "a configuration {..}"},
        {"times", read_times, 0, HONE_JSON_OBJECT, "times {..}"},
        {"measurements", read_measurements, 0, HONE_JSON_ARRAY,
         "measurements [..]"},
        {0}};

    hone__replay_begin(file);
    HONE_TRY(hone__replay_members(file, members, 0, err));
    if (!file->has_config || !file->has_outcome)
        return hone__json_fail(file->reader, err, "this result has no \"%s\"",
                               file->has_config ? "invalidity"
                                                : "configuration");
    if (file->time <= 0)
        file->time_text[0] = '\0';
    if (file->time <= 0 && file->n_samples)
        file->time = hone__median(file->samples, file->n_samples);
    if (file->trial.outcome == HONE_OUTCOME_OK &&
        !(file->time > 0 && file->time < 1e300))
        return hone__json_fail(file->reader, err,
                               "this result is correct and has no positive "
                               "time: neither a measurement \"time\" nor "
                               "runtimes");
    return hone__replay_put(file, err);
}

hone_status hone__replay_t4(hone_replay_file *file, hone_error *err)
{
    file->recording->format = "T4";
    file->has_trials = 1;
    return hone__replay_each(file, read_result, HONE_JSON_OBJECT,
                             "a result {..}", err);
}
