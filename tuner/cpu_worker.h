/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process of the cpu device: answers the same requests as the GPU
 * worker (gpu_worker.h), with variants compiled for the host. */
#ifndef HONE_TUNER_CPU_WORKER_H
#define HONE_TUNER_CPU_WORKER_H

#include "tuner/cpu_problem.h"
#include "tuner/final.h"
#include "tuner/gpu_worker.h"
#include "tuner/verify.h"

/* `user` is a hone_gpu_setup. */
int hone__cpu_worker(void *user, int from_parent, int to_parent);

/* Verify as on a GPU (verify.h). */
hone_status hone__cpu_verify(hone_cpu_problem *problem,
                             hone_subject subject,
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
/* Verify one variant on awkward shapes; no timing. */
hone_status hone__cpu_awkward(const hone_problem_setup *setup, int guarded,
                              const hone_trial_job *job, hone_verdict *out,
                              hone_error *err);
hone_status hone__cpu_final_run(hone_cpu_problem *problem,
                                const hone_problem_setup *setup,
                                const hone_trial_job *jobs, int n_jobs,
                                hone_final_report *out, hone_error *err);

#endif
