/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode of runtime/expr/expr.h as a graph. The code is a stack machine's
 * with jumps for && || and ?: alone; each jump is answered by reading the
 * stretch it jumps over as an expression of its own. */
#include "gen/solve/graph.h"

typedef struct reader {
    hone_graph *graph;
    const hone_expr *expr;
    const hone_node *slots;
} reader;

static hone_node read(reader *r, size_t begin, size_t end);

/* `at` is the jump over what && or || evaluate second; returns where it
 * leads. */
static size_t read_logic(reader *r, size_t at, hone_node *top)
{
    const hone_instruction jump = r->expr->code[at];
    const size_t target = (size_t)jump.operand;

    *top =
        hone__graph_op(r->graph,
                       jump.op == HONE_OP_JUMP_IF_ZERO_KEEP ? HONE_OP_AND_THEN
                                                            : HONE_OP_OR_ELSE,
                       *top, read(r, at + 1, target), 0);
    return target;
}

/* condition, JUMP_IF_ZERO else, first, JUMP end, else: second, end: */
static size_t read_choice(reader *r, size_t at, hone_node *top)
{
    const size_t second = (size_t)r->expr->code[at].operand;
    const size_t end = (size_t)r->expr->code[second - 1].operand;

    *top = hone__graph_op(r->graph, HONE_OP_SELECT, *top,
                          read(r, at + 1, second - 1), read(r, second, end));
    return end;
}

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
            at = read_choice(r, at, &top[-1]);
            continue;
        } else {
            at = read_logic(r, at, &top[-1]);
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
