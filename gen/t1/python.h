/* SPDX-License-Identifier: Apache-2.0 */
/* Python expressions of T1 files, with Python's meaning: conditions as nodes
 * of a graph, lists of values as values. Integers are 64 bits wide; what
 * Python would carry on with beyond that is refused or a fault. Private to
 * gen/.
 *
 * Read are: or and not, chained comparisons, in and not in a list or range,
 * | ^ & << >> + - * / // % **, x if c else y, integers, floats, texts, True
 * and False, abs min max int float bool pow. In lists also: + and * of lists,
 * range list tuple sorted, and comprehensions with any number of for and if.
 */
#ifndef HONE_GEN_PYTHON_H
#define HONE_GEN_PYTHON_H

#include "gen/solve/graph.h"
#include "runtime/base/alloc.h"

/* Texts by number, "" being 0. Starts as {0}; lives in an arena. */
typedef struct hone_texts {
    const char **items;
    size_t n;
    size_t capacity;
} hone_texts;

/* -1 if memory ran out. */
int64_t hone__text_number(hone_texts *texts, hone_arena *arena,
                          const char *text, size_t length);

/* What a name stands for; 0 if it is unknown. `note` may be filled with a
 * sentence that says more. */
typedef hone_node hone_python_lookup(void *user, const char *name,
                                     size_t length, char note[256]);

typedef struct hone_python {
    hone_arena *arena;
    hone_texts *texts;
    hone_python_lookup *lookup; /* NULL: no names */
    void *user;
} hone_python;

/* A condition. HONE_ERR_INPUT with a sentence, and its place in the text. */
hone_status hone__python_condition(const hone_python *python, hone_graph *graph,
                                   const char *text, size_t length,
                                   hone_node *out, hone_span *out_where,
                                   hone_error *err);
/* A list of values, at most 65536. */
hone_status hone__python_list(const hone_python *python, const char *text,
                              size_t length, hone_datum **out, size_t *out_n,
                              hone_span *out_where, hone_error *err);

#endif
