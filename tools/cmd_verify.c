/* SPDX-License-Identifier: Apache-2.0 */
/* hone verify: configurations on edge shapes, on the cpu or a GPU. */
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/interrupt.h"
#include "tools/locate.h"
#include "tools/message.h"
#include "tools/option_value.h"
#include "tools/output.h"
#include "tools/progress.h"
#include "tools/references.h"
#include "tools/sanitizer.h"
#include "runtime/base/alloc.h"

#include "tuner/tuner.h"

#include <string.h>

typedef struct verify_run {
    const hone_options *options;
    hone_tune_request request; /* all but the template */
    hone_output *output;
    const char *op;
    const char *build; /* what the rows say */
    hone_text cache;
    int64_t n_checked;
    int64_t n_failed;
    int64_t n_skipped; /* templates, and configurations of others */
} verify_run;

static const char *const build_names[] = {"plain", "address and undefined",
                                          "races"};

static void on_progress(void *user, const hone_tune_progress *progress)
{
    (void)user;
    hone__progress_show(&(hone_progress_step){
        progress->n_done, progress->n_planned, 0, "configurations", "", ""});
}

static void on_trial(void *user, const char *config, hone_outcome outcome,
                     const char *message)
{
    verify_run *run = user;

    /* What only this device lacks says nothing about the configuration. */
    if (outcome == HONE_OUTCOME_LIMITS &&
        run->request.farm.backend == HONE_BACKEND_CPU) {
        hone__message_note("skipped: %s: %s", config, message);
        ++run->n_skipped;
        return;
    }
    ++run->n_checked;
    if (outcome == HONE_OUTCOME_OK)
        return;
    ++run->n_failed;
    hone__output_row(run->output,
                     hone__json("op:s config:s build:s outcome:s message:s",
                                run->op, config, run->build,
                                hone__outcome_name(outcome), message));
}

/* --config: that one instead of the space. */
static hone_status only_config(const verify_run *run, const hone_template *tmpl,
                               int64_t **out, hone_tune_request *request,
                               hone_error *err)
{
    const char *text = run->options->text[HONE_OPT_CONFIG];

    if (!text)
        return HONE_OK;
    *out = hone__alloc((tmpl->n_params + 1) * sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    HONE_TRY(hone__config_parse(tmpl, text, *out, err));
    request->config = *out;
    return HONE_OK;
}

static hone_status verify_template(verify_run *run, const char *name,
                                   hone_error *err)
{
    hone_tune_request request = run->request;
    hone_tune_result result;
    hone_template *tmpl = NULL;
    int64_t dims[HONE_MAX_DIMS];
    int64_t *config = NULL;
    int given = 0;
    hone_status status;

    HONE_TRY(hone__load_template(run->options, name, &tmpl, err));
    status = hone__load_dims(run->options, tmpl, dims, &given, err);
    request.tmpl = tmpl;
    request.dims = dims;
    request.space_of_dims = given;
    if (status == HONE_OK)
        status = only_config(run, tmpl, &config, &request, err);
    run->op = tmpl->op;
    if (status == HONE_OK &&
        hone__cpu_can_run(tmpl, request.farm.backend, err) != HONE_OK) {
        hone__message_note("skipped: %s", err->text);
        hone__error_clear(err);
        ++run->n_skipped;
    } else if (status == HONE_OK) {
        hone__progress_begin(tmpl->op);
        status = hone__tune(&request, &result, err);
        hone__progress_end();
    }
    hone__free(config);
    hone__template_free(tmpl);
    return status;
}

static hone_status verify_all(verify_run *run, hone_error *err)
{
    const int sanitize = run->options->text[HONE_OPT_SANITIZE] != NULL;
    const hone_host_build first =
        sanitize ? HONE_HOST_SANITIZED : HONE_HOST_PLAIN;
    const hone_host_build last = sanitize ? HONE_HOST_RACES : HONE_HOST_PLAIN;

    for (int build = (int)first; build <= (int)last; ++build) {
        run->request.farm.host_build = (hone_host_build)build;
        run->build = build_names[build];
        for (size_t i = 0; i < run->options->n_args; ++i)
            HONE_TRY(
                verify_template(run, hone__options_arg(run->options, i), err));
    }
    return HONE_OK;
}

static hone_status prepare(verify_run *run, hone_error *err)
{
    const hone_options *options = run->options;
    hone_tune_request *request = &run->request;

    HONE_TRY(hone__option_device(options, HONE_BACKEND_CPU,
                                 &request->farm.backend, &request->device,
                                 err));
    if (options->text[HONE_OPT_SANITIZE]) {
        if (request->farm.backend != HONE_BACKEND_CPU)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--sanitize is for --device cpu; on a GPU run "
                              "hone under compute-sanitizer");
        HONE_TRY(hone__sanitizer_enter(err));
    }
    HONE_TRY(hone__locate_cache(options, &run->cache, err));
    HONE_TRY(hone__cache_create(hone__text_str(&run->cache), err));
    request->verify_only = 1;
    request->budget_trials = options->number[HONE_OPT_LIMIT];
    request->strategy = request->budget_trials ? "random" : "exhaustive";
    request->seed = hone__option_seed(options);
    request->references = hone__references(&request->n_references);
    request->trial_timeout_s = (double)options->number[HONE_OPT_TRIAL_TIMEOUT];
    if (request->trial_timeout_s <= 0)
        request->trial_timeout_s = 60; /* sanitizers are slow */
    request->farm.compile_timeout_s =
        (double)options->number[HONE_OPT_COMPILE_TIMEOUT];
    request->farm.cache_folder = hone__text_str(&run->cache);
    request->farm.n_workers = (int)options->number[HONE_OPT_JOBS];
    request->farm.stop = hone__interrupt_flag();
    request->on_progress = on_progress;
    request->on_trial = on_trial;
    request->user = run;
    return HONE_OK;
}

hone_exit hone__cmd_verify(const hone_options *options)
{
    static const hone_column columns[] = {
        {"op", "op", HONE_CELL_TEXT},
        {"build", "build", HONE_CELL_TEXT},
        {"outcome", "outcome", HONE_CELL_TEXT},
        {"config", "configuration", HONE_CELL_TEXT},
        {"message", "message", HONE_CELL_TEXT},
    };
    verify_run run = {.options = options};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status = prepare(&run, &err);

    if (status == HONE_OK) {
        run.output = hone__output_begin(options, "failures", columns,
                                        sizeof columns / sizeof columns[0],
                                        hone__json(""));
        status = verify_all(&run, &err);
        code = hone__output_end(
            run.output, hone__json("checked:I failed:I skipped:I",
                                   run.n_checked, run.n_failed, run.n_skipped));
    }
    if (status == HONE_ERR_INTERRUPTED)
        code = HONE_EXIT_INTERRUPTED;
    else if (status == HONE_ERR_ARGUMENT)
        code = hone__message_usage(HONE_CMD_verify, err.text);
    else if (status != HONE_OK)
        code = hone__message_error(&err);
    else if (code == HONE_EXIT_DONE && run.n_failed)
        code = HONE_EXIT_NEGATIVE;
    hone__text_free(&run.cache);
    return code;
}
