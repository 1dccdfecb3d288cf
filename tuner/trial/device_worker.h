/* SPDX-License-Identifier: Apache-2.0 */
/* The process that owns a device: verifies and times variants one by one.
 * Anything may happen to it; its parent records what did and starts another.
 */
#ifndef HONE_TUNER_DEVICE_WORKER_H
#define HONE_TUNER_DEVICE_WORKER_H

#include "tuner/trial/problem.h"
#include "tuner/judge/trial_protocol.h"
#include "tuner/process/worker.h"

/* What it inherits by fork. */
typedef struct hone_worker_setup {
    const hone_device_kind *kind;
    int device;              /* its ordinal */
    const void *device_code; /* cubin of the helper kernels; NULL: it
                                comes as HONE_DEVICE_CODE_JOB, being compiled
                                while the context is made */
    int verify_only;  /* no problem is set up: only HONE_DEVICE_VERIFY comes */
    int verbose;      /* what kernels print is shown, on the parent's stderr */
    int wants_energy; /* of the final: it is an error if there is no counter */
    int sanitized;    /* a sanitizer watches the bounds of arrays */
    hone_timing timing; /* forced, or AUTO */
    hone_problem_setup problem;
} hone_worker_setup;

/* `user` is a hone_worker_setup. */
int hone__device_worker(void *user, int from_parent, int to_parent);

#endif
