/* SPDX-License-Identifier: Apache-2.0 */
/* Two events around a piece of a device's stream. */
#ifndef HONE_TUNER_STOPWATCH_H
#define HONE_TUNER_STOPWATCH_H

#include "tuner/device/device.h"

typedef struct hone_stopwatch {
    hone_device *device;
    hone_cu_event start;
    hone_cu_event stop;
} hone_stopwatch;

hone_status hone__stopwatch_open(hone_device *device, hone_stopwatch *out,
                                 hone_error *err);
void hone__stopwatch_close(hone_stopwatch *watch);
/* Hold the stream and start; then enqueue; then stop and wait. */
hone_status hone__stopwatch_start(hone_stopwatch *watch, hone_error *err);
hone_status hone__stopwatch_stop(hone_stopwatch *watch, double *out_ns,
                                 hone_error *err);

#endif
