/* SPDX-License-Identifier: Apache-2.0 */
/* hone simulate: search strategies on recorded spaces, many times. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/output_file.h"
#include "tools/base/progress.h"
#include "tools/simulate/simulate.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/allowance.h"
#include "tuner/process/parallel.h"

#include <string.h>

enum { DEFAULT_REPEATS = 25 };

static int64_t number_or(const hone_options *options, hone_option_id option,
                         int64_t otherwise)
{
    return options->text[option] ? options->number[option] : otherwise;
}

/* ---- what is to be done ------------------------------------------------- */

static hone_status read_options(hone_simulation *s, hone_error *err)
{
    const hone_options *options = s->options;
    hone_allowance allowance;
    int64_t jobs;

    hone__allowance_read(&allowance);
    jobs = number_or(options, HONE_OPT_JOBS, allowance.n_cores);
    s->n_threads = jobs < INT32_MAX ? (int)jobs : INT32_MAX;
    s->seed = hone__option_seed(options);
    s->repeats = number_or(options, HONE_OPT_REPEATS, DEFAULT_REPEATS);
    s->batch = number_or(options, HONE_OPT_BATCH, 1);
    if (s->batch > HONE_MOST_AHEAD)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "a batch has at most %d configurations",
                          HONE_MOST_AHEAD);
    HONE_TRY(hone__simulation_marks(s, err));
    HONE_TRY(hone__option_strategies(options, &s->strategies, err));
    HONE_TRY(hone__option_until(options, &s->until_gain, err));
    HONE_TRY(hone__start_read(options, &s->start, err));
    return hone__option_budget(options, &s->budget.evaluations,
                               &s->budget.seconds, err);
}

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

static hone_status read_file(void *user, int64_t i, hone_error *err)
{
    const hone_simulation *s = user;

    return hone__recordings_read(hone__options_arg(s->options, (size_t)i),
                                 &s->files[i], err);
}

/* A recording of some megabytes takes longer to read than a strategy that
 * only draws numbers takes for a hundred runs on it. */
static hone_status read_files(hone_simulation *s, hone_error *err)
{
    const size_t n_files = s->options->n_args;

    s->files = hone__alloc(n_files * sizeof *s->files);
    if (!s->files)
        return out_of_memory(err);
    HONE_TRY(
        hone__parallel_for((int64_t)n_files, s->n_threads, read_file, s, err));
    for (size_t i = 0; i < n_files; ++i) {
        const hone_recording *first = s->files[i].items[0];

        s->n_spaces += s->files[i].n;
        if (first->interrupted)
            hone__message_note("%s ends early: it has %lld trials", first->path,
                               (long long)first->n_configs);
    }
    return HONE_OK;
}

static hone_status list_spaces(hone_simulation *s, hone_error *err)
{
    size_t n = 0;

    s->spaces = hone__alloc(s->n_spaces * sizeof *s->spaces);
    s->names = hone__alloc(s->n_spaces * sizeof *s->names);
    s->budgets = hone__alloc(s->n_spaces * sizeof *s->budgets);
    s->cells = hone__alloc(s->n_spaces * s->strategies.n * sizeof *s->cells);
    if (!s->spaces || !s->names || !s->budgets || !s->cells)
        return out_of_memory(err);
    for (size_t i = 0; i < s->options->n_args; ++i)
        for (size_t k = 0; k < s->files[i].n; ++k)
            s->spaces[n++] = s->files[i].items[k];
    for (size_t i = 0; i < n; ++i) {
        const hone_status status = hone__replay_cutoff(
            s->spaces[i], HONE_SCORE_END, &s->budgets[i], err);

        if (status == HONE_ERR_INPUT) /* the cell's message says why */
            s->budgets[i] = (hone_replay_budget){0, 0};
        else if (status != HONE_OK)
            return status;
    }
    return hone__simulation_names(s, err);
}

/* A configuration that one of several spaces does not have is named for it,
 * and the others begin with it. */
static hone_status find_starts(hone_simulation *s, hone_error *err)
{
    if (!s->start.n)
        return HONE_OK;
    s->starts = hone__alloc(s->n_spaces * sizeof *s->starts);
    if (!s->starts)
        return out_of_memory(err);
    for (size_t i = 0; i < s->n_spaces; ++i)
        HONE_TRY(hone__replay_start(s->spaces[i], &s->start.start,
                                    &s->starts[i], err));
    return HONE_OK;
}

static void clean_up(hone_simulation *s)
{
    for (size_t i = 0; s->starts && i < s->n_spaces; ++i)
        hone__free(s->starts[i]);
    hone__free(s->starts);
    hone__start_free(&s->start);
    for (size_t i = 0; s->files && i < s->options->n_args; ++i)
        hone__recordings_free(&s->files[i]);
    for (size_t i = 0; s->names && i < s->n_spaces; ++i)
        hone__free(s->names[i]);
    hone__free(s->files);
    hone__free(s->spaces);
    hone__free(s->names);
    hone__free(s->budgets);
    hone__free(s->cells);
}

/* ---- doing it ----------------------------------------------------------- */

static int has_only_curves(const hone_simulation *s)
{
    return s->n_marks && hone__options_is(s->options, HONE_OPT_FORMAT, "csv");
}

/* As text several strategies are told by tables if there are any; their rows
 * would be too many. */
static int has_rows(const hone_simulation *s)
{
    const int has_table = s->options->text[HONE_OPT_SCORE] || s->n_marks > 0;

    return !has_only_curves(s) && (!hone__output_is_text(s->options) ||
                                   !has_table || s->strategies.n == 1);
}

static void show_progress(const hone_simulation *s, size_t n_done)
{
    hone__progress_show(&(hone_progress_step){
        .n_done = (int64_t)n_done,
        .n_total = (int64_t)(s->n_spaces * s->strategies.n),
        .unit = "simulations",
        .best = "",
        .failures = ""});
}

static hone_status run_cells(const hone_simulation *s, hone_output *output,
                             int *out_without, hone_error *err)
{
    const size_t n = s->n_spaces * s->strategies.n;

    for (size_t i = 0; i < n; ++i) {
        const size_t space = i / s->strategies.n;
        const size_t strategy = i % s->strategies.n;

        show_progress(s, i);
        HONE_TRY(hone__simulation_run(s, space, strategy, err));
        *out_without += s->cells[i].message[0] != '\0';
        if (!has_rows(s))
            continue;
        hone__progress_wipe();
        hone__output_row(output, hone__simulation_row(s, space, strategy));
    }
    return HONE_OK;
}

/* Rows, and everything else but the tables of text and the figure. CSV is one
 * table: rows or curves. */
static hone_exit print_rows(const hone_simulation *s, int *out_without)
{
    hone_output *output = has_only_curves(s) ? NULL : hone__simulation_begin(s);
    json_t *tail = NULL;
    hone_error err = {0};
    hone_status status;
    hone_exit code;

    hone__progress_begin("simulate");
    status = run_cells(s, output, out_without, &err);
    hone__progress_end();
    if (has_only_curves(s))
        return status == HONE_OK ? hone__simulation_curves_csv(s)
                                 : hone__message_error(&err);
    if (status == HONE_OK && has_rows(s))
        status = hone__simulation_tail(s, &tail, &err);
    if (status != HONE_OK || !has_rows(s))
        tail = hone__json("");
    code = hone__output_end(output, tail);
    return status == HONE_OK ? code : hone__message_error(&err);
}

static hone_exit print_tables(const hone_simulation *s)
{
    hone_exit code = HONE_EXIT_DONE;

    if (s->options->text[HONE_OPT_SCORE])
        code = hone__simulation_score_table(s);
    if (code == HONE_EXIT_DONE && s->n_marks)
        code = hone__simulation_curves_table(s);
    return code;
}

static hone_exit run_all(const hone_simulation *s)
{
    const char *svg = s->options->text[HONE_OPT_SVG];
    hone_error err = {0};
    int n_without = 0;
    hone_exit code = print_rows(s, &n_without);

    if (code == HONE_EXIT_DONE && hone__output_is_text(s->options))
        code = print_tables(s);
    if (code == HONE_EXIT_DONE && svg &&
        hone__simulation_svg(s, svg, &err) != HONE_OK)
        code = hone__message_error(&err);
    if (code == HONE_EXIT_DONE && n_without) {
        hone__message_note("%d recordings have no result; their 'message' "
                           "says why",
                           n_without);
        code = HONE_EXIT_NEGATIVE;
    }
    return code;
}

/* Recordings took days to make. */
static hone_status spare_inputs(const hone_options *options, hone_error *err)
{
    const char *svg = options->text[HONE_OPT_SVG];

    for (size_t i = 0; i < options->n_args; ++i)
        HONE_TRY(hone__output_spares(svg, hone__options_arg(options, i), err));
    return hone__output_spares(svg, options->text[HONE_OPT_START], err);
}

hone_exit hone__cmd_simulate(const hone_options *options)
{
    hone_simulation s = {.options = options};
    hone_error err = {0};
    hone_status status = read_options(&s, &err);
    hone_exit code;

    if (status == HONE_OK)
        status = spare_inputs(options, &err);
    /* Every file is read before anything is printed. */
    if (status == HONE_OK)
        status = read_files(&s, &err);
    if (status == HONE_OK)
        status = list_spaces(&s, &err);
    if (status == HONE_OK)
        status = find_starts(&s, &err);
    code = status == HONE_OK ? run_all(&s) : hone__message_error(&err);
    clean_up(&s);
    return code;
}
