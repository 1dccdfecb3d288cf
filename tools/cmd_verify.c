/* SPDX-License-Identifier: Apache-2.0 */
/* hone verify: configurations on edge shapes, on the cpu or a GPU. */
#include "tools/base/commands.h"
#include "tools/inputs/inputs.h"
#include "tools/base/process.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tools/inputs/references.h"
#include "tools/verify_parts.h"
#include "runtime/base/alloc.h"

#include "tuner/compile/compiler_kind.h"
#include "tuner/judge/outcome.h"
#include "tuner/trial/devices.h"
#include "tuner/tuner.h"

#include <stdio.h>
#include <string.h>

typedef struct verify_run {
    const hone_options *options;
    hone_tune_request request; /* all but the template */
    hone_output *output;
    const char *op;
    hone_text label; /* likewise: types and values */
    hone_verify_case *at;
    hone_text cache;
    hone_text covered; /* what was covered and what was not */
    json_t *cases;     /* likewise */
    int n_shown;       /* failures whose wrong elements were shown */
    int64_t n_checked;
    int64_t n_idle; /* of these, on no shape at all */
    int64_t n_failed;
    int64_t n_skipped;   /* templates, and configurations of others */
    int64_t n_too_large; /* of these */
} verify_run;

static hone_host_build first_build(const verify_run *run)
{
    return run->options->text[HONE_OPT_SANITIZE] ? HONE_HOST_SANITIZED
                                                 : HONE_HOST_PLAIN;
}

const char *hone__verify_build_name(hone_host_build build)
{
    static const char *const names[] = {"plain", "address and undefined",
                                        "races"};

    return names[build];
}

static void on_progress(void *user, const hone_tune_progress *progress)
{
    (void)user;
    hone__progress_show(&(hone_progress_step){
        progress->n_done, progress->n_planned, 0, "configurations", "", ""});
}

static void on_trial(void *user, const hone_tune_trial *trial)
{
    verify_run *run = user;
    hone_verify_case *at = run->at;
    const char *message = trial->message;
    size_t length = strlen(message);

    if (hone__verify_skips(trial,
                           hone__device_kind(run->request.farm.backend))) {
        hone__message_note("skipped: %s: %s", trial->config, trial->message);
        ++run->n_skipped;
        run->n_too_large += hone__verify_is_too_large(trial);
        ++at->n_skipped;
        (void)snprintf(at->why, sizeof at->why, "%.250s", trial->message);
        return;
    }
    ++run->n_checked;
    ++at->n_checked;
    if (trial->coverage->n_shapes > at->shapes.n_shapes)
        at->shapes = *trial->coverage;
    if (trial->outcome == HONE_OUTCOME_OK) {
        at->n_idle += !trial->coverage->n_shapes;
        run->n_idle += !trial->coverage->n_shapes;
        return;
    }
    ++run->n_failed;
    if (trial->outcome == HONE_OUTCOME_COMPILE)
        message = hone__complaint_find(message, &length);
    hone__output_row(
        run->output,
        hone__json(
            "op:s case:o config:s build:s outcome:s message:o wrong:o", run->op,
            run->label.failed ? NULL
                              : hone__json_string(hone__text_str(&run->label),
                                                  run->label.length),
            trial->config,
            hone__verify_build_name(run->request.farm.host_build),
            hone__outcome_name(trial->outcome),
            hone__json_string(message, length),
            hone__verify_wrong_json(trial->wrong)));
    hone__verify_wrong_say(run->options, run->op, trial, &run->n_shown);
}

/* A combination of types and values that the template does not do: another
 * one may be. */
static int is_of_the_case(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NOT_FOUND ||
           status == HONE_ERR_UNSUPPORTED;
}

static hone_status verify_case(verify_run *run, hone_verify_cases *cases,
                               const int64_t *config, hone_error *err)
{
    hone_tune_request request = run->request;
    hone_tune_result *result = hone__alloc(sizeof *result);
    hone_text title = {0};
    hone_status status;

    if (!result)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    request.tmpl = cases->tmpl;
    request.dims = run->at->dims;
    request.space_of_dims = cases->has_sizes;
    request.config = config;
    request.budget_trials = run->at->limit;
    request.strategy = run->at->limit ? "random" : "exhaustive";
    request.seed += cases->n - 1; /* other configurations in each case */
    hone__text_clear(&run->label);
    hone__verify_case_label(cases->tmpl, run->at->dims, &run->label);
    hone__text_printf(&title, "%s%s%s", run->op, run->label.length ? " " : "",
                      hone__text_str(&run->label));
    hone__progress_begin(hone__text_str(&title));
    status = hone__tune(&request, result, err);
    hone__progress_end();
    run->at->n_valid = result->space_valid;
    hone__text_free(&title);
    hone__free(result);
    return status;
}

/* With no case that is possible: why the first was not. */
static hone_status verify_cases(verify_run *run, hone_verify_cases *cases,
                                const int64_t *config, hone_error *err)
{
    hone_error first = {.status = HONE_OK};
    size_t n_done = 0;

    for (;;) {
        hone_status status;

        HONE_TRY(hone__verify_cases_next(cases, &run->at, err));
        if (!run->at)
            break;
        status = verify_case(run, cases, config, err);
        if (status != HONE_OK && !is_of_the_case(status))
            return status;
        if (status != HONE_OK) {
            if (first.status == HONE_OK)
                first = *err;
            hone__verify_cases_refuse(cases, err->text);
            hone__error_clear(err);
        }
        n_done += status == HONE_OK;
    }
    if (n_done || first.status == HONE_OK)
        return HONE_OK;
    *err = first;
    return first.status;
}

/* The device has no means for any of it: `why`. */
static void skip_template(verify_run *run, const char *why)
{
    hone__message_note("skipped: %s", why);
    ++run->n_skipped;
    if (run->request.farm.host_build == first_build(run))
        hone__text_printf(&run->covered, "%s%s: not covered: all of it (%s)",
                          run->covered.length ? " | " : "", run->op, why);
}

static hone_status verify_template(verify_run *run, const char *name,
                                   hone_error *err)
{
    const char *text = run->options->text[HONE_OPT_CONFIG];
    hone_template *tmpl = NULL;
    hone_verify_cases cases = {0};
    hone_error why = {.status = HONE_OK};
    int64_t *config = NULL;
    hone_status status;

    HONE_TRY(hone__load_template(run->options, name, &tmpl, err));
    run->op = tmpl->op;
    status = hone__verify_cases_open(run->options, tmpl, &cases, err);
    if (status == HONE_OK && text)
        status = hone__load_config(tmpl, text, &config, err);
    if (status == HONE_OK &&
        hone__backend_takes(run->request.farm.backend, tmpl, &why) != HONE_OK) {
        skip_template(run, why.text);
    } else if (status == HONE_OK) {
        status = verify_cases(run, &cases, config, err);
        if (status == HONE_OK &&
            run->request.farm.host_build == first_build(run)) {
            hone__verify_cases_say(&cases, &run->covered);
            run->cases = hone__verify_cases_json(&cases, run->cases);
        }
    }
    hone__free(config);
    hone__verify_cases_close(&cases);
    hone__template_free(tmpl);
    return status;
}

static hone_status verify_all(verify_run *run, hone_error *err)
{
    const int sanitize = run->options->text[HONE_OPT_SANITIZE] != NULL;
    const hone_host_build last = sanitize ? HONE_HOST_RACES : HONE_HOST_PLAIN;

    for (int build = (int)first_build(run); build <= (int)last; ++build) {
        run->request.farm.host_build = (hone_host_build)build;
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

    if (!options->n_args && !options->text[HONE_OPT_SHAPES])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "nothing to verify. Example: %s",
                          hone__commands[HONE_CMD_verify].example);
    HONE_TRY(hone__option_device(options, HONE_FOR_NUMERICS,
                                 &request->farm.backend, &request->device,
                                 err));
    if (options->text[HONE_OPT_SANITIZE]) {
        if (!hone__compiler_kind(request->farm.backend)->has_sanitizers)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--sanitize is for --device cpu; on a GPU run "
                              "hone under compute-sanitizer");
        HONE_TRY(hone__sanitizer_enter(err));
    }
    HONE_TRY(hone__verify_wrong_options(options, request, err));
    HONE_TRY(hone__locate_farm(options, &run->cache, &request->farm, err));
    request->verify_only = 1;
    request->verbose = options->text[HONE_OPT_VERBOSE] != NULL;
    request->seed = hone__option_seed(options);
    request->references = hone__references(&request->n_references);
    request->trial_timeout_s = (double)options->number[HONE_OPT_TRIAL_TIMEOUT];
    if (request->trial_timeout_s <= 0)
        request->trial_timeout_s = 60; /* sanitizers are slow */
    request->on_progress = on_progress;
    request->on_trial = on_trial;
    request->user = run;
    return HONE_OK;
}

/* What was checked, and the sentence that says what was not: last. */
static hone_exit end_output(verify_run *run)
{
    json_t *tail = hone__json("checked:I failed:I skipped:I", run->n_checked,
                              run->n_failed, run->n_skipped);

    if (hone__options_is(run->options, HONE_OPT_FORMAT, "json"))
        tail = hone__json_add(tail, "cases:o", run->cases);
    else
        json_decref(run->cases);
    if (hone__options_is(run->options, HONE_OPT_FORMAT, "csv"))
        hone__message_note("covered: %s", hone__text_str(&run->covered));
    return hone__output_end(
        run->output,
        hone__json_add(tail, "covered:o", hone__json_text(&run->covered)));
}

hone_exit hone__verify_conclude(hone_status status, hone_exit code,
                                int64_t n_failed, const char *nothing,
                                const hone_error *err)
{
    if (status != HONE_OK)
        return hone__message_error(err);
    if (code != HONE_EXIT_DONE)
        return code;
    if (n_failed)
        return HONE_EXIT_NEGATIVE;
    if (!nothing)
        return HONE_EXIT_DONE;
    hone__message_negative("%s", nothing);
    return HONE_EXIT_NEGATIVE;
}

hone_exit hone__cmd_verify(const hone_options *options)
{
    static const char columns[] =
        "op, case=types, build, outcome, config=configuration, message";
    verify_run run = {.options = options};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status = prepare(&run, &err);

    if (status == HONE_OK && options->text[HONE_OPT_SHAPES]) {
        code = hone__verify_shapes(options, &run.request);
        hone__text_free(&run.cache);
        return code;
    }
    if (status == HONE_OK) {
        run.cases = json_array();
        run.output =
            hone__output_begin(options, "failures", columns, hone__json(""));
        status = verify_all(&run, &err);
        code = end_output(&run);
    }
    code = hone__verify_conclude(
        status, code, run.n_failed,
        run.n_checked != run.n_idle || run.n_skipped > run.n_too_large ? NULL
        : run.n_too_large
            ? "nothing was verified: there is no memory for these sizes"
            : "nothing was verified: no configuration is valid on any of the "
              "shapes",
        &err);
    hone__text_free(&run.label);
    hone__text_free(&run.covered);
    hone__text_free(&run.cache);
    return code;
}
