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

/* A failure that concerns this problem only: the others go on. One that nobody
 * tunes was never set up before: what fails there was not asked for. */
static int is_of_the_problem(const hone_portfolio_list *list,
                             hone_status status)
{
    if (list->is_further)
        return status != HONE_OK && status != HONE_ERR_INTERRUPTED &&
               status != HONE_ERR_DATABASE && status != HONE_ERR_IO;
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
    if (out->list_edges && out->trial_timeout_s < EDGE_TIMEOUT_S)
        out->trial_timeout_s = EDGE_TIMEOUT_S; /* references come first */
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
    if (!is_of_the_problem(list, status))
        return status;
    ++run->result.n_skipped;
    note(run, list->label, err->text);
    hone__error_clear(err);
    return HONE_OK;
}

/* One problem with a list, on the one device. */
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
    if (n > 1 && run->n_devices > 1)
        return hone__portfolio_measure_together(run, lists, n, err);
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(measure_at(run, &lists[i], err));
    return HONE_OK;
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

/* In parts, one for each device that measures. */
static hone_status verify_list(hone_portfolio_run *run,
                               const hone_portfolio_list *list, int *out_done,
                               hone_error *err)
{
    hone_portfolio_list parts[HONE_DISPATCH_MOST_DEVICES];
    const size_t n_devices = run->n_devices > 1 ? run->n_devices : 1;
    const size_t each = (list->n + n_devices - 1) / n_devices;
    size_t n = 0;

    for (size_t at = 0; at < list->n; at += each) {
        parts[n] = *list;
        parts[n].entries = &list->entries[at];
        parts[n++].n = list->n - at < each ? list->n - at : each;
    }
    HONE_TRY(hone__portfolio_measure_lists(run, parts, n, err));
    *out_done = 1;
    for (size_t i = 0; i < n; ++i)
        *out_done &= parts[i].is_done;
    return HONE_OK;
}

/* Each at the first problem where it is right: mostly the same for all. */
static hone_status verify_edges(hone_portfolio_run *run, const size_t *set,
                                size_t n, hone_tune_entry *entries,
                                hone_error *err)
{
    for (size_t p = 0; p < run->matrix.n_problems; ++p) {
        const hone_portfolio_list list =
            list_at(run, p, entries, list_of(run, p, set, n, NULL, 1, entries),
                    HONE_LIST_EDGES);
        int is_done = 0;

        HONE_TRY(verify_list(run, &list, &is_done, err));
        if (is_done)
            mark_proved(run, p, set, n);
    }
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
