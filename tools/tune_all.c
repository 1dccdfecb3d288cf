/* SPDX-License-Identifier: Apache-2.0 */
/* All shapes of `hone tune`: one alone, or all dealt to one device, in turn, or
 * to several; each with a budget or all with one. */
#include "tools/tune_work.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tools/base/message.h"
#include "tuner/process/worker.h"

#include <string.h>

/* ---- one alone ----------------------------------------------------------- */

static hone_status tune_piece(hone_tune_work *run, const hone_tune_piece *piece,
                              hone_error *err)
{
    const hone_shape *shape = &run->shapes.items[piece->place];
    hone_tune_request request = run->request;
    hone_tune_result result = {0};
    hone_text title = {0};
    hone_status status;

    run->place = piece->place;
    run->is_look = piece->budget.is_look;
    hone__tune_shape_request(run, shape, &request);
    request.budget_trials = piece->budget.trials;
    request.budget_s = piece->budget.seconds;
    hone__tune_shape_part(run, shape, &request);
    request.learn = !run->is_look;
    hone__tune_title(shape, &title);
    hone__progress_begin(hone__text_str(&title));
    hone__text_free(&title);
    status = hone__tune(&request, &result, err);
    hone__progress_end();
    return hone__tune_shape_outcome(run, &request, &result, status, err);
}

static hone_status tune_pieces(void *user, const hone_tune_piece *pieces,
                               size_t n, hone_error *err)
{
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(tune_piece(user, &pieces[i], err));
    return HONE_OK;
}

/* ---- all ----------------------------------------------------------------- */

static hone_status tune(hone_tune_work *run, const hone_tune_piece *pieces,
                        size_t n, hone_error *err)
{
    return (run->dispatch ? hone__tune_devices_tune : tune_pieces)(run, pieces,
                                                                   n, err);
}

/* One budget for all. */
static hone_status tune_shared(hone_tune_work *run, hone_error *err)
{
    hone_tune_budget whole = {run->request.budget_trials, run->request.budget_s,
                              0};
    const size_t n = run->shapes.n;
    hone_status status;

    if (run->shard.shard.n) { /* a part of the work, a part of the budget */
        const int64_t part =
            (int64_t)(run->shard.part * (double)whole.trials + 0.5);

        /* None at all would be no limit. */
        whole.trials = whole.trials && part < 1 ? 1 : part;
        whole.seconds *= run->shard.part;
    }
    run->shares = hone__alloc(run->n_models * n * sizeof *run->shares);
    if (!run->shares)
        return hone__out_of_memory(err, " for the shapes");
    for (size_t i = 0; i < run->n_models * n; ++i) {
        const hone_shape *shape = &run->shapes.items[i % n];

        run->shares[i].n_launches = shape->n_launches ? shape->n_launches : 1;
        run->shares[i].recorded_ns = shape->recorded_ns;
    }
    status = hone__tune_spend(
        &(hone_tune_spending){
            run->shares, n, run->n_models, whole,
            run->dispatch ? hone__tune_devices_tune : tune_pieces, run,
            whole.seconds > 0 && !run->is_several ? hone__now_s : NULL},
        err);
    if (status == HONE_OK)
        hone__tune_say_unreached(run, whole.seconds);
    return status;
}

/* Shapes from `first` to before `end`, on each model. */
static hone_status tune_range(hone_tune_work *run, size_t first, size_t end,
                              const hone_tune_budget *each, hone_error *err)
{
    hone_tune_piece *pieces =
        hone__alloc((run->shapes.n * run->n_models + 1) * sizeof *pieces);
    size_t n = 0;
    hone_status status;

    if (!pieces)
        return hone__out_of_memory(err, " for the shapes");
    for (size_t model = 0; model < run->n_models; ++model)
        for (size_t i = first; i < end; ++i)
            pieces[n++] = (hone_tune_piece){model * run->shapes.n + i, *each};
    status = tune(run, pieces, n, err);
    hone__free(pieces);
    return status;
}

static hone_status tune_each(hone_tune_work *run, hone_error *err)
{
    const hone_tune_budget each = {run->request.budget_trials,
                                   run->request.budget_s, 0};

    return tune_range(run, 0, run->n_listed, &each, err);
}

/* ---- problems that nobody named, for the chooser ---------------------------
 */

static hone_status add_between(hone_tune_work *run, int is_shared,
                               hone_error *err)
{
    const hone_options *options = run->options;
    const int is_given = options->text[HONE_OPT_BETWEEN] != NULL;

    if (!options->text[HONE_OPT_SHAPES] ||
        options->text[HONE_OPT_NO_PORTFOLIO] || run->shard.shard.n)
        return HONE_OK;
    if (is_shared && is_given && options->number[HONE_OPT_BETWEEN])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--between goes with a budget for each shape: %s "
                          "counts launches, so that one budget is for all",
                          options->text[HONE_OPT_SHAPES]);
    if (is_shared)
        return HONE_OK;
    return hone__shapes_add_between(
        &run->shapes, is_given ? options->number[HONE_OPT_BETWEEN] : -1,
        run->request.seed, err);
}

static hone_status tune_between(hone_tune_work *run, hone_error *err)
{
    const hone_tune_budget listed = {run->request.budget_trials,
                                     run->request.budget_s, 0};
    const hone_tune_budget each = hone__tune_between_budget(&listed);
    hone_status status;

    if (run->shapes.n == run->n_listed)
        return HONE_OK;
    run->is_between = 1;
    status = tune_range(run, run->n_listed, run->shapes.n, &each, err);
    run->is_between = 0;
    return status;
}

static void print_kept(hone_tune_work *run)
{
    json_t **rows = run->rows;

    run->rows = NULL;
    for (size_t i = 0; rows && i < run->shapes.n * run->n_models; ++i) {
        const hone_tune_share *share = run->shares ? &run->shares[i] : NULL;

        if (rows[i] && share)
            rows[i] = hone__json_add(rows[i], "launches:I part:f why:s",
                                     (int64_t)share->n_launches, share->part,
                                     share->why);
        if (rows[i])
            hone__tune_put_row(run, rows[i]);
    }
    hone__free(rows);
}

/* Rows of several devices come in any order, and are printed in that of the
 * shapes; those of one budget say what they had of it. */
static hone_status tune_kept(hone_tune_work *run, int is_shared,
                             hone_error *err)
{
    hone_status status;

    if (is_shared || run->is_several) {
        run->rows = hone__alloc((run->shapes.n * run->n_models + 1) *
                                sizeof *run->rows);
        if (!run->rows)
            return hone__out_of_memory(err, " for the shapes");
    }
    status = (is_shared ? tune_shared : tune_each)(run, err);
    print_kept(run);
    return status;
}

hone_status hone__tune_all(hone_tune_work *run, hone_error *err)
{
    const int is_shared = hone__tune_is_shared(run);
    hone_status status = HONE_OK;

    int is_dealt;

    run->n_models = 1;
    run->n_listed = run->shapes.n;
    if (!run->n_listed && run->options->text[HONE_OPT_SHAPES]) {
        hone__message_note("%s names no problem: nothing is tuned",
                           run->options->text[HONE_OPT_SHAPES]);
        hone__tune_begin_output(run);
    }
    run->is_several = run->devices.n > 1;
    HONE_TRY(add_between(run, is_shared, err));
    is_dealt = run->shapes.n > (run->is_several ? 0 : 1);
    if (is_dealt)
        status = hone__tune_devices_open(run, err);
    if (status == HONE_OK)
        status = tune_kept(run, is_shared, err);
    if (status == HONE_OK)
        status = tune_between(run, err);
    return is_dealt ? hone__tune_devices_close(run, status, err) : status;
}
