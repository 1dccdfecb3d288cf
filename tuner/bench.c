/* SPDX-License-Identifier: Apache-2.0 */
/* `hone bench`: see bench.h. A worker process runs the variants as in the
 * final of a tuning run. */
#include "tuner/bench.h"

#include "runtime/base/alloc.h"
#include "tuner/bench_variants.h"
#include "tuner/session/final_client.h"

#include <stdio.h>
#include <string.h>

typedef struct bench {
    hone_stage stage;
    hone_bench_variants variants;
    hone_final_request final;
    hone_final_report report;
} bench;

/* ---- the worker --------------------------------------------------------- */

static hone_status run_variants(bench *b, hone_error *err)
{
    const hone_tuned *tuned = b->stage.tuned;
    hone_worker_setup setup = {.kind = b->stage.kind,
                               .device = tuned->device,
                               .device_code = b->stage.device_code.data,
                               .problem = hone__stage_problem(&b->stage)};
    const hone_final_host host = {.run = hone__device_worker, .user = &setup};

    b->final.n_entries = b->variants.n;
    for (int i = 0; i < b->variants.n; ++i) {
        const hone_bench_variant *v = &b->variants.items[i];

        b->final.entries[i] =
            (hone_final_entry){.job = {.id = i,
                                       .launch_spec = hone__text_str(&v->spec),
                                       .cubin = v->cubin.data,
                                       .cubin_bytes = v->cubin.length},
                               .time_ns = v->time_ns,
                               .keep = 1,
                               .wants_series = strcmp(v->name, "config") != 0,
                               .features = {-1, -1, 0, i}};
    }
    return hone__final_ask(&host, &b->final, tuned->farm.stop, &b->report, err);
}

/* ---- the result --------------------------------------------------------- */

/* The final's own ratios are to the fastest variant, which need not be the
 * stored winner. */
static void compare(const hone_finalist *item, const hone_finalist *with,
                    hone_bench_row *row)
{
    const int n =
        item->n_samples < with->n_samples ? item->n_samples : with->n_samples;

    if (n > 0 && item->outcome == HONE_OUTCOME_OK &&
        with->outcome == HONE_OUTCOME_OK)
        hone__race_compare(item->rounds_ns, with->rounds_ns, n, &row->ratio,
                           &row->ratio_low, &row->ratio_high);
}

static void name_row(const bench *b, int i, hone_bench_row *row)
{
    const hone_finalist *item = &b->report.items[i];
    const hone_bench_variant *v = &b->variants.items[i];

    if (i >= b->variants.n) {
        (void)snprintf(row->name, sizeof row->name, "%.63s",
                       b->stage.tmpl->baselines[-1 - item->id].name);
        (void)snprintf(row->label, sizeof row->label, "%s", item->label);
        return;
    }
    (void)snprintf(row->name, sizeof row->name, "%s", v->name);
    (void)snprintf(row->config, sizeof row->config, "%.255s",
                   hone__text_str(&v->config));
    (void)snprintf(row->implementation, sizeof row->implementation, "%s",
                   v->implementation);
    if (strcmp(v->name, "best of") == 0)
        (void)snprintf(row->label, sizeof row->label, "best of %.63s",
                       v->implementation);
    else if (strcmp(v->name, "config") == 0)
        (void)snprintf(row->label, sizeof row->label,
                       b->stage.tuned->n_impls > 1 ? "%.24s:%.70s"
                                                   : "%.0s%.95s",
                       v->implementation, hone__text_str(&v->config));
    else
        (void)snprintf(
            row->label, sizeof row->label, "%s%s%s", v->name,
            v->is_default && strcmp(v->name, "winner") == 0 ? " (the default)"
                                                            : "",
            v->is_renewed ? " (compiled again: damaged in the database)" : "");
}

static void fill_row(const bench *b, int i, int reference, hone_bench_row *row)
{
    const hone_finalist *item = &b->report.items[i];

    name_row(b, i, row);
    row->outcome = item->outcome;
    row->error_ratio = item->error_ratio;
    (void)snprintf(row->message, sizeof row->message, "%s", item->message);
    if (item->outcome != HONE_OUTCOME_OK)
        return;
    row->time_ns = item->time_ns;
    row->ci_low_ns = item->ci_low_ns;
    row->ci_high_ns = item->ci_high_ns;
    row->spread_ns = item->spread_ns;
    row->n_samples = item->n_samples;
    if (reference >= 0)
        compare(item, &b->report.items[reference], row);
}

static void fill_result(const bench *b, hone_bench_result *out)
{
    const hone_final_report *report = &b->report;

    (void)snprintf(out->device_name, sizeof out->device_name, "%s",
                   b->stage.device.name);
    (void)snprintf(out->arch, sizeof out->arch, "%s", b->stage.device.arch);
    out->has_winner = b->variants.has_winner;
    out->tuned_time_ns = b->variants.items[0].time_ns;
    out->sm_clock_mhz = report->clocks.sm_clock_mhz;
    out->reference =
        out->has_winner && report->items[0].outcome == HONE_OUTCOME_OK
            ? 0
            : report->fastest;
    out->n_rounds = report->n_rounds;
    out->noise_floor = report->noise_floor;
    if (report->winner >= 0) {
        (void)snprintf(out->verdict, sizeof out->verdict, "%s",
                       hone__race_verdict_name(report->verdict));
        hone__final_sentence(report, out->decided_by, sizeof out->decided_by);
    }
    for (int i = 0; i < report->n && i < HONE_MAX_BENCH_ROWS; ++i)
        fill_row(b, i, out->reference, &out->rows[out->n_rows++]);
}

hone_status hone__bench(const hone_tuned *tuned,
                        const hone_bench_config *configs, size_t n_configs,
                        hone_bench_result *out, hone_error *err)
{
    bench *b = hone__alloc(sizeof *b);
    hone_status status;

    memset(out, 0, sizeof *out);
    if (!b)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    b->stage.lock.fd = -1;
    /* In this order, so that a missing GPU is said before a missing winner,
     * and that before anything is compiled. */
    status = hone__stage_open(tuned, &b->stage, err);
    if (status == HONE_OK)
        status = hone__bench_variants_read(&b->stage, configs, n_configs,
                                           &b->variants, err);
    if (status == HONE_OK)
        status = hone__stage_prepare(&b->stage, err);
    if (status == HONE_OK)
        status = run_variants(b, err);
    if (status == HONE_OK)
        fill_result(b, out);
    hone__bench_variants_free(&b->variants);
    hone__stage_close(&b->stage);
    hone__free(b);
    return status;
}
