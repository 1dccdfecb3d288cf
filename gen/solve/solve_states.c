/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table that finds equal states: open addressing, at most half
 * full. */
#include "gen/solve/solver.h"

struct hone_state_index {
    uint32_t number; /* of the state, plus one; 0: free */
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

static int grow_rows(hone_states *states, size_t n)
{
    size_t capacity = states->capacity ? states->capacity : 64;
    uint64_t *rows;

    while (capacity < n)
        capacity *= 2;
    rows = hone__realloc(states->rows,
                         capacity * (states->n_words + 1) * sizeof *rows);
    if (!rows)
        return 0;
    states->rows = rows;
    states->capacity = capacity;
    return 1;
}

static int grow_index(hone_states *states, size_t n)
{
    size_t size = states->n_index ? 2 * states->n_index : 128;
    struct hone_state_index *index;

    while (size < 2 * n)
        size *= 2;
    index = hone__alloc(size * sizeof *index);
    if (!index)
        return 0;
    for (uint32_t i = 0; i < states->n; ++i) {
        const uint64_t hash =
            hash_row(states->rows + i * states->n_words, states->n_words);
        size_t at = (size_t)(hash >> 24) & (size - 1);

        while (index[at].number)
            at = (at + 1) & (size - 1);
        index[at].number = i + 1;
        index[at].hash = (uint32_t)(hash >> 32);
    }
    hone__free(states->index);
    states->index = index;
    states->n_index = size;
    return 1;
}

int hone__states_reserve(hone_states *states, size_t n_more)
{
    const size_t n = states->n + n_more;

    if (n > states->capacity && !grow_rows(states, n))
        return 0;
    return 2 * n <= states->n_index || grow_index(states, n);
}

uint32_t hone__states_find(hone_states *states, const uint64_t *row)
{
    const size_t n_words = states->n_words;
    const uint64_t hash = hash_row(row, n_words);
    const uint32_t upper = (uint32_t)(hash >> 32);
    size_t at = (size_t)(hash >> 24) & (states->n_index - 1);

    while (states->index[at].number) {
        const uint32_t number = states->index[at].number - 1;

        if (states->index[at].hash == upper &&
            is_same(states->rows + number * n_words, row, n_words))
            return number;
        at = (at + 1) & (states->n_index - 1);
    }
    states->index[at].number = (uint32_t)states->n + 1;
    states->index[at].hash = upper;
    for (size_t i = 0; i < n_words; ++i)
        states->rows[states->n * n_words + i] = row[i];
    return (uint32_t)states->n++;
}

void hone__states_free(hone_states *states)
{
    hone__free(states->rows);
    hone__free(states->index);
    *states = (hone_states){0};
}
