/* SPDX-License-Identifier: Apache-2.0 */
/* The run: problems to lanes, until none is left that a device could tune. */
#include "tuner/dispatch/dispatch_state.h"

#include "runtime/base/alloc.h"

#include <signal.h>
#include <stdio.h>

enum { LAST_WORDS_S = 20 /* to store what was interrupted */ };

int hone__dispatch_is_alone(const hone_dispatch *d)
{
    return d->request->n_devices == 1;
}

size_t hone__dispatch_first(const hone_dispatch *d, size_t lane)
{
    return lane % d->request->n_devices;
}

size_t hone__dispatch_beside(const hone_dispatch *d, size_t lane)
{
    const size_t n = d->request->n_devices;

    return d->n_lanes == n ? lane : (lane + n) % d->n_lanes;
}

/* ---- dealing ------------------------------------------------------------- */

void hone__dispatch_count_time(hone_dispatch *d, size_t lane)
{
    const hone_deal_device_state one = d->devices[lane].state;
    const hone_deal_device_state other =
        d->devices[hone__dispatch_beside(d, lane)].state;
    hone_lane_state *l = &d->lanes[hone__dispatch_first(d, lane)];
    const double now_s = hone__now_s();

    if (one == HONE_DEAL_LENT || other == HONE_DEAL_LENT)
        l->use.lent_s += now_s - l->since_s;
    else if (one == HONE_DEAL_FREE && other == HONE_DEAL_FREE)
        l->use.idle_s += now_s - l->since_s;
    l->since_s = now_s;
}

void hone__dispatch_count_all(hone_dispatch *d, size_t lane)
{
    for (size_t i = 0; i < d->n_lanes; ++i)
        if (d->devices[i].state == HONE_DEAL_LENT &&
            d->devices[i].problem == d->devices[lane].problem)
            hone__dispatch_count_time(d, i);
    hone__dispatch_count_time(d, lane);
}

static void send(hone_dispatch *d, size_t lane, uint32_t kind,
                 hone_text *payload)
{
    hone_error err = {0};
    const hone_status status =
        hone__worker_send(&d->lanes[lane].worker, kind, payload, &err);

    hone__text_free(payload);
    if (status == HONE_ERR_NO_MEMORY) /* one that is gone is heard of soon */
        hone__dispatch_stop(d, status, &err);
}

void hone__dispatch_pass_turn(hone_dispatch *d, size_t lane)
{
    const size_t other = hone__dispatch_beside(d, lane);
    int *measures = &d->lanes[hone__dispatch_first(d, lane)].measures;
    hone_text payload = {0};

    if (*measures != (int)lane)
        return;
    *measures = -1;
    if (other == lane || d->devices[other].state != HONE_DEAL_BUSY)
        return;
    *measures = (int)other;
    send(d, other, HONE_LANE_TURN, &payload);
}

static int is_last(const hone_dispatch *d, const hone_dispatch_job *job)
{
    for (size_t i = 0; i < d->deal.n_problems; ++i)
        if (d->deal.problems[i].state == HONE_DEAL_LEFT &&
            d->jobs[i].group == job->group && d->jobs[i].model == job->model)
            return 0;
    return 1;
}

static void tell(hone_dispatch *d, size_t lane, hone_deal_move move)
{
    hone_lane_state *l = &d->lanes[lane];
    hone_text payload = {0};

    if (move.is_loan) {
        hone_tune_loan loan = {.number = ++d->n_loans,
                               .ordinal = l->device.ordinal,
                               .report = l->device.report};

        l->loan = loan.number;
        (void)snprintf(loan.name, sizeof loan.name, "%s", l->device.name);
        hone__pack_bytes(&payload, &loan, sizeof loan);
        send(d, (size_t)d->deal.problems[move.problem].device, HONE_LANE_LEND,
             &payload);
        d->request->on_progress(d->request->user, hone__dispatch_first(d, lane),
                                &d->jobs[move.problem], NULL);
    } else {
        hone_dispatch_job job = d->jobs[move.problem];
        int *measures = &d->lanes[hone__dispatch_first(d, lane)].measures;

        job.is_last = is_last(d, &job);
        job.is_ahead = *measures >= 0;
        if (!job.is_ahead)
            *measures = (int)lane;
        hone__pack_bytes(&payload, &job, sizeof job);
        send(d, lane, HONE_LANE_DEAL, &payload);
    }
}

static void estimate(hone_dispatch *d)
{
    for (size_t i = 0; i < d->deal.n_problems; ++i)
        if (d->deal.problems[i].state == HONE_DEAL_LEFT)
            d->deal.problems[i].cost_s =
                d->request->cost(d->request->user, &d->jobs[i]);
}

static void deal_all(hone_dispatch *d)
{
    int is_estimated = 0;

    for (size_t i = 0; i < d->n_lanes && !d->is_stopping; ++i) {
        hone_deal_move move;

        if (d->devices[i].state != HONE_DEAL_FREE)
            continue;
        if (!is_estimated)
            estimate(d);
        is_estimated = 1;
        move = hone__deal_next(&d->deal, (int)i);
        if (move.problem < 0)
            continue;
        hone__dispatch_count_time(d, i);
        hone__deal_make(&d->deal, (int)i, move);
        tell(d, i, move);
    }
}

/* ---- the end ------------------------------------------------------------- */

void hone__dispatch_stop(hone_dispatch *d, hone_status status,
                         const hone_error *error)
{
    if (d->is_stopping)
        return;
    d->is_stopping = 1;
    d->status = status;
    d->error = *error;
    for (size_t i = 0; i < d->n_lanes; ++i)
        if (d->lanes[i].worker.pid)
            (void)kill(d->lanes[i].worker.pid, SIGTERM);
}

static int is_busy(const hone_dispatch *d)
{
    for (size_t i = 0; i < d->n_lanes; ++i)
        if (d->devices[i].state == HONE_DEAL_BUSY && d->lanes[i].worker.pid)
            return 1;
    return 0;
}

/* What was under way is stored, and said. */
static void hear_last_words(hone_dispatch *d)
{
    const double until_s = hone__now_s() + LAST_WORDS_S;

    while (is_busy(d) && hone__now_s() < until_s) {
        const hone_wait wait = {hone__now_s() + 0.05, NULL};
        hone_error err = {0};

        if (hone__workers_wait(d->workers, d->n_lanes, &wait, &err) != HONE_OK)
            return;
        hone__dispatch_hear(d);
    }
}

static hone_status conclude(hone_dispatch *d, hone_error *err)
{
    size_t n_left = 0;

    if (d->is_stopping) {
        *err = d->error;
        return d->status;
    }
    for (size_t i = 0; i < d->deal.n_problems; ++i)
        n_left += d->deal.problems[i].state == HONE_DEAL_LEFT;
    if (!n_left)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CUDA,
                      "no device is left for %zu of %zu problems. Everything "
                      "measured so far is kept; look at the devices with hone "
                      "doctor, then run the same command again",
                      n_left, d->deal.n_problems);
}

static void begin(hone_dispatch *d, const hone_dispatch_job *jobs, size_t n)
{
    d->jobs = jobs;
    d->deal.n_problems = n;
    d->deal.devices = d->devices;
    d->deal.n_devices = d->n_lanes;
    for (size_t i = 0; i < n; ++i)
        d->deal.problems[i] =
            (hone_deal_problem){.model = jobs[i].model, .device = -1};
    for (size_t i = 0; i < d->n_lanes; ++i) {
        const size_t other = hone__dispatch_beside(d, i);

        d->devices[i] = (hone_deal_device){
            d->lanes[i].device.model,
            d->lanes[hone__dispatch_first(d, i)].device.is_out ||
                    !d->lanes[i].worker.pid
                ? HONE_DEAL_OUT
                : HONE_DEAL_FREE,
            -1, other == i ? 0 : (int)other + 1};
        d->lanes[i].since_s = hone__now_s();
        d->lanes[i].measures = -1;
    }
}

hone_status hone__dispatch_run(hone_dispatch *dispatch,
                               const hone_dispatch_job *jobs, size_t n,
                               hone_error *err)
{
    hone_dispatch *d = dispatch;
    hone_status status;

    d->deal.problems = hone__alloc((n + 1) * sizeof *d->deal.problems);
    if (!d->deal.problems)
        return hone__out_of_memory(err, " for the problems");
    begin(d, jobs, n);
    while (!d->is_stopping) {
        hone_error why = {0};

        deal_all(d);
        if (hone__deal_is_over(&d->deal))
            break;
        status = hone__farm_share_turn(&d->share, &why);
        if (status != HONE_OK)
            hone__dispatch_stop(d, status, &why);
        else
            hone__dispatch_hear(d);
    }
    hear_last_words(d);
    for (size_t i = 0; i < d->n_lanes; ++i)
        hone__dispatch_count_time(d, i);
    status = conclude(d, err);
    hone__free(d->deal.problems);
    d->deal.problems = NULL;
    return status;
}
