/* SPDX-License-Identifier: Apache-2.0 */
/* Open addressing, never more than half full, and nothing is ever taken out: a
 * look-up reads and compares, and only a new shape takes a lock. */
#include "blas/entries.h"

#include "runtime/base/alloc.h"
#include "runtime/base/hash.h"

#include <pthread.h>
#include <string.h>

enum { SLOTS = 2 * HONE_ENTRIES_MOST };

static hone_entry *_Atomic slots[SLOTS];
static size_t n_entries; /* under the lock */
static _Atomic uint64_t n_lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The slot that has the shape, or the first free one. */
static hone_entry *_Atomic *slot_of(const hone_blas_shape *shape)
{
    size_t at = (size_t)hone__hash64(shape, sizeof *shape);

    for (;; ++at) {
        hone_entry *_Atomic *slot = &slots[at & (SLOTS - 1)];
        const hone_entry *entry =
            atomic_load_explicit(slot, memory_order_acquire);

        if (!entry || memcmp(&entry->shape, shape, sizeof *shape) == 0)
            return slot;
    }
}

static hone_entry *add(const hone_blas_shape *shape, hone_met met)
{
    hone_entry *_Atomic *slot;
    hone_entry *entry;

    (void)pthread_mutex_lock(&lock);
    slot = slot_of(shape);
    entry = atomic_load_explicit(slot, memory_order_relaxed);
    if (!entry && n_entries < HONE_ENTRIES_MOST)
        entry = hone__alloc(sizeof *entry);
    if (entry && !atomic_load_explicit(slot, memory_order_relaxed)) {
        entry->shape = *shape;
        entry->met = met;
        ++n_entries;
        atomic_store_explicit(slot, entry, memory_order_release);
    }
    (void)pthread_mutex_unlock(&lock);
    return entry;
}

hone_entry *hone__entry_of(const hone_blas_shape *shape, hone_met met)
{
    hone_entry *entry =
        atomic_load_explicit(slot_of(shape), memory_order_acquire);

    if (!entry)
        entry = add(shape, met);
    if (!entry)
        atomic_fetch_add_explicit(&n_lost, 1, memory_order_relaxed);
    return entry;
}

void hone__entries_each(void (*visit)(hone_entry *entry, void *user),
                        void *user)
{
    for (size_t i = 0; i < SLOTS; ++i) {
        hone_entry *entry =
            atomic_load_explicit(&slots[i], memory_order_acquire);

        if (entry)
            visit(entry, user);
    }
}

uint64_t hone__entries_n_lost(void)
{
    return atomic_load_explicit(&n_lost, memory_order_relaxed);
}

static void forget_one(hone_entry *entry, void *user)
{
    (void)user;
    entry->n_calls = 0;
    entry->n_answered = 0;
    entry->n_written = 0;
    entry->library = (hone_times){0};
    entry->ours = (hone_times){0};
}

void hone__entries_forget(void)
{
    (void)pthread_mutex_init(&lock, NULL); /* it may have been held */
    hone__entries_each(forget_one, NULL);
    n_lost = 0;
}
