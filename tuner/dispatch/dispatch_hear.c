/* SPDX-License-Identifier: Apache-2.0 */
/* What lanes say: compiles they want, how far they are, what came of a
 * problem. */
#include "tuner/dispatch/dispatch_state.h"

#include "tuner/judge/trial_protocol.h"

#include <stdio.h>
#include <string.h>

/* A device that comes to no end with so many problems in a row is out, even
 * if it answers. */
enum { MOST_FAILED = 2 };

/* ---- how far it is ------------------------------------------------------- */

/* Seconds until the trials of the problem are over; 0: another device is no
 * help, before the first trial and in the final. */
static double left_s(const hone_tune_progress *p)
{
    const double n_new = (double)(p->n_done - p->n_resumed);
    double left = 0;

    if (strcmp(p->stage, "tuning") != 0 || n_new <= 0)
        return 0;
    if (p->n_planned > 0)
        left = (double)(p->n_planned - p->n_done) * p->elapsed_s / n_new;
    if (p->budget_s > 0 &&
        (p->n_planned <= 0 || p->budget_s - p->elapsed_s < left))
        left = p->budget_s - p->elapsed_s;
    return left > 0 ? left : 0;
}

/* The compile processes have little to do for it, or nothing: what is still to
 * be tried is with them or compiled. */
static int is_ending(const hone_dispatch *d, const hone_tune_progress *p)
{
    return strcmp(p->stage, "final") == 0 ||
           (strcmp(p->stage, "tuning") == 0 && p->n_planned > 0 &&
            p->n_planned - p->n_done <= d->share.use.n_workers);
}

static void take_progress(hone_dispatch *d, size_t lane, hone_unpack *in)
{
    const int problem = d->devices[lane].problem;
    hone_tune_progress progress = {0};
    size_t size = 0;
    const void *bytes = hone__unpack_bytes(in, &size);

    if (size != sizeof progress)
        return;
    memcpy(&progress, bytes, size);
    progress.best_config = hone__unpack_string(in);
    progress.stage = hone__unpack_string(in);
    if (in->broken || problem < 0)
        return;
    d->deal.problems[problem].left_s = left_s(&progress);
    d->deal.problems[problem].is_ending = is_ending(d, &progress);
    d->request->on_progress(d->request->user, hone__dispatch_first(d, lane),
                            &d->jobs[problem], &progress);
}

/* ---- what came of it ----------------------------------------------------- */

static void count(hone_dispatch *d, size_t lane)
{
    const hone_tune_result *r = &d->heard.result;
    hone_dispatch_use *use = &d->lanes[hone__dispatch_first(d, lane)].use;

    ++use->n_problems;
    use->n_trials += r->n_trials - r->n_resumed;
    use->busy_s += r->device_busy_s;
    use->setup_s += r->setup_s - r->locked_s;
    use->locked_s += r->locked_s;
    use->final_s += r->final_s;
    use->starved_s += r->starved_s;
    use->rest_s += d->heard.seconds - r->setup_s - r->final_s -
                   r->device_busy_s - r->starved_s;
}

static void finish(hone_dispatch *d, size_t lane)
{
    const hone_dispatch_job *job = &d->jobs[d->devices[lane].problem];

    d->lanes[hone__dispatch_first(d, lane)].n_failed = 0;
    hone__dispatch_count_all(d, lane);
    hone__deal_finish(&d->deal, (int)lane);
    hone__dispatch_pass_turn(d, lane);
    d->request->on_progress(d->request->user, hone__dispatch_first(d, lane),
                            NULL, NULL);
    d->request->on_outcome(
        d->request->user,
        &(hone_dispatch_outcome){job, hone__dispatch_first(d, lane),
                                 d->heard.status, &d->heard.error,
                                 &d->heard.result});
}

/* A device that is lost at a problem nobody named may be lost by it, if it
 * answers; several times in a row it is the device. */
static int may_be_the_problem(const hone_dispatch *d,
                              const hone_dispatch_job *job, hone_status status,
                              int n_failed)
{
    return job->is_optional && status == HONE_ERR_CUDA && d->heard.answers &&
           n_failed < MOST_FAILED;
}

static void take_result(hone_dispatch *d, size_t lane, hone_unpack *in)
{
    hone_lane_state *l = &d->lanes[hone__dispatch_first(d, lane)];
    const hone_dispatch_job *job;
    hone_status status;
    int is_of_the_problem;

    hone__struct_unpack(in, &d->heard, sizeof d->heard);
    if (in->broken || d->devices[lane].state != HONE_DEAL_BUSY)
        return;
    count(d, lane);
    status = d->heard.status;
    if (status == HONE_ERR_INTERRUPTED && !d->is_stopping &&
        l->measures != (int)lane)
        return; /* somebody ended a lane that prepares: it is over soon */
    job = &d->jobs[d->devices[lane].problem];
    is_of_the_problem = job->is_optional ? hone__tune_may_be_left_out(status)
                                         : hone__tune_is_of_the_problem(status);
    if (status == HONE_OK || is_of_the_problem ||
        (status == HONE_ERR_INTERRUPTED && d->is_stopping)) {
        finish(d, lane);
    } else if (hone__dispatch_is_alone(d)) {
        const hone_error why = d->heard.error;
        const int n_failed = l->n_failed + 1;

        finish(d, lane);
        l->n_failed = n_failed;
        if (!may_be_the_problem(d, job, status, n_failed))
            hone__dispatch_stop(d, status, &why);
    } else if (status == HONE_ERR_CUDA || status == HONE_ERR_NO_GPU ||
               status == HONE_ERR_INTERRUPTED) {
        const hone_error why = d->heard.error;

        hone__dispatch_lose(d, lane,
                            status == HONE_ERR_INTERRUPTED ||
                                !d->heard.answers ||
                                ++l->n_failed >= MOST_FAILED,
                            why.text);
    } else {
        const hone_error why = d->heard.error;

        hone__dispatch_count_time(d, lane);
        (void)hone__deal_lose(&d->deal, (int)lane, 0);
        hone__dispatch_stop(d, status, &why);
    }
}

/* A loan that ended with its problem may be another one's by now. */
static void take_returned(hone_dispatch *d, hone_unpack *in)
{
    const int64_t number = hone__unpack_i64(in);
    const int is_out = (int)hone__unpack_i64(in);
    const char *why = hone__unpack_string(in);

    for (size_t i = 0; i < d->n_lanes && !in->broken; ++i) {
        if (d->lanes[i].loan != number || d->devices[i].state != HONE_DEAL_LENT)
            continue;
        hone__dispatch_count_time(d, i);
        hone__deal_return(&d->deal, (int)i, is_out);
        d->request->on_progress(d->request->user, hone__dispatch_first(d, i),
                                NULL, NULL);
        if (is_out)
            hone__dispatch_device_out(d, i, why);
    }
}

static void take_message(hone_dispatch *d, size_t lane, uint32_t kind,
                         hone_unpack *in)
{
    if (hone__farm_share_take(&d->share, lane, kind, in))
        return;
    if (kind == HONE_LANE_PROGRESS)
        take_progress(d, lane, in);
    else if (kind == HONE_LANE_RETURNED)
        take_returned(d, in);
    else if (kind == HONE_LANE_RESULT)
        take_result(d, lane, in);
}

void hone__dispatch_hear(hone_dispatch *d)
{
    for (size_t i = 0; i < d->n_lanes; ++i) {
        hone_worker *worker = &d->lanes[i].worker;
        uint32_t kind = 0;
        hone_unpack in;

        while (hone__inbox_next(&worker->inbox, &kind, &in))
            take_message(d, i, kind, &in);
        if (worker->pid && worker->is_over)
            hone__dispatch_lane_over(d, i);
    }
}
