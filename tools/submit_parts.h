/* SPDX-License-Identifier: Apache-2.0 */
/* The work of `hone submit`: what a run consists of (cmd_submit.c) and the
 * files that say so to a scheduler (submit_files.c). */
#ifndef HONE_TOOLS_SUBMIT_PARTS_H
#define HONE_TOOLS_SUBMIT_PARTS_H

#include "tools/tune_parts.h"

typedef struct hone_run {
    const hone_options *options;
    hone_shapes shapes;
    hone_text folder;           /* absolute */
    hone_text hone;             /* this program */
    int n_tasks;                /* of the arrays; each is a shard */
    int gpus;                   /* of a task; 0: the cpu device */
    int compiles;               /* there is an array of compiles */
    hone_properties properties; /* of what is compiled for */
    hone_tune_load most;        /* of a shard */
    hone_text list;             /* the file of --shapes */
    hone_text split;    /* problems that several shards have; "": none */
    hone_text settings; /* read by task.sh */
    hone_text submit;   /* submit.sh */
} hone_run;

/* Fill in `settings` and `submit`. */
hone_status hone__run_write(hone_run *run, hone_error *err);

extern const char hone__cluster_task[]; /* cluster/task.sh */

#endif
