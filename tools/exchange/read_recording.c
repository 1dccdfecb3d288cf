/* SPDX-License-Identifier: Apache-2.0 */
/* T4 results and Kernel Tuner caches. The file is read twice: the first time as
 * `hone tune --device replay:FILE` does, which says what it is and finds its
 * mistakes; the second time trial by trial. */
#include "tools/exchange/foreign.h"

#include "tuner/replay/replay_tune.h"

#include <math.h>
#include <string.h>

typedef struct recording_reader {
    hone_import *import;
    const hone_recording *recording;
    hone_foreign what;
    hone_text dims, label, device, config, samples;
    int shift; /* from the file's unit to ns */
    int64_t first_unix_ns;
} recording_reader;

static hone_status find_first(void *user, const hone_replay_seen *seen,
                              hone_error *err)
{
    recording_reader *r = user;
    const int64_t at = hone__timestamp_read(seen->timestamp);

    (void)err;
    if (at && (!r->first_unix_ns || at < r->first_unix_ns))
        r->first_unix_ns = at;
    return HONE_OK;
}

/* ---- what a row has no field for: counters --------------------------------
 */

static hone_status put_counter(const recording_reader *r, const char *name,
                               const char *unit, double value, hone_error *err)
{
    return hone__db_import_counter(r->import->rows, r->what.op, name, unit,
                                   value, err);
}

/* The cost in the file's unit, which is whole nanoseconds or is kept beside. */
static int is_whole_ns(double value, int shift, int64_t *out_ns)
{
    const double ns = hone__shifted(value, shift);

    *out_ns = ns < 9e18 ? (int64_t)(ns + 0.5) : INT64_MAX;
    return ns < 9e15 && ns == floor(ns) &&
           hone__shifted((double)*out_ns, -shift) == value;
}

static hone_status put_counters(const recording_reader *r,
                                const hone_replay_seen *seen, hone_error *err)
{
    static const char *const names[HONE_N_COSTS] = {
        "compile_time", "framework_time", "strategy_time", "verification_time",
        "benchmark_time"};
    const double ns = r->import->row.values[HONE_DB_FIELD_time_ns].real;
    double runs = 0;
    int64_t whole;

    for (size_t i = 0; i < seen->n_samples; ++i)
        runs += seen->samples[i];
    for (int i = 0; i < HONE_N_COSTS; ++i) {
        const double cost = seen->cost[i];
        const int has_field = i == HONE_COST_COMPILE || i == HONE_COST_RUNS;

        if (cost <= 0 || (i == HONE_COST_RUNS && cost == runs) ||
            (has_field && is_whole_ns(cost, r->shift, &whole)))
            continue;
        HONE_TRY(put_counter(r, names[i], "ms",
                             hone__shifted(cost, r->shift - 6), err));
    }
    if (seen->outcome == HONE_OUTCOME_OK &&
        hone__shifted(ns, -6) != hone__shifted(seen->time, r->shift - 6))
        HONE_TRY(put_counter(r, "time", "ms",
                             hone__shifted(seen->time, r->shift - 6), err));
    for (size_t i = 0; i < seen->n_extras; ++i)
        HONE_TRY(put_counter(r, seen->extras[i].name, seen->extras[i].unit,
                             seen->extras[i].value, err));
    return HONE_OK;
}

/* ---- trials ----------------------------------------------------------------
 */

static hone_status write_config(recording_reader *r,
                                const hone_replay_seen *seen, hone_error *err)
{
    const hone_recording *recording = seen->recording;

    hone__text_clear(&r->config);
    hone__text_append(&r->config, "", 0);
    for (size_t i = 0; i < recording->n_params; ++i) {
        const hone_recorded_param *param = &recording->params[i];

        HONE_TRY(hone__foreign_param(&r->config, param->name,
                                     param->values[seen->values[i]], err));
    }
    return hone__text_check(&r->config, err);
}

static hone_status put_samples(recording_reader *r,
                               const hone_replay_seen *seen, hone_error *err)
{
    hone_row *row = &r->import->row;

    if (!seen->n_samples)
        return HONE_OK;
    hone__text_clear(&r->samples);
    for (size_t i = 0; i < seen->n_samples; ++i) {
        hone__text_puts(&r->samples, i ? "," : "[");
        hone__shortest_shifted(seen->samples[i], r->shift, &r->samples);
    }
    hone__text_puts(&r->samples, "]");
    HONE_TRY(hone__text_check(&r->samples, err));
    hone__row_integer(row, HONE_DB_FIELD_n_samples, (int64_t)seen->n_samples);
    return hone__row_set(row, HONE_DB_FIELD_samples_ns, r->samples.data,
                         r->samples.length, err);
}

static hone_status on_trial(void *user, const hone_replay_seen *seen,
                            hone_error *err)
{
    recording_reader *r = user;
    hone_import *import = r->import;
    int64_t ns;

    HONE_TRY(hone__foreign_begin(import, &r->what, err));
    HONE_TRY(write_config(r, seen, err));
    HONE_TRY(hone__foreign_trial(import, hone__text_str(&r->config),
                                 seen->outcome, seen->time, seen->time_text,
                                 r->shift, err));
    HONE_TRY(put_samples(r, seen, err));
    hone__row_integer(&import->row, HONE_DB_FIELD_started_unix_ns,
                      hone__timestamp_read(seen->timestamp));
    (void)is_whole_ns(seen->cost[HONE_COST_COMPILE], r->shift, &ns);
    if (ns > 0)
        hone__row_integer(&import->row, HONE_DB_FIELD_compile_time_ns, ns);
    (void)is_whole_ns(seen->cost[HONE_COST_RUNS], r->shift, &ns);
    hone__row_integer(&import->row, HONE_DB_FIELD_device_time_ns, ns);
    HONE_TRY(hone__import_put(import, 0, err));
    return put_counters(r, seen, err);
}

/* ---- the file ---------------------------------------------------------------
 */

static hone_status describe(recording_reader *r, hone_error *err)
{
    const hone_recording *recording = r->recording;
    static const char prefix[] = "replay of ";

    r->shift = hone__unit_shift(recording->unit_s);
    if (r->shift < 0)
        return hone__fail(err, HONE_ERR_INPUT, "%s: what unit of time is this?",
                          r->import->path);
    hone__db_dims_text(recording->dims, recording->n_dims, &r->dims);
    hone__recording_label(recording, &r->label);
    hone__recording_device(recording, &r->device);
    hone__text_append(&r->config, "", 0);
    HONE_TRY(hone__text_check(&r->dims, err));
    HONE_TRY(hone__text_check(&r->label, err));
    HONE_TRY(hone__text_check(&r->device, err));
    r->what = (hone_foreign){.op = recording->op,
                             .dims = hone__text_str(&r->dims),
                             .label = hone__text_str(&r->label),
                             .device = hone__text_str(&r->device),
                             .by = recording->format,
                             .sha256 = recording->sha256,
                             .mode = hone__mode_name(recording->mode),
                             .session = 1,
                             .started_unix_s = r->first_unix_ns / 1000000000};
    if (strncmp(r->what.device, prefix, sizeof prefix - 1) == 0)
        r->what.device += sizeof prefix - 1;
    if (recording->interrupted)
        hone__text_printf(&r->import->note,
                          "%s ends early: an interrupted run; what it has was "
                          "read",
                          r->import->path);
    return HONE_OK;
}

static hone_status read_recording(hone_import *import, hone_error *err)
{
    hone_recordings list = {0};
    recording_reader r = {.import = import};
    hone_status status = hone__recordings_read(import->path, &list, err);

    if (status == HONE_OK) {
        r.recording = list.items[0];
        status = hone__recording_walk(import->path, find_first, &r, err);
    }
    if (status == HONE_OK)
        status = describe(&r, err);
    if (status == HONE_OK)
        status = hone__recording_walk(import->path, on_trial, &r, err);
    hone__text_free(&r.dims);
    hone__text_free(&r.label);
    hone__text_free(&r.device);
    hone__text_free(&r.config);
    hone__text_free(&r.samples);
    hone__recordings_free(&list);
    return status;
}

hone_status hone__read_t4(hone_import *import, hone_error *err)
{
    return read_recording(import, err);
}

hone_status hone__read_kernel_tuner(hone_import *import, hone_error *err)
{
    return read_recording(import, err);
}
