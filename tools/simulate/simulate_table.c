/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: scores with a row per strategy and a column per space, and
 * curves with a column per mark. Their rows are made cell by cell. */
#include "tools/simulate/simulate.h"

#include "tools/message.h"

#include <string.h>

/* With more spaces than a screen has columns only the summaries are shown. */
enum {
    MOST_SPACE_COLUMNS = 20,
    N_SUMMARIES = 6,
    MOST_COLUMNS = 1 + MOST_SPACE_COLUMNS + N_SUMMARIES
};
_Static_assert(2 + 2 * HONE_MOST_MARKS <= MOST_COLUMNS, "curves have room");

typedef struct table {
    hone_column columns[MOST_COLUMNS];
    char keys[MOST_COLUMNS][8];
    char titles[MOST_COLUMNS][32];
    size_t n;
    hone_output *output;
    json_t *row; /* that is being made */
    size_t at;   /* its next column */
} table;

static void add_column(table *t, const char *title, size_t length,
                       hone_cell cell)
{
    const size_t i = t->n++;

    (void)snprintf(t->keys[i], sizeof t->keys[i], "%u", (unsigned)i);
    (void)snprintf(t->titles[i], sizeof t->titles[i], "%.*s", (int)length,
                   title);
    t->columns[i] = (hone_column){t->keys[i], t->titles[i], cell};
}

static void add_number(table *t, const char *title)
{
    add_column(t, title, strlen(title), HONE_CELL_NUMBER);
}

static void put(table *t, json_t *value)
{
    char member[16];

    if (t->at == 0)
        t->row = hone__json("");
    (void)snprintf(member, sizeof member, "%s:o", t->keys[t->at++]);
    t->row = hone__json_add(t->row, member, value);
}

static void put_text(table *t, const char *text)
{
    put(t, hone__json_string(text, strlen(text)));
}

/* An empty cell if it is not known. */
static void put_number(table *t, int is_known, double value)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%.3f", value);
    if (is_known)
        put_text(t, text);
    else
        ++t->at;
}

static void end_row(table *t)
{
    hone__output_row(t->output, t->row);
    t->at = 0;
}

static void begin(table *t, const hone_simulation *s)
{
    t->output =
        hone__output_begin(s->options, NULL, t->columns, t->n, hone__json(""));
}

/* ---- scores ------------------------------------------------------------- */

static size_t n_shown(const hone_simulation *s)
{
    return s->n_spaces <= MOST_SPACE_COLUMNS ? s->n_spaces : 0;
}

/* Below the first words of the names the rest of them, and above which columns
 * the short budgets are left out; then the budgets. */
static void put_head(table *t, const hone_simulation *s)
{
    put_text(t, "");
    for (size_t i = 0; i < n_shown(s); ++i) {
        const char *rest = strchr(s->names[i], ' ');

        put_text(t, rest ? rest + 1 : "");
    }
    for (int i = 0; i < N_SUMMARIES; ++i)
        put_text(t, i < N_SUMMARIES / 2 ? "all" : ">100");
    end_row(t);
    put_text(t, "budget");
    for (size_t i = 0; i < n_shown(s); ++i) {
        const int64_t evaluations = s->budgets[i].evaluations;

        put(t, evaluations ? json_integer(evaluations) : json_null());
    }
    for (int i = 0; i < N_SUMMARIES; ++i)
        put_text(t, "");
    end_row(t);
}

static hone_status put_strategy(table *t, const hone_simulation *s,
                                size_t strategy, hone_error *err)
{
    hone_score_summary sums[2];

    HONE_TRY(hone__simulation_summary(s, strategy, sums, err));
    put_text(t, s->strategies.names[strategy]);
    for (size_t i = 0; i < n_shown(s); ++i) {
        const hone_simulated *cell = hone__simulation_cell(s, i, strategy);

        put_number(t, cell->has_score, cell->score);
    }
    for (size_t i = 0; i < 2; ++i) {
        put_number(t, sums[i].n > 0, sums[i].mean);
        put_number(t, sums[i].n > 0, sums[i].median);
        put_number(t, sums[i].n > 0, sums[i].worst);
    }
    end_row(t);
    return HONE_OK;
}

hone_exit hone__simulation_score_table(const hone_simulation *s)
{
    static const char *const summaries[] = {"mean", "median", "worst"};
    table t = {.n = 0};
    hone_error err = {0};
    hone_status status = HONE_OK;
    hone_exit code;

    add_column(&t, "score", 5, HONE_CELL_TEXT);
    for (size_t i = 0; i < n_shown(s); ++i)
        add_column(&t, s->names[i], strcspn(s->names[i], " "),
                   HONE_CELL_NUMBER);
    for (int i = 0; i < N_SUMMARIES; ++i)
        add_number(&t, summaries[i % 3]);
    begin(&t, s);
    put_head(&t, s);
    for (size_t i = 0; status == HONE_OK && i < s->strategies.n; ++i)
        status = put_strategy(&t, s, i, &err);
    code = hone__output_end(t.output, hone__json(""));
    return status == HONE_OK ? code : hone__message_error(&err);
}

/* ---- curves ------------------------------------------------------------- */

/* Means, then medians, at the same marks. */
static void put_curve(table *t, const hone_simulation *s, size_t space,
                      size_t strategy)
{
    put_text(t, hone__simulation_space(s, space));
    put_text(t, s->strategies.names[strategy]);
    for (size_t i = 0; i < 2 * s->n_marks; ++i) {
        hone_replay_fraction f;
        const int is_known =
            hone__simulation_fraction(s, space, strategy, i % s->n_marks, &f);

        put_number(t, is_known, i < s->n_marks ? f.mean : f.median);
    }
    end_row(t);
}

/* The mean over the spaces stands last, where the eye is when the command
 * ends. */
hone_exit hone__simulation_curves_table(const hone_simulation *s)
{
    table t = {.n = 0};

    add_column(&t, "fraction", 8, HONE_CELL_TEXT);
    add_column(&t, "", 0, HONE_CELL_TEXT);
    for (size_t i = 0; i < 2 * s->n_marks; ++i) {
        char mark[32];

        (void)snprintf(mark, sizeof mark, "%lld",
                       (long long)s->marks[i % s->n_marks]);
        add_number(&t, mark);
    }
    begin(&t, s);
    put_text(&t, "");
    put_text(&t, "");
    for (size_t i = 0; i < 2 * s->n_marks; ++i)
        put_text(&t, i < s->n_marks ? "mean" : "median");
    end_row(&t);
    for (size_t i = s->n_spaces == 1; i <= s->n_spaces; ++i)
        for (size_t k = 0; k < s->strategies.n; ++k)
            put_curve(&t, s, i, k);
    return hone__output_end(t.output, hone__json(""));
}
