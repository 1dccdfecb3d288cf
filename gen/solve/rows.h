/* SPDX-License-Identifier: Apache-2.0 */
/* Different rows of words, numbered as they come, found by a hash table: the
 * nodes of a graph, the states of a level. Private to gen/. */
#ifndef HONE_GEN_ROWS_H
#define HONE_GEN_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Starts as {0} with its n_words. */
typedef struct hone_rows {
    size_t n_words;
    uint64_t *rows;
    size_t n;
    size_t capacity;
    struct hone_row_index *index;
    size_t n_index; /* a power of two */
} hone_rows;

/* 0 if memory ran out. */
int hone__rows_reserve(hone_rows *rows, size_t n_more);
/* The number of a row, new or old; after reserve(). */
uint32_t hone__rows_find(hone_rows *rows, const uint64_t *row);
void hone__rows_free(hone_rows *rows);

#endif
