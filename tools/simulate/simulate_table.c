/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: a row per strategy, a column per space. */
#include "tools/simulate/simulate.h"

#include "tools/message.h"

#include <string.h>

/* With more spaces than a screen has columns only the summaries are shown. */
enum { MOST_SPACE_COLUMNS = 20, N_SUMMARIES = 6 };

static const hone_column summary_columns[N_SUMMARIES] = {
    {"mean", "mean", HONE_CELL_NUMBER},
    {"median", "median", HONE_CELL_NUMBER},
    {"worst", "worst", HONE_CELL_NUMBER},
    {"mean_long", "mean", HONE_CELL_NUMBER},
    {"median_long", "median", HONE_CELL_NUMBER},
    {"worst_long", "worst", HONE_CELL_NUMBER},
};

typedef struct score_table {
    const hone_simulation *s;
    hone_column columns[1 + MOST_SPACE_COLUMNS + N_SUMMARIES];
    size_t n_columns;
    size_t n_shown; /* spaces */
    char keys[MOST_SPACE_COLUMNS][32];
    char members[MOST_SPACE_COLUMNS]
                [34]; /* the keys as hone__json() has them */
    char titles[MOST_SPACE_COLUMNS][32];
    hone_output *output;
} score_table;

static void set_columns(score_table *t)
{
    const hone_simulation *s = t->s;

    t->n_shown = s->n_spaces <= MOST_SPACE_COLUMNS ? s->n_spaces : 0;
    t->columns[t->n_columns++] =
        (hone_column){"strategy", "score", HONE_CELL_TEXT};
    for (size_t i = 0; i < t->n_shown; ++i) {
        const char *name = s->names[i];

        (void)snprintf(t->keys[i], sizeof t->keys[i], "space%zu", i);
        (void)snprintf(t->members[i], sizeof t->members[i], "%s:o", t->keys[i]);
        (void)snprintf(t->titles[i], sizeof t->titles[i], "%.*s",
                       (int)strcspn(name, " "), name);
        t->columns[t->n_columns++] =
            (hone_column){t->keys[i], t->titles[i], HONE_CELL_NUMBER};
    }
    memcpy(t->columns + t->n_columns, summary_columns, sizeof summary_columns);
    t->n_columns += N_SUMMARIES;
}

static json_t *text_json(const char *text)
{
    return hone__json_string(text, strlen(text));
}

/* The rest of the names, and above which columns the short budgets are left
 * out. */
static void print_names(const score_table *t)
{
    json_t *row =
        hone__json("strategy:s mean_long:s median_long:s worst_long:s mean:s "
                   "median:s worst:s",
                   "", ">100", ">100", ">100", "all", "all", "all");

    for (size_t i = 0; i < t->n_shown; ++i) {
        const char *rest = strchr(t->s->names[i], ' ');

        row =
            hone__json_add(row, t->members[i], text_json(rest ? rest + 1 : ""));
    }
    hone__output_row(t->output, row);
}

static void print_budgets(const score_table *t)
{
    json_t *row = hone__json("strategy:s mean:s median:s worst:s mean_long:s "
                             "median_long:s worst_long:s",
                             "budget", "", "", "", "", "", "");

    for (size_t i = 0; i < t->n_shown; ++i) {
        const int64_t evaluations = t->s->budgets[i].evaluations;

        row = hone__json_add(row, t->members[i],
                             evaluations ? json_integer(evaluations)
                                         : json_null());
    }
    hone__output_row(t->output, row);
}

static json_t *score_text(double score)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.3f", score);
    return text_json(text);
}

static hone_status print_strategy(const score_table *t, size_t strategy,
                                  hone_error *err)
{
    static const int64_t above[] = {0, HONE_LONG_BUDGET};
    json_t *row;
    hone_score_summary sums[2];

    for (size_t i = 0; i < 2; ++i)
        HONE_TRY(
            hone__simulation_summary(t->s, strategy, above[i], &sums[i], err));
    row = hone__json("strategy:s", t->s->strategies.names[strategy]);
    for (size_t i = 0; i < t->n_shown; ++i) {
        const hone_simulated *cell = hone__simulation_cell(t->s, i, strategy);

        if (cell->has_score)
            row = hone__json_add(row, t->members[i], score_text(cell->score));
    }
    for (size_t i = 0; i < 2; ++i) {
        static const char *const members[] = {
            "mean:o median:o worst:o",
            "mean_long:o median_long:o worst_long:o"};

        if (sums[i].n)
            row = hone__json_add(row, members[i], score_text(sums[i].mean),
                                 score_text(sums[i].median),
                                 score_text(sums[i].worst));
    }
    hone__output_row(t->output, row);
    return HONE_OK;
}

hone_exit hone__simulation_score_table(const hone_simulation *s)
{
    score_table t = {.s = s};
    hone_error err = {0};
    hone_status status = HONE_OK;
    hone_exit code;

    set_columns(&t);
    t.output = hone__output_begin(s->options, NULL, t.columns, t.n_columns,
                                  hone__json(""));
    print_names(&t);
    print_budgets(&t);
    for (size_t i = 0; status == HONE_OK && i < s->strategies.n; ++i)
        status = print_strategy(&t, i, &err);
    code = hone__output_end(t.output, hone__json(""));
    return status == HONE_OK ? code : hone__message_error(&err);
}
