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
/* Verify variants on awkward shapes; no timing (cpu_awkward.c). As those of
 * awkward.h. */
typedef struct hone_cpu_awkward hone_cpu_awkward;
hone_status hone__cpu_awkward_open(const hone_problem_setup *setup,
                                   int guarded, hone_cpu_awkward **out,
                                   hone_error *err);
void hone__cpu_awkward_close(hone_cpu_awkward *awkward);
hone_status hone__cpu_awkward_check(hone_cpu_awkward *awkward,
                                    const hone_trial_job *job,
                                    hone_verdict *out, hone_error *err);

/* Answer HONE_GPU_FINAL (cpu_final.c). */
hone_status hone__cpu_final(hone_cpu_problem *problem,
                            const hone_problem_setup *setup, hone_unpack *in,
                            int to_parent, hone_error *err);

#endif
