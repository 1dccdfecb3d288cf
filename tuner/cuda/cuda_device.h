/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA devices: their row, and what its parts share. */
#ifndef HONE_TUNER_CUDA_DEVICE_H
#define HONE_TUNER_CUDA_DEVICE_H

#include "tuner/device/device.h"

extern const hone_device_kind hone__cuda_device;

/* Whether the last of `n` readings of a clock agree; pure. Readings of 0 are
 * unknown and agree with nothing. */
int hone__clock_settled(const double *mhz, int n);

/* Cycles over nanoseconds as MHz; 0 if that cannot be a GPU's clock. */
double hone__clock_mhz(uint64_t cycles, uint64_t ns);

#endif
