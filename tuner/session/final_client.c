/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of a final: see final_client.h. */
#include "tuner/session/final_client.h"

#include "tuner/trial/device_worker.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/* Seconds until a step is called a hang. A step of one runner has its four
 * edge problems to make; a race keeps to its own time limit after each
 * round. */
enum { SETUP_S = 180, STEP_S = 30, RACE_S = 180, MOST_KILLED = 3 };

/* How a worker's turn ended. */
typedef enum ending {
    ENDED_RANKED, /* with a report */
    ENDED_FAILED, /* with an error that is nobody's */
    ENDED_BLAMED, /* `error` is the fault of who was at it */
    ENDED_DIED,
    ENDED_OVERDUE
} ending;

typedef struct client {
    const hone_final_host *host;
    hone_final_request *request;
    const volatile sig_atomic_t *stop;
    hone_final_report *report;
    hone_worker worker;
    int is_ready;
    int at_runner; /* -1: all of them */
    hone_final_stage at_stage;
    double deadline_s;
    int n_killed; /* workers, from outside */
    int n_failed; /* workers that failed for reasons of their own */
    hone_error error;
} client;

static void set_deadline(client *c)
{
    const double limit_s = c->host->step_s > 0                ? c->host->step_s
                           : !c->is_ready                     ? SETUP_S
                           : c->at_runner < 0                 ? RACE_S
                           : c->at_stage == HONE_FINAL_SERIES ? RACE_S
                                                              : STEP_S;

    c->deadline_s = hone__now_s() + limit_s;
}

/* ---- what the worker says ---------------------------------------------- */

static ending take_failure(client *c, hone_unpack *in)
{
    const hone_status status = (hone_status)hone__unpack_i64(in);
    const hone_domain domain = (hone_domain)hone__unpack_i64(in);
    const int native = (int)hone__unpack_i64(in);

    (void)hone__fail_native(&c->error, status, domain, native, "%s",
                            hone__unpack_string(in));
    return c->is_ready && (status == HONE_ERR_KERNEL ||
                           (domain == HONE_DOMAIN_CUDA &&
                            hone__driver_is_fatal(native)))
               ? ENDED_BLAMED
               : ENDED_FAILED;
}

static ending take_report(client *c, hone_unpack *in)
{
    size_t size_bytes = 0;
    const void *bytes = hone__unpack_bytes(in, &size_bytes);

    if (in->broken || size_bytes != sizeof *c->report) {
        (void)hone__fail(&c->error, HONE_ERR_INTERNAL,
                         "the report of a final has the wrong size");
        return ENDED_FAILED;
    }
    memcpy(c->report, bytes, sizeof *c->report);
    return ENDED_RANKED;
}

static hone_status send_request(client *c)
{
    hone_text payload = {0};
    hone_status status;

    hone__final_request_pack(&payload, c->request);
    status =
        hone__message_send(c->worker.to, HONE_DEVICE_FINAL, &payload, NULL);
    hone__text_free(&payload);
    return status;
}

/* 1: the worker has ended its turn, and `out` says how. */
static int take_message(client *c, uint32_t kind, hone_unpack *in, ending *out)
{
    switch (kind) {
    case HONE_DEVICE_READY:
        c->is_ready = 1;
        set_deadline(c);
        (void)send_request(c); /* a worker that is gone is found by poll() */
        return 0;
    case HONE_FINAL_AT:
        c->at_runner = (int)hone__unpack_i64(in);
        c->at_stage = (hone_final_stage)hone__unpack_i64(in);
        set_deadline(c);
        return 0;
    case HONE_DEVICE_FAILED:
        *out = take_failure(c, in);
        return 1;
    case HONE_DEVICE_RANKED:
        *out = take_report(c, in);
        return 1;
    default:
        (void)hone__fail(&c->error, HONE_ERR_INTERNAL,
                         "unknown answer %u of the worker of a final",
                         (unsigned)kind);
        *out = ENDED_FAILED;
        return 1;
    }
}

static ending follow(client *c)
{
    c->is_ready = 0;
    c->at_runner = -1;
    set_deadline(c);
    for (;;) {
        struct pollfd ready = {c->worker.from, POLLIN, 0};
        uint32_t kind = 0;
        hone_unpack in;
        ending how;
        int open;

        if (c->stop && *c->stop) {
            (void)hone__fail(&c->error, HONE_ERR_INTERRUPTED, "interrupted");
            return ENDED_FAILED;
        }
        if (hone__now_s() > c->deadline_s)
            return ENDED_OVERDUE;
        if (poll(&ready, 1, 50) <= 0)
            continue;
        open = hone__inbox_fill(&c->worker.inbox, c->worker.from);
        while (hone__inbox_next(&c->worker.inbox, &kind, &in)) {
            if (take_message(c, kind, &in, &how))
                return how;
        }
        if (!open)
            return ENDED_DIED;
    }
}

/* ---- what to make of it ------------------------------------------------ */

/* The device may have had a bad moment: once more, but not twice. */
static hone_status try_again(client *c, hone_status status, hone_error *err,
                             const char *why)
{
    if (status == HONE_ERR_CUDA && c->n_failed++ == 0)
        return HONE_OK;
    return hone__fail_native(err, status, c->error.domain, c->error.native,
                             "%s", why);
}

/* Who was at it stays outside from now on. Nobody: the next worker says
 * before every sample whose it is; if it does so already, all is lost. */
static hone_status blame(client *c, hone_outcome outcome, const char *why,
                         hone_error *err)
{
    hone_final_disqualified *disqualified;

    if (c->at_runner < 0 || c->at_runner >= HONE_MAX_RUNNERS) {
        if (c->request->careful || !c->is_ready)
            return try_again(c, HONE_ERR_CUDA, err, why);
        c->request->careful = 1;
        return HONE_OK;
    }
    disqualified = &c->request->disqualified[c->at_runner];
    if (disqualified->outcome != HONE_OUTCOME_OK) /* it was kept outside */
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "the final tries a runner that has disqualified: %s",
                          why);
    disqualified->outcome = outcome;
    (void)snprintf(disqualified->message, sizeof disqualified->message,
                   "%.300s", why);
    return HONE_OK;
}

static hone_status take_death(client *c, hone_error *err)
{
    char how[128], why[200];
    const hone_worker_end end =
        hone__worker_stop(&c->worker, 1.0, how, sizeof how);

    if (end == HONE_WORKER_KILLED && ++c->n_killed <= MOST_KILLED)
        return HONE_OK; /* by somebody else: once more */
    (void)snprintf(why, sizeof why, "the process of the final ended: %s", how);
    return blame(c, HONE_OUTCOME_FAULT, why, err);
}

static hone_status take_hang(client *c, hone_error *err)
{
    char how[128];
    const hone_worker_end end =
        hone__worker_stop(&c->worker, 0, how, sizeof how);

    if (end == HONE_WORKER_STUCK)
        return hone__fail(err, HONE_ERR_CUDA,
                          "the device does not answer any more, and %s. "
                          "Everything measured so far is kept",
                          how);
    return blame(c, HONE_OUTCOME_TIMEOUT,
                 c->is_ready ? "a step of the final did not end in time"
                             : "the final's set-up did not end in time",
                 err);
}

/* One worker's turn. `*out_done`: there is a report. */
static hone_status take_turn(client *c, int *out_done, hone_error *err)
{
    ending how;

    hone__error_clear(&c->error);
    HONE_TRY(
        hone__worker_start(&c->worker, c->host->run, c->host->user, -1, err));
    if (c->host->started)
        c->host->started(c->host->started_user, &c->worker);
    how = follow(c);
    if (how == ENDED_DIED)
        return take_death(c, err);
    if (how == ENDED_OVERDUE)
        return take_hang(c, err);
    if (how == ENDED_RANKED)
        hone__worker_release(&c->worker);
    else
        (void)hone__worker_stop(&c->worker, 0, NULL, 0);
    if (how == ENDED_BLAMED)
        return blame(c,
                     c->error.status == HONE_ERR_KERNEL ? HONE_OUTCOME_WRONG
                                                        : HONE_OUTCOME_FAULT,
                     c->error.text, err);
    *out_done = how == ENDED_RANKED;
    return how == ENDED_FAILED
               ? try_again(c, c->error.status, err, c->error.text)
               : HONE_OK;
}

hone_status hone__final_ask_host(const hone_final_host *host,
                                 hone_final_request *request,
                                 const volatile sig_atomic_t *stop,
                                 hone_final_report *out, hone_error *err)
{
    client c = {.host = host, .request = request, .stop = stop, .report = out};
    int done = 0;

    /* Each turn ends it, takes a runner out, is the careful one, is tried
     * again or was killed: there is an end. */
    while (!done)
        HONE_TRY(take_turn(&c, &done, err));
    return HONE_OK;
}

hone_status hone__final_ask(hone_worker_setup *setup,
                            hone_final_request *request,
                            const volatile sig_atomic_t *stop,
                            hone_final_report *out, hone_error *err)
{
    const hone_final_host host = {hone__device_worker, setup, 0, NULL, NULL};

    return hone__final_ask_host(&host, request, stop, out, err);
}
