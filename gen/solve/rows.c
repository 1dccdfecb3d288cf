/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table of rows: open addressing, at most half full. */
#include "gen/solve/graph.h"

#include "runtime/base/alloc.h"

struct hone_row_index {
    uint32_t number; /* of the row, plus one; 0: free */
    uint32_t hash;   /* its upper half: most misses need no look at a row */
};

/* The middle bits choose the place, the upper ones are compared. */
static uint64_t hash_row(const uint64_t *row, size_t n_words)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < n_words; ++i) {
        hash = (hash ^ row[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32; /* small integers differ in high bits only */
    }
    return hash * 0xd6e8feb86659fd93u;
}

static int is_same(const uint64_t *a, const uint64_t *b, size_t n_words)
{
    uint64_t differ = 0;

    for (size_t i = 0; i < n_words; ++i)
        differ |= a[i] ^ b[i];
    return !differ;
}

static int grow_rows(hone_rows *rows, size_t n)
{
    size_t capacity = rows->capacity ? rows->capacity : 64;
    uint64_t *grown;

    while (capacity < n)
        capacity *= 2;
    grown = hone__realloc(rows->rows,
                          capacity * (rows->n_words + 1) * sizeof *grown);
    if (!grown)
        return 0;
    rows->rows = grown;
    rows->capacity = capacity;
    return 1;
}

static int grow_index(hone_rows *rows, size_t n)
{
    size_t size = rows->n_index ? 2 * rows->n_index : 128;
    struct hone_row_index *index;

    while (size < 2 * n)
        size *= 2;
    index = hone__alloc(size * sizeof *index);
    if (!index)
        return 0;
    for (uint32_t i = 0; i < rows->n; ++i) {
        const uint64_t hash =
            hash_row(rows->rows + i * rows->n_words, rows->n_words);
        size_t at = (size_t)(hash >> 24) & (size - 1);

        while (index[at].number)
            at = (at + 1) & (size - 1);
        index[at].number = i + 1;
        index[at].hash = (uint32_t)(hash >> 32);
    }
    hone__free(rows->index);
    rows->index = index;
    rows->n_index = size;
    return 1;
}

int hone__rows_reserve(hone_rows *rows, size_t n_more)
{
    const size_t n = rows->n + n_more;

    if (n > rows->capacity && !grow_rows(rows, n))
        return 0;
    return 2 * n <= rows->n_index || grow_index(rows, n);
}

uint32_t hone__rows_find(hone_rows *rows, const uint64_t *row)
{
    const size_t n_words = rows->n_words;
    const uint64_t hash = hash_row(row, n_words);
    const uint32_t upper = (uint32_t)(hash >> 32);
    size_t at = (size_t)(hash >> 24) & (rows->n_index - 1);

    while (rows->index[at].number) {
        const uint32_t number = rows->index[at].number - 1;

        if (rows->index[at].hash == upper &&
            is_same(rows->rows + number * n_words, row, n_words))
            return number;
        at = (at + 1) & (rows->n_index - 1);
    }
    rows->index[at].number = (uint32_t)rows->n + 1;
    rows->index[at].hash = upper;
    for (size_t i = 0; i < n_words; ++i)
        rows->rows[rows->n * n_words + i] = row[i];
    return (uint32_t)rows->n++;
}

void hone__rows_free(hone_rows *rows)
{
    hone__free(rows->rows);
    hone__free(rows->index);
    *rows = (hone_rows){0};
}
