/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a template: its text and the expansion directives in it, as a
 * flat list in which directives point at each other. body_text.c and
 * directives.c write it, expand_source.c runs it. Private to gen/. */
#ifndef HONE_GEN_BODY_H
#define HONE_GEN_BODY_H

#include "gen/parse/template.h"

enum { HONE_MAX_BODY_NESTING = 16 };

typedef enum hone_body_kind {
    HONE_BODY_TEXT,
    HONE_BODY_BLOCK, /* the parameters go here */
    HONE_BODY_FOR,
    HONE_BODY_ENDFOR,
    HONE_BODY_IF,
    HONE_BODY_ELIF,
    HONE_BODY_ELSE,
    HONE_BODY_ENDIF
} hone_body_kind;

typedef enum hone_piece_kind {
    HONE_PIECE_BYTES,
    HONE_PIECE_HEADER, /* name of a header */
    HONE_PIECE_NUMBER,
    HONE_PIECE_REAL,   /* floating-point, from the bits of a double */
    HONE_PIECE_SYMBOL, /* name of an enumeration's value */
    HONE_PIECE_TYPE    /* C++ spelling of an element type */
} hone_piece_kind;

/* Source bytes [begin, end), or what to write instead of them. */
typedef struct hone_piece {
    hone_piece_kind kind;
    size_t begin;
    size_t end;
    const char *header; /* what compilers get; people get the bytes */
    hone_template_expr insert;
} hone_piece;

typedef struct hone_body_item {
    hone_body_kind kind;
    int line;
    size_t n_pieces; /* HONE_BODY_TEXT */
    hone_piece *pieces;
    /* for: its endfor; if, elif, else: the next branch or the endif */
    size_t next;
    hone_template_expr condition; /* if, elif */
    hone_template_expr from, to, step;
    size_t slot; /* of the loop variable */
} hone_body_item;

/* A declaration that stands inside `depth` for and if. */
typedef struct hone_stray {
    size_t depth;
    size_t begin; /* of its word */
    size_t end;
} hone_stray;

struct hone_template_body {
    size_t n_items;
    hone_body_item *items;
    size_t n_open; /* while parsing: unclosed for and if */
    struct {
        size_t first;  /* item that opened it */
        size_t branch; /* last if, elif or else */
    } open[HONE_MAX_BODY_NESTING];
    size_t n_loops;    /* while parsing: open for */
    size_t n_includes; /* while parsing: those that are in an item */
    size_t n_strays;   /* declarations inside for and if */
    struct hone_stray *strays;
    size_t n_exprs; /* every expression of the template, to free them */
    hone_expr **exprs;
    int next_line;  /* while parsing: first line not in an item */
    int block_line; /* the block stands before this line */
    size_t n_slots; /* template slots and loop variables */
};
typedef struct hone_template_body hone_template_body;

#endif
