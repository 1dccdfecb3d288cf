/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that all threads add to, without a line of the cache that they
 * share: each thread has an array of its own, with a place for each counter,
 * which stays behind when the thread ends. Adding is a load and a store of
 * what nobody else writes; who asks for a sum goes round the threads. */
#ifndef HONE_RUNTIME_COUNT_H
#define HONE_RUNTIME_COUNT_H

#include "runtime/base/hazard.h"

/* A counter that nobody has, at 0. 0: no memory. */
uint32_t hone__count_take(void);
/* Nobody adds to it any more; 0 is a no-op. */
void hone__count_give(uint32_t counter);
uint64_t hone__count_sum(uint32_t counter);

/* Make a place for it in the calling thread's array and add to it. Where there
 * is no memory for that, nothing is counted. */
void hone__count_first(uint32_t counter);

/* One more. */
static inline void hone__count_add(uint32_t counter)
{
    const hone_hazard *hazard = hone__hazard_own.hazard;
    _Atomic uint64_t *place;

    if (__builtin_expect(!hazard || counter >= hazard->n_counts, 0)) {
        hone__count_first(counter);
        return;
    }
    place = &hazard->counts[counter];
    atomic_store_explicit(place,
                          atomic_load_explicit(place, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

#endif
