/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Python parser share: python_words.c reads words,
 * python.c scalars, python_list.c lists. Private to them. */
#ifndef HONE_GEN_PYTHON_PARSER_H
#define HONE_GEN_PYTHON_PARSER_H

#include "gen/t1/python.h"

enum {
    HONE_PYTHON_NESTING = 64,
    HONE_PYTHON_LOOPS = 8, /* loops around each other in comprehensions */
    HONE_PYTHON_ITEMS = 65536
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
