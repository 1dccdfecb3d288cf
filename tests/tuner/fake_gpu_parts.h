/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the fake GPU: fake_gpu.c has kernels and the device. */
#ifndef HONE_TESTS_FAKE_GPU_PARTS_H
#define HONE_TESTS_FAKE_GPU_PARTS_H

#include "tests/tuner/fake_gpu.h"

extern double fake_gpu_now_ns;
void fake_gpu_run(fake_kernel *kernel, void **params);

/* fake_gpu_graph.c. 1: the launch is a part of the graph that is captured. */
int fake_gpu_capture(fake_kernel *kernel, void **params);
void fake_gpu_graph_rows(hone_driver *table);

/* fake_gpu_memory.c */
void fake_gpu_memory_rows(hone_driver *table);

#endif
