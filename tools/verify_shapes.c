/* SPDX-License-Identifier: Apache-2.0 */
/* hone verify --shapes: the problems of a file, each by the implementations
 * that apply to it, in one process: see verify_parts.h. */
#include "tools/verify_parts.h"

#include "runtime/base/alloc.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/process.h"
#include "tools/base/progress.h"
#include "tools/tune_parts.h"
#include "tuner/trial/devices.h"

#include <stdio.h>
#include <string.h>

/* What became of one implementation, at one problem or at all. */
typedef struct counts {
    const hone_template *tmpl;
    int64_t n_problems; /* at which something was checked */
    int64_t n_checked;
    int64_t n_failed;
    int64_t n_skipped; /* that the device has no means for */
} counts;

enum { MOST_ALL = 64 }; /* implementations in one line for a person */

typedef struct shapes_run {
    const hone_options *options;
    hone_tune_request request; /* all but the problem */
    hone_shapes shapes;
    hone_output *output;
    const hone_shape *shape; /* that is verified */
    counts at[HONE_MAX_IMPLS];
    size_t n_at;
    counts all[MOST_ALL];
    size_t n_all;
    int64_t *config; /* NULL: several */
    json_t *problems;
    int n_shown;
    int64_t n_checked, n_failed, n_skipped;
    int64_t n_too_large; /* of those that were skipped */
    int64_t n_without;   /* problems at which nothing was checked */
} shapes_run;

static counts *counts_of(counts *list, size_t n, const hone_template *tmpl)
{
    for (size_t i = 0; i < n; ++i)
        if (list[i].tmpl == tmpl)
            return &list[i];
    return NULL;
}

static json_t *dims_text(const hone_shape *shape)
{
    const hone_template *tmpl = shape->tmpl;
    hone_text text = {0};

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        hone__text_puts(&text, i ? "," : "");
        hone__template_dim_text(&tmpl->dims[i], shape->dims[i], &text);
    }
    return hone__json_text(&text);
}

static void on_trial(void *user, const hone_tune_trial *trial)
{
    shapes_run *run = user;
    counts *at = counts_of(run->at, run->n_at, trial->tmpl);
    const char *message = trial->message;
    size_t length = strlen(message);

    if (hone__verify_skips(trial,
                           hone__device_kind(run->request.farm.backend))) {
        run->n_too_large += hone__verify_is_too_large(trial);
        ++at->n_skipped;
        return;
    }
    ++at->n_checked;
    if (trial->outcome == HONE_OUTCOME_OK)
        return;
    ++at->n_failed;
    if (trial->outcome == HONE_OUTCOME_COMPILE)
        message = hone__complaint_find(message, &length);
    hone__output_row(
        run->output,
        hone__json("op:s implementation:s dims:o seed:I config:s build:s "
                   "outcome:s message:o wrong:o",
                   trial->tmpl->op, hone__template_name(trial->tmpl),
                   dims_text(run->shape), (int64_t)run->request.seed,
                   trial->config,
                   hone__verify_build_name(run->request.farm.host_build),
                   hone__outcome_name(trial->outcome),
                   hone__json_string(message, length),
                   hone__verify_wrong_json(trial->wrong)));
    hone__verify_wrong_say(run->options, trial->tmpl->op, trial, &run->n_shown);
}

static void on_progress(void *user, const hone_tune_progress *progress)
{
    (void)user;
    hone__progress_show(&(hone_progress_step){progress->n_done, 0, 0,
                                              "configurations", "", ""});
}

static int is_wanted(const hone_implementations *impls,
                     const hone_template *tmpl, int with_references)
{
    if (impls->named)
        return tmpl == impls->named;
    return !tmpl->call && tmpl->is_reference <= with_references;
}

/* Those that are named, or all but libraries and, beside others, references:
 * how many there are. */
static size_t choose(const hone_tuned_op *op,
                     const hone_template *out[HONE_MAX_IMPLS])
{
    const hone_implementations *impls = &op->impls;
    size_t n = 0;

    for (int with_references = 0; with_references < 2 && !n; ++with_references)
        for (size_t i = 0; i < impls->n; ++i)
            if (is_wanted(impls, impls->items[i], with_references))
                out[n++] = impls->items[i];
    return n;
}

/* What became of the problem, of each implementation and in all. */
static void end_problem(shapes_run *run, const hone_tune_result *result,
                        const char *why)
{
    json_t *parts = json_array();
    int64_t n_checked = 0;

    for (size_t i = 0; i < run->n_at; ++i) {
        const counts *at = &run->at[i];
        counts *all = counts_of(run->all, run->n_all, at->tmpl);

        if (!all && run->n_all < MOST_ALL) {
            all = &run->all[run->n_all++];
            *all = (counts){.tmpl = at->tmpl};
        }
        if (all) {
            all->n_problems += at->n_checked > 0;
            all->n_checked += at->n_checked;
            all->n_failed += at->n_failed;
            all->n_skipped += at->n_skipped;
        }
        n_checked += at->n_checked;
        run->n_failed += at->n_failed;
        run->n_skipped += at->n_skipped;
        parts = hone__json_append(
            parts, hone__json("implementation:s checked:I failed:I skipped:I "
                              "why:s",
                              hone__template_name(at->tmpl), at->n_checked,
                              at->n_failed, at->n_skipped,
                              i < result->n_parts && result->parts[i].reason[0]
                                  ? result->parts[i].reason
                                  : NULL));
    }
    run->n_checked += n_checked;
    run->n_without += !n_checked;
    run->problems = hone__json_append(
        run->problems,
        hone__json("op:s dims:o seed:I checked:I seconds:f why:s "
                   "implementations:o",
                   run->shape->tmpl->op, dims_text(run->shape),
                   (int64_t)run->request.seed, n_checked, result->seconds, why,
                   parts));
}

static hone_status verify_one(shapes_run *run, hone_error *err)
{
    const hone_template *impls[HONE_MAX_IMPLS];
    hone_tune_request request = run->request;
    hone_tune_result *result = hone__alloc(sizeof *result);
    hone_status status;
    hone_error why = {0};

    if (!result)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    run->n_at = choose(&run->shapes.ops[run->shape->op], impls);
    for (size_t i = 0; i < run->n_at; ++i)
        run->at[i] = (counts){.tmpl = impls[i]};
    request.impls = impls;
    request.n_impls = run->n_at;
    request.tmpl = impls[0];
    request.dims = run->shape->dims;
    request.config = run->config;
    hone__progress_begin(request.tmpl->op);
    status = hone__tune(&request, result, &why);
    hone__progress_end();
    if (status == HONE_OK || hone__tune_is_of_the_problem(status) ||
        status == HONE_ERR_NOT_FOUND || status == HONE_ERR_UNSUPPORTED)
        end_problem(run, result, status == HONE_OK ? NULL : why.text);
    else if (err)
        *err = why;
    hone__free(result);
    return err->status;
}

static hone_status verify_all(shapes_run *run, hone_error *err)
{
    const int is_sanitized = run->options->text[HONE_OPT_SANITIZE] != NULL;
    const uint64_t seed = run->request.seed;
    const int first = is_sanitized ? HONE_HOST_SANITIZED : HONE_HOST_PLAIN;
    const int last = is_sanitized ? HONE_HOST_RACES : HONE_HOST_PLAIN;

    for (int build = first; build <= last; ++build) {
        run->request.farm.host_build = (hone_host_build)build;
        for (size_t i = 0; i < run->shapes.n; ++i) {
            run->shape = &run->shapes.items[i];
            run->request.seed = seed + i; /* other numbers, alpha and beta */
            HONE_TRY(verify_one(run, err));
        }
    }
    return HONE_OK;
}

static hone_exit end_output(shapes_run *run)
{
    hone_text covered = {0};
    json_t *tail = hone__json("checked:I failed:I skipped:I", run->n_checked,
                              run->n_failed, run->n_skipped);

    hone__text_printf(&covered, "%zu problem%s", run->shapes.n,
                      run->shapes.n == 1 ? "" : "s");
    for (size_t i = 0; i < run->n_all; ++i)
        hone__text_printf(
            &covered, ", %s/%s %lld configurations at %lld of them",
            run->all[i].tmpl->op, hone__template_name(run->all[i].tmpl),
            (long long)run->all[i].n_checked,
            (long long)run->all[i].n_problems);
    hone__text_printf(&covered, "; not covered: %lld problem%s",
                      (long long)run->n_without,
                      run->n_without == 1 ? "" : "s");
    if (hone__options_is(run->options, HONE_OPT_FORMAT, "json"))
        tail = hone__json_add(tail, "problems:o", run->problems);
    else
        json_decref(run->problems);
    if (hone__options_is(run->options, HONE_OPT_FORMAT, "csv"))
        hone__message_note("covered: %s", hone__text_str(&covered));
    return hone__output_end(
        run->output,
        hone__json_add(tail, "covered:o", hone__json_text(&covered)));
}

/* --config is of one template. */
static hone_status read_config(shapes_run *run, hone_error *err)
{
    const char *text = run->options->text[HONE_OPT_CONFIG];
    const hone_template *impls[HONE_MAX_IMPLS];

    if (!text)
        return HONE_OK;
    if (run->shapes.n_ops != 1 || choose(&run->shapes.ops[0], impls) != 1)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--config is of one template: name it, and let "
                          "--shapes have problems of its operation alone");
    return hone__load_config(impls[0], text, &run->config, err);
}

hone_exit hone__verify_shapes(const hone_options *options,
                              const hone_tune_request *request)
{
    static const char columns[] = "op, implementation=by, dims, build, "
                                  "outcome, config=configuration, message";
    shapes_run run = {.options = options, .request = *request};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status;

    run.request.space_of_dims = run.request.dims_alone = 1;
    run.request.budget_each = options->number[HONE_OPT_LIMIT];
    run.request.strategy = run.request.budget_each ? "random" : "exhaustive";
    run.request.on_trial = on_trial;
    run.request.on_progress = on_progress;
    run.request.user = &run;
    status = hone__shapes_read(options, &run.shapes, &err);
    if (status == HONE_OK)
        status = read_config(&run, &err);
    if (status == HONE_OK) {
        run.problems = json_array();
        run.output =
            hone__output_begin(options, "failures", columns, hone__json(""));
        status = verify_all(&run, &err);
        code = end_output(&run);
    }
    code = hone__verify_conclude(
        status, code, run.n_failed,
        run.n_checked || run.n_skipped > run.n_too_large ? NULL
        : run.n_too_large
            ? "nothing was verified: there is no memory for these sizes"
            : "nothing was verified: no implementation is valid at any of the "
              "problems",
        &err);
    hone__free(run.config);
    hone__shapes_free(&run.shapes);
    return code;
}
