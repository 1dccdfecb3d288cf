/* SPDX-License-Identifier: Apache-2.0 */
/* The helper kernels of cuda/device_code.cu as C functions. They take what
 * cuLaunchKernel() takes: an address for each parameter. */
#ifndef HONE_TUNER_CPU_KERNELS_H
#define HONE_TUNER_CPU_KERNELS_H

enum {
    HONE_N_CPU_KERNELS = 9
}; /* a stream of the cpu needs no load, no hold */

typedef struct hone_cpu_kernel {
    const char *name;
    void (*run)(void **params);
} hone_cpu_kernel;

extern const hone_cpu_kernel hone__cpu_kernels[HONE_N_CPU_KERNELS];

#endif
