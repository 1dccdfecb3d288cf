/* SPDX-License-Identifier: Apache-2.0 */
/* hone run: launch a tuned operation through the runtime, check and time
 * it. */
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/locate.h"
#include "tools/message.h"
#include "tools/option_value.h"
#include "tools/output.h"
#include "tools/references.h"

#include "tuner/tuner.h"

static const char *match_name(hone_match_kind kind)
{
    switch (kind) {
#define MATCH_NAME(name, value, spelling)                                    \
    case HONE_MATCH_##name:                                                  \
        return spelling;
        HONE_MATCH_MAP(MATCH_NAME)
#undef MATCH_NAME
    }
    return "?";
}

static hone_exit print_result(const hone_options *options,
                              const hone_run_request *request,
                              const hone_run_result *result)
{
    json_t *head = json_pack(
        "{s:s, s:o, s:s, s:s, s:f, s:f, s:f, s:f, s:b, s:s, s:s, s:s}", "op",
        request->tmpl->op, "dims",
        hone__dims_json(request->tmpl, request->dims), "device",
        result->device_name, "mode", hone__mode_name(request->mode),
        "time_ns", result->time_ns, "spread_ns", result->spread_ns,
        "tuned_time_ns", result->tuned_time_ns, "error", result->error_ratio,
        "correct", result->correct, "match", match_name(result->match.kind),
        "config", result->match.config, "reason", result->match.reason);
    const hone_exit code = hone__output_end(
        hone__output_begin(options, NULL, NULL, 0, head), NULL);

    if (code != HONE_EXIT_DONE || result->correct)
        return code;
    hone__message_note("the result is wrong: %s", result->message);
    return HONE_EXIT_NEGATIVE;
}

static hone_status prepare(const hone_options *options, hone_text *db_path,
                           hone_text *cache, hone_template **tmpl,
                           int64_t *dims, hone_run_request *out,
                           hone_error *err)
{
    const char *text = hone__options_dims(options);

    HONE_TRY(hone__option_device(options, HONE_BACKEND_CUDA, &out->backend,
                                 &out->device, err));
    HONE_TRY(hone__load_template(options, hone__options_arg(options, 0), tmpl,
                                 err));
    HONE_TRY(hone__template_parse_dims(*tmpl, text ? text : "", dims, err));
    HONE_TRY(hone__locate_db(options, db_path, err));
    HONE_TRY(hone__locate_cache(options, cache, err));
    HONE_TRY(hone__cache_create(hone__text_str(cache), err));
    out->tmpl = *tmpl;
    out->dims = dims;
    HONE_TRY(hone__option_device_mode(options, out->backend, &out->mode, err));
    out->db_path = hone__text_str(db_path);
    out->seed = hone__option_seed(options);
    out->references = hone__references(&out->n_references);
    out->cache_folder = hone__text_str(cache);
    return HONE_OK;
}

hone_exit hone__cmd_run(const hone_options *options)
{
    hone_run_request request = {0};
    hone_run_result result = {0};
    hone_text db_path = {0}, cache = {0};
    int64_t dims[HONE_MAX_DIMS];
    hone_template *tmpl = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status =
        prepare(options, &db_path, &cache, &tmpl, dims, &request, &err);

    if (status == HONE_OK)
        status = hone__run(&request, &result, &err);
    if (status == HONE_OK)
        code = print_result(options, &request, &result);
    else if (status == HONE_ERR_ARGUMENT)
        code = hone__message_usage(HONE_CMD_run, err.text);
    else
        code = hone__message_error(&err);
    hone__text_free(&db_path);
    hone__text_free(&cache);
    hone__template_free(tmpl);
    return code;
}
