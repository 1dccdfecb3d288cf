/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's own kernels (device_code.cu) as C functions. */
#ifndef HONE_TESTS_FAKE_GPU_KERNELS_H
#define HONE_TESTS_FAKE_GPU_KERNELS_H

#include "tests/tuner/fake_gpu.h"

enum { FAKE_N_OWN_KERNELS = 6 };
extern const struct fake_own_kernel {
    const char *name;
    fake_kernel_run *run;
} fake_own_kernels[FAKE_N_OWN_KERNELS];

#endif
