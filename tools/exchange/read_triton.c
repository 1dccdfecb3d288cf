/* SPDX-License-Identifier: Apache-2.0 */
/* Triton's autotune cache (triton/runtime/autotuner.py, check_disk_cache):
 *   {"key": [..], "configs_timings": [[{"kwargs": {..}, "num_warps": 4, ..},
 *    [median, 20 %, 80 %]], ..]}
 * Times are milliseconds; a configuration that could not run has Infinity. The
 * file does not say which device it was. */
#include "tools/exchange/foreign.h"

#include <math.h>
#include <string.h>

typedef struct triton_reader {
    hone_import *import;
    hone_json_reader *json;
    hone_json_event event;
    hone_foreign what;
    char hash[HONE_SHA256_HEX];
    hone_text op, dims, label, config;
    int has_timings; /* the list was there */
} triton_reader;

static hone_status next(triton_reader *r, hone_error *err)
{
    return hone__json_next(r->json, &r->event, err);
}

/* The key of the problem: numbers become its dimensions, all of it its label.
 */
static hone_status read_key(triton_reader *r, hone_error *err)
{
    if (r->has_timings)
        return hone__json_fail(r->json, err,
                               "\"key\" must stand before \"configs_timings\", "
                               "whose problem it says");
    HONE_TRY(hone__json_expect(r->json, HONE_JSON_ARRAY, "a list [..]",
                               &r->event, err));
    for (;;) {
        const hone_json_event *e = &r->event;

        HONE_TRY(next(r, err));
        if (e->kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        if (e->kind == HONE_JSON_OBJECT || e->kind == HONE_JSON_ARRAY) {
            HONE_TRY(hone__json_skip(r->json, e, err));
            continue;
        }
        if (e->kind == HONE_JSON_NUMBER &&
            e->length == strspn(e->text, "0123456789"))
            hone__text_printf(&r->dims, "%s%s", r->dims.length ? "," : "",
                              e->text);
        hone__text_printf(&r->label, "%s%s", r->label.length ? " " : "",
                          e->kind == HONE_JSON_TRUE    ? "True"
                          : e->kind == HONE_JSON_FALSE ? "False"
                          : e->kind == HONE_JSON_NULL  ? "None"
                                                       : e->text);
    }
}

/* A member of the configuration, or of its kwargs. */
static hone_status read_param(triton_reader *r, const char *name,
                              hone_error *err)
{
    const hone_json_event *e = &r->event;

    if (e->kind == HONE_JSON_NULL)
        return HONE_OK;
    if (e->kind == HONE_JSON_OBJECT || e->kind == HONE_JSON_ARRAY)
        return hone__json_fail(r->json, err,
                               "'%.60s' is neither a number nor a text", name);
    if (hone__foreign_param(&r->config, name,
                            e->kind == HONE_JSON_TRUE    ? "true"
                            : e->kind == HONE_JSON_FALSE ? "false"
                                                         : e->text,
                            err) != HONE_OK)
        return hone__json_fail(r->json, err,
                               "'%.60s' has a name or a value that cannot be "
                               "kept (a comma, a quote, a backslash)",
                               name);
    return HONE_OK;
}

static hone_status read_config(triton_reader *r, int is_outer, hone_error *err)
{
    if (r->event.kind != HONE_JSON_OBJECT)
        return hone__json_fail(r->json, err, "expected a configuration {..}");
    for (;;) {
        char name[128];

        HONE_TRY(next(r, err));
        if (r->event.kind == HONE_JSON_OBJECT_END)
            return HONE_OK;
        (void)snprintf(name, sizeof name, "%.120s", r->event.text);
        HONE_TRY(next(r, err));
        if (is_outer && strcmp(name, "kwargs") == 0)
            HONE_TRY(read_config(r, 0, err));
        else
            HONE_TRY(read_param(r, name, err));
    }
}

/* [median, 20 %, 80 %] or one number. */
static hone_status read_timing(triton_reader *r, double out[3], hone_error *err)
{
    const int is_list = r->event.kind == HONE_JSON_ARRAY;
    size_t n = 0;

    for (int more = 1; more; more = is_list) {
        if (is_list)
            HONE_TRY(next(r, err));
        if (is_list && r->event.kind == HONE_JSON_ARRAY_END)
            break;
        if (r->event.kind != HONE_JSON_NUMBER || !(r->event.number > 0))
            return hone__json_fail(r->json, err,
                                   "a time has to be a positive number");
        if (n < 3)
            out[n++] = r->event.number;
    }
    return n ? HONE_OK
             : hone__json_fail(r->json, err, "there is no time in this list");
}

static hone_status put_trial(triton_reader *r, const double timing[3],
                             hone_error *err)
{
    hone_import *import = r->import;
    const int is_ok = isfinite(timing[0]);

    HONE_TRY(hone__foreign_begin(import, &r->what, err));
    HONE_TRY(hone__foreign_trial(import, hone__text_str(&r->config),
                                 is_ok ? HONE_OUTCOME_OK : HONE_OUTCOME_LAUNCH,
                                 timing[0], "", 6, err));
    HONE_TRY(hone__import_put(import, 0, err));
    if (is_ok && isfinite(timing[1]) && isfinite(timing[2]) && timing[1] > 0) {
        HONE_TRY(hone__db_import_counter(import->rows, r->what.op, "time_p20",
                                         "ms", timing[1], err));
        HONE_TRY(hone__db_import_counter(import->rows, r->what.op, "time_p80",
                                         "ms", timing[2], err));
    }
    return HONE_OK;
}

static hone_status read_pair(triton_reader *r, hone_error *err)
{
    double timing[3] = {0};
    hone_error inner = {0};
    hone_status status;

    hone__text_clear(&r->config);
    hone__text_append(&r->config, "", 0);
    if (r->event.kind != HONE_JSON_ARRAY)
        return hone__json_fail(r->json, err, "expected [configuration, times]");
    HONE_TRY(next(r, err));
    HONE_TRY(read_config(r, 1, err));
    HONE_TRY(next(r, err));
    HONE_TRY(read_timing(r, timing, err));
    HONE_TRY(hone__json_expect(r->json, HONE_JSON_ARRAY_END, "a ']'", &r->event,
                               err));
    status = put_trial(r, timing, &inner);
    if (status == HONE_ERR_INPUT)
        return hone__json_fail(r->json, err, "%s", inner.text);
    if (status != HONE_OK && err)
        *err = inner;
    return status;
}

static hone_status read_timings(triton_reader *r, hone_error *err)
{
    r->has_timings = 1;
    r->what.dims = hone__text_str(&r->dims);
    r->what.label = hone__text_str(&r->label);
    HONE_TRY(hone__json_expect(r->json, HONE_JSON_ARRAY, "a list [..]",
                               &r->event, err));
    for (;;) {
        HONE_TRY(next(r, err));
        if (r->event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        HONE_TRY(read_pair(r, err));
    }
}

static hone_status read_file(triton_reader *r, hone_error *err)
{
    HONE_TRY(next(r, err));
    for (;;) {
        HONE_TRY(next(r, err));
        if (r->event.kind != HONE_JSON_KEY)
            break;
        if (strcmp(r->event.text, "key") == 0) {
            HONE_TRY(read_key(r, err));
        } else if (strcmp(r->event.text, "configs_timings") == 0) {
            HONE_TRY(read_timings(r, err));
        } else {
            HONE_TRY(next(r, err));
            HONE_TRY(hone__json_skip(r->json, &r->event, err));
        }
    }
    return next(r, err); /* there is no more */
}

hone_status hone__read_triton(hone_import *import, hone_error *err)
{
    triton_reader r = {.import = import};
    hone_status status = hone__foreign_hash(import->path, r.hash, err);

    hone__foreign_name(import->path, &r.op);
    r.what = (hone_foreign){.op = hone__text_str(&r.op),
                            .device = "a device of Triton",
                            .by = "Triton",
                            .sha256 = r.hash,
                            .mode = "cold", /* do_bench clears the L2 cache */
                            .session = 1};
    if (status == HONE_OK)
        status = hone__text_check(&r.op, err);
    if (status == HONE_OK)
        status = hone__json_open(import->path, &r.json, err);
    if (status == HONE_OK)
        status = read_file(&r, err);
    hone__json_close(r.json);
    hone__text_free(&r.op);
    hone__text_free(&r.dims);
    hone__text_free(&r.label);
    hone__text_free(&r.config);
    return status;
}
