/* SPDX-License-Identifier: Apache-2.0 */
/* A portfolio's measurements at several problems, on one device or several:
 * lists are dealt as problems are when they are tuned (dispatch/), by processes
 * that are started for it and know the lists from their parent. */
#include "tuner/dispatch/dispatch.h"
#include "tuner/portfolio/portfolio_parts.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* What its callbacks share. */
typedef struct together {
    hone_portfolio_run *run;
    hone_portfolio_list *lists;
    int64_t shown;      /* of one device: the list that is at work; -1: none */
    hone_status status; /* what a callback could not return */
    hone_error error;
} together;

static void fill(void *user, const hone_dispatch_job *job,
                 hone_tune_request *out)
{
    const together *t = user;

    hone__portfolio_list_request(t->run, &t->lists[job->place], out);
}

static double cost(void *user, const hone_dispatch_job *job)
{
    const together *t = user;

    return (double)t->lists[job->place].n;
}

/* One device has one problem at a time, which is named. */
static void show_list(together *t, int64_t place)
{
    const hone_portfolio_request *request = t->run->request;

    if (t->run->n_devices > 1 || place == t->shown || !request->on_work)
        return;
    if (t->shown >= 0)
        request->on_work(request->user, NULL);
    if (place >= 0)
        request->on_work(request->user, t->lists[place].kind == HONE_LIST_EDGES
                                            ? "edge shapes"
                                            : t->lists[place].label);
    t->shown = place;
}

static void on_progress(void *user, size_t device, const hone_dispatch_job *job,
                        const hone_tune_progress *progress)
{
    together *t = user;
    const hone_tune_request *tune = t->run->request->tune;

    (void)device;
    show_list(t, job ? job->place : -1);
    if (progress && tune->on_progress)
        tune->on_progress(tune->user, progress);
}

/* A problem that several devices were lost with is left out; the others go
 * on. */
static void on_outcome(void *user, const hone_dispatch_outcome *outcome)
{
    together *t = user;
    hone_error error = *outcome->error;
    const hone_status status = hone__portfolio_list_done(
        t->run, &t->lists[outcome->job->place], outcome->result,
        outcome->status == HONE_ERR_CUDA && t->run->n_devices > 1
            ? HONE_ERR_NO_MEMORY
            : outcome->status,
        &error);

    if (t->status != HONE_OK || status == HONE_ERR_INTERRUPTED)
        return; /* the run says so itself */
    t->status = status;
    t->error = error;
}

static void on_note(void *user, const char *sentence)
{
    const hone_portfolio_request *request = ((together *)user)->run->request;

    if (request->on_note)
        request->on_note(request->user, sentence);
}

/* Those that are left go on in the next step. */
static void keep_devices(hone_portfolio_run *run, const hone_dispatch *dispatch)
{
    run->n_devices = 0;
    for (size_t i = 0; i < hone__dispatch_n_devices(dispatch); ++i)
        if (!hone__dispatch_device(dispatch, i)->is_out)
            run->ordinals[run->n_devices++] =
                hone__dispatch_device(dispatch, i)->ordinal;
    if (run->n_devices)
        run->request->tune->device = run->ordinals[0];
}

static hone_status deal(hone_portfolio_run *run,
                        const hone_dispatch_request *request,
                        const hone_portfolio_list *lists, size_t n,
                        hone_error *err)
{
    hone_dispatch_job *jobs = hone__alloc((n + 1) * sizeof *jobs);
    hone_dispatch *dispatch = NULL;
    hone_status status;

    if (!jobs)
        return hone__out_of_memory(err, " for a portfolio");
    for (size_t i = 0; i < n; ++i)
        jobs[i] = (hone_dispatch_job){.place = (int64_t)i,
                                      .is_optional = lists[i].is_further};
    status = hone__dispatch_open(request, &dispatch, err);
    if (status == HONE_OK) {
        status = hone__dispatch_run(dispatch, jobs, n, err);
        keep_devices(run, dispatch);
    }
    hone__dispatch_close(dispatch);
    hone__free(jobs);
    return status;
}

hone_status hone__portfolio_measure_together(hone_portfolio_run *run,
                                             hone_portfolio_list *lists,
                                             size_t n, hone_error *err)
{
    const hone_portfolio_request *const of = run->request;
    const size_t n_devices = run->n_devices ? run->n_devices : 1;
    together t = {.run = run, .lists = lists, .shown = -1};
    hone_dispatch_request request = {
        .backend = of->tune->farm.backend,
        .ordinals = {of->tune->device},
        .n_devices = n_devices,
        .prepares = n > n_devices && lists->kind != HONE_LIST_EDGES &&
                    hone__dispatch_prepares(of->tune->farm.backend),
        .farm = &of->tune->farm,
        .db_path = of->db_path,
        .fill = fill,
        .cost = cost,
        .on_progress = on_progress,
        .on_outcome = on_outcome,
        .on_note = on_note,
        .user = &t};
    char label[64];
    hone_status status;

    if (run->n_devices)
        memcpy(request.ordinals, run->ordinals,
               n_devices * sizeof *run->ordinals);
    if (lists->kind == HONE_LIST_EDGES)
        (void)snprintf(label, sizeof label, "edge shapes on %zu devices",
                       n_devices);
    else
        (void)snprintf(label, sizeof label, "%zu problems on %zu devices", n,
                       n_devices);
    if (of->on_work && n_devices > 1)
        of->on_work(of->user, label);
    hone__db_close(of->tune->db);
    of->tune->db = NULL;
    status = deal(run, &request, lists, n, err);
    if (of->on_work && n_devices > 1)
        of->on_work(of->user, NULL);
    show_list(&t, -1);
    if (status == HONE_OK && t.status != HONE_OK) {
        status = t.status;
        *err = t.error;
    }
    return status == HONE_OK ? hone__db_open(of->db_path, 0, &of->tune->db, err)
                             : status;
}
