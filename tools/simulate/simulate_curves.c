/* SPDX-License-Identifier: Apache-2.0 */
/* Curves of hone simulate: how close to the optimum the strategies are after
 * so many evaluations, per space and in the mean. */
#include "tools/simulate/simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What published tables have. */
static const int64_t default_marks[] = {10, 25, 50, 100, 200, 400};

/* ---- --at --------------------------------------------------------------- */

static hone_status read_marks(hone_simulation *s, const char *text,
                              hone_error *err)
{
    const char *at = text;

    while (s->n_marks < HONE_MOST_MARKS) {
        char *end = NULL;
        long long mark;

        errno = 0;
        mark = strtoll(at, &end, 10);
        if (errno || end == at || mark < 1 ||
            (s->n_marks && mark <= s->marks[s->n_marks - 1]))
            break;
        s->marks[s->n_marks++] = mark;
        if (!*end)
            return HONE_OK;
        if (*end != ',')
            break;
        at = end + 1;
    }
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--at takes at most %d ascending numbers of evaluations "
                      "(10,25,50), not '%s'",
                      HONE_MOST_MARKS, text);
}

hone_status hone__simulation_marks(hone_simulation *s, hone_error *err)
{
    const hone_options *options = s->options;

    s->n_marks = 0;
    if (options->text[HONE_OPT_AT])
        return read_marks(s, options->text[HONE_OPT_AT], err);
    if (options->text[HONE_OPT_CURVES] || options->text[HONE_OPT_SVG]) {
        s->n_marks = sizeof default_marks / sizeof default_marks[0];
        memcpy(s->marks, default_marks, sizeof default_marks);
    }
    return HONE_OK;
}

/* ---- values ------------------------------------------------------------- */

static int has_curve(const hone_simulation *s, size_t space)
{
    return s->spaces[space]->n_valid > 0;
}

int hone__simulation_fraction(const hone_simulation *s, size_t space,
                              size_t strategy, size_t mark,
                              hone_replay_fraction *out)
{
    const size_t begin = space < s->n_spaces ? space : 0;
    const size_t end = space < s->n_spaces ? space + 1 : s->n_spaces;
    int n = 0;

    *out = (hone_replay_fraction){0, 0};
    for (size_t i = begin; i < end; ++i) {
        const hone_simulated *cell = hone__simulation_cell(s, i, strategy);

        if (!has_curve(s, i))
            continue;
        out->mean += cell->curve[mark].mean;
        out->median += cell->curve[mark].median;
        ++n;
    }
    if (n) {
        out->mean /= n;
        out->median /= n;
    }
    return n > 0;
}

const char *hone__simulation_space(const hone_simulation *s, size_t space)
{
    return space < s->n_spaces ? s->names[space] : "all";
}

/* ---- JSON and CSV ------------------------------------------------------- */

static const char *file_of(const hone_simulation *s, size_t space)
{
    return space < s->n_spaces ? s->spaces[space]->path : NULL;
}

static json_t *curve_json(const hone_simulation *s, size_t space,
                          size_t strategy)
{
    json_t *mean = json_array();
    json_t *median = json_array();

    for (size_t i = 0; i < s->n_marks; ++i) {
        hone_replay_fraction f;
        const int known = hone__simulation_fraction(s, space, strategy, i, &f);

        mean = hone__json_append(mean,
                                 known ? hone__json_real(f.mean) : json_null());
        median = hone__json_append(median, known ? hone__json_real(f.median)
                                                 : json_null());
    }
    return hone__json("space:s file:s strategy:s mean:o median:o",
                      hone__simulation_space(s, space), file_of(s, space),
                      s->strategies.names[strategy], mean, median);
}

/* The mean over the spaces comes last. */
json_t *hone__simulation_curves_json(const hone_simulation *s)
{
    json_t *at = json_array();
    json_t *rows = json_array();

    for (size_t i = 0; i < s->n_marks; ++i)
        at = hone__json_append(at, json_integer(s->marks[i]));
    for (size_t i = 0; i <= s->n_spaces; ++i)
        for (size_t k = 0; k < s->strategies.n; ++k)
            rows = hone__json_append(rows, curve_json(s, i, k));
    return hone__json("at:o rows:o", at, rows);
}

hone_exit hone__simulation_curves_csv(const hone_simulation *s)
{
    static const hone_column columns[] = {
        {"space", "space", HONE_CELL_TEXT},
        {"file", "file", HONE_CELL_TEXT},
        {"strategy", "strategy", HONE_CELL_TEXT},
        {"evaluations", "evaluations", HONE_CELL_NUMBER},
        {"mean", "mean", HONE_CELL_NUMBER},
        {"median", "median", HONE_CELL_NUMBER},
    };
    hone_output *output =
        hone__output_begin(s->options, "curves", columns,
                           sizeof columns / sizeof columns[0], hone__json(""));
    const size_t n = (s->n_spaces + 1) * s->strategies.n * s->n_marks;

    for (size_t i = 0; i < n; ++i) {
        const size_t mark = i % s->n_marks;
        const size_t strategy = i / s->n_marks % s->strategies.n;
        const size_t space = i / s->n_marks / s->strategies.n;
        hone_replay_fraction f;
        const int known =
            hone__simulation_fraction(s, space, strategy, mark, &f);

        hone__output_row(
            output, hone__json("space:s file:s strategy:s evaluations:I mean:F "
                               "median:F",
                               hone__simulation_space(s, space),
                               file_of(s, space), s->strategies.names[strategy],
                               s->marks[mark], known, f.mean, known, f.median));
    }
    return hone__output_end(output, hone__json(""));
}
