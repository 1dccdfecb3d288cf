/* SPDX-License-Identifier: Apache-2.0 */
/* hone tune: every shape in turn, every trial into the database. */
#include "tools/base/commands.h"
#include "tools/base/process.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tools/base/start_file.h"
#include "tools/inputs/references.h"
#include "tools/tune_parts.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tuner/portfolio/portfolio.h"
#include "tuner/trial/devices.h"
#include "tuner/tuner.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct tune_run {
    const hone_options *options;
    hone_shapes shapes;
    hone_tune_shard shard;     /* of --shard; the shapes are its own */
    hone_tune_request request; /* all but template and dims */
    hone_start_file start;
    hone_objectives objectives; /* none: the time */
    hone_output *output;        /* begun by the first shape with a result */
    hone_text db_path;
    hone_text db_option; /* for commands in messages: " --db FILE", or "" */
    hone_text cache;
    int n_without_winner;
    int n_cut; /* whose trials ended with the strategy's program */
    /* Where the budget is one for all shapes: what is known of each, and the
     * rows, printed at the end. Else NULL. */
    hone_tune_share *shares;
    json_t **rows;
    json_t *portfolios; /* NULL: none were asked for */
    size_t place;       /* of the shape that is tuned */
    int is_look;        /* the first time */
} tune_run;

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

static void on_progress(void *user, const hone_tune_progress *progress)
{
    char best[320] = "", failures[160], time[32];
    const int is_tuning = strcmp(progress->stage, "tuning") == 0;

    (void)user;
    if (progress->best_ns > 0) {
        hone__time_text(progress->best_ns, time);
        (void)snprintf(best, sizeof best, "%s %s", time, progress->best_config);
    }
    failures_text(progress->outcomes, failures, sizeof failures);
    hone__progress_show(&(hone_progress_step){
        progress->n_done, progress->n_planned, progress->budget_s,
        is_tuning ? "trials" : progress->stage, best, failures});
}

/* ---- rows --------------------------------------------------------------- */

static void put_row(tune_run *run, json_t *row)
{
    static const char columns[] =
        "op, label=problem, time_ns:t=time, default_ns:t=default, gain:r, "
        "gbytes_per_s:n=GB/s, gflops:n=GFLOP/s, verdict, trials:n, outcomes, "
        "implementation=by, winner, baselines_text=baselines, error_text=error";
    static const char with_objectives[] =
        "op, label=problem, time_ns:t=time, default_ns:t=default, gain:r, "
        "verdict, trials:n, outcomes, implementation=by, winner, "
        "objectives_text=least, error_text=error";

    if (!run->output)
        run->output =
            hone__output_begin(run->options, "shapes",
                               run->objectives.n ? with_objectives : columns,
                               hone__json("db:s left_out:I torn_lines:I",
                                          hone__text_str(&run->db_path),
                                          (int64_t)run->shapes.n_left_out,
                                          (int64_t)run->shapes.n_torn));
    hone__output_row(run->output, row);
}

static void print_row(tune_run *run, json_t *row)
{
    if (run->rows) {
        json_decref(run->rows[run->place]);
        run->rows[run->place] = row;
        return;
    }
    put_row(run, row);
}

/* ---- the run ---------------------------------------------------------- */

/* A failure that concerns this shape only: the others go on. */
static int is_of_the_shape(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NO_MEMORY ||
           status == HONE_ERR_OVERFLOW || status == HONE_ERR_DIMS;
}

/* On stderr too, and with --quiet: the table only has a dash. */
static void say_why(tune_run *run, const char *title, const char *why)
{
    if (run->is_look && !run->shares[run->place].is_refused)
        return;
    ++run->n_without_winner;
    hone__message_negative("%s has no winner: %s", title, why);
}

/* What the tuning of one shape, `name`, came by. */
static void say_course(const tune_run *run, const char *name,
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
static void learn(tune_run *run, const hone_tune_result *result,
                  hone_status status)
{
    hone_tune_share *share = run->shares ? &run->shares[run->place] : NULL;

    if (!share)
        return;
    share->is_refused = is_of_the_shape(status);
    share->time_ns = result->has_winner ? result->time_ns : 0;
    for (size_t i = 0; i < result->n_baselines; ++i) {
        const double ns = result->baselines[i].time_ns;

        if (ns > 0 && (share->baseline_ns <= 0 || ns < share->baseline_ns))
            share->baseline_ns = ns;
    }
}

/* The last problem of its operation in this run. */
static int is_last(const tune_run *run)
{
    const size_t op = run->shapes.items[run->place].op;

    for (size_t i = run->place + 1; i < run->shapes.n; ++i) {
        if (run->shapes.items[i].op == op)
            return 0;
    }
    return !run->is_look;
}

/* Of a problem that several shards share: its configurations and trials are
 * divided among them, and they begin with different ones. */
static void take_part(const hone_shape *shape, const char *mark,
                      hone_tune_request *request)
{
    request->shard = mark;
    if (shape->n_parts < 2)
        return;
    request->part = shape->part;
    request->n_parts = shape->n_parts;
    request->seed += (uint64_t)shape->part;
    if (request->budget_trials > 0)
        request->budget_trials =
            (request->budget_trials + shape->n_parts - 1) / shape->n_parts;
    request->budget_s /= shape->n_parts;
}

static hone_status tune_shape(tune_run *run, const hone_shape *shape,
                              hone_error *err)
{
    hone_tune_request request = run->request;
    hone_tune_result result = {0};
    hone_text label = {0}, title = {0};
    char mark[HONE_SHARD_MARK];
    const char *name;
    hone_status status;

    request.tmpl = shape->tmpl;
    request.impls =
        (const hone_template *const *)run->shapes.ops[shape->op].impls.items;
    request.n_impls = run->shapes.ops[shape->op].impls.n;
    request.only = run->shapes.ops[shape->op].impls.named;
    request.dims = shape->dims;
    request.learn = is_last(run);
    if (run->shard.shard.n) {
        hone__tune_shard_mark(&run->shard, shape, mark);
        take_part(shape, mark, &request);
    }
    hone__template_label_dims(shape->tmpl, shape->dims, &label);
    hone__text_printf(&title, "%s %s", shape->tmpl->op, hone__text_str(&label));
    name = hone__text_str(&title);
    hone__progress_begin(name);
    status = hone__tune(&request, &result, err);
    hone__progress_end();
    learn(run, &result, status);
    run->n_cut += strcmp(result.stopped, "strategy") == 0;
    if (status == HONE_OK ||
        (status == HONE_ERR_INTERRUPTED && result.n_trials > 0))
        print_row(run, hone__tune_row(shape, &label, &request, &result));
    say_course(run, name, &result);
    hone__tune_out_say(name, &result);
    if (status == HONE_OK && !result.has_winner)
        say_why(run, name, result.message);
    if (is_of_the_shape(status)) {
        print_row(run,
                  hone__json("op:s dims:o label:o winner:n time_ns:n "
                             "message:s error_text:s",
                             shape->tmpl->op,
                             hone__dims_json(shape->tmpl, shape->dims),
                             hone__json_text(&label), err->text, err->text));
        say_why(run, name, err->text);
        status = HONE_OK;
    }
    hone__text_free(&label);
    hone__text_free(&title);
    return status;
}

/* A machine that cannot tune does not get a new, empty database. */
static hone_status open_db(tune_run *run, hone_error *err)
{
    const char *path = hone__text_str(&run->db_path);
    hone_device_report report;

    const hone_backend backend = run->request.farm.backend;

    if (hone__device_kind(backend)->driver && access(path, F_OK) != 0)
        HONE_TRY(hone__device_describe(backend, run->request.device,
                                       HONE_ANSWER_S, run->request.farm.stop,
                                       &report, err));
    return hone__db_open(
        path, run->options->text[HONE_OPT_PORTFOLIO] ? 0 : HONE_DB_CREATE,
        &run->request.db, err);
}

static hone_status prepare(tune_run *run, hone_error *err)
{
    const hone_options *options = run->options;
    hone_tune_request *request = &run->request;

    HONE_TRY(hone__option_strategy(options, &request->strategy, err));
    HONE_TRY(hone__option_device(options, HONE_FOR_TIMES,
                                 &request->farm.backend, &request->device,
                                 err));
    HONE_TRY(hone__option_budget(options, &request->budget_trials,
                                 &request->budget_s, err));
    HONE_TRY(hone__option_until(options, &request->until_gain, err));
    if (options->text[HONE_OPT_OBJECTIVE])
        HONE_TRY(hone__objectives_read(options->text[HONE_OPT_OBJECTIVE],
                                       &run->objectives, err));
    request->objectives = &run->objectives;
    HONE_TRY(hone__tune_check_objectives(
        hone__device_kind(request->farm.backend), request->objectives, err));
    HONE_TRY(hone__start_read(options, &run->start, err));
    request->start = run->start.n ? &run->start.start : NULL;
    HONE_TRY(hone__shapes_read(options, &run->shapes, err));
    HONE_TRY(hone__tune_shard(options, &run->shapes, &run->shard, err));
    HONE_TRY(hone__locate_db(options, &run->db_path, err));
    if (options->text[HONE_OPT_DB]) {
        hone__text_puts(&run->db_option, " --db ");
        hone__shell_word(options->text[HONE_OPT_DB], &run->db_option);
    }
    HONE_TRY(hone__locate_farm(options, &run->cache, &request->farm, err));
    HONE_TRY(open_db(run, err));
    if (run->shard.shard.n)
        HONE_TRY(hone__db_shards_put(request->db, &run->shard.list, err));
    request->verbose = options->text[HONE_OPT_VERBOSE] != NULL;
    request->fixed_samples = (int)options->number[HONE_OPT_SAMPLES];
    request->timing = hone__option_timing(options);
    request->trial_timeout_s = (double)options->number[HONE_OPT_TRIAL_TIMEOUT];
    HONE_TRY(hone__option_device_mode(options, request->farm.backend,
                                      &request->mode, err));
    request->seed = hone__option_seed(options);
    request->answer_s = (double)options->number[HONE_OPT_ANSWER_TIMEOUT];
    request->without_seeds = options->text[HONE_OPT_NO_SEEDS] != NULL;
    request->references = hone__references(&request->n_references);
    request->on_progress = on_progress;
    return HONE_OK;
}

/* Portfolios are a part of the rows' result, or all there is. */
static hone_exit print_end(const hone_tune_end *end, int interrupted)
{
    const int is_text = hone__output_is_text(end->options);
    json_t *tail = hone__json("interrupted:b", interrupted);
    hone_exit code = HONE_EXIT_DONE;

    if (end->portfolios && end->output && !is_text)
        tail =
            hone__json_add(tail, "portfolios:o", json_incref(end->portfolios));
    if (end->output)
        code = hone__output_end(end->output, tail);
    else
        json_decref(tail);
    if (json_array_size(end->portfolios) && code == HONE_EXIT_DONE &&
        (is_text || !end->output))
        code = hone__tune_portfolio_print(end->options, end->db_path,
                                          end->portfolios, interrupted);
    return code;
}

hone_exit hone__tune_finish(const hone_tune_end *end, hone_status status,
                            const hone_error *err)
{
    const int interrupted = status == HONE_ERR_INTERRUPTED;
    hone_exit code = print_end(end, interrupted);

    if (interrupted) {
        hone__message_note("interrupted; every finished trial is in %s%s",
                           end->db_path, end->go_on);
        return HONE_EXIT_INTERRUPTED;
    }
    if (status != HONE_OK)
        return hone__message_error(err);
    if (code == HONE_EXIT_DONE && end->n_without_winner) {
        hone__message_note("%d of %d %s", end->n_without_winner, end->n,
                           end->none);
        code = HONE_EXIT_NEGATIVE;
    }
    return code;
}

/* ---- all shapes ---------------------------------------------------------- */

static hone_status tune_part(void *user, size_t place,
                             const hone_tune_budget *budget, hone_error *err)
{
    tune_run *run = user;

    run->place = place;
    run->is_look = budget->is_look;
    run->request.budget_trials = budget->trials;
    run->request.budget_s = budget->seconds;
    return tune_shape(run, &run->shapes.items[place], err);
}

static void print_shared(tune_run *run)
{
    json_t **rows = run->rows;

    run->rows = NULL;
    for (size_t i = 0; i < run->shapes.n; ++i) {
        const hone_tune_share *share = &run->shares[i];

        if (rows[i])
            put_row(run, hone__json_add(rows[i], "launches:I part:f why:s",
                                        (int64_t)share->n_launches, share->part,
                                        share->why));
    }
    hone__free(rows);
}

/* One budget for all. */
static hone_status tune_shared(tune_run *run, hone_error *err)
{
    const size_t n = run->shapes.n;
    hone_tune_budget whole = {run->request.budget_trials, run->request.budget_s,
                              0};
    hone_status status;

    if (run->shard.shard.n) { /* a part of the work, a part of the budget */
        whole.trials = (int64_t)(run->shard.part * (double)whole.trials + 0.5);
        whole.seconds *= run->shard.part;
    }
    run->shares = hone__alloc(n * sizeof *run->shares);
    run->rows = hone__alloc(n * sizeof *run->rows);
    if (!run->shares || !run->rows) {
        hone__free(run->rows);
        run->rows = NULL;
        return hone__out_of_memory(err, " for the shapes");
    }
    for (size_t i = 0; i < n; ++i)
        run->shares[i].n_launches = run->shapes.items[i].n_launches
                                        ? run->shapes.items[i].n_launches
                                        : 1;
    status = hone__tune_spend(
        &(hone_tune_spending){run->shares, n, whole, tune_part, run}, err);
    print_shared(run);
    return status;
}

static hone_status tune_all(tune_run *run, hone_error *err)
{
    const hone_tune_budget each = {run->request.budget_trials,
                                   run->request.budget_s, 0};
    hone_status status = HONE_OK;

    if (run->shapes.is_counted && run->shapes.n &&
        (each.trials || each.seconds > 0))
        return tune_shared(run, err);
    for (size_t i = 0; status == HONE_OK && i < run->shapes.n; ++i)
        status = tune_part(run, i, &each, err);
    return status;
}

/* ---- what serves all of them ----------------------------------------------
 */

/* The variants that serve all shapes best: a file of shapes is what a program
 * launches, while several --dims may be anything. */
static hone_status make_portfolios(tune_run *run, hone_error *err)
{
    const hone_options *options = run->options;
    const int is_all = options->text[HONE_OPT_PORTFOLIO] != NULL;

    if (!is_all && (!options->text[HONE_OPT_SHAPES] ||
                    options->text[HONE_OPT_NO_PORTFOLIO] ||
                    run->shard.shard.n)) /* of all shards, when they are one */
        return HONE_OK;
    HONE_TRY(hone__tune_portfolio(&run->request, &run->shapes, &run->portfolios,
                                  err));
    if (!is_all || json_array_size(run->portfolios))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "%s: a portfolio takes %d tuned problems with the same "
                      "types, and the database has none for this device and "
                      "mode; 'hone tune %s --shapes FILE' makes them",
                      run->shapes.ops[0].name,
                      (int)HONE_PORTFOLIO_LEAST_PROBLEMS,
                      run->shapes.ops[0].name);
}

static hone_status check_shard_options(const hone_options *options,
                                       hone_error *err)
{
    const int is_shard = options->text[HONE_OPT_SHARD] != NULL;
    const int is_list = options->text[HONE_OPT_MISSING_FROM] != NULL;

    if ((is_shard || is_list) &&
        (options->text[HONE_OPT_PORTFOLIO] || hone__device_is_replay(options)))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard and --missing-from are about problems to be "
                          "tuned on a device, not about portfolios and "
                          "recordings");
    if (is_shard && is_list)
        return hone__fail(
            err, HONE_ERR_ARGUMENT,
            "--missing-from prints a list and tunes nothing: give "
            "that list to --shapes, with --shard");
    if (is_shard && !options->text[HONE_OPT_DB])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--shard takes a database of its own: give it one "
                          "with --db, such as --db shard-1.db, and put them "
                          "together with 'hone merge'");
    return HONE_OK;
}

/* Options that would have no effect. */
static hone_status check_options(const hone_options *options, hone_error *err)
{
    const int is_all = options->text[HONE_OPT_PORTFOLIO] != NULL;
    const int is_none = options->text[HONE_OPT_NO_PORTFOLIO] != NULL;

    if (is_all && (is_none || options->text[HONE_OPT_SHAPES] ||
                   hone__device_is_replay(options)))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--portfolio goes with operations alone: it is made "
                          "from what the database has of them, and nothing "
                          "is tuned");
    for (size_t i = 0; is_all && i < options->n_items; ++i)
        if (options->items[i].is_dims)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--portfolio is of all tuned problems of an "
                              "operation: leave --dims %s out",
                              options->items[i].text);
    if (is_none && !options->text[HONE_OPT_SHAPES])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--no-portfolio goes with --shapes, which alone "
                          "ends with one");
    return check_shard_options(options, err);
}

hone_exit hone__cmd_tune(const hone_options *options)
{
    tune_run run = {.options = options};
    hone_text none = {0};
    hone_error err = {0};
    hone_exit code;
    hone_status status;

    status = check_options(options, &err);
    if (status == HONE_OK && options->text[HONE_OPT_MISSING_FROM])
        return hone__tune_missing(options);
    if (status == HONE_OK && hone__device_is_replay(options))
        return hone__tune_replay(options, on_progress);
    if (status == HONE_OK)
        status = prepare(&run, &err);
    if (status == HONE_OK)
        status = tune_all(&run, &err);
    if (status == HONE_OK)
        status = make_portfolios(&run, &err);
    hone__text_printf(&none,
                      "problems have no winner; 'hone show trials%s' says what "
                      "became of each variant",
                      hone__text_str(&run.db_option));
    code = hone__tune_finish(
        &(hone_tune_end){run.output, hone__text_str(&run.db_path),
                         ": run the same command again to go on",
                         hone__text_str(&none), run.n_without_winner,
                         (int)run.shapes.n, options, run.portfolios},
        status, &err);
    json_decref(run.portfolios);
    if (code == HONE_EXIT_DONE && run.n_cut)
        code = HONE_EXIT_NEGATIVE;
    hone__text_free(&none);
    hone__free(run.shares);
    hone__db_close(run.request.db);
    hone__shapes_free(&run.shapes);
    hone__text_free(&run.shard.list);
    hone__start_free(&run.start);
    hone__text_free(&run.db_path);
    hone__text_free(&run.db_option);
    hone__text_free(&run.cache);
    return code;
}
