/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Python parser share: python_words.c reads words,
 * python.c scalars, python_list.c lists, python_values.c evaluates lists.
 * Private to them. */
#ifndef HONE_GEN_PYTHON_PARSER_H
#define HONE_GEN_PYTHON_PARSER_H

#include "gen/t1/python.h"

enum {
    HONE_PYTHON_NESTING = 64,
    HONE_PYTHON_LOOPS = 8, /* loops around each other in comprehensions */
    HONE_PYTHON_ITEMS = 65536
};

/* A variable of a comprehension. */
typedef struct hone_python_loop {
    const char *name;
    size_t length;
} hone_python_loop;

typedef struct hone_python_parser {
    const hone_python *python;
    const char *text;
    size_t end;
    size_t at;
    int nesting;
    hone_graph *graph;
    hone_python_loop loops[HONE_PYTHON_LOOPS]; /* variables 0, 1, .. */
    size_t n_loops;
    hone_span where; /* of the mistake */
    hone_error *err;
    hone_status status; /* the first failure */
} hone_python_parser;

/* Record a mistake; returns 0, so that it can be returned. */
hone_node hone__python_fail(hone_python_parser *p, size_t offset, size_t length,
                            const char *format, ...)
    __attribute__((format(printf, 4, 5)));
hone_node hone__python_no_memory(hone_python_parser *p);
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

/* ---- lists ------------------------------------------------------------- */

typedef enum hone_list_kind {
    HONE_LIST_ITEMS,
    HONE_LIST_RANGE, /* items: the one to three arguments */
    HONE_LIST_SUM,
    HONE_LIST_PRODUCT, /* items[0]: how often */
    HONE_LIST_SORTED,
    HONE_LIST_LOOP /* items[0]: the element */
} hone_list_kind;

/* `for NAME in LIST` or, without a list, `if CONDITION`. */
typedef struct hone_list_clause {
    uint32_t var;
    struct hone_list *list;
    hone_node condition;
} hone_list_clause;

typedef struct hone_list {
    hone_list_kind kind;
    hone_node *items;
    size_t n_items;
    struct hone_list *left; /* of sums, products and sorted() */
    struct hone_list *right;
    hone_list_clause *clauses;
    size_t n_clauses;
    size_t begin; /* place in the text, for messages */
    size_t end;
} hone_list;

/* Values as they are found. Free `items` with hone__free(). */
typedef struct hone_list_values {
    hone_datum *items;
    size_t n;
    size_t capacity;
} hone_list_values;

/* The list that comes next; NULL: failed. */
hone_list *hone__python_read_list(hone_python_parser *p);
/* Append its values; 0: failed. */
int hone__python_evaluate(hone_python_parser *p, const hone_list *of,
                          hone_list_values *out);

#endif
