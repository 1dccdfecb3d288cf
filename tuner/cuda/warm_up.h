/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing the card to its working clock before anything is timed, and what
 * an empty measurement costs on it. */
#ifndef HONE_TUNER_WARM_UP_H
#define HONE_TUNER_WARM_UP_H

#include "tuner/cuda/device.h"

typedef struct hone_warm_up {
    double seconds;   /* it took */
    double clock_mhz; /* of the multiprocessors, last seen; 0: unknown */
    int settled;      /* 0: the clock still moved when the time was over */
} hone_warm_up;

/* Keep the card busy until its clock has settled: at least 60 ms, at most a
 * second, half a second if nothing tells the clock. Then measure the floor:
 * device->event_floor_ns. */
hone_status hone__device_warm_up(hone_gpu *device, hone_warm_up *out,
                                 hone_error *err);

/* Whether the last of `n` readings of a clock agree; pure. Readings of 0 are
 * unknown and agree with nothing. */
int hone__clock_settled(const double *mhz, int n);

/* Cycles over nanoseconds as MHz; 0 if that cannot be a GPU's clock. */
double hone__clock_mhz(uint64_t cycles, uint64_t ns);

#endif
