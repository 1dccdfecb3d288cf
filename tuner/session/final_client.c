/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's side of a final: see final_client.h. */
#include "tuner/session/final_client.h"

#include "tuner/device/machine_fault.h"

#include "tuner/judge/cover.h"
#include "tuner/trial/device_worker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds until a step is called a hang, at least. A step of one runner has its
 * edge problems to make; a race keeps to its own time limit after each round.
 */
enum { SETUP_S = 180, STEP_S = 30, RACE_S = 180, MOST_KILLED = 3 };

/* Executions in a step. A runner is verified on its own problem and on the edge
 * problems, twice, and twice more where it is wrong; more than it has samples
 * in a series. A race has two rounds at least, and is over after one more. */
enum {
    RUNS = 4 * (1 + HONE_N_EDGE_SHAPES),
    ROUNDS = 3,
    TIMES_OVER = 3 /* for what is done beside them */
};

/* How a worker's turn ended. */
typedef enum ending {
    ENDED_NOT,    /* it goes on */
    ENDED_RANKED, /* with a report */
    ENDED_FAILED, /* with an error that is nobody's */
    ENDED_BLAMED, /* `error` is the fault of who was at it */
    ENDED_DIED,
    ENDED_OVERDUE
} ending;

typedef struct client {
    const hone_final_host *host;
    hone_final_request *request;
    hone_final_report *report;
    hone_worker worker;
    hone_wait wait; /* for its next message */
    double limit_s; /* from the last one to it */
    int is_ready;
    int at_runner; /* -1: all of them */
    hone_final_stage at_stage;
    int n_killed; /* workers, from outside */
    int n_failed; /* workers that failed for reasons of their own */
    hone_error error;
} client;

/* Without a trial, as baselines are, as slow as the slowest that has one. */
static double execution_s(const hone_final_request *request, int runner)
{
    double slowest_ns = 0;

    if (runner >= 0 && runner < request->n_entries &&
        request->entries[runner].time_ns > 0)
        return 1e-9 * request->entries[runner].time_ns;
    for (int i = 0; i < request->n_entries; ++i)
        slowest_ns = fmax(slowest_ns, request->entries[i].time_ns);
    return 1e-9 * slowest_ns;
}

double hone__final_step_s(const hone_final_host *host,
                          const hone_final_request *request, int runner,
                          hone_final_stage stage)
{
    const int is_long = runner < 0 || stage == HONE_FINAL_SERIES;
    const int n = runner < 0
                      ? ROUNDS * (request->n_entries + 1 + HONE_MAX_BASELINES)
                      : RUNS;

    if (host->step_s > 0)
        return host->step_s;
    return fmax(fmax(is_long ? RACE_S : STEP_S, host->least_s),
                TIMES_OVER * n * execution_s(request, runner));
}

static void set_deadline(client *c)
{
    c->limit_s =
        c->is_ready || c->host->step_s > 0
            ? hone__final_step_s(c->host, c->request, c->at_runner, c->at_stage)
            : SETUP_S;
    c->wait.until_s = hone__now_s() + c->limit_s;
}

/* ---- what the worker says ----------------------------------------------- */

static ending take_failure(client *c, hone_unpack *in)
{
    const hone_status status = hone__unpack_error(in, &c->error);

    return c->is_ready && (status == HONE_ERR_KERNEL ||
                           (c->error.domain == HONE_DOMAIN_CUDA &&
                            hone__driver_is_fatal(c->error.native) &&
                            !hone__machine_fault(&c->error)))
               ? ENDED_BLAMED
               : ENDED_FAILED;
}

static ending take_report(client *c, hone_unpack *in)
{
    hone__struct_unpack(in, c->report, sizeof *c->report);
    if (in->broken) {
        (void)hone__fail(&c->error, HONE_ERR_INTERNAL,
                         "the report of a final has the wrong size");
        return ENDED_FAILED;
    }
    return ENDED_RANKED;
}

/* A worker that is gone is heard of soon. */
static int can_send(hone_status status)
{
    return status == HONE_OK || status == HONE_ERR_IO;
}

/* It fails for a reason that is not the worker's. */
static ending send_request(client *c)
{
    hone_text payload = {0};
    hone_status status;

    c->is_ready = 1;
    set_deadline(c);
    hone__final_request_pack(&payload, c->request);
    status =
        hone__worker_send(&c->worker, HONE_DEVICE_FINAL, &payload, &c->error);
    hone__text_free(&payload);
    return can_send(status) ? ENDED_NOT : ENDED_FAILED;
}

static ending take_message(client *c, uint32_t kind, hone_unpack *in)
{
    switch (kind) {
    case HONE_DEVICE_READY:
        return send_request(c);
    case HONE_FINAL_AT:
        c->at_runner = (int)hone__unpack_i64(in);
        c->at_stage = (hone_final_stage)hone__unpack_i64(in);
        set_deadline(c);
        return ENDED_NOT;
    case HONE_DEVICE_REFERENCE:
        return ENDED_NOT;
    case HONE_DEVICE_FAILED:
        return take_failure(c, in);
    case HONE_DEVICE_RANKED:
        return take_report(c, in);
    case HONE_HEARD_END:
        return ENDED_DIED;
    case HONE_HEARD_NOTHING:
        return ENDED_OVERDUE;
    default:
        (void)hone__fail(&c->error, HONE_ERR_INTERNAL,
                         "unknown answer %u of the worker of a final",
                         (unsigned)kind);
        return ENDED_FAILED;
    }
}

static ending follow(client *c)
{
    ending how = ENDED_NOT;
    hone_status status = HONE_OK;

    c->is_ready = 0;
    c->at_runner = -1;
    set_deadline(c);
    if (c->host->started)
        status = c->host->started(c->host->started_user, &c->worker, &c->error);
    while (how == ENDED_NOT && can_send(status)) {
        uint32_t kind = 0;
        hone_unpack in;

        status = hone__worker_hear(&c->worker, &c->wait, &kind, &in, &c->error);
        if (status == HONE_OK)
            how = take_message(c, kind, &in);
    }
    return how == ENDED_NOT ? ENDED_FAILED : how;
}

/* ---- what to make of it ------------------------------------------------- */

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
    disqualified->waited_s = outcome == HONE_OUTCOME_TIMEOUT ? c->limit_s : 0;
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
    if (end == HONE_WORKER_KILLED)
        return hone__fail(err, HONE_ERR_CUDA,
                          "%d processes of the final were killed from outside "
                          "(%s), which says nothing about the variants. "
                          "Everything measured so far is kept; run the same "
                          "command again",
                          c->n_killed, how);
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
    how = follow(c);
    if (how == ENDED_DIED)
        return take_death(c, err);
    if (how == ENDED_OVERDUE)
        return take_hang(c, err);
    if (how == ENDED_RANKED)
        hone__worker_release(&c->worker);
    else if (c->error.status == HONE_ERR_INTERRUPTED)
        hone__worker_kill(&c->worker);
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

hone_status hone__final_ask(const hone_final_host *host,
                            hone_final_request *request,
                            const volatile sig_atomic_t *stop,
                            hone_final_report *out, hone_error *err)
{
    client c = {.host = host,
                .request = request,
                .wait = {.stop = stop},
                .report = out};
    int done = 0;

    /* Each turn ends it, takes a runner out, is the careful one, is tried
     * again or was killed: there is an end. */
    while (!done)
        HONE_TRY(take_turn(&c, &done, err));
    return HONE_OK;
}
