/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that follow from others and are decided earlier. Of a*b*c <= N,
 * once a and b are bound, a*b*min(c) <= N is left, a condition on a and b:
 * what breaks it has no continuation. The same for every comparison, with the
 * least that one side and the most that the other can still become. */
#include "gen/solve/solver.h"

#include <string.h>

/* Of a node, what reads bound variables alone: the least and the most that it
 * can become, and what is true wherever it can still come true. */
enum { LEAST, MOST, POSSIBLE };

typedef struct bounder {
    hone_solver *solver;
    hone_graph *graph;
    hone_vars bound;
    hone_node (*known)[3]; /* at this level, by node */
} bounder;

static hone_node bound_of(bounder *b, hone_node node, int what);

static hone_node both(bounder *b, int op, hone_node left, int of_left,
                      hone_node right, int of_right)
{
    return hone__graph_op(b->graph, op, bound_of(b, left, of_left),
                          bound_of(b, right, of_right), 0);
}

/* All nodes are fast ones of this run. */
static hone_node extreme(bounder *b, hone_node node, int what)
{
    const hone_graph_node self = b->graph->nodes[node];
    const hone_node l = self.args[0];
    const hone_node r = self.args[1];
    const hone_node_info *info = b->solver->info;
    const int is_float = info[node].kind == HONE_DATUM_FLOAT;
    const double edge = what == MOST ? info[node].high : info[node].low;
    const int opposite = what == MOST ? LEAST : MOST;

    switch (self.vars & b->bound ? self.op : HONE_OP_END) {
    case HONE_OP_ADD:
    case HONE_OP_MIN:
    case HONE_OP_MAX:
        return both(b, self.op, l, what, r, what);
    case HONE_OP_SUB:
        return both(b, self.op, l, what, r, opposite);
    case HONE_OP_MUL:
        if (info[l].low >= 0 && info[r].low >= 0)
            return both(b, self.op, l, what, r, what);
        break;
    case HONE_OP_DIV:
    case HONE_OP_FLOOR_DIV: /* of floats: its rounding is not monotone */
    case HONE_OP_TRUE_DIV:
    case HONE_OP_CEILDIV:
        if (info[l].low >= 0 && info[r].low > 0 &&
            !(self.op == HONE_OP_FLOOR_DIV && is_float))
            return both(b, self.op, l, what, r, opposite);
        break;
    default:
        break;
    }
    return hone__graph_const(b->graph, is_float
                                           ? hone__datum_float(edge)
                                           : hone__datum_int((int64_t)edge));
}

static hone_node possible(bounder *b, hone_node node)
{
    const hone_graph_node self = b->graph->nodes[node];
    const hone_node l = self.args[0];
    const hone_node r = self.args[1];

    switch (self.op) {
    case HONE_OP_AND_THEN:
    case HONE_OP_OR_ELSE:
        return both(b, self.op, l, POSSIBLE, r, POSSIBLE);
    case HONE_OP_LT:
    case HONE_OP_LE:
        return both(b, self.op, l, LEAST, r, MOST);
    case HONE_OP_GT:
        return both(b, HONE_OP_LT, r, LEAST, l, MOST);
    case HONE_OP_GE:
        return both(b, HONE_OP_LE, r, LEAST, l, MOST);
    case HONE_OP_EQ:
        if (b->solver->info[l].kind == HONE_DATUM_TEXT)
            break;
        return hone__graph_op(b->graph, HONE_OP_AND_THEN,
                              both(b, HONE_OP_LE, l, LEAST, r, MOST),
                              both(b, HONE_OP_LE, r, LEAST, l, MOST), 0);
    default:
        break;
    }
    return hone__graph_const(b->graph, hone__datum_int(1));
}

static hone_node bound_of(bounder *b, hone_node node, int what)
{
    hone_node *known = &b->known[node][what];

    if (!*known && !(b->graph->nodes[node].vars & ~b->bound))
        *known = node;
    else if (!*known)
        *known = what == POSSIBLE ? possible(b, node) : extreme(b, node, what);
    return *known;
}

/* With one variable left the states know what is allowed anyway, unless it
 * has too many values for that. */
static int is_worth_it(const bounder *b, hone_node root, hone_vars self)
{
    const hone_vars vars = b->graph->nodes[root].vars;
    const hone_vars left = vars & ~b->bound;

    return (vars & self) && left && b->solver->info[root].fast &&
           !hone__solver_has_mask(b->solver, left);
}

static hone_status take(hone_solver *solver, hone_node *roots, size_t room,
                        hone_node root, hone_error *err)
{
    const hone_graph_node *node;

    if (!root)
        return hone__solver_no_memory(err);
    node = &solver->graph->nodes[root];
    if (!node->vars || solver->n_roots == room)
        return HONE_OK;
    for (size_t i = 0; i < solver->n_roots; ++i) {
        if (roots[i] == root)
            return HONE_OK;
    }
    roots[solver->n_roots++] = root;
    return HONE_OK;
}

/* Those of the new conditions that always hold are worth nothing, and those
 * whose safety is not proved are not used. */
static void drop_useless(hone_solver *solver, size_t first)
{
    size_t n = first;

    for (size_t i = first; i < solver->n_roots; ++i) {
        const hone_node_info *info = &solver->info[solver->roots[i]];

        if (info->fast && info->low <= 0)
            solver->roots[n++] = solver->roots[i];
    }
    solver->n_roots = n;
}

hone_status hone__solver_add_bounds(hone_solver *solver, hone_error *err)
{
    const size_t n_roots = solver->n_roots;
    const size_t n_nodes = solver->n_info;
    const size_t room = n_roots * (solver->csp->n_vars + 1);
    hone_node *roots =
        hone__arena_alloc(&solver->arena, (room + 1) * sizeof *roots);
    bounder b = {.solver = solver, .graph = solver->graph};

    b.known = hone__arena_alloc(&solver->arena, n_nodes * sizeof *b.known);
    if (!roots || !b.known)
        return hone__solver_no_memory(err);
    for (size_t i = 0; i < n_roots; ++i)
        roots[i] = solver->roots[i];
    solver->roots = roots;
    for (size_t level = 0; level < solver->csp->n_vars; ++level) {
        const hone_vars self = (hone_vars)1 << solver->order[level];

        b.bound |= self;
        memset(b.known, 0, n_nodes * sizeof *b.known);
        for (size_t i = 0; i < n_roots; ++i) {
            if (is_worth_it(&b, roots[i], self))
                HONE_TRY(take(solver, roots, room,
                              bound_of(&b, roots[i], POSSIBLE), err));
        }
    }
    HONE_TRY(hone__solver_extend(solver, err));
    drop_useless(solver, n_roots);
    return HONE_OK;
}
