/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on several threads. Threads live as long as the loop: starting one
 * takes some 20 us, the shortest loop here milliseconds, so a pool that waits
 * for the next loop would save nothing. */
#include "tuner/process/parallel.h"

#include <pthread.h>

enum { MOST_THREADS = 256 };

typedef struct parallel_loop {
    pthread_mutex_t lock; /* of all that follows */
    int64_t next;
    int64_t n;
    int64_t failed_piece;
    hone_status status;
    hone_error err; /* of failed_piece */
    hone_piece_fn piece;
    void *user;
} parallel_loop;

/* -1: there is none left. */
static int64_t take(parallel_loop *loop)
{
    int64_t i = -1;

    (void)pthread_mutex_lock(&loop->lock);
    if (loop->status == HONE_OK && loop->next < loop->n)
        i = loop->next++;
    (void)pthread_mutex_unlock(&loop->lock);
    return i;
}

static void note_failure(parallel_loop *loop, int64_t i, hone_status status,
                         const hone_error *err)
{
    (void)pthread_mutex_lock(&loop->lock);
    if (loop->status == HONE_OK || i < loop->failed_piece) {
        loop->status = status;
        loop->failed_piece = i;
        loop->err = *err;
    }
    (void)pthread_mutex_unlock(&loop->lock);
}

static void *work(void *user)
{
    parallel_loop *loop = user;
    int64_t i;

    while ((i = take(loop)) >= 0) {
        hone_error err = {0};
        const hone_status status = loop->piece(loop->user, i, &err);

        if (status != HONE_OK)
            note_failure(loop, i, status, &err);
    }
    return NULL;
}

hone_status hone__parallel_for(int64_t n, int n_threads, hone_piece_fn piece,
                               void *user, hone_error *err)
{
    parallel_loop loop = {.n = n, .piece = piece, .user = user};
    pthread_t threads[MOST_THREADS];
    int n_started = 0;

    if (pthread_mutex_init(&loop.lock, NULL))
        return hone__fail(err, HONE_ERR_NO_MEMORY, "no lock for threads");
    while (n_started + 1 < n_threads && n_started + 1 < n &&
           n_started < MOST_THREADS &&
           !pthread_create(&threads[n_started], NULL, work, &loop))
        ++n_started;
    (void)work(&loop);
    for (int i = 0; i < n_started; ++i)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&loop.lock);
    if (loop.status != HONE_OK && err)
        *err = loop.err;
    return loop.status;
}
