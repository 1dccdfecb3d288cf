/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for a final: starts a worker of its own, in which nothing of earlier
 * variants is left, and waits for its report. */
#ifndef HONE_TUNER_FINAL_CLIENT_H
#define HONE_TUNER_FINAL_CLIENT_H

#include "tuner/final.h"

/* `stop` (NULL ok) becomes non-zero on Ctrl-C. If the worker does not survive
 * the final, once more with another one. HONE_ERR_INTERRUPTED, HONE_ERR_CUDA
 * (it died twice, or took too long), or what the worker says of its set-up. */
hone_status hone__final_ask(hone_backend backend, hone_gpu_setup *setup,
                            const hone_trial_job *jobs, int n_jobs,
                            const volatile sig_atomic_t *stop,
                            hone_final_report *out, hone_error *err);

#endif
