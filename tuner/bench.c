/* SPDX-License-Identifier: Apache-2.0 */
/* `hone bench`: see bench.h. The variants come from the database as they were
 * tuned; a worker process runs them as in the final of a tuning run. */
#include "tuner/bench.h"

#include "runtime/alloc.h"
#include "tuner/default_plan.h"
#include "tuner/final_client.h"
#include "tuner/own_code.h"

#include <stdio.h>
#include <string.h>

enum { WINNER, DEFAULT, N_VARIANTS };

/* A variant as the database has it. */
typedef struct stored {
    int found;
    hone_text config;
    hone_text types;
    hone_text spec;
    hone_text cubin;
    char cubin_sha256[HONE_SHA256_HEX];
    double time_ns;
    int is_default;
} stored;

typedef struct bench {
    const hone_bench_request *request;
    hone_device_report device;
    stored variants[N_VARIANTS];
    int n_variants;
    hone_text device_code;
    hone_text spec; /* of the template's default: the arguments */
    hone_final_report *report;
} bench;

static int is_cpu(const bench *b)
{
    return b->request->farm.backend == HONE_BACKEND_CPU;
}

/* ---- from the database -------------------------------------------------- */

static const char winner_sql[] =
    "SELECT config, types, launch_plan, cubin_sha256, time_ns, is_default"
    " FROM winner_v1 WHERE op = ?1 AND dims = ?2 AND mode = ?3"
    " AND device_kind = ?4 AND arch = ?5 AND sm_count = ?6"
    " AND cubin_sha256 IS NOT NULL"
    " ORDER BY device_name <> ?7, session_id DESC LIMIT 1";

static const char default_sql[] =
    "SELECT config, types, launch_plan, cubin_sha256, 0.0, 1"
    " FROM default_v1 WHERE op = ?1 AND arch = ?2 AND types = ?3";

static hone_status take_row(void *user, size_t n_columns,
                            const char *const *names,
                            const hone_db_value *values, hone_error *err)
{
    stored *out = user;

    (void)n_columns;
    (void)names;
    out->found = 1;
    hone__text_puts(&out->config, values[0].text);
    hone__text_puts(&out->types, values[1].text);
    hone__text_puts(&out->spec, values[2].text);
    (void)snprintf(out->cubin_sha256, sizeof out->cubin_sha256, "%s",
                   values[3].text);
    out->time_ns = values[4].real;
    out->is_default = values[5].integer != 0;
    HONE_TRY(hone__text_check(&out->config, err));
    HONE_TRY(hone__text_check(&out->types, err));
    return hone__text_check(&out->spec, err);
}

static hone_status nothing_tuned(const bench *b, hone_error *err)
{
    const hone_template *tmpl = b->request->tmpl;
    hone_text label = {0}, dims = {0};
    hone_status status;

    hone__template_label_dims(tmpl, b->request->dims, &label);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const int64_t value = b->request->dims[i];

        hone__text_puts(&dims, i ? "," : "");
        if (tmpl->dims[i].n_types)
            hone__text_puts(&dims, hone__type_name((hone_type)value));
        else
            hone__text_printf(&dims, "%lld", (long long)value);
    }
    status = hone__fail(
        err, HONE_ERR_NOT_FOUND,
        "nothing is tuned for %s %s (%s) on %s in %s; run: hone tune %s "
        "--dims %s --mode %s%s",
        tmpl->op, hone__text_str(&label), hone__mode_name(b->request->mode),
        b->device.name, b->request->db_path, tmpl->op, hone__text_str(&dims),
        hone__mode_name(b->request->mode), is_cpu(b) ? " --device cpu" : "");
    hone__text_free(&label);
    hone__text_free(&dims);
    return status;
}

static hone_status read_winner(bench *b, hone_db *db, hone_error *err)
{
    const hone_bench_request *request = b->request;
    stored *winner = &b->variants[WINNER];
    hone_text dims = {0};
    hone_status status;

    hone__db_dims_text(request->dims, request->tmpl->n_dims, &dims);
    status = hone__text_check(&dims, err);
    if (status == HONE_OK) {
        const hone_db_value params[] = {
            hone__db_text(request->tmpl->op),
            hone__db_text(hone__text_str(&dims)),
            hone__db_text(hone__mode_name(request->mode)),
            hone__db_text(is_cpu(b) ? "cpu" : "cuda"),
            hone__db_text(b->device.arch),
            hone__db_integer(b->device.facts.value[HONE_FACT_sm_count]),
            hone__db_text(b->device.name)};

        status = hone__db_query(db, winner_sql, params,
                                sizeof params / sizeof params[0], take_row,
                                winner, err);
    }
    hone__text_free(&dims);
    if (status != HONE_OK)
        return status;
    if (!winner->found)
        return nothing_tuned(b, err);
    b->n_variants = 1;
    return hone__db_artifact_get(db, winner->cubin_sha256, &winner->cubin,
                                 err);
}

/* A random search may not have come to the default: no row then. */
static hone_status read_default(bench *b, hone_db *db, hone_error *err)
{
    stored *entry = &b->variants[DEFAULT];
    const hone_db_value params[] = {
        hone__db_text(b->request->tmpl->op), hone__db_text(b->device.arch),
        hone__db_text(hone__text_str(&b->variants[WINNER].types))};

    if (b->variants[WINNER].is_default)
        return HONE_OK;
    HONE_TRY(hone__db_query(db, default_sql, params,
                            sizeof params / sizeof params[0], take_row, entry,
                            err));
    if (!entry->found)
        return HONE_OK;
    b->n_variants = 2;
    return hone__db_artifact_get(db, entry->cubin_sha256, &entry->cubin, err);
}

static hone_status read_variants(bench *b, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status =
        hone__db_open(b->request->db_path, HONE_DB_READONLY, &db, err);

    if (status == HONE_OK)
        status = read_winner(b, db, err);
    if (status == HONE_OK)
        status = read_default(b, db, err);
    hone__db_close(db);
    return status;
}

/* ---- the worker --------------------------------------------------------- */

static hone_status argument_spec(bench *b, hone_error *err)
{
    hone_space *space = NULL;
    int64_t index = 0;
    hone_status status =
        hone__space_create(b->request->tmpl, b->request->dims,
                           &b->device.facts, &space, err);

    if (status == HONE_OK)
        status = hone__default_plan(b->request->tmpl, space, &index, &b->spec,
                                    err);
    hone__space_free(space);
    return status;
}

static hone_status run_variants(bench *b, hone_error *err)
{
    const hone_bench_request *request = b->request;
    hone_trial_job jobs[N_VARIANTS];
    hone_gpu_setup setup = {
        .device = request->device,
        .device_code = b->device_code.data,
        .problem = {.tmpl = request->tmpl,
                    .launch_spec = hone__text_str(&b->spec),
                    .dims = request->dims,
                    .mode = request->mode,
                    .want_sets = 1,
                    .seed = request->seed,
                    .references = request->references,
                    .n_references = request->n_references}};

    for (int i = 0; i < b->n_variants; ++i)
        jobs[i] = (hone_trial_job){
            .id = i,
            .launch_spec = hone__text_str(&b->variants[i].spec),
            .cubin = b->variants[i].cubin.data,
            .cubin_bytes = b->variants[i].cubin.length};
    return hone__final_ask(request->farm.backend, &setup, jobs, b->n_variants,
                           request->farm.stop, b->report, err);
}

/* ---- the result --------------------------------------------------------- */

/* The final's own ratios are to the fastest variant, which need not be the
 * stored winner. */
static void compare(const hone_finalist *item, const hone_finalist *winner,
                    hone_bench_row *row)
{
    double ratios[HONE_FINAL_ROUNDS];
    const int n = item->n_samples < winner->n_samples ? item->n_samples
                                                      : winner->n_samples;

    if (n <= 0 || item->outcome != HONE_OUTCOME_OK ||
        winner->outcome != HONE_OUTCOME_OK)
        return;
    for (int i = 0; i < n; ++i)
        ratios[i] = item->rounds_ns[i] / winner->rounds_ns[i];
    row->ratio = hone__median(ratios, (size_t)n);
    hone__median_interval(ratios, (size_t)n, &row->ratio_low,
                          &row->ratio_high);
}

static void fill_row(const bench *b, int i, hone_bench_row *row)
{
    static const char *const names[N_VARIANTS] = {"winner", "default"};
    const hone_finalist *item = &b->report->items[i];

    if (i < b->n_variants) {
        const stored *variant = &b->variants[i];

        (void)snprintf(row->name, sizeof row->name, "%s", names[i]);
        (void)snprintf(row->label, sizeof row->label, "%s%s", names[i],
                       i == WINNER && variant->is_default ? " (the default)"
                                                          : "");
        (void)snprintf(row->config, sizeof row->config, "%.255s",
                       hone__text_str(&variant->config));
    } else {
        (void)snprintf(row->name, sizeof row->name, "%.31s",
                       b->request->tmpl->baselines[-1 - item->id]);
        (void)snprintf(row->label, sizeof row->label, "%s", item->label);
    }
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
    compare(item, &b->report->items[WINNER], row);
}

static void fill_result(const bench *b, hone_bench_result *out)
{
    (void)snprintf(out->device_name, sizeof out->device_name, "%s",
                   b->device.name);
    (void)snprintf(out->arch, sizeof out->arch, "%s", b->device.arch);
    out->tuned_time_ns = b->variants[WINNER].time_ns;
    out->sm_clock_mhz = b->report->sm_clock_mhz;
    for (int i = 0; i < b->report->n && i < HONE_MAX_BENCH_ROWS; ++i)
        fill_row(b, i, &out->rows[out->n_rows++]);
}

/* In this order, so that a missing GPU is said before a missing winner, and
 * that before anything is compiled. */
static hone_status measure(bench *b, hone_error *err)
{
    const hone_bench_request *request = b->request;

    if (is_cpu(b))
        hone__host_describe(&b->device);
    else
        HONE_TRY(hone__device_describe(request->device, &b->device, err));
    HONE_TRY(read_variants(b, err));
    HONE_TRY(argument_spec(b, err));
    if (!is_cpu(b))
        HONE_TRY(hone__own_code_compile(&request->farm, b->device.arch,
                                        &b->device_code, err));
    b->report = hone__alloc(sizeof *b->report);
    if (!b->report)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return run_variants(b, err);
}

hone_status hone__bench(const hone_bench_request *request,
                        hone_bench_result *out, hone_error *err)
{
    bench b = {.request = request};
    hone_status status = measure(&b, err);

    memset(out, 0, sizeof *out);
    if (status == HONE_OK)
        fill_result(&b, out);
    for (int i = 0; i < N_VARIANTS; ++i) {
        hone__text_free(&b.variants[i].config);
        hone__text_free(&b.variants[i].types);
        hone__text_free(&b.variants[i].spec);
        hone__text_free(&b.variants[i].cubin);
    }
    hone__text_free(&b.device_code);
    hone__text_free(&b.spec);
    hone__free(b.report);
    return status;
}
