/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a lane: one problem after the other, as `hone tune` on one device
 * does it. */
#include "tuner/dispatch/lane.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/trial_protocol.h"
#include "tuner/trial/devices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Set by SIGTERM, with which the parent ends a run. */
static volatile sig_atomic_t lane_stop;

#define SAY_EVERY_S 0.1

typedef struct lane {
    const hone_lane_setup *setup;
    hone_farm_link link;
    hone_device_report report;
    hone_db *db; /* NULL: not opened yet */
    hone_dispatch_job job;
    int has_job;
    hone_tune_loans loans;
    hone_tune_turn turn;
    double said_s; /* when progress was last said */
    char stage[64];
    hone_lane_result result;
} lane;

static void on_stop(int number)
{
    (void)number;
    lane_stop = 1;
}

/* ---- to the parent ------------------------------------------------------- */

/* Until it is sent, but for what can wait. */
static hone_status say(lane *l, uint32_t kind, hone_text *payload, int can_wait)
{
    hone_worker *const parent = &l->link.parent;
    hone_error err = {0};
    hone_status status = hone__worker_send(parent, kind, payload, &err);

    while (status == HONE_OK && !can_wait && !parent->is_over &&
           !hone__outbox_is_empty(&parent->outbox)) {
        const hone_wait wait = {hone__now_s() + 0.05, NULL};

        status = hone__workers_wait(&parent, 1, &wait, &err);
    }
    hone__text_free(payload);
    return status;
}

static void on_progress(void *user, const hone_tune_progress *progress)
{
    lane *l = user;
    const double now_s = hone__now_s();
    hone_text payload = {0};

    if (!l->turn.is_mine || (now_s - l->said_s < SAY_EVERY_S &&
                             strcmp(l->stage, progress->stage) == 0))
        return;
    l->said_s = now_s;
    (void)snprintf(l->stage, sizeof l->stage, "%s", progress->stage);
    hone__pack_bytes(&payload, progress, sizeof *progress);
    hone__pack_string(&payload,
                      progress->best_config ? progress->best_config : "");
    hone__pack_string(&payload, progress->stage);
    (void)say(l, HONE_LANE_PROGRESS, &payload, 1);
}

/* ---- from it ------------------------------------------------------------- */

/* Of a loan: it is over, or came too late for this problem. */
static void give_back(void *user, int64_t number, const char *why)
{
    lane *l = user;
    hone_text payload = {0};

    hone__pack_i64(&payload, number);
    hone__pack_i64(&payload, why != NULL);
    hone__pack_string(&payload, why ? why : "");
    (void)say(l, HONE_LANE_RETURNED, &payload, 1);
}

static void take_loan(lane *l, hone_unpack *in)
{
    hone_tune_loan loan;

    hone__struct_unpack(in, &loan, sizeof loan);
    if (in->broken)
        return;
    if (l->loans.is_over || l->loans.n == HONE_TUNE_MOST_LOANS)
        give_back(l, loan.number, NULL);
    else
        l->loans.offered[l->loans.n++] = loan;
}

static hone_status on_message(void *user, uint32_t kind, hone_unpack *in,
                              hone_error *err)
{
    lane *l = user;

    if (kind == HONE_LANE_LEND) {
        take_loan(l, in);
        return HONE_OK;
    }
    if (kind == HONE_LANE_TURN) {
        l->turn = (hone_tune_turn){1, hone__now_s()};
        return HONE_OK;
    }
    if (kind != HONE_LANE_DEAL)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "unknown message %u to a lane", (unsigned)kind);
    hone__struct_unpack(in, &l->job, sizeof l->job);
    l->has_job = !in->broken;
    l->turn = (hone_tune_turn){!l->job.is_ahead, hone__now_s()};
    return HONE_OK;
}

static hone_status wait_for_job(lane *l, hone_error *err)
{
    hone_worker *const parent = &l->link.parent;

    l->has_job = 0;
    for (;;) {
        const hone_wait wait = {hone__now_s() + 1, &lane_stop};

        HONE_TRY(hone__farm_link_read(&l->link, err));
        if (l->has_job)
            return HONE_OK;
        HONE_TRY(hone__workers_wait(&parent, 1, &wait, err));
    }
}

/* ---- one problem --------------------------------------------------------- */

static hone_status tune(lane *l, hone_error *err)
{
    const hone_dispatch_request *request = l->setup->request;
    const hone_device_kind *kind = hone__device_kind(request->backend);
    hone_tune_request tune = {0};

    if (!l->db)
        HONE_TRY(hone__db_open(request->db_path, 0, &l->db, err));
    request->fill(request->user, &l->job, &tune);
    tune.farm = *request->farm;
    tune.farm.link = &l->link;
    tune.farm.stop = &lane_stop;
    tune.db = l->db;
    tune.device = l->setup->ordinal;
    tune.described = &l->report;
    /* By the parent, for all. */
    tune.is_locked = kind->is_shared && request->n_devices > 1;
    l->loans = (hone_tune_loans){.give_back = give_back, .user = l};
    tune.loans = &l->loans;
    tune.turn = &l->turn;
    tune.on_trial = NULL;
    tune.on_progress = on_progress;
    tune.user = l;
    return hone__tune(&tune, &l->result.result, err);
}

/* A problem may be to blame as well: then the device answers. */
static int device_answers(const lane *l)
{
    hone_device_report report;

    return hone__device_describe(l->setup->request->backend, l->setup->ordinal,
                                 HONE_ANSWER_S, &lane_stop, &report,
                                 NULL) == HONE_OK;
}

/* What fails before the turn comes fails again then, or not: problems are told
 * of in their order, and there is more memory without another one. */
static hone_status wait_for_turn(lane *l, hone_error *err)
{
    hone_worker *const parent = &l->link.parent;

    while (!l->turn.is_mine) {
        const hone_wait wait = {hone__now_s() + 1, &lane_stop};

        HONE_TRY(hone__farm_link_read(&l->link, err));
        if (!l->turn.is_mine)
            HONE_TRY(hone__workers_wait(&parent, 1, &wait, err));
    }
    return HONE_OK;
}

static hone_status tune_in_turn(lane *l, hone_error *err)
{
    const hone_status status = tune(l, err);

    if (status == HONE_OK || status == HONE_ERR_INTERRUPTED || l->turn.is_mine)
        return status;
    hone__error_clear(err);
    memset(&l->result.result, 0, sizeof l->result.result);
    HONE_TRY(wait_for_turn(l, err));
    return tune(l, err);
}

static hone_status serve(lane *l, hone_error *err)
{
    hone_text payload = {0};
    double start_s;

    HONE_TRY(wait_for_job(l, err));
    start_s = hone__now_s();
    memset(&l->result, 0, sizeof l->result);
    l->stage[0] = '\0';
    l->result.status = tune_in_turn(l, &l->result.error);
    l->loans.is_over = 1;
    l->result.answers = (l->result.status != HONE_ERR_CUDA &&
                         l->result.status != HONE_ERR_NO_GPU) ||
                        device_answers(l);
    l->result.seconds = hone__now_s() - fmax(start_s, l->turn.since_s);
    hone__pack_bytes(&payload, &l->result, sizeof l->result);
    return say(l, HONE_LANE_RESULT, &payload, 0);
}

/* ---- its life ------------------------------------------------------------ */

static hone_status introduce(lane *l)
{
    hone_error err = {0};
    hone_text payload = {0};
    const hone_status status =
        hone__device_describe(l->setup->request->backend, l->setup->ordinal,
                              HONE_ANSWER_S, &lane_stop, &l->report, &err);

    if (status == HONE_OK)
        hone__pack_bytes(&payload, &l->report, sizeof l->report);
    else
        hone__pack_error(&payload, &err);
    (void)say(l, status == HONE_OK ? HONE_LANE_HELLO : HONE_LANE_REFUSED,
              &payload, 0);
    return status;
}

int hone__lane(void *user, int from_parent, int to_parent)
{
    struct sigaction action = {0};
    lane *l = hone__alloc(sizeof *l);
    hone_error err = {0};
    hone_status status = HONE_OK;

    if (!l)
        return 1;
    memset(l, 0, sizeof *l);
    action.sa_handler = on_stop;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    hone__worker_name("hone-lane");
    l->setup = user;
    l->loans.is_over = 1;
    hone__farm_link_open(&l->link, l->setup->farm, from_parent, to_parent,
                         on_message, l);
    status = introduce(l);
    while (status == HONE_OK && !lane_stop)
        status = serve(l, &err);
    hone__db_close(l->db);
    hone__farm_link_close(&l->link);
    hone__free(l);
    return 0;
}
