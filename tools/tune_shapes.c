/* SPDX-License-Identifier: Apache-2.0 */
/* One shape of `hone tune`: its request, its progress, its row, what is said
 * of it. */
#include "tools/base/message.h"
#include "tools/tune_work.h"

#include "runtime/base/text.h"

#include <stdio.h>
#include <string.h>

/* "3 wrong, 1 fault": what is not ok. */
static void failures_text(const int64_t *outcomes, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        if (i == HONE_OUTCOME_OK || !outcomes[i] || used + 1 >= size)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%lld %s",
                                 used ? ", " : "", (long long)outcomes[i],
                                 hone__outcome_name((hone_outcome)i));
    }
}

hone_progress_step hone__tune_step(const hone_tune_progress *progress,
                                   char *best, char *failures)
{
    const int is_tuning = strcmp(progress->stage, "tuning") == 0;
    char time[32];

    best[0] = '\0';
    if (progress->best_ns > 0) {
        hone__time_text(progress->best_ns, time);
        (void)snprintf(best, 320, "%s %s", time, progress->best_config);
    }
    failures_text(progress->outcomes, failures, 160);
    return (hone_progress_step){progress->n_done,
                                progress->n_planned,
                                progress->budget_s,
                                is_tuning ? "trials" : progress->stage,
                                best,
                                failures};
}

void hone__tune_on_progress(void *user, const hone_tune_progress *progress)
{
    char best[320], failures[160];
    const hone_progress_step step = hone__tune_step(progress, best, failures);

    (void)user;
    hone__progress_show(&step);
}

/* ---- rows --------------------------------------------------------------- */

#define FIRST_COLUMNS "op, label=problem, "
#define TIME_COLUMNS "time_ns:t=time, default_ns:t=default, gain:r, "
#define LAST_COLUMNS                                                           \
    TIME_COLUMNS "gbytes_per_s:n=GB/s, gflops:n=GFLOP/s, verdict, trials:n, "  \
                 "outcomes, implementation=by, winner, "                       \
                 "baselines_text=baselines, error_text=error"
#define OBJECTIVE_COLUMNS                                                      \
    TIME_COLUMNS "verdict, trials:n, outcomes, implementation=by, winner, "    \
                 "objectives_text=least, error_text=error"
/* With objectives; with several devices. */
static const char *const columns[2][2] = {
    {FIRST_COLUMNS LAST_COLUMNS, FIRST_COLUMNS "on, " LAST_COLUMNS},
    {FIRST_COLUMNS OBJECTIVE_COLUMNS, FIRST_COLUMNS "on, " OBJECTIVE_COLUMNS}};

void hone__tune_begin_output(hone_tune_work *run)
{
    if (!run->output)
        run->output =
            hone__output_begin(run->options, "shapes",
                               columns[run->objectives.n > 0][run->is_several],
                               hone__json("db:s left_out:I torn_lines:I",
                                          hone__text_str(&run->db_path),
                                          (int64_t)run->shapes.n_left_out,
                                          (int64_t)run->shapes.n_torn));
}

void hone__tune_put_row(hone_tune_work *run, json_t *row)
{
    hone__tune_begin_output(run);
    hone__output_row(run->output, row);
}

static void print_row(hone_tune_work *run, json_t *row)
{
    if (run->is_between) {
        json_decref(row); /* nobody asked for it */
        return;
    }
    if (run->on)
        row = hone__json_add(row, "on:s", run->on);
    if (run->rows) {
        json_decref(run->rows[run->place]);
        run->rows[run->place] = row;
        return;
    }
    hone__tune_put_row(run, row);
}

/* ---- the run ---------------------------------------------------------- */

/* On stderr too, and with --quiet: the table only has a dash. */
static void say_why(hone_tune_work *run, const char *title, const char *why)
{
    if (run->is_between)
        return;
    if (run->is_look && !run->shares[run->place].is_refused)
        return; /* it is not the last word */
    ++run->n_without_winner;
    hone__message_negative("%s has no winner: %s", title, why);
}

/* What the tuning of one shape, `name`, came by. */
static void say_course(const hone_tune_work *run, const char *name,
                       const hone_tune_result *result)
{
    if (result->is_edited)
        hone__message_note("%s: the template has changed: the trials of %lld "
                           "configurations are kept, those of %lld are stale",
                           name, (long long)result->n_kept,
                           (long long)result->n_stale);
    if (result->n_started)
        hone__message_note("%s: %lld of the configurations of %s went first",
                           name, (long long)result->n_started,
                           run->start.start.path);
    if (result->n_seeded)
        hone__message_note("%s: %lld of what is good elsewhere went first "
                           "('hone show decisions%s' says where)",
                           name, (long long)result->n_seeded,
                           hone__text_str(&run->db_option));
    if (result->n_guided)
        hone__message_detail("%s: earlier problems say what is tried first",
                             name);
    if (result->model_trials)
        hone__message_note(
            "%lld trials of %lld problems teach what to try "
            "first at the next one%s",
            (long long)result->model_trials, (long long)result->model_problems,
            result->model_error < 0 ? ""
                                    : " ('hone show models' says how well)");
    if (strcmp(result->stopped, "strategy") == 0)
        hone__message_negative("%s: %s", name, result->stopped_why);
    else if (strcmp(result->stopped, "unlikely") == 0)
        hone__message_note("%s: %s", name, result->stopped_why);
    else if (result->stopped[0])
        hone__message_detail("%s: %s", name, result->stopped_why);
    if (strcmp(result->verdict, "interrupted") == 0)
        hone__message_note("%s: there was no final yet; the best so far is "
                           "stored as the winner until then, verified on its "
                           "own shape only",
                           name);
    if (result->notes[0])
        hone__message_note("%s", result->notes);
}

/* For sharing out what is left of the budget. */
static void learn(hone_tune_work *run, const hone_tune_result *result,
                  hone_status status)
{
    hone_tune_share *share = run->shares ? &run->shares[run->place] : NULL;

    if (!share)
        return;
    share->is_refused = hone__tune_is_of_the_problem(status);
    share->time_ns = result->has_winner ? result->time_ns : 0;
    for (size_t i = 0; i < result->n_baselines; ++i) {
        const double ns = result->baselines[i].time_ns;

        if (ns > 0 && (share->baseline_ns <= 0 || ns < share->baseline_ns))
            share->baseline_ns = ns;
    }
}

void hone__tune_title(const hone_shape *shape, hone_text *out)
{
    hone_text label = {0};

    hone__template_label_dims(shape->tmpl, shape->dims, &label);
    hone__text_printf(out, "%s %s", shape->tmpl->op, hone__text_str(&label));
    hone__text_free(&label);
}

void hone__tune_shape_request(const hone_tune_work *run,
                              const hone_shape *shape, hone_tune_request *out)
{
    const hone_tuned_op *op = &run->shapes.ops[shape->op];

    out->tmpl = shape->tmpl;
    out->impls = (const hone_template *const *)op->impls.items;
    out->n_impls = op->impls.n;
    out->only = op->impls.named;
    out->dims = shape->dims;
}

/* Of a problem that several shards share, configurations and trials are divided
 * among them, and they begin with different ones. */
void hone__tune_shape_part(const hone_tune_work *work, const hone_shape *shape,
                           hone_tune_request *request)
{
    if (!work->shard.shard.n)
        return;
    request->shard = work->shard.marks[shape - work->shapes.items];
    if (shape->n_parts < 2)
        return;
    request->part = shape->part;
    request->n_parts = shape->n_parts;
    request->seed += (uint64_t)shape->part;
    if (hone__tune_is_shared(work)) /* the shard has its part of it already */
        return;
    if (request->budget_trials > 0)
        request->budget_trials =
            (request->budget_trials + shape->n_parts - 1) / shape->n_parts;
    request->budget_s /= shape->n_parts;
}

/* A row without a winner. */
static void print_none(hone_tune_work *run, const hone_shape *shape,
                       const char *why)
{
    hone_text label = {0};

    hone__template_label_dims(shape->tmpl, shape->dims, &label);
    print_row(run, hone__json("op:s dims:o label:o winner:n time_ns:n "
                              "message:s error_text:s",
                              shape->tmpl->op,
                              hone__dims_json(shape->tmpl, shape->dims),
                              hone__json_text(&label), why, why));
    hone__text_free(&label);
}

void hone__tune_say_unreached(hone_tune_work *run, double seconds)
{
    size_t n = 0;

    run->is_look = 0;
    for (run->place = 0; run->place < run->shapes.n; ++run->place) {
        const hone_shape *shape = &run->shapes.items[run->place];
        const hone_tune_share *share = &run->shares[run->place];

        if (!share->is_reached) {
            print_none(run, shape, share->why);
            ++n;
        } else if (share->time_ns <= 0 && !share->is_refused &&
                   !share->is_done) { /* its look has not said so */
            hone_text title = {0};

            hone__tune_title(shape, &title);
            say_why(run, hone__text_str(&title), share->why);
            hone__text_free(&title);
        }
    }
    if (n)
        hone__message_note("%zu of %zu problems were not reached in %g s: "
                           "'hone tune' with "
                           "--missing-from %s goes on with them",
                           n, run->shapes.n, seconds,
                           hone__text_str(&run->db_path));
}

hone_status hone__tune_shape_outcome(hone_tune_work *run,
                                     const hone_tune_request *request,
                                     const hone_tune_result *result,
                                     hone_status status, hone_error *err)
{
    const hone_shape *shape = &run->shapes.items[run->place % run->shapes.n];
    hone_text label = {0}, title = {0};
    const char *name;

    hone__template_label_dims(shape->tmpl, shape->dims, &label);
    hone__tune_title(shape, &title);
    name = hone__text_str(&title);
    learn(run, result, status);
    run->n_cut += strcmp(result->stopped, "strategy") == 0;
    if (status == HONE_OK ||
        (status == HONE_ERR_INTERRUPTED && result->n_trials > 0))
        print_row(run, hone__tune_row(shape, &label, request, result));
    say_course(run, name, result);
    hone__tune_out_say(name, result);
    if (status == HONE_OK && !result->has_winner)
        say_why(run, name, result->message);
    if (hone__tune_is_of_the_problem(status)) {
        print_none(run, shape, err->text);
        say_why(run, name, err->text);
        status = HONE_OK;
    }
    hone__text_free(&label);
    hone__text_free(&title);
    return status;
}
