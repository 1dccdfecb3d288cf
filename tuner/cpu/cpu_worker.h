/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process of the cpu device: answers the same requests as the GPU
 * worker (gpu_worker.h), with variants compiled for the host. */
#ifndef HONE_TUNER_CPU_WORKER_H
#define HONE_TUNER_CPU_WORKER_H

#include "tuner/cpu/cpu_problem.h"
#include "tuner/judge/final.h"
#include "tuner/trial/device_worker.h"
#include "tuner/trial/verify.h"

/* `user` is a hone_worker_setup. */
int hone__cpu_worker(void *user, int from_parent, int to_parent);

/* Verify as on a GPU (verify.h). */
hone_status hone__cpu_verify(hone_cpu_problem *problem, hone_subject subject,
                             const hone_cpu_block *blocks, size_t n_blocks,
                             hone_verdict *out, hone_error *err);
/* After it was timed: one run more, or only the memory. */
hone_status hone__cpu_verify_again(hone_cpu_problem *problem,
                                   hone_subject subject,
                                   const hone_cpu_block *blocks,
                                   size_t n_blocks, int only_memory,
                                   hone_verdict *out, hone_error *err);
/* `n` samples of a subject, after one run to warm it up. */
hone_status hone__cpu_time(hone_cpu_problem *problem, hone_subject subject,
                           int n, double *out_ns, hone_error *err);
/* Verify and time one variant. */
hone_status hone__cpu_trial_run(hone_cpu_problem *problem,
                                const hone_trial_job *job,
                                hone_trial_report *out, hone_error *err);
/* Verify variants on edge shapes; no timing (cpu_awkward.c). As those of
 * edge_shapes.h. */
typedef struct hone_cpu_edge_shapes hone_cpu_edge_shapes;
hone_status hone__cpu_edge_shapes_open(const hone_problem_setup *setup,
                                       int guarded, hone_cpu_edge_shapes **out,
                                       hone_error *err);
void hone__cpu_edge_shapes_close(hone_cpu_edge_shapes *edge_shapes);
hone_status hone__cpu_edge_shapes_check(hone_cpu_edge_shapes *edge_shapes,
                                        const hone_trial_job *job,
                                        hone_verdict *out, hone_error *err);

/* Answer HONE_DEVICE_FINAL (cpu_final.c). */
hone_status hone__cpu_final(hone_cpu_problem *problem,
                            const hone_problem_setup *setup, hone_unpack *in,
                            int to_parent, hone_error *err);

#endif
