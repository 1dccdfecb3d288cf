/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of hone__dispatch_run(), shared by the files that make it up. */
#ifndef HONE_TUNER_DISPATCH_STATE_H
#define HONE_TUNER_DISPATCH_STATE_H

#include "tuner/dispatch/deal.h"
#include "tuner/dispatch/lane.h"
#include "tuner/process/device_lock.h"

/* Of a device that prepares. */
enum { HONE_DISPATCH_MOST_LANES = 2 * HONE_DISPATCH_MOST_DEVICES };
_Static_assert((int)HONE_DISPATCH_MOST_LANES < (int)HONE_FARM_MOST_ALSO,
               "lanes beside a farm");

/* A lane, from the parent's side. */
typedef struct hone_lane_state {
    hone_worker worker;
    hone_lane_setup setup;
    hone_dispatch_device device; /* of a second lane as of the first */
    int64_t loan;                /* the number of its last */
    /* Of first lanes, for both. */
    int n_failed; /* problems in a row that the device came to no end with */
    int measures; /* the lane whose turn it is; -1: neither's */
    hone_dispatch_use use;
    double since_s; /* when the device's present state began */
} hone_lane_state;

struct hone_dispatch {
    const hone_dispatch_request *request;
    hone_farm_share share;
    hone_device_lock lock; /* of devices that are shared */
    /* The first lane of each device, then second ones in the same order. */
    hone_lane_state lanes[HONE_DISPATCH_MOST_LANES];
    hone_worker *workers[HONE_DISPATCH_MOST_LANES];
    size_t n_lanes;
    size_t n_models;
    /* Of the run. */
    const hone_dispatch_job *jobs;
    hone_deal deal;
    hone_deal_device devices[HONE_DISPATCH_MOST_LANES]; /* one for a lane */
    int64_t n_loans;                                    /* so far */
    int is_stopping;
    hone_status status; /* what ended it */
    hone_error error;
    hone_lane_result heard; /* the last; too large for a stack */
};

/* dispatch.c */
/* There is one device: no other takes over what it fails with. */
int hone__dispatch_is_alone(const hone_dispatch *d);
/* The run comes to an end: no more is dealt, lanes store what they have. */
void hone__dispatch_stop(hone_dispatch *d, hone_status status,
                         const hone_error *error);
/* The first lane of a lane's device: the number of that device. */
size_t hone__dispatch_first(const hone_dispatch *d, size_t lane);
/* The other lane of its device; itself: there is none. */
size_t hone__dispatch_beside(const hone_dispatch *d, size_t lane);
/* The lane has ended what it measured: who prepared meanwhile has the device.
 */
void hone__dispatch_pass_turn(hone_dispatch *d, size_t lane);
/* The state of a lane's device ends and another begins: where its time went. */
void hone__dispatch_count_time(hone_dispatch *d, size_t lane);
/* The same of those that help it, and of itself. */
void hone__dispatch_count_all(hone_dispatch *d, size_t lane);

/* dispatch_lanes.c */
/* The device gets no more work: `why` ends a sentence. */
void hone__dispatch_device_out(hone_dispatch *d, size_t lane, const char *why);
/* A device came to no end with its problem. */
void hone__dispatch_lose(hone_dispatch *d, size_t lane, int is_out,
                         const char *why);
/* The lane's process is over. */
void hone__dispatch_lane_over(hone_dispatch *d, size_t lane);

/* dispatch_hear.c */
/* What lanes have said. */
void hone__dispatch_hear(hone_dispatch *d);

#endif
