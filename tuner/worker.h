/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: forked without exec, so that they inherit parsed
 * templates and options; they end with their parent, whatever happens to it.
 */
#ifndef HONE_TUNER_WORKER_H
#define HONE_TUNER_WORKER_H

#include "runtime/error.h"
#include "tuner/wire.h"

#include <sys/types.h>

typedef struct hone_worker {
    pid_t pid; /* 0: not running */
    int to;    /* write requests here */
    int from;  /* read answers here; give it to poll() */
    hone_inbox inbox;
} hone_worker;

/* What the child runs; its return value is its exit status. */
typedef int hone_worker_main(void *user, int from_parent, int to_parent);

/* `log` becomes its stderr; -1: as this process's. */
hone_status hone__worker_start(hone_worker *worker, hone_worker_main *run,
                               void *user, int log, hone_error *err);
/* Close its request pipe and wait up to `grace_s` for it to leave, then kill
 * it. A worker that is not running is left alone. Writes how it ended
 * ("exit status 3", "killed by signal 11") if `out_how` is not NULL. */
void hone__worker_stop(hone_worker *worker, double grace_s, char *out_how,
                       size_t how_size);

/* Seconds of a monotonic clock. */
double hone__now_s(void);

#endif
