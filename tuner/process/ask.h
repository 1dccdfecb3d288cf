/* SPDX-License-Identifier: Apache-2.0 */
/* Processes for one small thing each: a question that may crash or hang them
 * (what a device is, how long a stored kernel takes), and waiting for a disk.
 */
#ifndef HONE_TUNER_ASK_H
#define HONE_TUNER_ASK_H

#include "tuner/process/worker.h"

/* A part of the work, and how long it may take. */
typedef struct hone_step {
    const char *what;   /* "the check of BLOCK=64": begins a sentence */
    const char *advice; /* a sentence for when it does not end */
    double at_most_s;
    hone_status blame; /* the error if it does not end, or crashes */
} hone_step;

typedef struct hone_question {
    hone_worker_main *run;
    void *user;                        /* its first parameter */
    hone_step first;                   /* what it begins with */
    const volatile sig_atomic_t *stop; /* NULL ok */
} hone_question;

/* Start a process for one answer of `out_bytes` bytes and wait for it. The
 * error that the process reports, HONE_ERR_INTERRUPTED, or, if a step does
 * not end in time or ends the process, its `blame`. */
hone_status hone__ask(const hone_question *question, void *out,
                      size_t out_bytes, hone_error *err);

/* In the process: the next step begins. */
void hone__ask_step(int to_parent, const hone_step *step);
/* In the process, last of all: the answer, or the error if `status` is not
 * HONE_OK. Returns the exit status. */
int hone__ask_answer(int to_parent, const void *answer, size_t size_bytes,
                     hone_status status, const hone_error *error);

/* ---- waiting for the disk ----------------------------------------------- */

/* A tuning run does not: a commit waits some milliseconds for a disk, as long
 * as a trial takes. One wait covers all that was committed before it began, so
 * a power failure loses at most what finished within the last two. `path` is
 * borrowed until hone__worker_stop(), which waits until all has been synced
 * that it was told of; the file need not be there yet. */
hone_status hone__disk_sync_start(hone_worker *worker, const char *path,
                                  hone_error *err);
enum { HONE_DISK_SYNC_S = 10 }; /* the grace to stop it with */
/* Something was written. Does not wait; 0 if the process is gone. */
int hone__disk_sync_soon(const hone_worker *worker);

#endif
