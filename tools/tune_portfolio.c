/* SPDX-License-Identifier: Apache-2.0 */
/* The end of `hone tune OP --shapes FILE`, or all of `hone tune OP
 * --portfolio`: variants that serve all tuned shapes, and what is printed of
 * them. */
#include "runtime/base/alloc.h"
#include "tools/base/message.h"
#include "tools/base/progress.h"
#include "tools/tune_work.h"
#include "tuner/portfolio/portfolio.h"
#include "tuner/trial/devices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct portfolio_run {
    const char *op; /* that is measured */
    json_t *rows;
} portfolio_run;

/* ---- results ----------------------------------------------------------------
 */

static json_t *members_json(const hone_portfolio_result *r)
{
    json_t *array = json_array();

    for (size_t i = 0; i < r->n_members; ++i) {
        const hone_portfolio_member *m = &r->members[i];

        array = hone__json_append(
            array,
            hone__json("implementation:s config:s vendor:b default:b best_at:I "
                       "right_at:I",
                       m->implementation, m->config, m->is_vendor,
                       m->is_default, (int64_t)m->n_best, (int64_t)m->n_right));
    }
    return array;
}

static json_t *steps_json(const hone_portfolio_result *r)
{
    json_t *object = json_object();

    for (int i = 0; i < HONE_N_PORTFOLIO_STEPS; ++i) {
        char member[40];

        (void)snprintf(member, sizeof member, "%s:f",
                       hone__portfolio_step_name((hone_portfolio_step)i));
        object = hone__json_add(object, member, r->step_s[i]);
    }
    return object;
}

/* "1.2 %", and "-" where there is none. */
static void percent(int known, double part, char out[24])
{
    if (known)
        (void)snprintf(out, 24, "%.2f %%", 100 * part);
    else
        (void)snprintf(out, 24, "-");
}

static json_t *result_json(const char *op, const hone_portfolio_result *r)
{
    char best[24], single[24], chooser[24], nearest[24];
    json_t *row = hone__json(
        "op:s types:s problems:I candidates:I known:I measured:I failed:I "
        "compiled:I out:I new_winners:I skipped:I seconds:f steps:o "
        "n_members:I specialists:I further:I",
        op, r->types, (int64_t)r->n_problems, (int64_t)r->n_candidates,
        r->n_known, r->n_measured, r->n_failed, r->n_compiles,
        (int64_t)r->n_out, (int64_t)r->n_better, (int64_t)r->n_skipped,
        r->seconds, steps_json(r), (int64_t)r->n_members,
        (int64_t)r->n_specialists, (int64_t)r->n_further);

    percent(1, r->mean - 1, best);
    percent(1, r->single - 1, single);
    percent(r->has_chooser, r->chooser.mean, chooser);
    percent(r->nearest.n > 0, r->nearest.mean, nearest);
    row = hone__json_add(
        row,
        "over_best:f over_best_worst:f over_best_single:f chooser:b why_not:s "
        "error:F chooser_at:I chooser_loss:F chooser_loss_worst:F "
        "nearest_at:I nearest_loss:F nearest_loss_worst:F",
        r->mean - 1, r->worst - 1, r->single - 1, r->has_chooser,
        r->why_not[0] ? r->why_not : NULL, r->has_chooser, r->error,
        (int64_t)r->chooser.n, r->has_chooser, r->chooser.mean, r->has_chooser,
        r->chooser.worst, (int64_t)r->nearest.n, r->nearest.n > 0,
        r->nearest.mean, r->nearest.n > 0, r->nearest.worst);
    return hone__json_add(row,
                          "over_best_text:s single_text:s chooser_text:s "
                          "nearest_text:s members:o",
                          best, single, chooser, nearest, members_json(r));
}

/* ---- while it runs ----------------------------------------------------------
 */

static void on_work(void *user, const char *label)
{
    const portfolio_run *run = user;
    char title[200];

    if (!label) {
        hone__progress_end();
        return;
    }
    (void)snprintf(title, sizeof title, "portfolio of %.60s, %.120s", run->op,
                   label);
    hone__progress_begin(title);
}

static void on_note(void *user, const char *sentence)
{
    (void)user;
    hone__message_note("%s", sentence);
}

static void on_result(void *user, const hone_portfolio_result *result)
{
    portfolio_run *run = user;

    if (result->why_not[0])
        hone__message_note("%s: no chooser was trained: %s", run->op,
                           result->why_not);
    run->rows = hone__json_append(run->rows, result_json(run->op, result));
}

/* The types of the shapes of one operation; each text once. */
static hone_status types_of(const hone_shapes *shapes, size_t op, char ***out,
                            size_t *out_n, hone_error *err)
{
    *out = hone__alloc((shapes->n + 1) * sizeof **out);
    *out_n = 0;
    if (!*out)
        return hone__out_of_memory(err, " for the shapes");
    for (size_t i = 0; i < shapes->n; ++i) {
        hone_text types = {0};

        if (shapes->items[i].op != op)
            continue;
        hone__tune_types(shapes->items[i].tmpl, shapes->items[i].dims, &types);
        HONE_TRY(hone__text_check(&types, err));
        (*out)[*out_n] = hone__strdup(hone__text_str(&types));
        hone__text_free(&types);
        if (!(*out)[(*out_n)++])
            return hone__out_of_memory(err, " for the shapes");
    }
    return HONE_OK;
}

static hone_status portfolio_of(hone_tune_work *work,
                                const hone_tune_model *model, size_t op,
                                portfolio_run *run, hone_error *err)
{
    const hone_shapes *shapes = &work->shapes;
    const hone_tuned_op *of = &shapes->ops[op];
    hone_tune_request tune = work->request;
    char **types = NULL;
    size_t n_types = 0;
    hone_status status = types_of(shapes, op, &types, &n_types, err);

    tune.tmpl = of->impls.items[0];
    tune.impls = (const hone_template *const *)of->impls.items;
    tune.n_impls = of->impls.n;
    run->op = tune.tmpl->op;
    if (status == HONE_OK)
        status = hone__portfolio(
            &(hone_portfolio_request){.tune = &tune,
                                      .ordinals =
                                          model ? model->ordinals : NULL,
                                      .n_devices = model ? model->n : 0,
                                      .db_path = hone__text_str(&work->db_path),
                                      .types = (const char *const *)types,
                                      .n_types = n_types,
                                      .on_work = on_work,
                                      .on_note = on_note,
                                      .on_result = on_result,
                                      .user = run},
            err);
    for (size_t i = 0; i < n_types; ++i)
        hone__free(types[i]);
    hone__free(types);
    work->request.db = tune.db; /* several devices opened it again */
    return status;
}

/* Of each operation, for the types of its shapes; where it has no shapes, of
 * all that is in the database. `*out` has a row for each, also after a failure.
 * `model` NULL: the one device.
 */
static hone_status on_model(hone_tune_work *work, const hone_tune_model *model,
                            json_t **out, hone_error *err)
{
    portfolio_run run = {.rows = json_array()};
    hone_status status = HONE_OK;

    for (size_t i = 0; i < work->shapes.n_ops && status == HONE_OK; ++i)
        status = portfolio_of(work, model, i, &run, err);
    *out = run.rows;
    return status;
}

/* Nothing was tuned, so that nobody has asked the devices yet. */
static hone_status find_models(hone_tune_work *work, hone_error *err)
{
    const hone_devices *devices = &work->devices;

    for (size_t i = 0; i < devices->n; ++i) {
        hone_tune_model *model = &work->models[work->n_model_devices];
        size_t k = 0;

        (void)snprintf(model->name, sizeof model->name, "%s:%d",
                       hone__device_kind(devices->backend)->name,
                       devices->ordinals[i]);
        HONE_TRY(hone__device_describe(devices->backend, devices->ordinals[i],
                                       HONE_ANSWER_S, work->request.farm.stop,
                                       &model->report, err));
        while (k < work->n_model_devices &&
               !hone__dispatch_is_same_model(&work->models[k].report,
                                             &model->report))
            ++k;
        work->n_model_devices += k == work->n_model_devices;
        work->models[k].ordinals[work->models[k].n++] = devices->ordinals[i];
    }
    return HONE_OK;
}

/* Rows of a model, behind those of the others. */
static json_t *append_rows(json_t *all, json_t *rows,
                           const hone_tune_model *model)
{
    for (size_t i = 0; i < json_array_size(rows); ++i)
        all = hone__json_append(
            all,
            hone__json_add(json_incref(json_array_get(rows, i)),
                           "on:s device:s", model->name, model->report.name));
    json_decref(rows);
    return all;
}

hone_status hone__tune_portfolios(hone_tune_work *work, hone_error *err)
{
    hone_status status = HONE_OK;

    if (work->devices.n == 1)
        return on_model(work, NULL, &work->portfolios, err);
    if (!work->n_model_devices)
        HONE_TRY(find_models(work, err));
    work->portfolios = json_array();
    for (size_t i = 0; i < work->n_model_devices && status == HONE_OK; ++i) {
        const hone_tune_model *model = &work->models[i];
        json_t *rows = NULL;

        status = on_model(work, model, &rows, err);
        work->portfolios = append_rows(work->portfolios, rows, model);
    }
    return status;
}

/* ---- printed ----------------------------------------------------------------
 */

#define PORTFOLIO_COLUMNS                                                      \
    "types, problems:n, candidates:n, n_members:n=members, "                   \
    "over_best_text=over the best, single_text=of one variant, "               \
    "chooser_text=chooser loses, nearest_text=nearest loses, "                 \
    "new_winners:n=new winners"

hone_exit hone__tune_portfolio_print(const hone_options *options,
                                     const char *db_path, json_t *rows,
                                     int interrupted)
{
    hone_output *output =
        hone__output_begin(options, "portfolios",
                           json_object_get(json_array_get(rows, 0), "on")
                               ? "op, on, " PORTFOLIO_COLUMNS
                               : "op, " PORTFOLIO_COLUMNS,
                           hone__json("db:s", db_path));
    hone_exit code;

    if (!rows)
        hone__output_row(output, NULL); /* memory ran out */
    for (size_t i = 0; i < json_array_size(rows); ++i)
        hone__output_row(output, json_incref(json_array_get(rows, i)));
    code = hone__output_end(output, hone__json("interrupted:b", interrupted));
    for (size_t i = 0; i < json_array_size(rows) &&
                       hone__output_is_text(options) && code == HONE_EXIT_DONE;
         ++i) {
        const json_t *members =
            json_object_get(json_array_get(rows, i), "members");

        output = hone__output_begin(
            options, "members",
            "implementation=member, best_at:n=best at, right_at:n=right at, "
            "config:c=configuration",
            hone__json(""));
        for (size_t k = 0; k < json_array_size(members); ++k)
            hone__output_row(output, json_incref(json_array_get(members, k)));
        code = hone__output_end(output, hone__json(""));
    }
    return code;
}
