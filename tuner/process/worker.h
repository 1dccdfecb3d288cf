/* SPDX-License-Identifier: Apache-2.0 */
/* Worker processes: forked without exec, so that they inherit parsed
 * templates and options; they end with their parent, whatever happens to it.
 *
 * A worker may hang, and its pipe may be full. So the parent never reads from
 * a worker nor writes to it unless poll() says that it can: messages to a
 * worker wait in its outbox, and hone__workers_wait() moves them. Whoever
 * waits says until when, and where it is noted that a person wants an end. */
#ifndef HONE_TUNER_WORKER_H
#define HONE_TUNER_WORKER_H

#include "runtime/base/error.h"
#include "tuner/process/wire.h"

#include <signal.h>
#include <sys/types.h>

typedef struct hone_worker {
    pid_t pid;   /* 0: not running */
    int to;      /* requests go here; -1: there will be no more */
    int from;    /* its answers come from here */
    int is_over; /* it has closed its end: the inbox has its last words */
    hone_mail inbox;
    hone_mail outbox;
} hone_worker;

/* What the child runs; its return value is its exit status. */
typedef int hone_worker_main(void *user, int from_parent, int to_parent);

/* `log` becomes its stderr; -1: as this process's. */
hone_status hone__worker_start(hone_worker *worker, hone_worker_main *run,
                               void *user, int log, hone_error *err);
/* Make its pipe hold a MiB, so that a job of this size lies ready for it
 * while the parent is busy elsewhere. Where the system refuses (all pipes of
 * a user share 64 MiB), the rest lies in the outbox until the parent looks. */
void hone__worker_widen(const hone_worker *worker);
/* Called first thing by the child: its name in ps and top, at most 15
 * characters. */
void hone__worker_name(const char *name);

/* ---- talking to them ---------------------------------------------------- */

/* How long somebody waits. */
typedef struct hone_wait {
    double until_s; /* of hone__now_s() */
    /* Becomes non-zero on Ctrl-C; NULL ok. */
    const volatile sig_atomic_t *stop;
} hone_wait;

/* Give it a message, without waiting for it to be read. HONE_ERR_NO_MEMORY;
 * HONE_ERR_IO: the worker is gone, as its inbox will say, too. */
hone_status hone__worker_send(hone_worker *worker, uint32_t kind,
                              const hone_text *payload, hone_error *err);

/* Move messages in both directions until one of the workers has said
 * something or is over, or the time is up: HONE_OK in each of these cases.
 * Workers that do not run are left out. HONE_ERR_INTERRUPTED when the flag is
 * set, within a twentieth of a second. */
hone_status hone__workers_wait(hone_worker *const *workers, size_t n,
                               const hone_wait *wait, hone_error *err);

/* Beside the kinds of messages: what else one may hear. */
enum {
    HONE_HEARD_END = 0x10000, /* the worker is over */
    HONE_HEARD_NOTHING        /* the time is up */
};

/* Wait for the next message of one worker. The payload is valid until the
 * next call. Time that nobody watched (hone__watched_s()) is added to `wait`.
 * HONE_ERR_INTERRUPTED, HONE_ERR_NO_MEMORY. */
hone_status hone__worker_hear(hone_worker *worker, hone_wait *wait,
                              uint32_t *out_kind, hone_unpack *out,
                              hone_error *err);

/* ---- their end ---------------------------------------------------------- */

/* How a worker came to its end. */
typedef enum hone_worker_end {
    HONE_WORKER_LEFT,    /* exit status 0 */
    HONE_WORKER_FAILED,  /* another exit status, or a signal of its own */
    HONE_WORKER_KILLED,  /* by somebody else: SIGKILL, SIGTERM, SIGHUP .. */
    HONE_WORKER_OVERDUE, /* by us, when the grace was over */
    HONE_WORKER_STUCK    /* it cannot be killed: a driver call never returns */
} hone_worker_end;

/* Nothing more will be sent to it: it may leave. */
void hone__worker_dismiss(hone_worker *worker);

/* Dismiss it and wait up to `grace_s` for it to leave, then kill it. A worker
 * that is not running is left alone (LEFT). Writes how it ended ("exit status
 * 3", "killed by signal 11") if `out_how` is not NULL. A process that
 * survives SIGKILL for five seconds is abandoned. */
hone_worker_end hone__worker_stop(hone_worker *worker, double grace_s,
                                  char *out_how, size_t how_size);

/* Kill it, for a person wants an end: half a second later at most this
 * returns, even if the process needs longer to give back its device. */
void hone__worker_kill(hone_worker *worker);

/* Let it go without waiting: a process that gives back a CUDA context takes a
 * tenth of a second to end, which nobody needs to see. It ends by itself, and
 * with this process at the latest; the next start of a worker, or wait for
 * some, sees to what is left of it. */
void hone__worker_release(hone_worker *worker);

/* Seconds of a monotonic clock. */
double hone__now_s(void);
/* Seconds since `*looked_s`, which becomes now; one at most. Whoever looks
 * after workers several times a second adds them up. Time in which this process
 * was stopped, or busy elsewhere, does not count against a worker, which may
 * have been stopped with it. */
double hone__watched_s(double *looked_s);

#endif
