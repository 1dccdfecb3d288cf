/* SPDX-License-Identifier: Apache-2.0 */
/* A portfolio's measurements: problem by problem, by runs that have a list. */
#include "tuner/portfolio/portfolio_parts.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { EDGE_TIMEOUT_S = 60 };

static void note(const hone_portfolio_run *run, const char *label,
                 const char *sentence)
{
    char text[700];

    (void)snprintf(text, sizeof text, "%s %.120s: %.500s",
                   run->request->tune->tmpl->op, label, sentence);
    if (run->request->on_note)
        run->request->on_note(run->request->user, text);
}

/* A failure that concerns this problem only: the others go on. */
static int is_of_the_problem(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NO_MEMORY ||
           status == HONE_ERR_OVERFLOW || status == HONE_ERR_DIMS;
}

static void say_new_winner(const hone_portfolio_run *run, const char *label,
                           const hone_tune_result *result)
{
    char text[500];

    (void)snprintf(text, sizeof text,
                   "a variant that is good elsewhere was faster than all that "
                   "was known here, so there was another final: %.64s %.240s, "
                   "%.4g us",
                   result->implementation, result->winner,
                   result->time_ns * 1e-3);
    note(run, label, text);
}

/* One problem with a list. */
static hone_status measure_at(hone_portfolio_run *run, size_t problem,
                              const hone_tune_entry *list, size_t n,
                              int is_edges, hone_error *err)
{
    const hone_matrix_problem *at = &run->matrix.problems[problem];
    const hone_portfolio_request *request = run->request;
    hone_tune_request tune = *request->tune;
    hone_tune_result *result = hone__alloc(sizeof *result);
    hone_status status;

    if (!result)
        return hone__out_of_memory(err, " for a portfolio");
    tune.dims = at->dims;
    tune.only = NULL;
    tune.strategy = "portfolio";
    tune.budget_trials = 0;
    tune.budget_s = tune.until_gain = 0;
    tune.without_seeds = 1;
    tune.objectives = NULL; /* a chooser is of times */
    tune.start = NULL;
    tune.learn = 0;
    tune.list = list;
    tune.n_list = n;
    tune.list_edges = is_edges;
    if (is_edges && tune.trial_timeout_s < EDGE_TIMEOUT_S)
        tune.trial_timeout_s = EDGE_TIMEOUT_S; /* references come first */
    if (request->on_work)
        request->on_work(request->user, is_edges ? "edge shapes" : at->label);
    status = hone__tune(&tune, result, err);
    if (request->on_work)
        request->on_work(request->user, NULL);
    run->result.n_measured += result->n_trials - result->n_resumed;
    run->result.n_compiles += result->n_compiles;
    if (result->notes[0])
        note(run, at->label, result->notes);
    if (status == HONE_OK && result->has_winner) {
        ++run->result.n_better;
        say_new_winner(run, at->label, result);
    }
    hone__free(result);
    if (!is_of_the_problem(status))
        return status;
    ++run->result.n_skipped;
    note(run, at->label, err->text);
    hone__error_clear(err);
    return HONE_OK;
}

/* Of the set, what is missing at this problem, as a list. */
static size_t list_of(const hone_portfolio_run *run, size_t problem,
                      const size_t *set, size_t n, const unsigned char *wanted,
                      int is_edges, hone_tune_entry *out)
{
    const hone_matrix *m = &run->matrix;
    size_t n_out = 0;

    for (size_t i = 0; i < n; ++i) {
        const hone_matrix_candidate *c = &m->candidates[set[i]];
        const double cell = m->time_ns[problem * m->n_candidates + set[i]];

        if (wanted && !wanted[problem * m->n_candidates + set[i]])
            continue;
        if (is_edges ? cell <= 0 || c->is_proved || c->is_vendor
                     : cell != HONE_CELL_UNKNOWN)
            continue;
        out[n_out++] = (hone_tune_entry){m->impls[c->impl], c->config};
    }
    return n_out;
}

/* Those that were asked about at this problem are proved, or wrong, when it is
 * read again. */
static void mark_proved(hone_portfolio_run *run, size_t problem,
                        const size_t *set, size_t n)
{
    hone_matrix *m = &run->matrix;

    for (size_t i = 0; i < n; ++i)
        if (m->time_ns[problem * m->n_candidates + set[i]] > 0)
            m->candidates[set[i]].is_proved = 1;
}

hone_status hone__portfolio_measure(hone_portfolio_run *run, const size_t *set,
                                    size_t n, const unsigned char *wanted,
                                    int is_edges, hone_error *err)
{
    hone_tune_entry *list = hone__alloc((n + 1) * sizeof *list);
    hone_status status = HONE_OK;

    if (!list)
        return hone__out_of_memory(err, " for a portfolio");
    for (size_t p = 0; p < run->matrix.n_problems && status == HONE_OK; ++p) {
        const size_t n_list = list_of(run, p, set, n, wanted, is_edges, list);
        const size_t n_skipped = run->result.n_skipped;

        if (n_list)
            status = measure_at(run, p, list, n_list, is_edges, err);
        if (n_list && is_edges && run->result.n_skipped == n_skipped)
            mark_proved(run, p, set, n);
    }
    hone__free(list);
    return status == HONE_OK ? hone__matrix_read(&run->matrix, err) : status;
}
