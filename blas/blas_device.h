/* SPDX-License-Identifier: Apache-2.0 */
/* The device that the program works with. */
#ifndef HONE_BLAS_DEVICE_H
#define HONE_BLAS_DEVICE_H

#include "runtime/driver/driver.h"

/* The driver of the program's device; NULL: there is none, or it was started
 * before a fork(). */
const hone_driver *hone__blas_driver(void);
/* In a child of fork(). */
void hone__blas_device_forget(void);
/* The ordinal of the current device, -1 where there is none. */
int hone__blas_device(void);
/* May nothing be done on this stream but what was captured before? */
int hone__blas_is_captured(hone_stream stream);
/* Until the second call this thread's own business with the driver does not
 * disturb what another thread captures. */
void hone__blas_relax(int *saved);
void hone__blas_unrelax(int *saved);

/* As databases know it. */
typedef struct hone_about_device {
    char name[256];
    char arch[16]; /* "sm_90", "cpu" */
    int64_t sm_count;
} hone_about_device;
/* 0: it does not say. */
int hone__blas_about(int device, hone_about_device *out);

#endif
