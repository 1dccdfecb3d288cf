/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of conditions: see graph.h. A new node is looked up in a hash
 * table first, so that equal subexpressions are found as they are built. */
#include "gen/solve/graph.h"

#include "runtime/base/alloc.h"

#include <string.h>

void hone__graph_free(hone_graph *graph)
{
    hone__free(graph->nodes);
    hone__free(graph->index);
    *graph = (hone_graph){0};
}

static uint64_t hash_of(const hone_graph_node *node)
{
    uint64_t words[4] = {(uint64_t)node->op << 32 | node->var,
                         (uint64_t)node->args[0] << 32 | node->args[1],
                         (uint64_t)node->args[2] << 32 |
                             (unsigned)node->value.kind,
                         (uint64_t)node->value.i};
    uint64_t hash = 0;

    for (size_t i = 0; i < 4; ++i) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static int is_same(const hone_graph_node *a, const hone_graph_node *b)
{
    return a->op == b->op && a->var == b->var &&
           memcmp(a->args, b->args, sizeof a->args) == 0 &&
           hone__datum_same(a->value, b->value);
}

/* Where the node is in the index, or belongs. */
static uint32_t *find(const hone_graph *graph, const hone_graph_node *node)
{
    const uint32_t mask = graph->n_index - 1;
    uint32_t at = (uint32_t)hash_of(node) & mask;

    while (graph->index[at] && !is_same(&graph->nodes[graph->index[at]], node))
        at = (at + 1) & mask;
    return &graph->index[at];
}

static int grow(hone_graph *graph)
{
    const uint32_t capacity = graph->capacity ? 2 * graph->capacity : 64;
    hone_graph_node *nodes;

    if (graph->failed || capacity > UINT32_C(1) << 24)
        return 0;
    nodes = hone__realloc(graph->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return 0;
    graph->nodes = nodes;
    hone__free(graph->index);
    graph->n_index = 2 * capacity;
    graph->index = hone__alloc(graph->n_index * sizeof *graph->index);
    if (!graph->index)
        return 0;
    if (graph->n == 0)
        nodes[graph->n++] = (hone_graph_node){0};
    for (uint32_t i = 1; i < graph->n; ++i)
        *find(graph, &nodes[i]) = i;
    graph->capacity = capacity;
    return 1;
}

static hone_node add(hone_graph *graph, const hone_graph_node *node)
{
    uint32_t *place;

    if (graph->n == graph->capacity && !grow(graph)) {
        graph->failed = 1;
        return 0;
    }
    place = find(graph, node);
    if (!*place) {
        *place = graph->n;
        graph->nodes[graph->n++] = *node;
    }
    return *place;
}

hone_node hone__graph_const(hone_graph *graph, hone_datum value)
{
    return add(graph, &(hone_graph_node){.op = HONE_OP_CONST, .value = value});
}

hone_node hone__graph_var(hone_graph *graph, uint32_t var)
{
    return add(graph, &(hone_graph_node){.op = HONE_OP_SLOT,
                                         .var = var,
                                         .vars = (hone_vars)1 << var});
}

static int is_const(const hone_graph *graph, hone_node node)
{
    return graph->nodes[node].op == HONE_OP_CONST;
}

static hone_node truth_value(hone_graph *graph, hone_node a)
{
    return hone__op_is_truth(graph->nodes[a].op)
               ? a
               : hone__graph_op(graph, HONE_OP_BOOL, a, 0, 0);
}

/* What a constant first operand decides; 0 if it decides nothing. */
static hone_node short_cut(hone_graph *graph, int op, const hone_node *args)
{
    const hone_datum first = graph->nodes[args[0]].value;

    if (!is_const(graph, args[0]) || first.kind == HONE_DATUM_FAULT)
        return 0;
    switch (op) {
    case HONE_OP_SELECT:
        return hone__datum_truth(first) ? args[1] : args[2];
    case HONE_OP_AND_THEN:
    case HONE_OP_OR_ELSE:
        if (hone__datum_truth(first) == (op == HONE_OP_AND_THEN))
            return truth_value(graph, args[1]);
        return hone__graph_const(graph, hone__datum_int(op == HONE_OP_OR_ELSE));
    default:
        return 0;
    }
}

static int commutes(int op)
{
    return op == HONE_OP_ADD || op == HONE_OP_MUL || op == HONE_OP_EQ ||
           op == HONE_OP_NE;
}

hone_node hone__graph_op(hone_graph *graph, int op, hone_node a, hone_node b,
                         hone_node c)
{
    hone_graph_node node = {
        .op = op, .n_args = hone__op_arity(op), .args = {a, b, c}};
    int n_const = 0;

    for (int i = 0; i < node.n_args; ++i) {
        if (!node.args[i])
            return 0;
        node.vars |= graph->nodes[node.args[i]].vars;
        n_const += is_const(graph, node.args[i]);
    }
    if (op == HONE_OP_BOOL && hone__op_is_truth(graph->nodes[a].op))
        return a;
    if (n_const == node.n_args)
        return hone__graph_const(graph,
                                 hone__datum_apply(op, graph->nodes[a].value,
                                                   graph->nodes[b].value,
                                                   graph->nodes[c].value));
    if (n_const) {
        const hone_node decided = short_cut(graph, op, node.args);

        if (decided)
            return decided;
    }
    if (commutes(op) && a > b) {
        node.args[0] = b;
        node.args[1] = a;
    }
    return add(graph, &node);
}

/* `a or b` of Python is a ? a : b, and `a and b` a ? b : a: their value is
 * that of an operand. Where only the truth counts they can be taken apart. */
hone_node hone__graph_truth(hone_graph *graph, hone_node root)
{
    const hone_graph_node node =
        graph->nodes ? graph->nodes[root] : (hone_graph_node){0};

    if (node.op == HONE_OP_BOOL)
        return hone__graph_truth(graph, node.args[0]);
    if (node.op != HONE_OP_SELECT)
        return root;
    if (node.args[0] == node.args[1])
        return hone__graph_op(graph, HONE_OP_OR_ELSE,
                              hone__graph_truth(graph, node.args[0]),
                              hone__graph_truth(graph, node.args[2]), 0);
    if (node.args[0] == node.args[2])
        return hone__graph_op(graph, HONE_OP_AND_THEN,
                              hone__graph_truth(graph, node.args[0]),
                              hone__graph_truth(graph, node.args[1]), 0);
    return root;
}

void hone__graph_split(hone_graph *graph, hone_node root,
                       void (*take)(void *user, hone_node piece), void *user)
{
    hone_node denied[2];
    hone_graph_node node;

    root = hone__graph_truth(graph, root);
    if (!root) {
        take(user, 0);
        return;
    }
    node = graph->nodes[root];
    if (node.op == HONE_OP_AND_THEN) {
        hone__graph_split(graph, node.args[0], take, user);
        hone__graph_split(graph, node.args[1], take, user);
        return;
    }
    if (node.op == HONE_OP_NOT) {
        const hone_node inner = hone__graph_truth(graph, node.args[0]);

        node = graph->nodes[inner];
        if (node.op == HONE_OP_NOT) {
            hone__graph_split(graph, node.args[0], take, user);
            return;
        }
        if (node.op == HONE_OP_OR_ELSE) {
            for (int i = 0; i < 2; ++i)
                denied[i] =
                    hone__graph_op(graph, HONE_OP_NOT, node.args[i], 0, 0);
            hone__graph_split(graph, denied[0], take, user);
            hone__graph_split(graph, denied[1], take, user);
            return;
        }
    }
    take(user, root);
}

void hone__graph_reach(const hone_graph *graph, hone_node root,
                       unsigned char *reached)
{
    reached[root] = 1;
    for (hone_node i = root; i > 0; --i) {
        const hone_graph_node *node = &graph->nodes[i];

        for (int k = 0; reached[i] && k < node->n_args; ++k)
            reached[node->args[k]] = 1;
    }
}

hone_datum hone__graph_eval(const hone_graph *graph, hone_node root,
                            const hone_datum *vars, hone_datum *scratch)
{
    for (hone_node i = 1; i <= root; ++i) {
        const hone_graph_node *node = &graph->nodes[i];

        if (node->op == HONE_OP_CONST)
            scratch[i] = node->value;
        else if (node->op == HONE_OP_SLOT)
            scratch[i] = vars[node->var];
        else
            scratch[i] = hone__datum_apply(node->op, scratch[node->args[0]],
                                           scratch[node->args[1]],
                                           scratch[node->args[2]]);
    }
    return scratch[root];
}
