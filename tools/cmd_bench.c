/* SPDX-License-Identifier: Apache-2.0 */
/* hone bench: the winner, the default variant and the rivals side by side. */
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/locate.h"
#include "tools/message.h"
#include "tools/option_value.h"
#include "tools/output.h"
#include "tools/references.h"

#include "tuner/bench.h"

#include <string.h>

/* Zero stands for "not measured". */
static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *bench_row(const hone_bench_row *r)
{
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", r->name, "label",
        r->label, "outcome", hone__outcome_name(r->outcome), "time_ns",
        positive(r->time_ns), "ci_low_ns", positive(r->ci_low_ns),
        "ci_high_ns", positive(r->ci_high_ns), "spread_ns",
        r->time_ns > 0 ? json_real(r->spread_ns) : json_null());

    (void)json_object_update_new(
        row, json_pack("{s:o, s:o, s:o, s:i, s:s, s:s}", "ratio",
                       positive(r->ratio), "ratio_low",
                       positive(r->ratio_low), "ratio_high",
                       positive(r->ratio_high), "n_samples", r->n_samples,
                       "config", r->config, "message", r->message));
    return row;
}

static hone_exit print_result(const hone_options *options,
                              const hone_bench_request *request,
                              const hone_bench_result *result)
{
    static const hone_column columns[] = {
        {"label", "runner", HONE_CELL_TEXT},
        {"time_ns", "time", HONE_CELL_TIME_NS},
        {"ci_low_ns", "from", HONE_CELL_TIME_NS},
        {"ci_high_ns", "to", HONE_CELL_TIME_NS},
        {"ratio", "x winner", HONE_CELL_NUMBER},
        {"ratio_low", "from", HONE_CELL_NUMBER},
        {"ratio_high", "to", HONE_CELL_NUMBER},
        {"n_samples", "rounds", HONE_CELL_NUMBER},
        {"message", "note", HONE_CELL_TEXT},
    };
    const hone_bench_row *winner = &result->rows[0];
    hone_output *output = hone__output_begin(
        options, "rows", columns, sizeof columns / sizeof columns[0],
        json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:f, s:i}", "op",
                  request->tmpl->op, "dims",
                  hone__dims_json(request->tmpl, request->dims), "device",
                  result->device_name, "arch", result->arch, "mode",
                  hone__mode_name(request->mode), "config", winner->config,
                  "tuned_time_ns", result->tuned_time_ns, "sm_clock_mhz",
                  result->sm_clock_mhz));
    hone_exit code;

    for (size_t i = 0; i < result->n_rows; ++i)
        hone__output_row(output, bench_row(&result->rows[i]));
    code = hone__output_end(output, NULL);
    if (code != HONE_EXIT_DONE || winner->outcome == HONE_OUTCOME_OK)
        return code;
    hone__message_note("the winner could not be timed (%s): %s",
                       hone__outcome_name(winner->outcome), winner->message);
    return HONE_EXIT_NEGATIVE;
}

static hone_status prepare(const hone_options *options, hone_text *db_path,
                           hone_text *cache, hone_template **tmpl,
                           int64_t *dims, hone_bench_request *out,
                           hone_error *err)
{
    const char *text = hone__options_dims(options);

    HONE_TRY(hone__option_device(options, HONE_BACKEND_CUDA,
                                 &out->farm.backend, &out->device, err));
    HONE_TRY(hone__load_template(options, hone__options_arg(options, 0), tmpl,
                                 err));
    HONE_TRY(hone__template_parse_dims(*tmpl, text ? text : "", dims, err));
    HONE_TRY(hone__locate_db(options, db_path, err));
    HONE_TRY(hone__locate_cache(options, cache, err));
    HONE_TRY(hone__cache_create(hone__text_str(cache), err));
    out->tmpl = *tmpl;
    out->dims = dims;
    HONE_TRY(hone__option_device_mode(options, out->farm.backend, &out->mode,
                                      err));
    out->db_path = hone__text_str(db_path);
    out->seed = hone__option_seed(options);
    out->references = hone__references(&out->n_references);
    out->farm.cache_folder = hone__text_str(cache);
    out->farm.stop = hone__interrupt_flag();
    return HONE_OK;
}

hone_exit hone__cmd_bench(const hone_options *options)
{
    hone_bench_request request;
    hone_bench_result result;
    hone_text db_path = {0}, cache = {0};
    int64_t dims[HONE_MAX_DIMS];
    hone_template *tmpl = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status;

    memset(&request, 0, sizeof request);
    status = prepare(options, &db_path, &cache, &tmpl, dims, &request, &err);
    if (status == HONE_OK)
        status = hone__bench(&request, &result, &err);
    if (status == HONE_OK)
        code = print_result(options, &request, &result);
    else if (status == HONE_ERR_ARGUMENT)
        code = hone__message_usage(HONE_CMD_bench, err.text);
    else
        code = hone__message_error(&err);
    hone__text_free(&db_path);
    hone__text_free(&cache);
    hone__template_free(tmpl);
    return code;
}
