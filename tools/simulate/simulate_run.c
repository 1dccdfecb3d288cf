/* SPDX-License-Identifier: Apache-2.0 */
/* One strategy on one recording, many times. */
#include "tools/simulate/simulate.h"

#include "runtime/base/alloc.h"
#include "tuner/trial/timer.h"
#include "tuner/judge/statistics.h"

#include <string.h>

hone_simulated *hone__simulation_cell(const hone_simulation *s, size_t space,
                                      size_t strategy)
{
    return &s->cells[space * s->strategies.n + strategy];
}

/* Without --budget and --until: that of the score. Without two different
 * times there is nothing to aim at: the whole space. */
static hone_replay_budget choose_budget(const hone_simulation *s, size_t space)
{
    hone_replay_budget budget = s->budget;

    if (budget.evaluations > 0 || budget.seconds > 0 || s->until_gain > 0)
        return budget;
    budget = s->budgets[space];
    if (budget.seconds > 0)
        budget.evaluations = 0;
    return budget;
}

static int64_t last_mark(const hone_simulation *s)
{
    return s->n_marks ? s->marks[s->n_marks - 1] : 0;
}

/* Runs that know nothing of a limit: as long as the score and the curves
 * need, and as `base` says, if it is not NULL. */
static hone_replay_request open_ended(const hone_simulation *s, size_t space,
                                      const hone_replay_budget *base)
{
    const double score_s =
        s->options->text[HONE_OPT_SCORE] ? s->budgets[space].seconds : 0;
    double seconds = base ? base->seconds : 0;
    hone_replay_request request = {.is_secret = 1};

    seconds = score_s > seconds ? score_s : seconds;
    request.at_least.evaluations = last_mark(s);
    if (seconds > 0)
        request.budget.seconds = seconds;
    else if (base)
        request.budget = *base;
    else
        request.budget.evaluations = last_mark(s);
    return request;
}

static void summarise(const hone_recording *recording,
                      const hone_replay_traces *traces, double *best,
                      hone_simulated *out)
{
    const double n_runs = (double)traces->n;
    size_t n_best = 0;

    for (size_t i = 0; i < traces->n; ++i) {
        const hone_replay_trace *trace = &traces->runs[i];
        const size_t n = hone__replay_trace_within(trace, &out->budget);
        const hone_replay_point *last = n ? &trace->points[n - 1] : NULL;

        out->evaluations += (double)n;
        out->simulated_s += last ? last->simulated_s : 0;
        if (!last || last->best_ns <= 0)
            continue;
        out->fraction += recording->best_ns / last->best_ns;
        best[n_best++] = last->best_ns;
    }
    out->evaluations /= n_runs;
    out->simulated_s /= n_runs;
    out->fraction /= n_runs;
    if (n_best)
        out->best_ns = hone__median(best, n_best);
}

static void copy_message(hone_simulated *out, const char *text)
{
    (void)snprintf(out->message, sizeof out->message, "%s", text);
}

static hone_status score_runs(const hone_recording *recording,
                              const hone_replay_traces *traces,
                              hone_simulated *out, hone_error *err)
{
    hone_error why = {0};
    const hone_status status =
        hone__replay_score(recording, traces, &out->score, &why);

    out->has_score = status == HONE_OK;
    if (status != HONE_OK && status != HONE_ERR_INPUT) {
        *err = why;
        return status;
    }
    if (!out->has_score && !out->message[0])
        copy_message(out, why.text);
    return HONE_OK;
}

static hone_status trace(const hone_simulation *s, size_t space,
                         size_t strategy, const hone_replay_request *limits,
                         hone_replay_traces *out, hone_error *err)
{
    hone_replay_request request = *limits;

    hone__replay_traces_free(out);
    request.recording = s->spaces[space];
    request.strategy = s->strategies.names[strategy];
    request.first = -1;
    if (s->starts) {
        request.start = s->starts[space];
        request.n_start = s->start.n;
    }
    request.seed = s->seed;
    request.answer_s = (double)s->options->number[HONE_OPT_ANSWER_TIMEOUT];
    request.batch = s->batch;
    return hone__replay_traces(&request, s->repeats, s->n_threads, out, err);
}

static hone_status measure_curve(const hone_simulation *s,
                                 const hone_recording *recording,
                                 const hone_replay_traces *traces,
                                 hone_simulated *out, hone_error *err)
{
    for (size_t i = 0; recording->n_valid && i < s->n_marks; ++i)
        HONE_TRY(hone__replay_fraction_at(recording, traces, s->marks[i],
                                          &out->curve[i], err));
    return HONE_OK;
}

/* Runs without a limit that they know of serve everything, unless --budget is
 * a number of trials, which is told to the strategy, or --until ends them. */
static hone_status fill_cell(const hone_simulation *s, size_t space,
                             size_t strategy, double *best,
                             hone_replay_traces *traces, hone_error *err)
{
    const hone_recording *recording = s->spaces[space];
    const int is_told = s->budget.evaluations > 0;
    const int is_apart = is_told || s->until_gain > 0;
    hone_simulated *out = hone__simulation_cell(s, space, strategy);
    hone_replay_request limits;

    *out = (hone_simulated){.budget = choose_budget(s, space)};
    limits = is_apart ? (hone_replay_request){.budget = out->budget,
                                              .until_gain = s->until_gain,
                                              .is_secret = !is_told}
                      : open_ended(s, space, &out->budget);
    HONE_TRY(trace(s, space, strategy, &limits, traces, err));
    summarise(recording, traces, best, out);
    if (out->best_ns <= 0)
        copy_message(out, recording->n_valid
                              ? "no run found a valid configuration"
                              : "every recorded configuration failed");
    if (is_apart) {
        limits = open_ended(s, space, NULL);
        if (limits.budget.seconds > 0 || limits.budget.evaluations > 0)
            HONE_TRY(trace(s, space, strategy, &limits, traces, err));
    }
    HONE_TRY(measure_curve(s, recording, traces, out, err));
    return s->options->text[HONE_OPT_SCORE]
               ? score_runs(recording, traces, out, err)
               : HONE_OK;
}

hone_status hone__simulation_run(const hone_simulation *s, size_t space,
                                 size_t strategy, hone_error *err)
{
    double *best = hone__alloc((size_t)s->repeats * sizeof *best);
    hone_replay_traces traces = {NULL, 0};
    const hone_status status =
        best ? fill_cell(s, space, strategy, best, &traces, err)
             : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");

    hone__replay_traces_free(&traces);
    hone__free(best);
    return status;
}

static hone_status summarise_scores(const hone_simulation *s, size_t strategy,
                                    int64_t above, hone_score_summary *out,
                                    hone_error *err)
{
    double *scores = hone__alloc((s->n_spaces + 1) * sizeof *scores);
    double sum = 0;

    *out = (hone_score_summary){0};
    if (!scores)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < s->n_spaces; ++i) {
        const hone_simulated *cell = hone__simulation_cell(s, i, strategy);

        if (!cell->has_score || s->budgets[i].evaluations <= above)
            continue;
        scores[out->n++] = cell->score;
        sum += cell->score;
        if (out->n == 1 || cell->score < out->worst)
            out->worst = cell->score;
    }
    if (out->n) {
        out->mean = sum / (double)out->n;
        out->median = hone__median(scores, out->n);
    }
    hone__free(scores);
    return HONE_OK;
}

hone_status hone__simulation_summary(const hone_simulation *s, size_t strategy,
                                     hone_score_summary out[2], hone_error *err)
{
    HONE_TRY(summarise_scores(s, strategy, 0, &out[0], err));
    return summarise_scores(s, strategy, HONE_LONG_BUDGET, &out[1], err);
}
