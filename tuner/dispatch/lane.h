/* SPDX-License-Identifier: Apache-2.0 */
/* A lane: the process that tunes on one device, and what it and the parent say
 * to each other beside what farm_link.h has. */
#ifndef HONE_TUNER_LANE_H
#define HONE_TUNER_LANE_H

#include "tuner/dispatch/dispatch.h"

enum {
    /* To a lane. */
    HONE_LANE_DEAL = 1, /* hone_dispatch_job: tune it */
    HONE_LANE_LEND,     /* hone_tune_loan */
    HONE_LANE_TURN,     /* the device is its own from now on */
    /* From it. */
    HONE_LANE_HELLO,    /* hone_device_report */
    HONE_LANE_REFUSED,  /* an error: the device cannot be described */
    HONE_LANE_PROGRESS, /* hone_tune_progress, best configuration, stage */
    HONE_LANE_RESULT,   /* hone_lane_result */
    HONE_LANE_RETURNED  /* number of the loan, is_out, why */
};

typedef struct hone_lane_result {
    hone_status status;
    hone_error error;
    int answers; /* the device does, after a failure that may be its own */
    double seconds;
    hone_tune_result result;
} hone_lane_result;

/* What it inherits. */
typedef struct hone_lane_setup {
    const hone_dispatch_request *request;
    const hone_farm *farm; /* of the parent */
    int ordinal;
} hone_lane_setup;

/* A hone_worker_main; `user` is a hone_lane_setup. */
int hone__lane(void *user, int from_parent, int to_parent);

#endif
