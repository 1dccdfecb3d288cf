/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that follow from others and are decided earlier. Of a*b*c <= N,
 * once a and b are bound, a*b*min(c) <= N is left, a condition on a and b:
 * what breaks it has no continuation. The same for every comparison, with the
 * least that one side and the most that the other can still become. */
#include "gen/solve/solver.h"

#include <string.h>

/* What became of a node at this level, by its number. */
typedef struct bounds {
    hone_node extreme[2]; /* the least, the most */
    hone_node possible;
} bounds;

typedef struct bounder {
    hone_solver *solver;
    hone_graph *graph;
    hone_vars bound;
    bounds *known;
} bounder;

static const hone_graph_node *node_of(const bounder *b, hone_node node)
{
    return &b->graph->nodes[node];
}

static hone_node constant(bounder *b, hone_node like, double value)
{
    if (b->solver->info[like].kind == HONE_DATUM_FLOAT)
        return hone__graph_const(b->graph, hone__datum_float(value));
    return hone__graph_const(b->graph, hone__datum_int((int64_t)value));
}

static int is_known(const bounder *b, hone_node node)
{
    return !(node_of(b, node)->vars & ~b->bound);
}

static int is_at_least(const bounder *b, hone_node node, double value)
{
    return b->solver->info[node].low >= value;
}

static hone_node extreme(bounder *b, hone_node node, int most);

static hone_node make_extreme(bounder *b, hone_node node, int most)
{
    const hone_graph_node self = *node_of(b, node);
    const hone_node *args = self.args;
    const double edge =
        most ? b->solver->info[node].high : b->solver->info[node].low;

    if (is_known(b, node))
        return node;
    if (!(self.vars & b->bound))
        return constant(b, node, edge);
    switch (self.op) {
    case HONE_OP_ADD:
    case HONE_OP_MIN:
    case HONE_OP_MAX:
        return hone__graph_op(b->graph, self.op, extreme(b, args[0], most),
                              extreme(b, args[1], most), 0);
    case HONE_OP_SUB:
        return hone__graph_op(b->graph, self.op, extreme(b, args[0], most),
                              extreme(b, args[1], !most), 0);
    case HONE_OP_MUL:
        if (is_at_least(b, args[0], 0) && is_at_least(b, args[1], 0))
            return hone__graph_op(b->graph, self.op, extreme(b, args[0], most),
                                  extreme(b, args[1], most), 0);
        break;
    case HONE_OP_DIV:
    case HONE_OP_FLOOR_DIV:
    case HONE_OP_TRUE_DIV:
    case HONE_OP_CEILDIV:
        if (self.op == HONE_OP_FLOOR_DIV &&
            b->solver->info[node].kind == HONE_DATUM_FLOAT)
            break; /* its rounding is not monotone */
        if (is_at_least(b, args[0], 0) && b->solver->info[args[1]].low > 0)
            return hone__graph_op(b->graph, self.op, extreme(b, args[0], most),
                                  extreme(b, args[1], !most), 0);
        break;
    default:
        break;
    }
    return constant(b, node, edge);
}

/* The least (`most` 0) or the most that a node can become, as a node that
 * reads bound variables alone. All nodes are fast ones of this run. */
static hone_node extreme(bounder *b, hone_node node, int most)
{
    hone_node *known = &b->known[node].extreme[most];

    if (!*known)
        *known = make_extreme(b, node, most);
    return *known;
}

/* left <= right or left < right may still come true. */
static hone_node may_be_below(bounder *b, int op, hone_node left,
                              hone_node right)
{
    return hone__graph_op(b->graph, op, extreme(b, left, 0),
                          extreme(b, right, 1), 0);
}

static hone_node possible(bounder *b, hone_node node);

static hone_node make_possible(bounder *b, hone_node node)
{
    const hone_graph_node self = *node_of(b, node);
    const hone_node l = self.args[0];
    const hone_node r = self.args[1];

    if (is_known(b, node))
        return node;
    switch (self.op) {
    case HONE_OP_AND_THEN:
    case HONE_OP_OR_ELSE:
        return hone__graph_op(b->graph, self.op, possible(b, l), possible(b, r),
                              0);
    case HONE_OP_LT:
    case HONE_OP_LE:
        return may_be_below(b, self.op, l, r);
    case HONE_OP_GT:
        return may_be_below(b, HONE_OP_LT, r, l);
    case HONE_OP_GE:
        return may_be_below(b, HONE_OP_LE, r, l);
    case HONE_OP_EQ:
        if (b->solver->info[l].kind == HONE_DATUM_TEXT)
            break;
        return hone__graph_op(b->graph, HONE_OP_AND_THEN,
                              may_be_below(b, HONE_OP_LE, l, r),
                              may_be_below(b, HONE_OP_LE, r, l), 0);
    default:
        break;
    }
    return hone__graph_const(b->graph, hone__datum_int(1));
}

/* A condition on bound variables that is true wherever `node` can still come
 * true. */
static hone_node possible(bounder *b, hone_node node)
{
    hone_node *known = &b->known[node].possible;

    if (!*known)
        *known = make_possible(b, node);
    return *known;
}

/* With one variable left the states know what is allowed anyway, unless it
 * has too many values for that. */
static int is_worth_it(const bounder *b, hone_node root, hone_vars self)
{
    const hone_vars vars = node_of(b, root)->vars;
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
                HONE_TRY(
                    take(solver, roots, room, possible(&b, roots[i]), err));
        }
    }
    HONE_TRY(hone__solver_extend(solver, err));
    drop_useless(solver, n_roots);
    return HONE_OK;
}
