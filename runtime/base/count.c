/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: see count.h. A thread replaces its own array, under the lock that
 * is held to look at those of others. */
#include "runtime/base/count.h"

#include "runtime/base/alloc.h"

#include <pthread.h>

enum {
    FIRST_PLACES = 64,
    LINE_PLACES = 8 /* in a line of the cache: what else is in the heap keeps
                       that far from an array */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t n_counters = 1; /* that there ever were; 0 is none */
static uint32_t *given;         /* those that are free again */
static size_t n_given;
static size_t given_capacity;

/* ---- places -------------------------------------------------------------- */

static _Atomic uint64_t *place_of(const hone_hazard *hazard, uint32_t counter)
{
    return counter < hazard->n_counts ? &hazard->counts[counter] : NULL;
}

/* At least up to the counter, and for as many as there are. */
static size_t wish_for(const hone_hazard *hazard, uint32_t counter)
{
    size_t n = hazard->n_counts ? 2 * hazard->n_counts : FIRST_PLACES;

    while (n <= counter)
        n *= 2;
    return n;
}

static void grow(hone_hazard *hazard, uint32_t counter)
{
    const size_t n = wish_for(hazard, counter);
    void *block = hone__alloc((n + 2 * LINE_PLACES) * sizeof(uint64_t));
    _Atomic uint64_t *counts = block;

    if (!block)
        return;
    counts += LINE_PLACES;
    for (size_t i = 0; i < hazard->n_counts; ++i)
        atomic_store_explicit(&counts[i], atomic_load(&hazard->counts[i]),
                              memory_order_relaxed);
    hone__free(hazard->counts_block);
    hazard->counts_block = block;
    hazard->counts = counts;
    hazard->n_counts = n;
}

void hone__count_first(uint32_t counter)
{
    _Atomic uint64_t *place;
    hone_hazard *hazard;

    if (hone__hazard_get(NULL) != HONE_OK)
        return;
    hazard = hone__hazard_own.hazard;
    (void)pthread_mutex_lock(&lock);
    if (!place_of(hazard, counter))
        grow(hazard, counter);
    place = place_of(hazard, counter);
    if (place)
        (void)atomic_fetch_add_explicit(place, 1, memory_order_relaxed);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- counters ------------------------------------------------------------ */

/* Room to give back as many as there are, so that giving cannot fail. */
static int can_give_all(void)
{
    const size_t wish = given_capacity ? 2 * given_capacity : FIRST_PLACES;
    uint32_t *larger;

    if (n_counters < given_capacity)
        return 1;
    larger = hone__realloc(given, wish * sizeof *given);
    if (!larger)
        return 0;
    given = larger;
    given_capacity = wish;
    return 1;
}

uint32_t hone__count_take(void)
{
    uint32_t counter = 0;

    (void)pthread_mutex_lock(&lock);
    if (n_given)
        counter = given[--n_given];
    else if (n_counters < UINT32_MAX && can_give_all())
        counter = n_counters++;
    (void)pthread_mutex_unlock(&lock);
    return counter;
}

void hone__count_give(uint32_t counter)
{
    if (!counter)
        return;
    (void)pthread_mutex_lock(&lock);
    for (hone_hazard *h = hone__hazard_first(); h; h = h->next) {
        _Atomic uint64_t *place = place_of(h, counter);

        if (place)
            atomic_store_explicit(place, 0, memory_order_relaxed);
    }
    given[n_given++] = counter;
    (void)pthread_mutex_unlock(&lock);
}

uint64_t hone__count_sum(uint32_t counter)
{
    uint64_t sum = 0;

    (void)pthread_mutex_lock(&lock);
    for (hone_hazard *h = hone__hazard_first(); h; h = h->next) {
        const _Atomic uint64_t *place = place_of(h, counter);

        if (place)
            sum += atomic_load_explicit(place, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&lock);
    return sum;
}
