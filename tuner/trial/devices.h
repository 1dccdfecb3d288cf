/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of devices that there are. */
#ifndef HONE_TUNER_DEVICES_H
#define HONE_TUNER_DEVICES_H

#include "tuner/compile/farm.h"
#include "tuner/device/device.h"

const hone_device_kind *hone__device_kind(hone_backend backend);

/* Ask a device what it is, in a child process if that takes a driver.
 * HONE_ERR_INTERRUPTED when `*stop` becomes non-zero (NULL ok);
 * HONE_ERR_CUDA also if the driver does not answer within a minute. */
hone_status hone__device_describe(hone_backend backend, int ordinal,
                                  const volatile sig_atomic_t *stop,
                                  hone_device_report *out, hone_error *err);

#endif
