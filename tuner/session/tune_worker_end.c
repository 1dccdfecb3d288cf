/* SPDX-License-Identifier: Apache-2.0 */
/* When the device's worker dies, hangs or cannot start: whose fault that is,
 * and what becomes of its jobs. */
#include "tuner/compile/compile_log.h"
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_SETUP_FAILURES = 3,
    MAX_KILLED = 2 /* workers killed under one job before it is left alone */
};

hone_status hone__tune_blame_reference(const hone_tune_run *run,
                                       const hone_tune_worker *w,
                                       const char *what, hone_error *err)
{
    const hone_template *tmpl = run->request->tmpl;
    int line = 0;

    for (size_t i = 0; i < tmpl->n_checks; ++i)
        if (strcmp(tmpl->checks[i].reference, w->reference) == 0)
            line = tmpl->checks[i].line;
    return hone__fail(err, HONE_ERR_INPUT,
                      "%s:%d: the reference %s is broken: %s; nothing can be "
                      "compared with it",
                      HONE_PLACE(tmpl, line), w->reference, what);
}

/* What the worker never began, or began in vain, comes first again. */
void hone__tune_worker_put_back(hone_tune_run *run, hone_tune_worker *w)
{
    hone_tune_job *last = w->trying.tail;

    if (!last)
        return;
    last->next = run->queued.head;
    run->queued.head = w->trying.head;
    if (!run->queued.tail)
        run->queued.tail = last;
    run->queued.n += w->trying.n;
    w->trying = (hone_tune_queue){NULL, NULL, 0};
}

/* A worker that left by itself did so after its answer to the job before. */
static int is_killed_again(const hone_tune_worker *w, hone_worker_end end)
{
    return !w->gave_up && end == HONE_WORKER_KILLED &&
           w->trying.head->n_killed >= MAX_KILLED;
}

/* Two workers were killed over it: this run does not try it a third time. */
static hone_status give_up_on(hone_tune_run *run, hone_tune_worker *w,
                              const char *how, hone_error *err)
{
    char why[256];

    (void)snprintf(why, sizeof why,
                   "two processes that measured it were killed from outside "
                   "(%s); the system does that when memory runs out",
                   how);
    return hone__tune_record_interrupted(run, hone__tune_queue_take(&w->trying),
                                         why, err);
}

/* One that was killed by somebody else (or by the kernel, short of memory)
 * says nothing about the variant either: it is tried again, once. */
static int is_not_to_blame(hone_tune_run *run, hone_tune_worker *w,
                           hone_worker_end end, const char *how,
                           hone_error *err)
{
    hone_tune_job *job = w->trying.head;
    char text[512];

    /* That was about the one before, however long its end takes. */
    if (w->gave_up || w->leaves)
        return 1;
    if ((end != HONE_WORKER_LEFT && end != HONE_WORKER_KILLED) ||
        ++job->n_killed >= MAX_KILLED)
        return 0;
    if (end == HONE_WORKER_LEFT)
        return 1;
    ++run->result->n_retried;
    (void)snprintf(text, sizeof text,
                   "tried again: the process that measured %.300s was %s",
                   hone__text_str(&job->config), how);
    return hone__tune_record_decision(run, "retried", text, err) == HONE_OK;
}

static void explain_end(hone_tune_run *run, hone_outcome outcome,
                        const char *how, hone_trial_report *report)
{
    if (outcome == HONE_OUTCOME_TIMEOUT)
        (void)snprintf(report->message, sizeof report->message,
                       "did not finish within %g s (--trial-timeout)",
                       hone__tune_trial_timeout_s(run));
    else if (!run->worker_log ||
             !hone__sanitizer_summary(run->worker_log, run->request->tmpl->path,
                                      report->message, sizeof report->message))
        (void)snprintf(report->message, sizeof report->message,
                       "the worker process ended: %s", how);
}

/* It ended while a reference ran, and no variant had run in it before: what a
 * variant did to the process's memory may end it later. Then a new worker
 * runs the reference first. */
static int is_by_reference(const hone_tune_worker *w, hone_worker_end end)
{
    return w->reference[0] && !w->n_answered && !w->gave_up &&
           end != HONE_WORKER_KILLED && end != HONE_WORKER_LEFT;
}

static hone_status gone_for_good(const hone_tune_worker *w, const char *how,
                                 hone_error *err)
{
    return hone__fail(err, HONE_ERR_CUDA,
                      "the device does not come back: %s (%d workers in a row "
                      "ended in their set-up). Everything measured so far is "
                      "kept; look at the device with hone doctor, then run "
                      "the same command again",
                      how, w->setups_failed);
}

hone_status hone__tune_worker_replace(hone_tune_run *run, hone_tune_worker *w,
                                      hone_outcome outcome, hone_error *err)
{
    hone_trial_report report = {.outcome = outcome, .clocks.sm_clock_mhz = -1};
    const double began_s = w->deadline_s - hone__tune_trial_timeout_s(run);
    char how[128];
    /* One that closed its pipe is about to end: its own end is wanted. */
    const hone_worker_end end = hone__worker_stop(
        &w->process, outcome == HONE_OUTCOME_FAULT ? 2.0 : 0, how, sizeof how);

    if (is_by_reference(w, end)) {
        explain_end(run, outcome, how, &report);
        return hone__tune_blame_reference(run, w, report.message, err);
    }
    if (w->trying.n && w->is_ready && !w->reference[0]) {
        const int is_innocent = is_not_to_blame(run, w, end, how, err);

        if (!is_innocent && is_killed_again(w, end) &&
            !run->request->verify_only && !run->request->list_edges) {
            HONE_TRY(give_up_on(run, w, how, err));
        } else if (!is_innocent) {
            explain_end(run, outcome, how, &report);
            report.device_s = run->clock_s - began_s; /* it cost that, too */
            HONE_TRY(hone__tune_finish_job(run, w, &report, err));
        }
    } else if (!w->is_ready) {
        ++w->setups_failed;
    }
    hone__tune_worker_put_back(run, w);
    if (end == HONE_WORKER_STUCK || w->setups_failed >= MAX_SETUP_FAILURES)
        return gone_for_good(w, how, err);
    return hone__tune_worker_start(run, w, err);
}
