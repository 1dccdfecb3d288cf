/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: forked without exec, so that they inherit parsed
 * templates and options; they end with their parent, whatever happens to it.
 */
#ifndef HONE_TUNER_WORKER_H
#define HONE_TUNER_WORKER_H

#include "runtime/base/error.h"
#include "tuner/process/wire.h"

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
/* Called first thing by the child: its name in ps and top, at most 15
 * characters. */
void hone__worker_name(const char *name);

/* How a worker came to its end. */
typedef enum hone_worker_end {
    HONE_WORKER_LEFT,    /* exit status 0 */
    HONE_WORKER_FAILED,  /* another exit status, or a signal of its own */
    HONE_WORKER_KILLED,  /* by somebody else: SIGKILL, SIGTERM, SIGHUP .. */
    HONE_WORKER_OVERDUE, /* by us, when the grace was over */
    HONE_WORKER_STUCK    /* it cannot be killed: a driver call never returns */
} hone_worker_end;

/* Close its request pipe and wait up to `grace_s` for it to leave, then kill
 * it. A worker that is not running is left alone (LEFT). Writes how it ended
 * ("exit status 3", "killed by signal 11") if `out_how` is not NULL. A
 * process that survives SIGKILL for five seconds is abandoned. */
hone_worker_end hone__worker_stop(hone_worker *worker, double grace_s,
                                  char *out_how, size_t how_size);

/* Let it go without waiting: a process that gives back a CUDA context takes a
 * tenth of a second to end, which nobody needs to see. It ends by itself, and
 * with this process at the latest. */
void hone__worker_release(hone_worker *worker);

/* Seconds of a monotonic clock. */
double hone__now_s(void);

#endif
