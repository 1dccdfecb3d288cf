/* SPDX-License-Identifier: Apache-2.0 */
/* A small JSON text as a tree in which every value knows its place, so that
 * mistakes inside its strings can be shown where they are. Private to gen/.
 */
#ifndef HONE_GEN_JSON_TREE_H
#define HONE_GEN_JSON_TREE_H

#include "runtime/base/alloc.h"
#include "runtime/base/error.h"
#include "runtime/expr/expr.h"

typedef enum hone_json_type {
    HONE_JSON_TREE_OBJECT,
    HONE_JSON_TREE_ARRAY,
    HONE_JSON_TREE_STRING,
    HONE_JSON_TREE_NUMBER,
    HONE_JSON_TREE_WORD /* true, false, null: `text` says which */
} hone_json_type;

typedef struct hone_json_tree {
    hone_json_type type;
    const char *key;  /* of a member of an object, else NULL */
    const char *text; /* of strings (decoded), numbers and words */
    size_t length;
    size_t offset; /* in the source: a string's is behind its quote */
    size_t end;
    int is_plain; /* a string without escapes: offsets into it are offsets
                     into the source */
    struct hone_json_tree *first; /* members or items */
    struct hone_json_tree *next;
} hone_json_tree;

/* Everything lives in `arena`. HONE_ERR_INPUT with a sentence and its
 * place. */
hone_status hone__json_tree_read(const char *source, size_t length,
                                 hone_arena *arena, hone_json_tree **out,
                                 hone_span *out_where, hone_error *err);
/* The member of an object, NULL if it has none. */
const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key);

#endif
