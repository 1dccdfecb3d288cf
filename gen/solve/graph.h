/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as a graph of operations in which equal subexpressions, and the
 * lets that several conditions read, are one node; and the values that they
 * compute. Private to gen/. */
#ifndef HONE_GEN_GRAPH_H
#define HONE_GEN_GRAPH_H

#include "runtime/expr/expr_code.h"

#include <stddef.h>
#include <stdint.h>

/* ---- values (datum.c) --------------------------------------------------- */

/* Every operation on them: the C meaning of templates and the Python meaning of
 * T1 files. An operation that has no value gives a fault, which is a value too
 * and spreads, except through what is not evaluated. */
typedef enum hone_datum_kind {
    HONE_DATUM_INT,
    HONE_DATUM_FLOAT,
    HONE_DATUM_TEXT, /* `i` is a number that equal texts share; "" is 0 */
    HONE_DATUM_FAULT /* `i` is a hone_fault or one of those below */
} hone_datum_kind;

typedef struct hone_datum {
    hone_datum_kind kind;
    union {
        int64_t i;
        double d;
    };
} hone_datum;

/* Faults of Python's operations, beside those of hone_fault. */
enum {
    HONE_FAULT_TYPE = HONE_FAULT_SIZEOF + 1,
    HONE_FAULT_ORDER,
    HONE_FAULT_NEGATIVE_SHIFT,
    HONE_FAULT_COMPLEX,
    HONE_FAULT_LARGE_QUOTIENT,
    HONE_FAULT_NO_INT
};

/* Operations: those of hone_op on one or two values, and these. The first
 * four do not fault because of a value that they do not need. */
enum {
    HONE_OP_AND_THEN = HONE_OP_GCD + 1, /* 0 or 1 */
    HONE_OP_OR_ELSE,
    HONE_OP_SELECT, /* a ? b : c */
    HONE_OP_FAULTS, /* 1 if a is a fault */
    HONE_OP_TRUE_DIV,
    HONE_OP_FLOOR_DIV,
    HONE_OP_FLOOR_MOD,
    HONE_OP_POWER,
    HONE_OP_SHIFT_LEFT, /* Python's: any distance from 0 */
    HONE_OP_SHIFT_RIGHT,
    HONE_OP_INT,
    HONE_OP_FLOAT,
    HONE_OP_END
};

hone_datum hone__datum_int(int64_t i);
hone_datum hone__datum_float(double d);
hone_datum hone__datum_text(int64_t number);

/* Unused operands are ignored. `op` is a hone_op from NEG on, or one of
 * those above. */
hone_datum hone__datum_apply(int op, hone_datum a, hone_datum b, hone_datum c);
/* How many operands it has. */
int hone__op_arity(int op);
/* Is the result always 0, 1 or a fault? */
int hone__op_is_truth(int op);

/* A fault is not true. */
int hone__datum_truth(hone_datum a);
/* The same kind and the same value; not Python's ==. */
int hone__datum_same(hone_datum a, hone_datum b);
/* For qsort(): numbers by size, then texts by number; what Python finds equal
 * is equal. */
int hone__datum_order(const void *a, const void *b);
/* "division by zero": what a fault means. */
const char *hone__datum_fault_text(hone_datum fault);

/* ---- different rows of words, found by a hash table (rows.c) ------------ */

/* The nodes of a graph, the states of a level: numbered as they come. Starts as
 * {0} with its n_words. */
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

/* ---- the graph ---------------------------------------------------------- */

/* A node's number. Operands have smaller ones than what reads them; 0 is no
 * node: what memory was missing for. */
typedef uint32_t hone_node;

/* A set of variables, one bit each. */
typedef uint64_t hone_vars;

enum { HONE_GRAPH_VARS = 64 };

typedef struct hone_graph_node {
    int op; /* HONE_OP_CONST, HONE_OP_SLOT or an operation */
    int n_args;
    hone_node args[3];
    uint32_t var;     /* HONE_OP_SLOT */
    hone_datum value; /* HONE_OP_CONST */
    hone_vars vars;   /* what it depends on */
} hone_graph_node;

/* Starts as {0}. */
typedef struct hone_graph {
    hone_graph_node *nodes; /* nodes[0] is unused */
    uint32_t n;
    uint32_t capacity;
    hone_rows rows; /* what makes nodes different, to find equal ones */
    int failed;     /* memory ran out; every later node is 0 */
} hone_graph;

void hone__graph_free(hone_graph *graph);

hone_node hone__graph_const(hone_graph *graph, hone_datum value);
/* `var` below HONE_GRAPH_VARS. */
hone_node hone__graph_var(hone_graph *graph, uint32_t var);
/* Operands that are not used are 0. Constants are folded where that leaves no
 * fault out. */
hone_node hone__graph_op(hone_graph *graph, int op, hone_node a, hone_node b,
                         hone_node c);
/* A node that is true where `node` is and simpler to take apart. */
hone_node hone__graph_truth(hone_graph *graph, hone_node node);

/* The conditions that hold together where `root` does, in the order in which
 * it evaluates them: `a && b` is two. Calls `take` for each. */
void hone__graph_split(hone_graph *graph, hone_node root,
                       void (*take)(void *user, hone_node piece), void *user);

/* Set reached[i] for every node that those need, up to `last`, for which it is
 * set already. */
void hone__graph_reach(const hone_graph *graph, hone_node last,
                       unsigned char *reached);
/* The value of `root`; `vars` has one value per variable. `scratch` has room
 * for graph->n values. */
hone_datum hone__graph_eval(const hone_graph *graph, hone_node root,
                            const hone_datum *vars, hone_datum *scratch);

/* The node of a compiled expression; slots[i] is that of slot i. */
hone_node hone__graph_of_expr(hone_graph *graph, const hone_expr *expr,
                              const hone_node *slots);

#endif
