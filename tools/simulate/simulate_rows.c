/* SPDX-License-Identifier: Apache-2.0 */
/* Results of hone simulate for all formats: a row per recording and strategy,
 * the scores over all recordings, and curves: how close to the optimum the
 * strategies are after so many evaluations, per space and in the mean. */
#include "tools/simulate/simulate.h"

#include "tuner/replay/replay_tune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the row says of the recording. */
static json_t *recording_row(const hone_recording *recording)
{
    hone_text label = {0}, device = {0};

    hone__recording_label(recording, &label);
    hone__recording_device(recording, &device);
    return hone__json("file:s op:s label:o device:o recording_format:s "
                      "recording_interrupted:b configurations:I valid:I",
                      recording->path, recording->op, hone__json_text(&label),
                      hone__json_text(&device), recording->format,
                      recording->interrupted, recording->n_configs,
                      recording->n_valid);
}

json_t *hone__simulation_row(const hone_simulation *s, size_t space,
                             size_t strategy)
{
    const hone_recording *recording = s->spaces[space];
    const hone_simulated *r = hone__simulation_cell(s, space, strategy);
    json_t *row = hone__json_add(
        recording_row(recording),
        "space:s strategy:s optimum_ns:p best_ns:p fraction:F evaluations:f "
        "simulated_s:f budget_evaluations:P budget_s:p message:s",
        s->names[space], s->strategies.names[strategy], recording->best_ns,
        r->best_ns, r->best_ns > 0, r->fraction, r->evaluations, r->simulated_s,
        r->budget.evaluations, r->budget.seconds, r->message);

    if (!s->options->text[HONE_OPT_SCORE])
        return row;
    return hone__json_add(row,
                          "score:F score_budget_evaluations:P score_budget_s:p",
                          r->has_score, r->score, s->budgets[space].evaluations,
                          s->budgets[space].seconds);
}

/* "a,b,c"; of one strategy its name. */
static json_t *strategy_names(const hone_strategies *strategies)
{
    hone_text text = {0};

    for (size_t i = 0; i < strategies->n; ++i)
        hone__text_printf(&text, "%s%s", i ? "," : "", strategies->names[i]);
    return hone__json_text(&text);
}

#define COLUMNS                                                                \
    "file, op, label=problem, strategy, configurations:n=configs, "            \
    "optimum_ns:t=optimum, best_ns:t=best found, fraction:n, evaluations:n, "  \
    "simulated_s:n=simulated s, message"

hone_output *hone__simulation_begin(const hone_simulation *s)
{
    return hone__output_begin(s->options, "files",
                              s->options->text[HONE_OPT_SCORE] ? COLUMNS
                                  ", score:n, "
                                  "score_budget_evaluations:n=budget"
                                                               : COLUMNS,
                              hone__json("strategy:o repeats:I seed:I batch:I",
                                         strategy_names(&s->strategies),
                                         s->repeats, (int64_t)s->seed,
                                         s->batch));
}

/* ---- scores over the recordings ----------------------------------------- */

static hone_status score_members(const hone_simulation *s, size_t strategy,
                                 json_t **out, hone_error *err)
{
    hone_score_summary sums[2];
    const hone_score_summary *all = &sums[0];
    const hone_score_summary *above = &sums[1];

    *out = NULL;
    HONE_TRY(hone__simulation_summary(s, strategy, sums, err));
    *out = hone__json("mean:F median:F worst:F mean_above_100:F "
                      "median_above_100:F worst_above_100:F",
                      all->n > 0, all->mean, all->n > 0, all->median,
                      all->n > 0, all->worst, above->n > 0, above->mean,
                      above->n > 0, above->median, above->n > 0, above->worst);
    return HONE_OK;
}

/* Of several strategies a list. */
static hone_status score_list(const hone_simulation *s, json_t **out,
                              hone_error *err)
{
    json_t *list = json_array();

    *out = NULL;
    for (size_t i = 0; i < s->strategies.n; ++i) {
        json_t *row = NULL;
        const hone_status status = score_members(s, i, &row, err);

        if (status != HONE_OK) {
            json_decref(list);
            return status;
        }
        list = hone__json_append(
            list, hone__json_add(row, "strategy:s", s->strategies.names[i]));
    }
    *out = hone__json("strategies:o", list);
    return HONE_OK;
}

/* ---- curves ------------------------------------------------------------- */

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
static json_t *curves_json(const hone_simulation *s)
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

hone_status hone__simulation_tail(const hone_simulation *s, json_t **out,
                                  hone_error *err)
{
    *out = NULL;
    if (s->options->text[HONE_OPT_SCORE])
        HONE_TRY(s->strategies.n == 1 ? score_members(s, 0, out, err)
                                      : score_list(s, out, err));
    else
        *out = hone__json("");
    if (s->n_marks && hone__options_is(s->options, HONE_OPT_FORMAT, "json"))
        *out = hone__json_add(*out, "curves:o", curves_json(s));
    return HONE_OK;
}

hone_exit hone__simulation_curves_csv(const hone_simulation *s)
{
    static const char columns[] =
        "space, file, strategy, evaluations:n, mean:n, median:n";
    hone_output *output =
        hone__output_begin(s->options, "curves", columns, hone__json(""));
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
