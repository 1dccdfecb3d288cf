/* SPDX-License-Identifier: Apache-2.0 */
/* A shape's result as a row of `hone tune`: see tune_parts.h. */
#include "tools/tune_parts.h"

#include "runtime/base/text.h"
#include "tools/base/json.h"
#include "tools/base/option_value.h"
#include "tools/base/progress.h"
#include "tuner/tuner.h"

#include <string.h>

static json_t *baselines_json(const hone_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->n_baselines; ++i) {
        const hone_tune_baseline *b = &result->baselines[i];

        array = hone__json_append(
            array, hone__json("name:s label:s time_ns:p spread_ns:f "
                              "algorithm:i n_algorithms:i message:s",
                              b->name, b->label, b->time_ns, b->spread_ns,
                              b->algorithm, b->n_algorithms, b->message));
    }
    return array;
}

/* What each implementation had, and why some do not apply. */
static json_t *parts_json(const hone_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->n_parts; ++i) {
        const hone_tune_part *part = &result->parts[i];

        array = hone__json_append(
            array, hone__json("name:s applies:b reason:s trials:I best_ns:p",
                              part->name, part->applies,
                              part->reason[0] ? part->reason : NULL,
                              part->n_trials, part->best_ns));
    }
    return array;
}

/* A value that nobody knows is null. */
static json_t *best_json(const hone_tune_best *best)
{
    return hone__json("objective:s value:f default_value:f winner:s "
                      "implementation:s time_ns:p energy_uj:p",
                      best->objective, best->value, best->default_value,
                      best->config[0] ? best->config : NULL,
                      best->implementation[0] ? best->implementation : NULL,
                      best->time_ns, best->energy_uj);
}

static json_t *bests_json(const hone_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->n_bests; ++i)
        array = hone__json_append(array, best_json(&result->bests[i]));
    return array;
}

static json_t *front_json(const hone_tune_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; i < result->n_front && i < (size_t)HONE_TUNE_MOST_FRONT;
         ++i) {
        const hone_tune_best *best = &result->front[i];
        json_t *values = json_array();

        for (size_t k = 0; k < result->n_bests; ++k)
            values =
                hone__json_append(values, hone__json_real(best->values[k]));
        array = hone__json_append(
            array, hone__json("winner:s implementation:s time_ns:p energy_uj:p "
                              "values:o",
                              best->config, best->implementation, best->time_ns,
                              best->energy_uj, values));
    }
    return array;
}

/* "energy 812.4 (default 960.1) by stream VEC=4,..; ..": for the table. */
static json_t *bests_text(const hone_tune_result *result)
{
    hone_text text = {0};

    for (size_t i = 0; i < result->n_bests; ++i) {
        const hone_tune_best *best = &result->bests[i];

        if (best->config[0])
            hone__text_printf(&text, "%s%s %.5g (default %.5g) by %s %s",
                              text.length ? "; " : "", best->objective,
                              best->value, best->default_value,
                              best->implementation, best->config);
    }
    if (result->n_front)
        hone__text_printf(&text, "; %zu on the front", result->n_front);
    return hone__json_text(&text);
}

/* "cuBLAS 123 us, ..": for the table. */
static json_t *baselines_text(const hone_tune_result *result)
{
    hone_text text = {0};

    for (size_t i = 0; i < result->n_baselines; ++i) {
        char time[32];

        if (result->baselines[i].time_ns <= 0)
            continue;
        hone__time_text(result->baselines[i].time_ns, time);
        hone__text_printf(&text, "%s%s %s", text.length ? ", " : "",
                          result->baselines[i].label, time);
    }
    return hone__json_text(&text);
}

static json_t *add_winner(json_t *row, const hone_tune_result *r)
{
    const double time_s = r->time_ns * 1e-9;

    if (!r->has_winner)
        return hone__json_add(row, "winner:n implementation:n time_ns:n");
    return hone__json_add(
        row,
        "winner:s implementation:s time_ns:f ci_low_ns:p ci_high_ns:p "
        "spread_ns:f default_ns:p "
        "gain:p error:F gbytes_per_s:p gflops:p decided_by:s",
        r->winner, r->implementation, r->time_ns, r->ci_low_ns, r->ci_high_ns,
        r->spread_ns, r->default_ns, r->default_ns / r->time_ns,
        strcmp(r->verdict, "interrupted") != 0, r->error_ratio,
        r->bytes / time_s * 1e-9, r->flops / time_s * 1e-9, r->decided_by);
}

/* How the run went: phases, samples, and what was noticed on the way. */
static json_t *add_run(json_t *row, const hone_tune_result *r)
{
    const double idle =
        r->trials_s > 0 ? 1 - r->device_busy_s / r->trials_s : 0;

    return hone__json_add(
        row,
        "n_compiles:I n_gated:I n_deferred:I n_samples:I n_discarded:I "
        "n_retried:I n_interrupted:I n_helped:I sample_s:f setup_s:f "
        "trials_s:f final_s:f "
        "device_busy_s:f device_idle_ratio:F noise_floor:F event_floor_ns:p "
        "notes:s",
        r->n_compiles, r->n_gated, r->n_deferred, r->n_samples, r->n_discarded,
        r->n_retried, r->n_interrupted, r->n_helped, r->sample_s, r->setup_s,
        r->trials_s, r->final_s, r->device_busy_s, r->trials_s > 0, idle,
        r->noise_floor >= 0, r->noise_floor, r->event_floor_ns, r->notes);
}

json_t *hone__tune_row(const hone_shape *shape, hone_text *label,
                       const hone_tune_request *request,
                       const hone_tune_result *r)
{
    json_t *row = hone__json(
        "op:s dims:o label:o device:s arch:s mode:s", shape->tmpl->op,
        hone__dims_json(shape->tmpl, shape->dims), hone__json_text(label),
        r->device_name, r->arch, hone__mode_name(request->mode));

    row = add_winner(row, r);
    row = hone__json_add(row, "message:s verdict:s stopped:s", r->message,
                         r->verdict[0] ? r->verdict : NULL,
                         r->stopped[0] ? r->stopped : NULL);
    row = add_run(row, r);
    row = hone__json_add(row, "objectives:o front:o objectives_text:o",
                         bests_json(r), front_json(r), bests_text(r));
    return hone__json_add(
        row,
        "trials:I resumed:I kept:I stale:I started:I seeded:I guided:I "
        "compiled:I raw:I "
        "valid:I "
        "outcomes:o "
        "implementations:o out_of_final:o baselines:o baselines_text:o "
        "sm_clock_mhz:i "
        "seconds:f",
        r->n_trials, r->n_resumed, r->n_kept, r->n_stale, r->n_started,
        r->n_seeded, r->n_guided, r->n_compiled, r->space_raw, r->space_valid,
        hone__outcomes_json(r->outcomes), parts_json(r), hone__tune_out_json(r),
        baselines_json(r), baselines_text(r), r->sm_clock_mhz, r->seconds);
}
