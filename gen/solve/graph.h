/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as a graph of operations in which equal subexpressions, and the
 * lets that several conditions read, are one node. Private to gen/. */
#ifndef HONE_GEN_GRAPH_H
#define HONE_GEN_GRAPH_H

#include "gen/solve/datum.h"
#include "gen/solve/rows.h"

#include <stddef.h>
#include <stdint.h>

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
