/* SPDX-License-Identifier: Apache-2.0 */
/* Results of hone simulate: a row per recording and strategy, and the scores
 * over all recordings. */
#include "tools/simulate/simulate.h"

#include "tuner/replay/replay_tune.h"

/* What the row says of the recording. */
static json_t *recording_row(const hone_recording *recording)
{
    hone_text label = {0}, device = {0};
    json_t *row;

    hone__recording_label(recording, &label);
    hone__recording_device(recording, &device);
    row = hone__json("file:s op:s label:o device:o recording_format:s "
                     "recording_interrupted:b configurations:I valid:I",
                     recording->path, recording->op, hone__json_text(&label),
                     hone__json_text(&device), recording->format,
                     recording->interrupted, recording->n_configs,
                     recording->n_valid);
    hone__text_free(&label);
    hone__text_free(&device);
    return row;
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
    json_t *out;

    for (size_t i = 0; i < strategies->n; ++i)
        hone__text_printf(&text, "%s%s", i ? "," : "", strategies->names[i]);
    out = hone__json_text(&text);
    hone__text_free(&text);
    return out;
}

hone_output *hone__simulation_begin(const hone_simulation *s)
{
    static const hone_column columns[] = {
        {"file", "file", HONE_CELL_TEXT},
        {"op", "op", HONE_CELL_TEXT},
        {"label", "problem", HONE_CELL_TEXT},
        {"strategy", "strategy", HONE_CELL_TEXT},
        {"configurations", "configs", HONE_CELL_NUMBER},
        {"optimum_ns", "optimum", HONE_CELL_TIME_NS},
        {"best_ns", "best found", HONE_CELL_TIME_NS},
        {"fraction", "fraction", HONE_CELL_NUMBER},
        {"evaluations", "evaluations", HONE_CELL_NUMBER},
        {"simulated_s", "simulated s", HONE_CELL_NUMBER},
        {"message", "message", HONE_CELL_TEXT},
        {"score", "score", HONE_CELL_NUMBER},
        {"score_budget_evaluations", "budget", HONE_CELL_NUMBER},
    };
    const size_t n = sizeof columns / sizeof columns[0];

    return hone__output_begin(s->options, "files", columns,
                              s->options->text[HONE_OPT_SCORE] ? n : n - 2,
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
        *out =
            hone__json_add(*out, "curves:o", hone__simulation_curves_json(s));
    return HONE_OK;
}
