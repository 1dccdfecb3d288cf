/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for a final: starts a worker of its own, in which nothing of earlier
 * variants is left, follows it and waits for its report. A runner that kills
 * the worker, hangs it or leaves its memory damaged is marked as
 * disqualified, and another worker begins again with the others. */
#ifndef HONE_TUNER_FINAL_CLIENT_H
#define HONE_TUNER_FINAL_CLIENT_H

#include "tuner/judge/final.h"
#include "tuner/trial/device_worker.h"

#include <signal.h>

/* Who runs it, and how long a step may take. */
typedef struct hone_final_host {
    hone_worker_main *run;
    void *user;    /* its first parameter */
    double step_s; /* every step; 0: as final_client.c has them */
    /* Called for every worker that was started; NULL ok. HONE_ERR_IO: the
     * worker is gone already. */
    hone_status (*started)(void *started_user, hone_worker *worker,
                           hone_error *err);
    void *started_user;
    double least_s; /* a step may take so long in any case; 0: as above */
} hone_final_host;

/* How long the step of this runner (-1: all of them) may take, once the worker
 * is ready: half a minute, or more where the times of the trials say that all
 * that is run in it needs more. */
double hone__final_step_s(const hone_final_host *host,
                          const hone_final_request *request, int runner,
                          hone_final_stage stage);

/* `request->disqualified` collects those that ruined a worker; `stop` (NULL
 * ok) becomes non-zero on Ctrl-C. HONE_ERR_INTERRUPTED, HONE_ERR_CUDA (it
 * died and nobody can be blamed, or it cannot be killed), or what the worker
 * says of its set-up. */
hone_status hone__final_ask(const hone_final_host *host,
                            hone_final_request *request,
                            const volatile sig_atomic_t *stop,
                            hone_final_report *out, hone_error *err);

#endif
