/* SPDX-License-Identifier: Apache-2.0 */
/* Says that something takes long which cannot say so itself: a note after a
 * second, and whenever twice as much time has gone. */
#ifndef HONE_TOOLS_WAITING_H
#define HONE_TOOLS_WAITING_H

#include <pthread.h>

typedef struct hone_waiting {
    char what[160];
    int is_started;
    int is_over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} hone_waiting;

/* From here to the end nothing else may write messages, or fork. "building
 * the search space of gemm_f16" */
void hone__waiting_begin(hone_waiting *waiting, const char *what,
                         const char *of);
void hone__waiting_end(hone_waiting *waiting);

#endif
