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

/* ---- what the files of the parser share --------------------------------- */

/* python_words.c reads words, python.c scalars, python_list.c lists; private to
 * them. */
enum {
    HONE_PYTHON_NESTING = 64,
    HONE_PYTHON_LOOPS = 8, /* loops around each other in comprehensions */
    HONE_PYTHON_ITEMS = 65536,
    /* Values and turns of loops in all, also of those that leave no value:
     * a definition is read in seconds. */
    HONE_PYTHON_WORK = 1 << 20,
    HONE_PYTHON_NODES = 1 << 22 /* of the graph of all conditions */
};

/* A variable of a comprehension, and its value in this turn. */
typedef struct hone_python_loop {
    const char *name;
    size_t length;
    hone_datum value;
} hone_python_loop;

typedef struct hone_python_parser {
    const hone_python *python;
    const char *text;
    size_t end;
    size_t at;
    int nesting;
    hone_graph *graph;
    hone_python_loop loops[HONE_PYTHON_LOOPS];
    size_t n_loops;
    int is_trial;    /* lists are read, and give no values */
    int64_t work;    /* of HONE_PYTHON_WORK */
    size_t list_at;  /* where the list that is being read begins */
    hone_span where; /* of the mistake */
    hone_error *err;
    hone_status status; /* the first failure */
} hone_python_parser;

/* Record a mistake; returns 0, so that it can be returned. */
hone_node hone__python_fail(hone_python_parser *p, size_t offset, size_t length,
                            const char *format, ...)
    __attribute__((format(printf, 4, 5)));
hone_node hone__python_no_memory(hone_python_parser *p);
/* One level deeper; 0, a mistake, at the limit. The caller leaves it. */
int hone__python_enter(hone_python_parser *p);
/* A mistake at what comes next: "expected WHAT, found 'x'". */
hone_node hone__python_unexpected(hone_python_parser *p, const char *what);

/* The next character that is no blank; '\0' at the end. */
char hone__python_peek(hone_python_parser *p);
int hone__python_accept(hone_python_parser *p, char c);
int hone__python_expect(hone_python_parser *p, char c, const char *where);
/* Take the word if it comes next. */
int hone__python_word(hone_python_parser *p, const char *word);
/* Does the word start at this offset? */
int hone__python_word_at(const hone_python_parser *p, size_t at,
                         const char *word);
/* Length of the name or number at an offset. */
size_t hone__python_word_length(const hone_python_parser *p, size_t at);
/* The end of the text in quotes that begins at an offset. */
size_t hone__python_skip_text(const hone_python_parser *p, size_t at);
hone_node hone__python_constant(hone_python_parser *p, hone_datum value);
/* What comes next as a constant. */
hone_node hone__python_number(hone_python_parser *p);
hone_node hone__python_text(hone_python_parser *p);

/* One scalar expression, with ?: but without commas. 0: failed. */
hone_node hone__python_scalar(hone_python_parser *p);
/* The same without a condition behind it: what stands before for, if, in. */
hone_node hone__python_simple(hone_python_parser *p);
/* `x in LIST` as a node; `x` is there, the list comes next. */
hone_node hone__python_in(hone_python_parser *p, hone_node x);

#endif
