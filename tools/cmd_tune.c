/* SPDX-License-Identifier: Apache-2.0 */
/* hone tune: every shape in turn, every trial into the database. */
#include "tools/base/commands.h"
#include "tools/base/process.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/inputs/references.h"
#include "tools/tune_work.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "tuner/portfolio/portfolio.h"
#include "tuner/trial/devices.h"
#include "tuner/tuner.h"

#include <string.h>
#include <unistd.h>

/* A machine that cannot tune does not get a new, empty database. */
static hone_status open_db(hone_tune_work *run, hone_error *err)
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

/* --device all. */
static hone_status count_devices(hone_tune_work *run, hone_error *err)
{
    hone_devices *devices = &run->devices;

    if (!devices->is_all)
        return HONE_OK;
    HONE_TRY(hone__dispatch_count(devices->backend, run->request.farm.stop,
                                  &devices->n, err));
    for (size_t i = 0; i < devices->n; ++i)
        devices->ordinals[i] = (int)i;
    return HONE_OK;
}

static hone_status prepare(hone_tune_work *run, hone_error *err)
{
    const hone_options *options = run->options;
    hone_tune_request *request = &run->request;

    HONE_TRY(hone__option_strategy(options, &request->strategy, err));
    HONE_TRY(hone__option_devices(options, &run->devices, err));
    request->farm.backend = run->devices.backend;
    request->device = run->devices.ordinals[0];
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
    HONE_TRY(count_devices(run, err));
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
    request->on_progress = hone__tune_on_progress;
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
    if (end->devices && end->output && !is_text)
        tail = hone__json_add(tail, "devices:o compile:o",
                              json_incref(end->devices),
                              json_incref(end->compile));
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

/* ---- what serves all of them ----------------------------------------------
 */

/* The variants that serve all shapes best: a file of shapes is what a program
 * launches, while several --dims may be anything. */
static hone_status make_portfolios(hone_tune_work *run, hone_error *err)
{
    const hone_options *options = run->options;
    const int is_all = options->text[HONE_OPT_PORTFOLIO] != NULL;

    if (!is_all && (!options->text[HONE_OPT_SHAPES] ||
                    options->text[HONE_OPT_NO_PORTFOLIO] ||
                    run->shard.shard.n)) /* of all shards, when they are one */
        return HONE_OK;
    HONE_TRY(hone__tune_portfolios(run, err));
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

/* Of a portfolio alone, which tunes nothing. */
static hone_status check_portfolio_options(const hone_options *options,
                                           hone_error *err)
{
    static const hone_option_id searching[] = {
        HONE_OPT_STRATEGY, HONE_OPT_BUDGET,    HONE_OPT_UNTIL,
        HONE_OPT_NO_SEEDS, HONE_OPT_OBJECTIVE, HONE_OPT_START};

    if (options->text[HONE_OPT_NO_PORTFOLIO] ||
        options->text[HONE_OPT_SHAPES] || hone__device_is_replay(options))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--portfolio goes with operations alone: it is made "
                          "from what the database has of them, and nothing "
                          "is tuned");
    for (size_t i = 0; i < options->n_items; ++i)
        if (options->items[i].is_dims)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--portfolio is of all tuned problems of an "
                              "operation: leave --dims %s out",
                              options->items[i].text);
    for (size_t i = 0; i < sizeof searching / sizeof *searching; ++i)
        if (options->text[searching[i]])
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "--portfolio searches nothing and is of times: "
                              "leave --%s out",
                              hone__option_table[searching[i]].name);
    return HONE_OK;
}

/* Options that would have no effect. */
static hone_status check_options(const hone_options *options, hone_error *err)
{
    const int is_none = options->text[HONE_OPT_NO_PORTFOLIO] != NULL;

    if (options->text[HONE_OPT_PORTFOLIO])
        HONE_TRY(check_portfolio_options(options, err));
    if (options->text[HONE_OPT_BETWEEN] &&
        (is_none || options->text[HONE_OPT_SHARD] ||
         !options->text[HONE_OPT_SHAPES]))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--between goes with --shapes and a portfolio, which "
                          "learns from such problems, and not with --shard");
    if (options->text[HONE_OPT_BETWEEN] &&
        options->number[HONE_OPT_BETWEEN] > HONE_BETWEEN_MOST)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--between %s: at most %d problems are drawn for an "
                          "operation, since each is tuned",
                          options->text[HONE_OPT_BETWEEN],
                          (int)HONE_BETWEEN_MOST);
    if (is_none && !options->text[HONE_OPT_SHAPES])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--no-portfolio goes with --shapes, which alone "
                          "ends with one");
    return check_shard_options(options, err);
}

hone_exit hone__cmd_tune(const hone_options *options)
{
    hone_tune_work run = {.options = options};
    hone_text none = {0};
    hone_error err = {0};
    hone_exit code;
    hone_status status;

    status = check_options(options, &err);
    if (status == HONE_OK && options->text[HONE_OPT_MISSING_FROM])
        return hone__tune_missing(options);
    if (status == HONE_OK && hone__device_is_replay(options))
        return hone__tune_replay(options, hone__tune_on_progress);
    if (status == HONE_OK)
        status = prepare(&run, &err);
    if (status == HONE_OK)
        status = hone__tune_all(&run, &err);
    if (status == HONE_OK)
        status = make_portfolios(&run, &err);
    hone__text_printf(&none,
                      "problems have no winner; 'hone show trials%s' says what "
                      "became of each variant",
                      hone__text_str(&run.db_option));
    code = hone__tune_finish(
        &(hone_tune_end){
            run.output, hone__text_str(&run.db_path),
            ": run the same command again to go on", hone__text_str(&none),
            run.n_without_winner,
            (int)(run.n_listed * (run.n_models ? run.n_models : 1)), options,
            run.portfolios, run.device_rows, run.compile_row},
        status, &err);
    json_decref(run.portfolios);
    json_decref(run.device_rows);
    json_decref(run.compile_row);
    if (code == HONE_EXIT_DONE && run.n_cut)
        code = HONE_EXIT_NEGATIVE;
    hone__text_free(&none);
    hone__free(run.shares);
    hone__db_close(run.request.db);
    hone__shapes_free(&run.shapes);
    hone__tune_shard_free(&run.shard);
    hone__start_free(&run.start);
    hone__text_free(&run.db_path);
    hone__text_free(&run.db_option);
    hone__text_free(&run.cache);
    return code;
}
