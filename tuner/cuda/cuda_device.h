/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA devices: their row, and what its parts share. */
#ifndef HONE_TUNER_CUDA_DEVICE_H
#define HONE_TUNER_CUDA_DEVICE_H

#include "tuner/device/device.h"

extern const hone_device_kind hone__cuda_device;

/* Keep the card busy until its clock has settled: at least 60 ms, at most a
 * second, half a second if nothing tells the clock. Then measure the floor:
 * device->event_floor_ns. */
hone_status hone__cuda_warm_up(hone_device *device, hone_warm_up *out,
                               hone_error *err);

/* Whether the last of `n` readings of a clock agree; pure. Readings of 0 are
 * unknown and agree with nothing. */
int hone__clock_settled(const double *mhz, int n);

/* Cycles over nanoseconds as MHz; 0 if that cannot be a GPU's clock. */
double hone__clock_mhz(uint64_t cycles, uint64_t ns);

#endif
