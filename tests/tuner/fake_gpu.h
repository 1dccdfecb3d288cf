/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU of host memory for tests of everything that runs inside a worker:
 * the fake driver, with kernels that are C functions and take as long as a
 * test says on a clock of its own, with graphs, events and a limit of memory.
 * The tuner's own kernels are there. */
#ifndef HONE_TESTS_FAKE_GPU_H
#define HONE_TESTS_FAKE_GPU_H

#include "tests/tuner/fake_driver.h"
#include "tuner/device/device.h"

/* A kernel gets what cuLaunchKernel gets; every parameter is 8 bytes. */
typedef void fake_kernel_run(void **params);

typedef struct fake_kernel {
    const char *name;
    fake_kernel_run *run;
    int n_params;
    double cost_ns;
    long n_runs;
    unsigned grid;    /* of the last launch */
    unsigned cluster; /* blocks; 0: launched without */
    int cooperative;
} fake_kernel;

enum { FAKE_GPU_CONTEXT_BYTES = 10000 }; /* a context needs so much */

/* Back to a new device: only the tuner's kernels, no limits, no NVML. */
void fake_gpu_reset(void);
/* Opened, with `l2_bytes` of cache. */
void fake_gpu_open(hone_device *out, int64_t l2_bytes);
/* Add a kernel, or replace the one of this name. */
fake_kernel *fake_gpu_kernel(const char *name, fake_kernel_run *run,
                             int n_params, double cost_ns);
fake_kernel *fake_gpu_find(const char *name);

extern size_t fake_gpu_limit_bytes; /* of all allocations */
extern size_t fake_gpu_taken_bytes; /* of it, by somebody who comes after
                                       memory was asked for: not in its answer
                                       */
extern size_t fake_gpu_live_bytes;
extern int fake_gpu_fails; /* launches of others' kernels return it; 0: not */
extern double fake_gpu_event_ns; /* an event record takes so long */
extern long fake_gpu_n_graphs;   /* instantiated so far */
extern long fake_gpu_live_graphs;
/* Tensor maps encoded so far; their first word is the array's address, so
 * that a kernel can take one for a pointer. */
extern long fake_gpu_n_maps;
/* Constant memory of every module: 64 words called "taps", or fewer. */
extern float fake_gpu_taps[64];
extern size_t fake_gpu_taps_bytes; /* 0: there is no such symbol */
/* What occupancy is: blocks of a multiprocessor, clusters of the device. */
extern int fake_gpu_resident_blocks;
extern int fake_gpu_resident_clusters;
/* A word of shared memory of all multiprocessors, as hone_poison left it. */
extern uint32_t fake_gpu_shared;
/* What hone_load reads from the clock, in turn; the last repeats. */
extern double fake_gpu_clock_mhz[8];
extern int fake_gpu_n_clocks;

#endif
