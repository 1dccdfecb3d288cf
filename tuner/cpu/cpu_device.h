/* SPDX-License-Identifier: Apache-2.0 */
/* The cpu device: its row, and its helper kernels. */
#ifndef HONE_TUNER_CPU_DEVICE_H
#define HONE_TUNER_CPU_DEVICE_H

#include "tuner/device/device.h"

extern const hone_device_kind hone__cpu_device;

/* The helper kernels of cuda/device_code.cu as C functions. They take what
 * cuLaunchKernel() takes: an address for each parameter. */
enum { HONE_N_CPU_KERNELS = 9 }; /* the cpu needs no load, no hold */

typedef struct hone_cpu_kernel {
    const char *name;
    void (*run)(void **params);
} hone_cpu_kernel;

extern const hone_cpu_kernel hone__cpu_kernels[HONE_N_CPU_KERNELS];

#endif
