/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of conditions: see graph.h. */
#include "gen/solve/graph.h"

#include "runtime/base/alloc.h"

enum { NODE_WORDS = 4, MAX_NODES = 1 << 24 };

void hone__graph_free(hone_graph *graph)
{
    hone__free(graph->nodes);
    hone__rows_free(&graph->rows);
    *graph = (hone_graph){0};
}

static int grow(hone_graph *graph)
{
    const uint32_t capacity = graph->capacity ? 2 * graph->capacity : 64;
    hone_graph_node *nodes =
        capacity > MAX_NODES
            ? NULL
            : hone__realloc(graph->nodes, capacity * sizeof *nodes);

    if (!nodes)
        return 0;
    nodes[0] = (hone_graph_node){0};
    graph->nodes = nodes;
    graph->capacity = capacity;
    return 1;
}

/* The node's number, new or old. */
static hone_node add(hone_graph *graph, const hone_graph_node *node)
{
    const uint64_t row[NODE_WORDS] = {
        (uint64_t)node->op << 32 | node->var,
        (uint64_t)node->args[0] << 32 | node->args[1],
        (uint64_t)node->args[2] << 32 | (unsigned)node->value.kind,
        (uint64_t)node->value.i};
    hone_node number;

    graph->rows.n_words = NODE_WORDS;
    graph->failed |= (graph->rows.n + 1 >= graph->capacity && !grow(graph)) ||
                     !hone__rows_reserve(&graph->rows, 1);
    if (graph->failed)
        return 0;
    number = hone__rows_find(&graph->rows, row) + 1;
    if (number >= graph->n) {
        graph->nodes[number] = *node;
        graph->n = number + 1;
    }
    return number;
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
    int is_or;

    if (node.op == HONE_OP_BOOL)
        return hone__graph_truth(graph, node.args[0]);
    if (node.op != HONE_OP_SELECT)
        return root;
    is_or = node.args[0] == node.args[1];
    if (is_or || node.args[0] == node.args[2])
        return hone__graph_op(
            graph, is_or ? HONE_OP_OR_ELSE : HONE_OP_AND_THEN,
            hone__graph_truth(graph, node.args[0]),
            hone__graph_truth(graph, node.args[is_or ? 2 : 1]), 0);
    return root;
}

void hone__graph_split(hone_graph *graph, hone_node root,
                       void (*take)(void *user, hone_node piece), void *user)
{
    hone_node parts[2] = {0, 0};
    hone_graph_node node;

    root = hone__graph_truth(graph, root);
    node = graph->nodes ? graph->nodes[root] : (hone_graph_node){0};
    if (node.op == HONE_OP_AND_THEN) {
        parts[0] = node.args[0];
        parts[1] = node.args[1];
    } else if (node.op == HONE_OP_NOT) {
        node = graph->nodes[hone__graph_truth(graph, node.args[0])];
        if (node.op == HONE_OP_NOT) {
            hone__graph_split(graph, node.args[0], take, user);
            return;
        }
        for (int i = 0; node.op == HONE_OP_OR_ELSE && i < 2; ++i)
            parts[i] = hone__graph_op(graph, HONE_OP_NOT, node.args[i], 0, 0);
        if (node.op == HONE_OP_OR_ELSE && (!parts[0] || !parts[1]))
            root = 0;
    }
    if (!root || !parts[0] || !parts[1]) {
        take(user, root);
        return;
    }
    hone__graph_split(graph, parts[0], take, user);
    hone__graph_split(graph, parts[1], take, user);
}

void hone__graph_reach(const hone_graph *graph, hone_node last,
                       unsigned char *reached)
{
    for (hone_node i = last; i > 0; --i) {
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

/* ---- bytecode ----------------------------------------------------------- */

/* The code is a stack machine's with jumps for && || and ?: alone; each jump is
 * answered by reading the stretch it jumps over as an expression of its own. */
typedef struct reader {
    hone_graph *graph;
    const hone_expr *expr;
    const hone_node *slots;
} reader;

static hone_node read(reader *r, size_t begin, size_t end)
{
    hone_node stack[HONE_EXPR_STACK];
    hone_node *top = stack; /* one past the last value */
    size_t at = begin;

    while (at < end) {
        const hone_instruction step = r->expr->code[at];

        if (step.op == HONE_OP_CONST) {
            *top++ = hone__graph_const(r->graph, hone__datum_int(step.operand));
        } else if (step.op == HONE_OP_SLOT) {
            *top++ = r->slots[step.operand];
        } else if (step.op >= HONE_OP_ADD) {
            --top;
            top[-1] =
                hone__graph_op(r->graph, (int)step.op, top[-1], top[0], 0);
        } else if (step.op >= HONE_OP_NEG) {
            top[-1] = hone__graph_op(r->graph, (int)step.op, top[-1], 0, 0);
        } else if (step.op == HONE_OP_JUMP_IF_ZERO) {
            /* first, JUMP end, else: second, end: */
            const size_t second = (size_t)step.operand;
            const size_t to = (size_t)r->expr->code[second - 1].operand;

            top[-1] = hone__graph_op(r->graph, HONE_OP_SELECT, top[-1],
                                     read(r, at + 1, second - 1),
                                     read(r, second, to));
            at = to;
            continue;
        } else { /* over what && or || evaluate second */
            const int op = step.op == HONE_OP_JUMP_IF_ZERO_KEEP
                               ? HONE_OP_AND_THEN
                               : HONE_OP_OR_ELSE;

            top[-1] = hone__graph_op(r->graph, op, top[-1],
                                     read(r, at + 1, (size_t)step.operand), 0);
            at = (size_t)step.operand;
            continue;
        }
        ++at;
    }
    return top[-1];
}

hone_node hone__graph_of_expr(hone_graph *graph, const hone_expr *expr,
                              const hone_node *slots)
{
    reader r = {graph, expr, slots};

    return read(&r, 0, expr->n_code);
}
