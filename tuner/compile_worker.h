/* SPDX-License-Identifier: Apache-2.0 */
/* What a process of the compile farm does, and the messages it speaks. */
#ifndef HONE_TUNER_COMPILE_WORKER_H
#define HONE_TUNER_COMPILE_WORKER_H

#include "tuner/tuner.h"
#include "tuner/worker.h"

enum {
    HONE_COMPILE_JOB = 1,    /* to it: job, hone_compile_input */
    HONE_COMPILE_HELLO = 2,  /* from it, first: hone_toolchain */
    HONE_COMPILE_DONE = 3,   /* from it: job, hone_compile_output */
    HONE_COMPILE_FAILED = 4  /* from it: hone_status, sentence */
};

typedef struct hone_compile_worker_setup {
    const char *cache_folder; /* NULL: none */
    hone_backend backend;
    hone_host_build host_build;
} hone_compile_worker_setup;

/* `user` is a hone_compile_worker_setup. */
int hone__compile_worker(void *user, int from_parent, int to_parent);

#endif
