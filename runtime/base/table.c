/* SPDX-License-Identifier: Apache-2.0 */
/* Changing a table that others read meanwhile: see table.h. */
#include "runtime/base/table.h"

#include "runtime/base/alloc.h"

enum { FIRST_CAPACITY = 16 };

static uint64_t tag_of(const hone_table_entry *entry)
{
    return atomic_load_explicit(&entry->tag, memory_order_relaxed);
}

static void *value_of(const hone_table_entry *entry)
{
    return atomic_load_explicit(&entry->value, memory_order_relaxed);
}

static hone_table_body *body_of(const hone_table *table)
{
    return atomic_load_explicit(&table->body, memory_order_relaxed);
}

/* Into the first entry that is free or was given up. A reader that still
 * takes it for the entry of another tag sees that the tag changed. */
static void put(hone_table_body *body, uint64_t tag, void *value)
{
    size_t i = (size_t)tag & body->mask;

    while (value_of(&body->entries[i]))
        i = (i + 1) & body->mask;
    atomic_store_explicit(&body->entries[i].tag, tag, memory_order_release);
    atomic_store_explicit(&body->entries[i].value, value, memory_order_release);
}

static hone_status grow(hone_table *table, hone_error *err)
{
    hone_table_body *body = body_of(table);
    const size_t capacity = body ? 2 * (body->mask + 1) : FIRST_CAPACITY;
    hone_table_body *larger =
        hone__alloc(sizeof *larger + capacity * sizeof larger->entries[0]);

    if (!larger)
        return hone__out_of_memory(err, " for a table");
    larger->mask = capacity - 1;
    larger->outgrown = body;
    for (size_t i = 0; body && i <= body->mask; ++i) {
        if (value_of(&body->entries[i]))
            put(larger, tag_of(&body->entries[i]), value_of(&body->entries[i]));
    }
    atomic_store_explicit(&table->body, larger, memory_order_release);
    return HONE_OK;
}

hone_status hone__table_put(hone_table *table, uint64_t tag, void *value,
                            hone_error *err)
{
    const hone_table_body *body = body_of(table);

    if (!body || 2 * (table->n + 1) > body->mask + 1)
        HONE_TRY(grow(table, err));
    put(body_of(table), tag, value);
    ++table->n;
    return HONE_OK;
}

/* Entries that were given up and have a free one behind them are free. */
static void tidy(hone_table_body *body, size_t place)
{
    const size_t behind = (place + 1) & body->mask;

    if (tag_of(&body->entries[behind]))
        return;
    while (tag_of(&body->entries[place]) && !value_of(&body->entries[place])) {
        atomic_store_explicit(&body->entries[place].tag, 0,
                              memory_order_release);
        place = (place - 1) & body->mask;
    }
}

static int remove_from(hone_table_body *body, uint64_t tag, const void *value)
{
    for (size_t step = 0; step <= body->mask; ++step) {
        const size_t place = ((size_t)tag + step) & body->mask;
        hone_table_entry *entry = &body->entries[place];

        if (!tag_of(entry))
            return 0;
        if (tag_of(entry) != tag || value_of(entry) != value)
            continue;
        atomic_store(&entry->value, NULL);
        tidy(body, place);
        return 1;
    }
    return 0;
}

void hone__table_remove(hone_table *table, uint64_t tag, const void *value)
{
    hone_table_body *body = body_of(table);

    if (!body || !remove_from(body, tag, value))
        return;
    --table->n;
    while ((body = body->outgrown) != NULL)
        (void)remove_from(body, tag, value);
}

size_t hone__table_size(const hone_table *table)
{
    const hone_table_body *body = body_of(table);

    return body ? body->mask + 1 : 0;
}

void *hone__table_at(const hone_table *table, size_t place)
{
    return value_of(&body_of(table)->entries[place]);
}

void hone__table_free(hone_table *table)
{
    hone_table_body *body = body_of(table);

    while (body) {
        hone_table_body *outgrown = body->outgrown;

        hone__free(body);
        body = outgrown;
    }
    atomic_store_explicit(&table->body, NULL, memory_order_relaxed);
    table->n = 0;
}
