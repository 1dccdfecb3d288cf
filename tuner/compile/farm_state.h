/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the compile farm, shared by farm_open.c (its processes), farm.c
 * (jobs in, answers out), farm_end.c (how a job ends, also when its compiler
 * does not) and compile_worker.c (what one of its processes does). */
#ifndef HONE_TUNER_FARM_STATE_H
#define HONE_TUNER_FARM_STATE_H

#include "tuner/compile/allowance.h"
#include "tuner/compile/farm.h"
#include "tuner/process/worker.h"

#include "runtime/base/hash.h"

/* ---- a process, and the messages it speaks ------------------------------- */

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

/* ---- the farm ------------------------------------------------------------ */

/* A worker and what it does. */
typedef struct hone_farm_slot {
    hone_worker worker;
    int log; /* what it writes to stderr; -1: nowhere to keep it */
    int busy;
    int begun;     /* the compiler runs: neither cached nor waiting */
    int n_killed;  /* processes that were killed from outside over the job */
    int n_starved; /* times that memory ran out over it */
    int n_beside;  /* processes that the farm had when it was sent */
    int held;      /* it waits until there are fewer processes */
    int64_t job;
    char key[HONE_SHA256_HEX];
    hone_text request;   /* as it was sent */
    double start_s;      /* of the job, then of its compile; farm's clock */
    hone_text followers; /* numbers of jobs that wait for the same answer */
} hone_farm_slot;

/* A compile that was ended, crashed or ran out of memory. The cache does not
 * keep it, for another machine or another day may do better; this run does
 * not try it again. */
typedef struct hone_farm_lost {
    struct hone_farm_lost *next;
    char key[HONE_SHA256_HEX];
    hone_compile_output output;
    hone_text waiting; /* numbers of jobs, answered by the next pump */
} hone_farm_lost;

struct hone_farm {
    hone_compile_worker_setup setup;
    hone_farm_done *on_done;
    void *user;
    const volatile sig_atomic_t *stop; /* NULL ok */
    hone_compile_limit limit;
    hone_toolchain toolchain;
    double clock_s; /* time in which somebody looked after the farm */
    double looked_s;
    int n_idle_deaths; /* in a row */
    const char *root;  /* of the system's files: "" but in tests */
    int64_t n_oom;     /* processes that the system killed for memory so far */
    int n_slots;
    int n_wanted; /* processes: fewer than slots after memory ran out */
    hone_farm_slot slots[HONE_MOST_COMPILE_WORKERS];
    hone_farm_lost *lost;
    hone_farm_link *link; /* of a farm elsewhere; NULL: it is here */
    int n_linked;         /* jobs under way there */
};

/* Memory ran out over the slot's job: fewer processes from here on, with more
 * memory each. 0: that cannot help. */
int hone__farm_shrink(hone_farm *farm, hone_farm_slot *slot);
/* Keep the slot's job, without a process, until there are so few. */
hone_status hone__farm_hold(hone_farm *farm, hone_farm_slot *slot,
                            hone_error *err);
/* Try it again, if it is time. */
hone_status hone__farm_resume(hone_farm *farm, hone_farm_slot *slot,
                              hone_error *err);
/* End its process, if it is idle and one too many. */
void hone__farm_retire(const hone_farm *farm, hone_farm_slot *slot);

/* Add a job to a list. */
hone_status hone__farm_follow(hone_text *jobs, int64_t job, hone_error *err);

/* The answer for the slot's job and all that follow it; frees `output`. */
hone_status hone__farm_deliver(hone_farm *farm, hone_farm_slot *slot,
                               hone_compile_output *output, hone_error *err);

/* The lost compile with this key, NULL if there is none. */
hone_farm_lost *hone__farm_find_lost(hone_farm *farm, const char *key);
/* Answer the jobs that wait for lost compiles. */
hone_status hone__farm_answer_lost(hone_farm *farm, hone_error *err);
void hone__farm_free_lost(hone_farm *farm);

/* Start the slot's worker. */
hone_status hone__farm_start_worker(hone_farm *farm, hone_farm_slot *slot,
                                    hone_error *err);
/* Kill it and all that it started. */
void hone__farm_kill_worker(hone_farm_slot *slot);

/* The worker is gone (`overdue` 0), or its job has taken too long: another
 * worker starts, the job fails or, if somebody killed its worker, gets one
 * more. */
hone_status hone__farm_replace(hone_farm *farm, hone_farm_slot *slot,
                               int overdue, hone_error *err);

#endif
