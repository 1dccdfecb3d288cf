/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: started, asked what their devices are, ended, lost. */
#include "tuner/dispatch/dispatch_state.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/trial_protocol.h"
#include "tuner/trial/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAREWELL_S = 5 };

/* ---- what fell off ------------------------------------------------------- */

static void note(hone_dispatch *d, const char *sentence)
{
    if (d->request->on_note)
        d->request->on_note(d->request->user, sentence);
}

/* What the device's other lane had goes to other devices, too. */
static void end_beside(hone_dispatch *d, size_t lane)
{
    const size_t other = hone__dispatch_beside(d, lane);

    if (other == lane || d->devices[other].state == HONE_DEAL_OUT)
        return;
    hone__dispatch_count_all(d, other);
    hone__deal_take_back(&d->deal, (int)other);
    hone__worker_kill(&d->lanes[other].worker);
    hone__farm_share_drop(&d->share, other);
}

void hone__dispatch_device_out(hone_dispatch *d, size_t lane, const char *why)
{
    hone_dispatch_device *device =
        &d->lanes[hone__dispatch_first(d, lane)].device;
    char text[500];

    if (device->is_out)
        return;
    device->is_out = 1;
    end_beside(d, lane);
    (void)snprintf(device->why, sizeof device->why, "%s", why);
    (void)snprintf(text, sizeof text,
                   "%s fell off: %s; the other devices take over what it had",
                   device->name, device->why);
    note(d, text);
}

static void give_up(hone_dispatch *d, int problem, size_t lane, const char *why)
{
    hone_error err = {0};
    hone_tune_result *const none = &d->heard.result;

    memset(none, 0, sizeof *none);
    (void)hone__fail(&err, HONE_ERR_CUDA,
                     "two devices came to no end with it; the last: %s", why);
    d->request->on_outcome(d->request->user,
                           &(hone_dispatch_outcome){
                               &d->jobs[problem], hone__dispatch_first(d, lane),
                               HONE_ERR_CUDA, &err, none});
}

void hone__dispatch_lose(hone_dispatch *d, size_t lane, int is_out,
                         const char *why)
{
    char text[500];
    int given_up;

    hone__dispatch_count_all(d, lane);
    given_up = hone__deal_lose(&d->deal, (int)lane, is_out);
    d->request->on_progress(d->request->user, hone__dispatch_first(d, lane),
                            NULL, NULL);
    if (is_out) {
        hone__dispatch_device_out(d, lane, why);
    } else {
        hone__dispatch_pass_turn(d, lane);
        (void)snprintf(text, sizeof text,
                       "%s came to no end with a problem, and answers again: "
                       "%.300s",
                       d->lanes[lane].device.name, why);
        note(d, text);
    }
    if (given_up >= 0)
        give_up(d, given_up, lane, why);
}

static void stop_alone(hone_dispatch *d, size_t lane, const char *why)
{
    hone_error err = {0};

    (void)hone__fail(&err, HONE_ERR_CUDA,
                     "%s: %s. Everything measured so far is kept; run the same "
                     "command again",
                     d->lanes[lane].device.name, why);
    hone__dispatch_stop(d, HONE_ERR_CUDA, &err);
}

/* The device is not its own, and it has another lane. */
static int is_spare(const hone_dispatch *d, size_t lane)
{
    const size_t other = hone__dispatch_beside(d, lane);

    return other != lane && d->devices[other].state != HONE_DEAL_OUT &&
           d->devices[lane].state != HONE_DEAL_LENT &&
           d->lanes[hone__dispatch_first(d, lane)].measures != (int)lane;
}

static void drop_spare(hone_dispatch *d, size_t lane, const char *how)
{
    char text[400];

    hone__dispatch_count_time(d, lane);
    hone__deal_take_back(&d->deal, (int)lane);
    (void)snprintf(text, sizeof text,
                   "%s prepares no problem any more while it has another: the "
                   "process that did ended: %s",
                   d->lanes[hone__dispatch_first(d, lane)].device.name, how);
    note(d, text);
}

void hone__dispatch_lane_over(hone_dispatch *d, size_t lane)
{
    hone_lane_state *l = &d->lanes[lane];
    char how[128], why[200];

    (void)hone__worker_stop(&l->worker, 2.0, how, sizeof how);
    hone__farm_share_drop(&d->share, lane);
    (void)snprintf(why, sizeof why, "the process that tuned on it ended: %s",
                   how);
    if (d->is_stopping)
        return;
    if (is_spare(d, lane)) {
        drop_spare(d, lane, how);
        return;
    }
    if (hone__dispatch_is_alone(d)) {
        stop_alone(d, lane, why);
        return;
    }
    if (d->devices[lane].state == HONE_DEAL_BUSY) {
        hone__dispatch_lose(d, lane, 1, why);
        return;
    }
    hone__dispatch_count_time(d, lane);
    hone__deal_return(&d->deal, (int)lane, 1);
    hone__dispatch_device_out(d, lane, why);
}

/* ---- what there is ------------------------------------------------------- */

hone_status hone__dispatch_count(hone_backend backend,
                                 const volatile sig_atomic_t *stop, size_t *out,
                                 hone_error *err)
{
    hone_device_report report;

    *out = 0;
    HONE_TRY(
        hone__device_describe(backend, 0, HONE_ANSWER_S, stop, &report, err));
    *out = report.n_devices < HONE_DISPATCH_MOST_DEVICES
               ? (size_t)report.n_devices
               : (size_t)HONE_DISPATCH_MOST_DEVICES;
    return HONE_OK;
}

int hone__dispatch_prepares(hone_backend backend)
{
    const char *ahead = getenv("HONE_AHEAD");

    return !hone__device_kind(backend)->is_shared &&
           !(ahead && strcmp(ahead, "off") == 0);
}

size_t hone__dispatch_n_models(const hone_dispatch *dispatch)
{
    return dispatch->n_models;
}

size_t hone__dispatch_n_devices(const hone_dispatch *dispatch)
{
    return dispatch->request->n_devices;
}

const hone_dispatch_device *hone__dispatch_device(const hone_dispatch *dispatch,
                                                  size_t i)
{
    return &dispatch->lanes[i].device;
}

void hone__dispatch_use_of(const hone_dispatch *dispatch, size_t device,
                           hone_dispatch_use *out)
{
    *out = dispatch->lanes[device].use;
}

const hone_farm_use *hone__dispatch_farm_use(const hone_dispatch *dispatch)
{
    return &dispatch->share.use;
}

int hone__dispatch_is_same_model(const hone_device_report *a,
                                 const hone_device_report *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->arch, b->arch) == 0 &&
           a->properties.value[HONE_PROPERTY_sm_count] ==
               b->properties.value[HONE_PROPERTY_sm_count];
}

static void group(hone_dispatch *d)
{
    for (size_t i = 0; i < d->request->n_devices; ++i) {
        size_t k = 0;

        while (k < i &&
               !hone__dispatch_is_same_model(&d->lanes[k].device.report,
                                             &d->lanes[i].device.report))
            ++k;
        d->lanes[i].device.model =
            k < i ? d->lanes[k].device.model : (int)d->n_models++;
    }
    for (size_t i = d->request->n_devices; i < d->n_lanes; ++i)
        d->lanes[i].device = d->lanes[hone__dispatch_first(d, i)].device;
}

size_t hone__dispatch_of_each_model(const hone_dispatch *dispatch, size_t *out)
{
    size_t n = 0;

    for (size_t model = 0; model < dispatch->n_models; ++model) {
        size_t i = 0;

        while (i < dispatch->request->n_devices &&
               (dispatch->lanes[i].device.model != (int)model ||
                dispatch->lanes[i].device.is_out))
            ++i;
        if (i < dispatch->request->n_devices)
            out[n++] = i;
    }
    return n;
}

/* ---- the beginning ------------------------------------------------------- */

static hone_status start(hone_dispatch *d, size_t i, hone_error *err)
{
    const hone_dispatch_request *request = d->request;
    hone_lane_state *l = &d->lanes[i];

    l->device.ordinal = request->ordinals[hone__dispatch_first(d, i)];
    (void)snprintf(l->device.name, sizeof l->device.name, "%s:%d",
                   hone__device_kind(request->backend)->name,
                   l->device.ordinal);
    l->setup = (hone_lane_setup){request, d->share.farm, l->device.ordinal};
    d->workers[i] = &l->worker;
    HONE_TRY(hone__worker_start(&l->worker, hone__lane, &l->setup, -1, err));
    hone__worker_widen(&l->worker);
    ++d->n_lanes;
    return HONE_OK;
}

/* The lane says what its device is. */
static hone_status hear_hello(hone_dispatch *d, hone_lane_state *l,
                              hone_error *err)
{
    hone_wait wait = {hone__now_s() + 2 * HONE_ANSWER_S,
                      d->request->farm->stop};
    uint32_t kind = 0;
    hone_unpack in;

    HONE_TRY(hone__worker_hear(&l->worker, &wait, &kind, &in, err));
    if (kind == HONE_LANE_REFUSED)
        return hone__unpack_error(&in, err);
    if (kind == HONE_LANE_HELLO)
        hone__struct_unpack(&in, &l->device.report, sizeof l->device.report);
    return kind == HONE_LANE_HELLO && !in.broken
               ? HONE_OK
               : hone__fail(err, HONE_ERR_CUDA,
                            "the process for %s ended before it said what the "
                            "device is",
                            l->device.name);
}

static void say_waiting(void *user, long holder)
{
    const hone_dispatch *d = user;
    char stage[192], who[128];
    const hone_tune_progress progress = {.best_config = "", .stage = stage};

    hone__device_lock_holder(holder, who, sizeof who);
    (void)snprintf(stage, sizeof stage,
                   "waiting for %s, which uses this device",
                   who[0] ? who : "another process");
    for (size_t i = 0; i < d->request->n_devices; ++i)
        d->request->on_progress(d->request->user, i, NULL, &progress);
}

/* Devices of their own have a lock each, which lanes take, as the lane of one
 * device does: others may come between its problems. */
static hone_status lock_shared(hone_dispatch *d, hone_error *err)
{
    const hone_device_kind *kind = hone__device_kind(d->request->backend);
    char name[64];

    if (!kind->is_shared || hone__dispatch_is_alone(d))
        return HONE_OK;
    hone__tune_lock_name(kind, &d->lanes[0].device.report, name, sizeof name);
    return hone__device_lock_take(name, d->request->farm->stop, say_waiting, d,
                                  &d->lock, err);
}

static hone_status open_all(hone_dispatch *d, hone_error *err)
{
    const size_t n = d->request->n_devices * (d->request->prepares ? 2 : 1);

    HONE_TRY(hone__farm_share_open(&d->share, d->request->farm, err));
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(start(d, i, err));
    d->share.clients = d->workers;
    d->share.n_clients = d->n_lanes;
    for (size_t i = 0; i < d->n_lanes; ++i)
        HONE_TRY(hear_hello(d, &d->lanes[i], err));
    group(d);
    return lock_shared(d, err);
}

hone_status hone__dispatch_open(const hone_dispatch_request *request,
                                hone_dispatch **out, hone_error *err)
{
    hone_dispatch *d = hone__alloc(sizeof *d);
    hone_status status;

    *out = NULL;
    if (!d)
        return hone__out_of_memory(err, " for several devices");
    memset(d, 0, sizeof *d);
    d->request = request;
    d->lock.fd = -1;
    status = open_all(d, err);
    if (status != HONE_OK) {
        hone__dispatch_close(d);
        return status;
    }
    *out = d;
    return HONE_OK;
}

/* Those that a person waits for no longer are not waited for: one may be asking
 * a driver that does not answer. What they had is stored by then. */
void hone__dispatch_close(hone_dispatch *d)
{
    const volatile sig_atomic_t *stop = d ? d->request->farm->stop : NULL;

    if (!d)
        return;
    for (size_t i = 0; i < d->n_lanes; ++i)
        hone__worker_dismiss(&d->lanes[i].worker);
    for (size_t i = 0; i < d->n_lanes; ++i) {
        if (stop && *stop)
            hone__worker_kill(&d->lanes[i].worker);
        else
            (void)hone__worker_stop(&d->lanes[i].worker, FAREWELL_S, NULL, 0);
    }
    hone__farm_share_close(&d->share);
    hone__device_lock_drop(&d->lock);
    hone__free(d);
}
