/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: scores with a row per strategy and a column per space,
 * curves with a row per space and strategy and a column per mark. */
#include "tools/simulate/simulate.h"

#include "tools/base/message.h"

#include <stdio.h>
#include <string.h>

/* With more spaces than a screen has columns only the summaries are shown. */
enum { MOST_SPACE_COLUMNS = 20 };

typedef struct table {
    const hone_simulation *s;
    hone_text columns; /* their keys are numbers */
    size_t n;
    json_t *row;
    size_t at; /* the next cell of the row */
    hone_output *output;
} table;

/* Up to a blank, and without what stands between columns. */
static void add_column(table *t, const char *kind, const char *title)
{
    hone__text_printf(&t->columns, "%s%zu%s=%.*s", t->n ? ", " : "", t->n, kind,
                      (int)strcspn(title, " ,"), title);
    ++t->n;
}

static void begin(table *t)
{
    json_t *head = t->columns.failed ? NULL : hone__json("");

    t->output = hone__output_begin(t->s->options, NULL,
                                   hone__text_str(&t->columns), head);
    hone__text_free(&t->columns);
}

/* The next cell, `n` times; NULL: nothing is there. */
static void put(table *t, const char *text, size_t n)
{
    if (!t->at)
        t->row = json_object();
    for (size_t i = 0; i < n; ++i) {
        char member[32];

        (void)snprintf(member, sizeof member, "%zu:s", t->at++);
        if (text)
            t->row = hone__json_add(t->row, member, text);
    }
}

static void put_fraction(table *t, int known, double value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.3f", value);
    put(t, known ? text : NULL, 1);
}

static void end_row(table *t)
{
    hone__output_row(t->output, t->row);
    t->at = 0;
}

/* ---- scores -------------------------------------------------------------
 */

/* Under each space the rest of its name and its budget; over the spaces, all
 * of them and those with a long budget. */
static void print_score_head(table *t, size_t n_shown)
{
    put(t, "", 1);
    for (size_t i = 0; i < n_shown; ++i) {
        const char *rest = strchr(t->s->names[i], ' ');

        put(t, rest ? rest + 1 : "", 1);
    }
    put(t, "all", 3);
    put(t, ">100", 3);
    end_row(t);
    put(t, "budget", 1);
    for (size_t i = 0; i < n_shown; ++i) {
        const long long evaluations = t->s->budgets[i].evaluations;
        char text[24];

        (void)snprintf(text, sizeof text, "%lld", evaluations);
        put(t, evaluations ? text : NULL, 1);
    }
    put(t, "", 6);
    end_row(t);
}

static hone_status print_scores(table *t, size_t n_shown, size_t strategy,
                                hone_error *err)
{
    hone_score_summary sums[2];

    HONE_TRY(hone__simulation_summary(t->s, strategy, sums, err));
    put(t, t->s->strategies.names[strategy], 1);
    for (size_t i = 0; i < n_shown; ++i) {
        const hone_simulated *cell = hone__simulation_cell(t->s, i, strategy);

        put_fraction(t, cell->has_score, cell->score);
    }
    for (size_t i = 0; i < 2; ++i) {
        put_fraction(t, sums[i].n > 0, sums[i].mean);
        put_fraction(t, sums[i].n > 0, sums[i].median);
        put_fraction(t, sums[i].n > 0, sums[i].worst);
    }
    end_row(t);
    return HONE_OK;
}

hone_exit hone__simulation_score_table(const hone_simulation *s)
{
    static const char *const summaries[] = {"mean", "median", "worst"};
    const size_t n_shown = s->n_spaces <= MOST_SPACE_COLUMNS ? s->n_spaces : 0;
    table t = {.s = s};
    hone_error err = {0};
    hone_status status = HONE_OK;
    hone_exit code;

    add_column(&t, "", "score");
    for (size_t i = 0; i < n_shown; ++i)
        add_column(&t, ":n", s->names[i]);
    for (size_t i = 0; i < 6; ++i)
        add_column(&t, ":n", summaries[i % 3]);
    begin(&t);
    print_score_head(&t, n_shown);
    for (size_t i = 0; status == HONE_OK && i < s->strategies.n; ++i)
        status = print_scores(&t, n_shown, i, &err);
    code = hone__output_end(t.output, hone__json(""));
    return status == HONE_OK ? code : hone__message_error(&err);
}

/* ---- curves -------------------------------------------------------------
 */

static void print_curve(table *t, size_t space, size_t strategy)
{
    hone_replay_fraction f;

    put(t, hone__simulation_space(t->s, space), 1);
    put(t, t->s->strategies.names[strategy], 1);
    for (size_t i = 0; i < 2 * t->s->n_marks; ++i) {
        const int known = hone__simulation_fraction(t->s, space, strategy,
                                                    i % t->s->n_marks, &f);

        put_fraction(t, known, i < t->s->n_marks ? f.mean : f.median);
    }
    end_row(t);
}

/* Means, then medians, at the same marks. The mean over the spaces stands
 * last, where the eye is when the command ends. */
hone_exit hone__simulation_curves_table(const hone_simulation *s)
{
    table t = {.s = s};

    add_column(&t, "", "fraction");
    add_column(&t, "", "");
    for (size_t i = 0; i < 2 * s->n_marks; ++i) {
        char mark[24];

        (void)snprintf(mark, sizeof mark, "%lld",
                       (long long)s->marks[i % s->n_marks]);
        add_column(&t, ":n", mark);
    }
    begin(&t);
    put(&t, "", 2);
    put(&t, "mean", s->n_marks);
    put(&t, "median", s->n_marks);
    end_row(&t);
    for (size_t i = s->n_spaces == 1; i <= s->n_spaces; ++i)
        for (size_t k = 0; k < s->strategies.n; ++k)
            print_curve(&t, i, k);
    return hone__output_end(t.output, hone__json(""));
}
