/* SPDX-License-Identifier: Apache-2.0 */
/* hone compile: a template's configurations to cubins in the cache. */
#include "tools/base/commands.h"
#include "tools/base/process.h"
#include "tools/inputs/inputs.h"
#include "tools/base/option_value.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tools/cluster/shard.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/outcome.h"
#include "tuner/tuner.h"

#include <string.h>

typedef struct compile_view {
    const hone_options *options;
    hone_template *tmpl;
    int64_t dims[HONE_MAX_DIMS];
    int64_t *config; /* NULL: all of the space */
    hone_text cache;
    hone_output *output; /* begun by the first variant: an error that comes
                            before it prints no result */
    int64_t n_done;
    hone_failures ends;
} compile_view;

static int lists_all(const compile_view *view)
{
    return view->options->text[HONE_OPT_LIST] != NULL;
}

static void begin(compile_view *view)
{
    static const char all[] =
        "config=configuration, outcome, registers:n, spill_bytes:n=spill, "
        "static_shared_bytes:n=shared, cubin_bytes:n=cubin, compile_ms:n=ms, "
        "warnings, log=why not";
    static const char failed[] =
        "config=configuration that failed, outcome, log=why";

    if (view->output)
        return;
    view->output = hone__output_begin(
        view->options, lists_all(view) ? "list" : "failures",
        lists_all(view) ? all : failed,
        hone__json("template:s op:s arch:s", view->tmpl->path, view->tmpl->op,
                   hone__load_arch(view->options)));
}

static json_t *row_of(const hone_compile_report *report)
{
    const int ok = report->outcome == HONE_OUTCOME_OK;
    const hone_compile_output *output = report->output;
    size_t length = 0;
    const char *complaint =
        hone__complaint_find(hone__text_str(&output->log), &length);
    json_t *row = hone__json(
        "config:s ok:b outcome:s cached:b compile_ms:f cubin_bytes:I "
        "registers:i spill_bytes:i static_shared_bytes:i warnings:s",
        report->config, ok, hone__outcome_name(report->outcome), output->cached,
        output->cached ? 0 : output->compile_ms, (int64_t)output->cubin.length,
        output->registers, output->spill_bytes, output->static_shared_bytes,
        output->warnings);

    return ok ? row
              : hone__json_add(row, "log:o",
                               hone__json_string(complaint, length));
}

/* Variants that cannot be launched are no failures; of one that was asked for
 * by name the reason is told all the same. */
static int is_listed(const compile_view *view,
                     const hone_compile_report *report)
{
    return lists_all(view) || report->outcome == HONE_OUTCOME_COMPILE ||
           report->outcome == HONE_OUTCOME_TIMEOUT ||
           (report->outcome == HONE_OUTCOME_LIMITS &&
            view->options->text[HONE_OPT_CONFIG]);
}

static void on_variant(void *user, const hone_compile_report *report)
{
    compile_view *view = user;
    const hone_progress_step step = {
        ++view->n_done, report->n_total, 0, "variants", "", ""};

    hone__failures_add(&view->ends, report->outcome,
                       hone__text_str(&report->output->log), 1);
    begin(view);
    if (is_listed(view, report)) {
        hone__progress_wipe();
        hone__output_row(view->output, row_of(report));
    }
    hone__progress_show(&step);
}

static hone_status take_shard(const compile_view *view,
                              hone_compile_request *out, hone_error *err)
{
    hone_shard shard;

    HONE_TRY(hone__option_shard(view->options, &shard, err));
    if (shard.n && view->config)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--config names one configuration, of which --shard "
                          "cannot take a part");
    out->part = shard.index - 1;
    out->n_parts = shard.n;
    return HONE_OK;
}

/* What --config, --dims and --limit ask for. */
static hone_status fill_request(compile_view *view, hone_compile_request *out,
                                hone_error *err)
{
    const hone_options *options = view->options;
    int given;

    HONE_TRY(hone__load_template(options, hone__options_arg(options, 0),
                                 &view->tmpl, err));
    HONE_TRY(hone__load_dims(options, view->tmpl, view->dims, &given, err));
    if (options->text[HONE_OPT_CONFIG]) {
        hone_space *space = NULL;
        hone_status status;

        HONE_TRY(hone__load_config(view->tmpl, options->text[HONE_OPT_CONFIG],
                                   &view->config, err));
        HONE_TRY(hone__load_space(options, view->tmpl, &space, err));
        status = hone__space_check(space, view->config, err);
        hone__space_free(space);
        HONE_TRY(status);
    }
    HONE_TRY(hone__locate_farm(options, &view->cache, &out->farm, err));
    out->config = view->config;
    out->tmpl = view->tmpl;
    out->arch = hone__load_arch(options);
    out->dims = given ? view->dims : NULL;
    out->limit = options->number[HONE_OPT_LIMIT];
    return take_shard(view, out, err);
}

static json_t *tail_of(const hone_compile_result *result, const char *message)
{
    return hone__json(
        "variants:I failed:I gated:I warned:I compiles:I cached:I workers:i "
        "seconds:f variants_per_s:f compiles_per_s:f toolchain:s message:s",
        result->n_variants, result->n_failed, result->n_gated, result->n_warned,
        result->n_compiles, result->n_cached, result->n_workers,
        result->seconds, result->variants_per_s, result->compiles_per_s,
        result->toolchain, message);
}

/* CSV has the rows alone. */
static void note_totals(const hone_options *options,
                        const hone_compile_result *result)
{
    if (hone__options_is(options, HONE_OPT_FORMAT, "csv"))
        hone__message_note(
            "%lld variants: %lld failed, %lld gated, %lld "
            "compiles, %lld cached; %.1f s, %.1f variants/s, "
            "%.1f compiles/s",
            (long long)result->n_variants, (long long)result->n_failed,
            (long long)result->n_gated, (long long)result->n_compiles,
            (long long)result->n_cached, result->seconds,
            result->variants_per_s, result->compiles_per_s);
}

static hone_exit finish(compile_view *view, hone_status status,
                        const hone_compile_result *result,
                        const hone_error *err)
{
    hone_exit code = HONE_EXIT_DONE;
    char message[512] = ""; /* why there is no cubin at all */
    /* A shard of a space that has fewer configurations than shards. */
    const int is_empty = view->options->text[HONE_OPT_SHARD] &&
                         status == HONE_OK && !result->n_variants;

    /* Also when nothing was finished before the interruption. */
    if (status == HONE_OK || status == HONE_ERR_INTERRUPTED)
        begin(view);
    if (view->output) {
        if (!view->ends.outcomes[HONE_OUTCOME_OK] && !is_empty)
            hone__failures_text(&view->ends, message, sizeof message);
        code = hone__output_end(view->output, tail_of(result, message));
        note_totals(view->options, result);
        if (message[0])
            hone__message_note("nothing was compiled: %s", message);
    }
    if (status == HONE_ERR_INTERRUPTED) {
        hone__message_note("interrupted; what is compiled is in the cache: "
                           "run the same command again to go on");
        return HONE_EXIT_INTERRUPTED;
    }
    if (status != HONE_OK)
        return hone__message_error(err);
    if (code == HONE_EXIT_DONE && (result->n_failed || message[0]))
        code = HONE_EXIT_NEGATIVE;
    return code;
}

hone_exit hone__cmd_compile(const hone_options *options)
{
    compile_view view = {.options = options};
    hone_compile_request request = {.on_variant = on_variant, .user = &view};
    hone_compile_result result = {0};
    hone_error err = {0};
    hone_exit code;
    hone_status status = fill_request(&view, &request, &err);

    if (status == HONE_OK) {
        hone__progress_begin(view.tmpl->op);
        status = hone__compile_space(&request, &result, &err);
        hone__progress_end();
    }
    code = finish(&view, status, &result, &err);
    hone__free(view.config);
    hone__text_free(&view.cache);
    hone__template_free(view.tmpl);
    return code;
}
