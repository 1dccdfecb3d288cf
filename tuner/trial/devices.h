/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of devices that there are. */
#ifndef HONE_TUNER_DEVICES_H
#define HONE_TUNER_DEVICES_H

#include "tuner/compile/farm.h"
#include "tuner/device/device.h"

const hone_device_kind *hone__device_kind(hone_backend backend);

/* That a driver may take to answer: it needs 20 s on a host with 8 cards that
 * nobody has used since it was started. */
enum { HONE_ANSWER_S = 60 };

/* Ask a device what it is, in a child process if that takes a driver.
 * HONE_ERR_INTERRUPTED when `*stop` becomes non-zero (NULL ok);
 * HONE_ERR_CUDA also if the driver does not answer within `at_most_s`. */
hone_status hone__device_describe(hone_backend backend, int ordinal,
                                  double at_most_s,
                                  const volatile sig_atomic_t *stop,
                                  hone_device_report *out, hone_error *err);

#endif
