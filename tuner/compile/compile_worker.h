/* SPDX-License-Identifier: Apache-2.0 */
/* What a process of the compile farm does, and the messages it speaks. */
#ifndef HONE_TUNER_COMPILE_WORKER_H
#define HONE_TUNER_COMPILE_WORKER_H

#include "tuner/compile/farm_options.h"
#include "tuner/process/worker.h"

enum {
    HONE_COMPILE_JOB = 1,    /* to it: job, hone_compile_input */
    HONE_COMPILE_HELLO = 2,  /* from it, first: hone_toolchain */
    HONE_COMPILE_DONE = 3,   /* from it: job, hone_compile_output,
                                out_of_memory, crashed */
    HONE_COMPILE_FAILED = 4, /* from it: its last words, an error */
    HONE_COMPILE_BEGUN = 5   /* from it: job; the compiler runs now */
};

typedef struct hone_compile_worker_setup {
    const char *cache_folder; /* NULL: none */
    hone_backend backend;
    hone_host_build host_build;
    double compile_at_most_s;
    int n_workers;            /* of the farm */
    int64_t memory_cap_bytes; /* of this process; 0: none */
    int cap_is_inherited;     /* `ulimit -d`: more workers or fewer, it stays */
} hone_compile_worker_setup;

/* The sentence for a compile that ran out of memory. */
void hone__compile_no_memory(const hone_compile_worker_setup *setup,
                             hone_text *out);

/* `user` is a hone_compile_worker_setup. The process leads a process group of
 * its own. */
int hone__compile_worker(void *user, int from_parent, int to_parent);

#endif
