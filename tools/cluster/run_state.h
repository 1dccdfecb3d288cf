/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the tasks of a run of `hone submit`: what they wrote down
 * themselves, and what the scheduler knows of them. Its accounting is not
 * asked, since not every cluster has one. */
#ifndef HONE_TOOLS_RUN_STATE_H
#define HONE_TOOLS_RUN_STATE_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef enum hone_task_state {
    HONE_TASK_DONE,
    HONE_TASK_NEGATIVE, /* it came to its end, and not all is as it should be */
    HONE_TASK_RUNNING,
    HONE_TASK_WAITING,
    HONE_TASK_BEGUN,       /* no end yet, and the scheduler cannot be asked */
    HONE_TASK_INTERRUPTED, /* it was told to stop */
    HONE_TASK_FAILED,
    HONE_TASK_LOST,  /* it began, did not end, and the scheduler has it no more
                      */
    HONE_TASK_NEVER, /* it never began, and the scheduler has it no more */
    HONE_N_TASK_STATES
} hone_task_state;

typedef struct hone_run_task {
    hone_task_state state;
    char host[128]; /* that it began on last; "": it did not */
    int64_t began_unix_s, ended_unix_s; /* 0: not */
    int code;                           /* its exit code, once it ended */
    int n_begun;   /* times, for it goes on after a preemption */
    char why[400]; /* of what is not done; "": nothing to say */
} hone_run_task;

typedef struct hone_run_step {
    char name[32];
    char job[32]; /* the scheduler's number */
    int n_tasks;
    hone_run_task *tasks;
} hone_run_step;

typedef struct hone_run_state {
    hone_run_step *steps;
    size_t n_steps;
    int is_asked;        /* the scheduler answered */
    char not_asked[300]; /* why it did not */
} hone_run_state;

const char *hone__task_state_name(hone_task_state state);

/* Free with hone__run_state_free(), also on failure. HONE_ERR_IO,
 * HONE_ERR_INPUT: it is no folder of a run. */
hone_status hone__run_state_read(const char *folder, hone_run_state *out,
                                 hone_error *err);
void hone__run_state_free(hone_run_state *state);

#endif
