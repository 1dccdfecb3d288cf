/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines: vendor implementations of an operation, enqueued with the same
 * arguments as our kernels, so that they are timed and checked by the same
 * code in the same run. Runs in the device's worker, in its current context. */
#ifndef HONE_TUNER_BASELINE_H
#define HONE_TUNER_BASELINE_H

#include "runtime/driver/driver.h"
#include "runtime/launch/launch_spec.h"

typedef struct hone_baseline hone_baseline;

/* Name of number `i`, from 0, and what it is, a sentence; returns 0 after the
 * last. Plug-ins are not among them. */
int hone__baseline_about(size_t i, const char **out_name,
                         const char **out_summary);

/* Open the baseline NAME ("cublas", "cublaslt", "memcpy", "cub.sum", ..) for
 * one problem. Handles, workspaces and plans are made here, nothing later.
 * HONE_ERR_NOT_FOUND: unknown name; HONE_ERR_UNSUPPORTED: known, but its
 * library is not on this machine or it cannot do this problem; the sentence
 * says which. */
hone_status hone__baseline_open(const char *name, const char *op,
                                const hone_resolved *problem,
                                const hone_driver *driver, hone_baseline **out,
                                hone_error *err);
void hone__baseline_close(hone_baseline *baseline);

/* Some baselines have several ways (cuBLASLt heuristics): at least 1. The
 * caller times each and keeps the best. */
size_t hone__baseline_n_algorithms(const hone_baseline *baseline);

/* 0: it only moves as many bytes as the operation declares (a memory copy):
 * time it, but do not check its result; it leaves the arguments alone. */
int hone__baseline_computes(const hone_baseline *baseline);

/* Enqueue one execution; `args` as for hone_plan_run(). Capturable into a
 * graph once the algorithm has run outside one: vendor libraries load their
 * kernels at the first run. Arrays start on 256-byte boundaries, as
 * cuMemAlloc gives them. */
hone_status hone__baseline_enqueue(hone_baseline *baseline, size_t algorithm,
                                   void *const *args, hone_stream stream,
                                   hone_error *err);

/* Name of the comparison for tables: "cuBLAS (cublasGemmEx)". */
const char *hone__baseline_label(const hone_baseline *baseline);

#endif
