/* SPDX-License-Identifier: Apache-2.0 */
/* A small JSON text as a tree in which every value knows its place, so that
 * mistakes inside its strings can be shown where they are. */
#ifndef HONE_GEN_JSON_TREE_H
#define HONE_GEN_JSON_TREE_H

#include "gen/json/json_reader.h"
#include "runtime/base/alloc.h"

typedef struct hone_json_tree {
    hone_json_kind kind; /* OBJECT, ARRAY, STRING, .. */
    const char *key;     /* of a member of an object, else NULL */
    const char *text;    /* of strings (decoded), numbers and words */
    size_t length;
    size_t offset; /* in the source: a string's is behind its quote */
    size_t end;
    int is_plain; /* a string without escapes: offsets into it are offsets
                     into the source */
    struct hone_json_tree *first; /* members or items */
    struct hone_json_tree *next;
} hone_json_tree;

/* All that is left of the text; it lives in `arena`. What hone__json_next()
 * fails with. */
hone_status hone__json_tree_read(hone_json_reader *reader, hone_arena *arena,
                                 hone_json_tree **out, hone_error *err);
/* The member of an object, NULL if it has none. */
const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key);

#endif
