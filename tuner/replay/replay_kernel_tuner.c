/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of a Kernel Tuner cache file. The file is appended to during a
 * run and closed at its end: one that was interrupted ends anywhere. */
#include "tuner/replay/replay_formats.h"

#include "tuner/judge/statistics.h"

#include <stdio.h>
#include <string.h>

typedef struct entry {
    hone_recorded_trial trial;
    double time; /* in the file's unit */
    int has_time;
} entry;

/* Old versions wrote this number as the time of a failed configuration. */
static const double failed_time = 1e20;

static hone_status read_time(hone_replay_file *file,
                             const hone_json_event *event, entry *e,
                             hone_error *err)
{
    static const struct {
        const char *name;
        hone_outcome outcome;
    } failures[] = {
        {"CompilationFailedConfig", HONE_OUTCOME_COMPILE},
        {"RuntimeFailedConfig", HONE_OUTCOME_LAUNCH},
        {"InvalidConfig", HONE_OUTCOME_CONSTRAINT},
    };

    e->has_time = 1;
    if (event->kind == HONE_JSON_NUMBER) {
        e->time = event->number;
        e->trial.outcome =
            e->time >= failed_time ? HONE_OUTCOME_LAUNCH : HONE_OUTCOME_OK;
        if (e->time > 0)
            return HONE_OK;
        return hone__json_fail(file->reader, err,
                               "the time must be positive, not %g", e->time);
    }
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; ++i) {
        if (event->kind == HONE_JSON_STRING &&
            strcmp(failures[i].name, event->text) == 0) {
            e->trial.outcome = failures[i].outcome;
            return HONE_OK;
        }
    }
    return hone__json_fail(file->reader, err,
                           "expected a time: a number, or "
                           "CompilationFailedConfig, RuntimeFailedConfig or "
                           "InvalidConfig");
}

static hone_status read_member(hone_replay_file *file, const char *key,
                               entry *e, hone_error *err)
{
    static const struct {
        const char *name;
        hone_cost cost;
    } costs[] = {
        {"compile_time", HONE_COST_COMPILE},
        {"framework_time", HONE_COST_FRAMEWORK},
        {"strategy_time", HONE_COST_SEARCH},
        {"verification_time", HONE_COST_VALIDATION},
        {"benchmark_time", HONE_COST_RUNS},
    };
    hone_json_event event;

    HONE_TRY(hone__json_next(file->reader, &event, err));
    if (strcmp(key, "time") == 0)
        return read_time(file, &event, e, err);
    if (strcmp(key, "times") == 0 && event.kind == HONE_JSON_ARRAY)
        return hone__replay_samples(file, &event, err);
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; ++i) {
        if (strcmp(costs[i].name, key) == 0 && event.kind != HONE_JSON_NULL)
            return hone__replay_duration(file, &event, key,
                                         &e->trial.cost_s[costs[i].cost], err);
    }
    return hone__json_skip(file->reader, &event, err);
}

static hone_status read_entry(hone_replay_file *file, hone_error *err)
{
    entry e = {0};
    hone_json_event event;

    file->n_samples = 0;
    for (;;) {
        char key[64];
        long param;

        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            break;
        (void)snprintf(key, sizeof key, "%.63s", event.text);
        param = hone__recording_find_param(file->recording, event.text);
        if (param < 0) {
            HONE_TRY(read_member(file, key, &e, err));
            continue;
        }
        HONE_TRY(hone__json_next(file->reader, &event, err));
        HONE_TRY(hone__replay_value(file, (size_t)param, &event, err));
    }
    if (!e.has_time)
        return hone__json_fail(file->reader, err,
                               "this configuration has no \"time\"");
    if (e.trial.outcome == HONE_OUTCOME_OK)
        e.trial.time_ns = e.time;
    if (e.trial.cost_s[HONE_COST_RUNS] <= 0)
        e.trial.cost_s[HONE_COST_RUNS] = hone__replay_samples_sum(file);
    return hone__replay_put(file, &e.trial, err);
}

static hone_status read_entries(hone_replay_file *file, hone_error *err)
{
    hone_json_event event;

    for (;;) {
        HONE_TRY(hone__json_next(file->reader, &event, err));
        if (event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        HONE_TRY(hone__json_expect(file->reader, HONE_JSON_OBJECT,
                                   "a configuration {..}", &event, err));
        HONE_TRY(read_entry(file, err));
    }
}

hone_status hone__replay_kernel_tuner(hone_replay_file *file,
                                      const hone_json_event *begin,
                                      hone_error *err)
{
    hone_status status;

    if (begin->kind != HONE_JSON_OBJECT)
        return hone__json_fail(file->reader, err,
                               "expected configurations {..}");
    if (file->recording->n_params == 0)
        return hone__json_fail(file->reader, err,
                               "\"tune_params_keys\" or \"tune_params\" must "
                               "stand before \"cache\"");
    file->has_trials = 1;
    file->is_cache = 1;
    file->recording->format = "Kernel Tuner";
    status = read_entries(file, err);
    if (status != HONE_OK && hone__json_ended_early(file->reader)) {
        file->recording->interrupted = 1;
        return HONE_OK;
    }
    return status;
}
