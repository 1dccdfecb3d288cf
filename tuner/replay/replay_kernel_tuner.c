/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of a Kernel Tuner cache file. The file is appended to during a
 * run and closed at its end: one that was interrupted ends anywhere. */
#include "tuner/replay/replay_formats.h"

#include <stdio.h>
#include <string.h>

/* Old versions wrote this number as the time of a failed configuration. */
static const double failed_time = 1e20;

static hone_status read_time(hone_replay_file *file, hone_error *err)
{
    static const struct {
        const char *name;
        hone_outcome outcome;
    } failures[] = {
        {"CompilationFailedConfig", HONE_OUTCOME_COMPILE},
        {"RuntimeFailedConfig", HONE_OUTCOME_LAUNCH},
        {"InvalidConfig", HONE_OUTCOME_CONSTRAINT},
    };
    const hone_json_event *event = &file->event;

    file->has_outcome = 1;
    if (event->kind == HONE_JSON_NUMBER) {
        file->time = event->number;
        (void)snprintf(file->time_text, sizeof file->time_text, "%.60s",
                       event->text);
        file->trial.outcome =
            file->time >= failed_time ? HONE_OUTCOME_LAUNCH : HONE_OUTCOME_OK;
        if (file->time > 0)
            return HONE_OK;
        return hone__json_fail(file->reader, err,
                               "the time must be positive, not %g", file->time);
    }
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; ++i) {
        if (event->kind == HONE_JSON_STRING &&
            strcmp(failures[i].name, event->text) == 0) {
            file->trial.outcome = failures[i].outcome;
            return HONE_OK;
        }
    }
    return hone__json_fail(file->reader, err,
                           "expected a time: a number, or "
                           "CompilationFailedConfig, RuntimeFailedConfig or "
                           "InvalidConfig");
}

static hone_status read_cost(hone_replay_file *file, hone_error *err)
{
    return file->event.kind == HONE_JSON_NULL
               ? HONE_OK
               : hone__replay_duration(file, err);
}

static hone_status read_times(hone_replay_file *file, hone_error *err)
{
    return file->event.kind == HONE_JSON_ARRAY
               ? hone__replay_samples(file, err)
               : hone__json_skip(file->reader, &file->event, err);
}

static hone_status read_entry(hone_replay_file *file, hone_error *err)
{
#define COST(name, cost)                                                       \
    {                                                                          \
        name, read_cost, HONE_REPLAY_COST(cost), HONE_JSON_END, ""             \
    }
    static const hone_replay_member members[] = {
        {"time", read_time, 0, HONE_JSON_END, ""},
        {"__error__", read_time, 0, HONE_JSON_STRING, "a text"},
        {"timestamp", hone__replay_timestamp, 0, HONE_JSON_END, ""},
        {"times", read_times, 0, HONE_JSON_END, ""},
        COST("compile_time", HONE_COST_COMPILE),
        COST("framework_time", HONE_COST_FRAMEWORK),
        COST("strategy_time", HONE_COST_SEARCH),
        COST("verification_time", HONE_COST_VALIDATION),
        COST("benchmark_time", HONE_COST_RUNS),
        {0}};
#undef COST

    hone__replay_begin(file);
    HONE_TRY(hone__replay_members(file, members, 1, err));
    if (!file->has_outcome)
        return hone__json_fail(file->reader, err,
                               "this configuration has no \"time\"");
    return hone__replay_put(file, err);
}

hone_status hone__replay_kernel_tuner(hone_replay_file *file, hone_error *err)
{
    if (file->recording->n_params == 0)
        return hone__json_fail(file->reader, err,
                               "\"tune_params_keys\" or \"tune_params\" must "
                               "stand before \"cache\"");
    file->has_trials = 1;
    file->is_cache = 1;
    file->recording->format = "Kernel Tuner";
    return hone__replay_each(file, read_entry, HONE_JSON_OBJECT,
                             "a configuration {..}", err);
}
