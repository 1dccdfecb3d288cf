/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits beside the work: see waiting.h. Without a thread
 * nothing is said. */
#include "tools/waiting.h"

#include "tools/message.h"

#include <stdio.h>
#include <time.h>

static void *watch(void *user)
{
    hone_waiting *w = user;
    struct timespec until;
    long seconds = 1, said = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    (void)pthread_mutex_lock(&w->mutex);
    while (!w->is_over) {
        until.tv_sec += seconds - said;
        while (!w->is_over &&
               pthread_cond_timedwait(&w->changed, &w->mutex, &until) == 0)
            ;
        if (!w->is_over)
            hone__message_note("%s: %ld s so far", w->what, seconds);
        said = seconds;
        seconds *= 2;
    }
    (void)pthread_mutex_unlock(&w->mutex);
    return NULL;
}

void hone__waiting_begin(hone_waiting *waiting, const char *what,
                         const char *of)
{
    pthread_condattr_t attributes;

    *waiting = (hone_waiting){.is_over = 0};
    (void)snprintf(waiting->what, sizeof waiting->what, "%s %.100s", what, of);
    if (pthread_condattr_init(&attributes) != 0)
        return;
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&waiting->mutex, NULL);
    (void)pthread_cond_init(&waiting->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    waiting->is_started =
        pthread_create(&waiting->thread, NULL, watch, waiting) == 0;
}

void hone__waiting_end(hone_waiting *waiting)
{
    if (!waiting->is_started)
        return;
    (void)pthread_mutex_lock(&waiting->mutex);
    waiting->is_over = 1;
    (void)pthread_cond_signal(&waiting->changed);
    (void)pthread_mutex_unlock(&waiting->mutex);
    (void)pthread_join(waiting->thread, NULL);
    (void)pthread_cond_destroy(&waiting->changed);
    (void)pthread_mutex_destroy(&waiting->mutex);
}
