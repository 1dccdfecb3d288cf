/* SPDX-License-Identifier: Apache-2.0 */
/* Hazard pointers: each thread names the one object that it found without a
 * lock and still uses, and who frees such objects asks whether anybody does.
 *
 * A reader finds an object, protects it, and looks whether it is still where
 * it was found; only then it may read it. Who reclaims takes objects out of
 * where they are found, calls hone__hazard_sync(), and frees those that
 * nobody protects. The cost is on that side: where the kernel has
 * membarrier(2), protecting is a plain store, else it is an atomic exchange.
 *
 * An object stays protected until its thread protects another one or ends. */
#ifndef HONE_RUNTIME_HAZARD_H
#define HONE_RUNTIME_HAZARD_H

#include "runtime/base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hone_hazard {
    _Atomic(const void *) object;
    _Atomic uint64_t *counts; /* what the thread counts: see count.h */
    void *counts_block;       /* that they are in */
    size_t n_counts;
    atomic_int is_taken; /* by a thread that lives */
    struct hone_hazard *next;
} hone_hazard;

/* The calling thread's hazard, and a memo of what it protects: the object that
 * was found last. Who has many collections of such objects tells them apart
 * by `owner`: those of another one may be freed. */
typedef struct hone_hazard_own {
    hone_hazard *hazard; /* NULL before hone__hazard_get() */
    uint64_t owner;
    void *object; /* NULL: none */
} hone_hazard_own;
extern _Thread_local hone_hazard_own hone__hazard_own
    __attribute__((visibility("hidden")));

/* Readers must order their store themselves: membarrier() is not there. */
extern atomic_int hone__hazard_fences __attribute__((visibility("hidden")));

/* See what this kernel has; once per process, before anything else here. */
void hone__hazard_start(void);

/* Give the calling thread a hazard until it ends. HONE_ERR_NO_MEMORY. */
hone_status hone__hazard_get(hone_error *err);

/* Those of all threads there ever were: the first of a list. */
hone_hazard *hone__hazard_first(void);

static inline void hone__hazard_protect(hone_hazard *hazard, const void *object)
{
    /* Release: what was done with the object before is done. */
    if (__builtin_expect(
            atomic_load_explicit(&hone__hazard_fences, memory_order_relaxed),
            0))
        (void)atomic_exchange(&hazard->object, object);
    else
        atomic_store_explicit(&hazard->object, object, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
}

/* From here on, what was taken out before is protected for everybody to see,
 * or its reader sees that it is gone: 1. 0: the kernel refuses, and nothing
 * may be freed. */
int hone__hazard_sync(void);
int hone__hazard_protects(const void *object); /* any thread's */

#endif
