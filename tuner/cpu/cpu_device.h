/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu device's row. */
#ifndef HONE_TUNER_CPU_DEVICE_H
#define HONE_TUNER_CPU_DEVICE_H

#include "tuner/device/device.h"

extern const hone_device_kind hone__cpu_device;

#endif
