/* SPDX-License-Identifier: Apache-2.0 */
/* A portfolio's measurements: problem by problem, by runs that have a list. */
#include "tuner/portfolio/portfolio_parts.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Of edge shapes, whose references come first, and where nobody was before;
 * where no other timeout is asked for. */
enum { LONG_TIMEOUT_S = 60 };

static void note(const hone_portfolio_run *run, const char *label,
                 const char *sentence)
{
    char text[700];

    (void)snprintf(text, sizeof text, "%s %.120s: %.500s",
                   run->request->tune->tmpl->op, label, sentence);
    if (run->request->on_note)
        run->request->on_note(run->request->user, text);
}

/* A failure that concerns this problem only: the others go on. A device that is
 * lost at a further problem may be lost by it; twice in a row it is the device.
 */
static int is_of_the_problem(hone_portfolio_run *run,
                             const hone_portfolio_list *list,
                             hone_status status)
{
    run->n_lost = status == HONE_ERR_CUDA ? run->n_lost + 1 : 0;
    if (!list->is_further)
        return hone__tune_is_of_the_problem(status);
    return hone__tune_may_be_left_out(status) || run->n_lost == 1;
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

void hone__portfolio_list_request(const hone_portfolio_run *run,
                                  const hone_portfolio_list *list,
                                  hone_tune_request *out)
{
    *out = *run->request->tune;
    out->dims = list->dims;
    out->only = NULL;
    out->strategy = "portfolio";
    out->budget_trials = 0;
    out->budget_s = out->until_gain = 0;
    out->without_seeds = 1;
    out->objectives = NULL; /* a chooser is of times */
    out->start = NULL;
    out->learn = 0;
    out->list = list->entries;
    out->n_list = list->n;
    out->list_edges = list->kind == HONE_LIST_EDGES;
    out->list_unranked = list->kind == HONE_LIST_FURTHER;
    if (list->kind != HONE_LIST_TIMES && out->trial_timeout_s <= 0)
        out->trial_timeout_s = LONG_TIMEOUT_S;
}

hone_status hone__portfolio_list_done(hone_portfolio_run *run,
                                      hone_portfolio_list *list,
                                      const hone_tune_result *result,
                                      hone_status status, hone_error *err)
{
    run->result.n_measured += result->n_trials - result->n_resumed;
    run->result.n_compiles += result->n_compiles;
    run->result.n_further += list->is_further &&
                             list->kind == HONE_LIST_FURTHER &&
                             result->n_trials > result->n_resumed;
    list->is_done = status == HONE_OK;
    if (result->notes[0])
        note(run, list->label, result->notes);
    if (status == HONE_OK && result->has_winner) {
        ++run->result.n_better;
        say_new_winner(run, list->label, result);
    }
    if (!is_of_the_problem(run, list, status))
        return status;
    ++run->result.n_skipped;
    note(run, list->label, err->text);
    hone__error_clear(err);
    return HONE_OK;
}

/* One problem with a list, in this process. */
static hone_status measure_at(hone_portfolio_run *run,
                              hone_portfolio_list *list, hone_error *err)
{
    const hone_portfolio_request *request = run->request;
    hone_tune_result *result = hone__alloc(sizeof *result);
    hone_tune_request tune;
    hone_status status;

    if (!result)
        return hone__out_of_memory(err, " for a portfolio");
    hone__portfolio_list_request(run, list, &tune);
    if (request->on_work)
        request->on_work(request->user, list->kind == HONE_LIST_EDGES
                                            ? "edge shapes"
                                            : list->label);
    status = hone__tune(&tune, result, err);
    if (request->on_work)
        request->on_work(request->user, NULL);
    status = hone__portfolio_list_done(run, list, result, status, err);
    hone__free(result);
    return status;
}

/* Is a candidate to be timed at a problem, or verified on edge shapes there? */
static int is_missing(const hone_portfolio_run *run, size_t problem,
                      size_t candidate, const unsigned char *wanted,
                      int is_edges)
{
    const hone_matrix *m = &run->matrix;
    const hone_matrix_candidate *c = &m->candidates[candidate];
    const size_t at = problem * m->n_candidates + candidate;

    if (c->is_wrong || (wanted && !wanted[at]))
        return 0;
    return is_edges ? m->time_ns[at] > 0 && !c->is_proved && !c->is_asked &&
                          !c->is_vendor
                    : m->time_ns[at] == HONE_CELL_UNKNOWN;
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

        if (is_missing(run, problem, set[i], wanted, is_edges))
            out[n_out++] = (hone_tune_entry){m->impls[c->impl], c->config};
    }
    return n_out;
}

static hone_portfolio_list list_at(const hone_portfolio_run *run,
                                   size_t problem,
                                   const hone_tune_entry *entries, size_t n,
                                   hone_portfolio_list_kind kind)
{
    const hone_matrix_problem *at = &run->matrix.problems[problem];

    return (hone_portfolio_list){at->dims, at->label, entries, n, kind, 0, 0};
}

hone_status hone__portfolio_measure_lists(hone_portfolio_run *run,
                                          hone_portfolio_list *lists, size_t n,
                                          hone_error *err)
{
    if (n > 1)
        return hone__portfolio_measure_together(run, lists, n, err);
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(measure_at(run, &lists[i], err));
    return HONE_OK;
}

/* Of each problem that lacks something a list; `entries` has room for all. */
static size_t list_all(const hone_portfolio_run *run, const size_t *set,
                       size_t n, const unsigned char *wanted,
                       hone_tune_entry *entries, hone_portfolio_list *out)
{
    size_t n_out = 0;

    for (size_t p = 0; p < run->matrix.n_problems; ++p) {
        const size_t n_list = list_of(run, p, set, n, wanted, 0, entries);

        if (n_list)
            out[n_out++] = list_at(run, p, entries, n_list, HONE_LIST_TIMES);
        entries += n_list;
    }
    return n_out;
}

static hone_status time_all(hone_portfolio_run *run, const size_t *set,
                            size_t n, const unsigned char *wanted,
                            hone_tune_entry *entries, hone_error *err)
{
    hone_portfolio_list *lists =
        hone__alloc((run->matrix.n_problems + 1) * sizeof *lists);
    hone_status status;
    size_t n_lists;

    if (!lists)
        return hone__out_of_memory(err, " for a portfolio");
    n_lists = list_all(run, set, n, wanted, entries, lists);
    status = hone__portfolio_measure_lists(run, lists, n_lists, err);
    hone__free(lists);
    return status;
}

/* Those of a list whose parts are done are proved, or wrong, when the database
 * is read again. */
static void mark_asked(hone_portfolio_run *run, size_t problem,
                       const size_t *set, size_t n,
                       const hone_portfolio_list *parts, size_t each)
{
    size_t place = 0;

    for (size_t i = 0; i < n; ++i)
        if (is_missing(run, problem, set[i], NULL, 1) &&
            parts[place++ / each].is_done)
            run->matrix.candidates[set[i]].is_asked = 1;
}

/* In parts, one for each device that measures. */
static hone_status verify_at(hone_portfolio_run *run, size_t problem,
                             const size_t *set, size_t n,
                             hone_tune_entry *entries, hone_error *err)
{
    hone_portfolio_list parts[HONE_DISPATCH_MOST_DEVICES];
    const size_t n_entries = list_of(run, problem, set, n, NULL, 1, entries);
    const size_t n_devices = run->n_devices > 1 ? run->n_devices : 1;
    const size_t each = (n_entries + n_devices - 1) / n_devices;
    size_t n_parts = 0;

    for (size_t at = 0; at < n_entries; at += each)
        parts[n_parts++] = list_at(
            run, problem, &entries[at],
            n_entries - at < each ? n_entries - at : each, HONE_LIST_EDGES);
    HONE_TRY(hone__portfolio_measure_lists(run, parts, n_parts, err));
    if (n_parts)
        mark_asked(run, problem, set, n, parts, each);
    return HONE_OK;
}

/* Each at the first problem where it is right: mostly the same for all. */
static hone_status verify_edges(hone_portfolio_run *run, const size_t *set,
                                size_t n, hone_tune_entry *entries,
                                hone_error *err)
{
    for (size_t p = 0; p < run->matrix.n_problems; ++p)
        HONE_TRY(verify_at(run, p, set, n, entries, err));
    return HONE_OK;
}

hone_status hone__portfolio_measure(hone_portfolio_run *run, const size_t *set,
                                    size_t n, const unsigned char *wanted,
                                    int is_edges, hone_error *err)
{
    hone_tune_entry *entries = hone__alloc(
        ((is_edges ? 1 : run->matrix.n_problems) * n + 1) * sizeof *entries);
    hone_status status;

    if (!entries)
        return hone__out_of_memory(err, " for a portfolio");
    status = is_edges ? verify_edges(run, set, n, entries, err)
                      : time_all(run, set, n, wanted, entries, err);
    hone__free(entries);
    return status == HONE_OK ? hone__matrix_read(&run->matrix, err) : status;
}
