/* SPDX-License-Identifier: Apache-2.0 */
/* One question to a process of its own, which may crash or hang over it: what
 * a device is, how long a stored kernel takes. */
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

#endif
