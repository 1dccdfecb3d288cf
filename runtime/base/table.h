/* SPDX-License-Identifier: Apache-2.0 */
/* A table from 64-bit tags to pointers that is read without a lock: open
 * addressing, at most half full. Tags may occur more than once (hashes); they
 * are spread already, since their low bits say where to look. Writers hold a
 * lock of their own.
 *
 * A reader may miss what is there while another thread changes the table: it
 * looks again under the writers' lock. What it finds may have been removed
 * since: hone__table_still() tells, once the reader has seen to it that the
 * value is not freed. A table that was outgrown is kept until the end, for a
 * reader may be in it; all of them together are less than the one in use. */
#ifndef HONE_RUNTIME_TABLE_H
#define HONE_RUNTIME_TABLE_H

#include "runtime/base/error.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hone_table_entry {
    _Atomic uint64_t tag;  /* 0: free, and nothing lies behind it */
    _Atomic(void *) value; /* NULL: given up */
} hone_table_entry;

typedef struct hone_table_body {
    size_t mask; /* capacity - 1; the capacity is a power of two */
    struct hone_table_body *outgrown; /* the one before */
    hone_table_entry entries[];
} hone_table_body;

/* Starts as {0}. */
typedef struct hone_table {
    _Atomic(hone_table_body *) body; /* NULL while nothing was put */
    size_t n;                        /* entries in use; of writers */
} hone_table;

/* A look through the entries with a tag. */
typedef struct hone_table_walk {
    const hone_table *table;
    hone_table_body *body;
    uint64_t tag;
    size_t step;
    hone_table_entry *entry; /* of the value that was found last */
} hone_table_walk;

/* Spread the bits of a number, such as an address, so that it is a tag.
 * One-to-one; 0 stays 0. */
static inline uint64_t hone__table_tag(uint64_t number)
{
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ (number >> 32);
}

static inline hone_table_walk hone__table_walk(const hone_table *table,
                                               uint64_t tag)
{
    const hone_table_walk walk = {
        table, atomic_load_explicit(&table->body, memory_order_acquire), tag, 0,
        NULL};

    return walk;
}

/* The next value with the tag, NULL after the last. */
static inline void *hone__table_next(hone_table_walk *walk)
{
    hone_table_body *body = walk->body;

    while (body && walk->step <= body->mask) {
        hone_table_entry *entry =
            &body->entries[((size_t)walk->tag + walk->step++) & body->mask];
        const uint64_t tag =
            atomic_load_explicit(&entry->tag, memory_order_acquire);
        void *value;

        if (!tag)
            return NULL;
        if (tag != walk->tag)
            continue;
        value = atomic_load_explicit(&entry->value, memory_order_acquire);
        if (!value)
            continue;
        walk->entry = entry;
        return value;
    }
    return NULL;
}

/* Is the value that the walk found last still in the table? */
static inline int hone__table_still(const hone_table_walk *walk,
                                    const void *value)
{
    return atomic_load(&walk->entry->tag) == walk->tag &&
           atomic_load(&walk->entry->value) == value;
}

/* The only value with this tag; NULL if there is none. */
static inline void *hone__table_find(const hone_table *table, uint64_t tag)
{
    hone_table_walk walk = hone__table_walk(table, tag);
    void *value = hone__table_next(&walk);

    return value && hone__table_still(&walk, value) ? value : NULL;
}

/* Tags are not 0 and values not NULL. HONE_ERR_NO_MEMORY. */
hone_status hone__table_put(hone_table *table, uint64_t tag, void *value,
                            hone_error *err);
/* Take out the entry of this tag and this value, if there is one. */
void hone__table_remove(hone_table *table, uint64_t tag, const void *value);
/* Number of places, and what is in one of them: NULL or a value. */
size_t hone__table_size(const hone_table *table);
void *hone__table_at(const hone_table *table, size_t place);
void hone__table_free(hone_table *table); /* back to {0} */

#endif
