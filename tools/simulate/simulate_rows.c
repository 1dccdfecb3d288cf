/* SPDX-License-Identifier: Apache-2.0 */
/* Results of hone simulate: a row per recording and strategy, and the scores
 * over all recordings. */
#include "tools/simulate/simulate.h"

#include "tuner/replay/replay_tune.h"

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *positive_integer(int64_t value)
{
    return value > 0 ? json_integer(value) : json_null();
}

/* What the row says of the recording. */
static json_t *recording_row(const hone_recording *recording)
{
    hone_text label = {0}, device = {0};
    json_t *row;

    hone__recording_label(recording, &label);
    hone__recording_device(recording, &device);
    row = json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I}", "file",
                    recording->path, "op", recording->op, "label",
                    hone__text_str(&label), "device", hone__text_str(&device),
                    "recording_format", recording->format,
                    "recording_interrupted", recording->interrupted,
                    "configurations", (json_int_t)recording->n_configs, "valid",
                    (json_int_t)recording->n_valid);
    hone__text_free(&label);
    hone__text_free(&device);
    return row;
}

json_t *hone__simulation_row(const hone_simulation *s, size_t space,
                             size_t strategy)
{
    const hone_recording *recording = s->spaces[space];
    const hone_simulated *r = hone__simulation_cell(s, space, strategy);
    json_t *row = recording_row(recording);

    (void)json_object_update_new(
        row,
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:s}", "space",
                  s->names[space], "strategy", s->strategies.names[strategy],
                  "optimum_ns", positive(recording->best_ns), "best_ns",
                  positive(r->best_ns), "fraction",
                  r->best_ns > 0 ? json_real(r->fraction) : json_null(),
                  "evaluations", r->evaluations, "simulated_s", r->simulated_s,
                  "budget_evaluations", positive_integer(r->budget.evaluations),
                  "budget_s", positive(r->budget.seconds), "message",
                  r->message));
    if (!s->options->text[HONE_OPT_SCORE])
        return row;
    (void)json_object_update_new(
        row, json_pack("{s:o, s:o, s:o}", "score",
                       r->has_score ? json_real(r->score) : json_null(),
                       "score_budget_evaluations",
                       positive_integer(s->budgets[space].evaluations),
                       "score_budget_s", positive(s->budgets[space].seconds)));
    return row;
}

/* "a,b,c"; of one strategy its name. */
static json_t *strategy_names(const hone_strategies *strategies)
{
    hone_text text = {0};
    json_t *out;

    for (size_t i = 0; i < strategies->n; ++i)
        hone__text_printf(&text, "%s%s", i ? "," : "", strategies->names[i]);
    out = json_string(hone__text_str(&text));
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
                              json_pack("{s:o, s:I, s:I, s:I}", "strategy",
                                        strategy_names(&s->strategies),
                                        "repeats", (json_int_t)s->repeats,
                                        "seed", (json_int_t)s->seed, "batch",
                                        (json_int_t)s->batch));
}

/* ---- scores over the recordings -----------------------------------------
 */

static json_t *figure(const hone_score_summary *summary, double value)
{
    return summary->n ? json_real(value) : json_null();
}

static hone_status score_members(const hone_simulation *s, size_t strategy,
                                 json_t **out, hone_error *err)
{
    hone_score_summary all, of_long;

    *out = NULL;
    HONE_TRY(hone__simulation_summary(s, strategy, 0, &all, err));
    HONE_TRY(
        hone__simulation_summary(s, strategy, HONE_LONG_BUDGET, &of_long, err));
    *out = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "mean",
                     figure(&all, all.mean), "median", figure(&all, all.median),
                     "worst", figure(&all, all.worst), "mean_above_100",
                     figure(&of_long, of_long.mean), "median_above_100",
                     figure(&of_long, of_long.median), "worst_above_100",
                     figure(&of_long, of_long.worst));
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
        (void)json_object_set_new(row, "strategy",
                                  json_string(s->strategies.names[i]));
        (void)json_array_append_new(list, row);
    }
    *out = json_pack("{s:o}", "strategies", list);
    return HONE_OK;
}

hone_status hone__simulation_tail(const hone_simulation *s, json_t **out,
                                  hone_error *err)
{
    *out = NULL;
    if (s->options->text[HONE_OPT_SCORE])
        HONE_TRY(s->strategies.n == 1 ? score_members(s, 0, out, err)
                                      : score_list(s, out, err));
    if (s->n_marks && hone__options_is(s->options, HONE_OPT_FORMAT, "json")) {
        if (!*out)
            *out = json_object();
        (void)json_object_set_new(*out, "curves",
                                  hone__simulation_curves_json(s));
    }
    return HONE_OK;
}
