/* SPDX-License-Identifier: Apache-2.0 */
/* The start of solving: values that a condition on one variable rejects are
 * left out for good, and what is computed from one variable is tabulated. */
#include "gen/solve/solver.h"

#include <math.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------- */

/* The node for every value in `at`; operands are constants, the variable
 * itself or have their tables. */
static hone_datum *tabulate(hone_solver *solver, hone_node node)
{
    const hone_graph_node *self = &solver->graph->nodes[node];
    const uint32_t var = hone__vars_first(self->vars);
    const hone_positions *positions = &solver->positions[var];
    const hone_choices *choices = &solver->csp->vars[var];
    hone_datum *table =
        hone__arena_alloc(&solver->arena, positions->n * sizeof *table);

    for (size_t p = 0; table && p < positions->n; ++p) {
        hone_datum args[3] = {{0}};

        if (self->op == HONE_OP_SLOT) {
            table[p] = choices->values[positions->values[p]];
            continue;
        }
        for (int k = 0; k < self->n_args; ++k) {
            const hone_node arg = self->args[k];

            args[k] = solver->info[arg].table ? solver->info[arg].table[p]
                                              : solver->graph->nodes[arg].value;
        }
        table[p] = hone__datum_apply(self->op, args[0], args[1], args[2]);
    }
    return table;
}

/* Exact as a double, and far enough from 2^53 that quotients of two such
 * integers round to the right side. */
static int is_small(hone_datum value)
{
    const int64_t limit = INT64_C(1) << 51;

    if (value.kind == HONE_DATUM_FLOAT)
        return isfinite(value.d);
    return value.kind != HONE_DATUM_FAULT && value.i <= limit &&
           value.i >= -limit;
}

/* Range and kind from the n values of a constant or a table. */
static void range_of_values(const hone_datum *values, size_t n,
                            hone_node_info *info)
{
    info->fast = n > 0;
    info->kind = n ? values[0].kind : HONE_DATUM_INT;
    info->low = info->high = n ? hone__datum_double(values[0]) : 0;
    for (size_t i = 0; i < n; ++i) {
        const double x = hone__datum_double(values[i]);

        info->fast &= values[i].kind == info->kind && is_small(values[i]);
        info->low = x < info->low ? x : info->low;
        info->high = x > info->high ? x : info->high;
    }
}

static hone_status table_info(hone_solver *solver, hone_node node,
                              hone_error *err)
{
    const hone_graph_node *self = &solver->graph->nodes[node];
    hone_node_info *info = &solver->info[node];
    const size_t n = solver->positions[hone__vars_first(self->vars)].n;

    if (self->n_args) {
        hone__range_of(solver, node, info);
        info->loose = !info->fast;
    }
    info->table = tabulate(solver, node);
    if (!info->table)
        return hone__solver_no_memory(err);
    range_of_values(info->table, n, info);
    if (!info->fast)
        return HONE_OK;
    info->fast_table = hone__arena_alloc(&solver->arena, n * sizeof(double));
    if (!info->fast_table)
        return hone__solver_no_memory(err);
    for (size_t p = 0; p < n; ++p)
        info->fast_table[p] = hone__datum_double(info->table[p]);
    return HONE_OK;
}

/* ---- info of all nodes that are wanted ---------------------------------- */

hone_status hone__solver_extend(hone_solver *solver, hone_error *err)
{
    const uint32_t known = solver->n_info;
    const uint32_t n = solver->graph->n;
    hone_node_info *info = hone__arena_alloc(&solver->arena, n * sizeof *info);
    unsigned char *wanted = hone__arena_alloc(&solver->arena, n);

    if (solver->graph->failed || !info || !wanted)
        return hone__solver_no_memory(err);
    if (known)
        memcpy(info, solver->info, known * sizeof *info);
    solver->info = info;
    solver->n_info = n;
    for (size_t i = 0; i < solver->n_roots; ++i)
        wanted[solver->roots[i]] = 1;
    if (solver->n_info)
        hone__graph_reach(solver->graph, solver->n_info - 1, wanted);
    for (hone_node i = 1; i < solver->n_info; ++i) {
        const hone_graph_node *node = &solver->graph->nodes[i];

        if (!wanted[i] || (i < known && solver->info[i].wanted))
            continue;
        solver->info[i].wanted = 1;
        if (!node->vars)
            range_of_values(&node->value, 1, &solver->info[i]);
        else if (hone__vars_are_one(node->vars))
            HONE_TRY(table_info(solver, i, err));
        else
            hone__range_of(solver, i, &solver->info[i]);
    }
    return HONE_OK;
}

/* ---- conditions on one variable ----------------------------------------- */

static hone_status all_positions(hone_solver *solver, hone_error *err)
{
    for (size_t v = 0; v < solver->csp->n_vars; ++v) {
        hone_positions *positions = &solver->positions[v];

        positions->n = solver->csp->vars[v].n;
        positions->values = hone__arena_alloc(
            &solver->arena, positions->n * sizeof *positions->values);
        if (!positions->values)
            return hone__solver_no_memory(err);
        for (size_t p = 0; p < positions->n; ++p)
            positions->values[p] = (uint16_t)p;
    }
    return HONE_OK;
}

/* Reduce every variable by its conditions; afterwards all info is for the
 * values that are left. */
static hone_status reduce_all(hone_solver *solver, const hone_node *roots,
                              size_t n_roots, hone_error *err)
{
    int is_reduced = 0;

    for (size_t v = 0; v < solver->csp->n_vars; ++v) {
        hone_positions *positions = &solver->positions[v];
        const size_t n = positions->n;
        unsigned char *drop = hone__arena_alloc(&solver->arena, n);

        if (!drop)
            return hone__solver_no_memory(err);
        for (size_t i = 0; i < n_roots; ++i) {
            if (solver->graph->nodes[roots[i]].vars != (hone_vars)1 << v)
                continue;
            for (size_t p = 0; p < n; ++p)
                drop[p] |= !hone__datum_truth(solver->info[roots[i]].table[p]);
        }
        positions->n = 0;
        for (size_t p = 0; p < n; ++p) {
            if (!drop[p])
                positions->values[positions->n++] = positions->values[p];
        }
        is_reduced |= positions->n < n;
        solver->is_empty |= positions->n == 0;
    }
    if (is_reduced)
        solver->n_info = 0; /* anew */
    return HONE_OK;
}

/* 1 if the condition cannot fail, 0 if it cannot hold, else -1. */
static int foregone(const hone_solver *solver, hone_node root)
{
    const hone_node_info *info = &solver->info[root];

    if (!info->fast)
        return -1;
    if (info->low > 0 || info->high < 0)
        return 1;
    return info->low == 0 && info->high == 0 ? 0 : -1;
}

/* Drop the roots whose outcome is known. */
static void settle(hone_solver *solver)
{
    size_t n = 0;

    for (size_t i = 0; i < solver->n_roots; ++i) {
        const hone_node root = solver->roots[i];
        const hone_graph_node *node = &solver->graph->nodes[root];
        const int outcome = node->vars ? foregone(solver, root)
                                       : hone__datum_truth(node->value);

        solver->is_empty |= outcome == 0;
        if (outcome < 0 && hone__vars_are_many(node->vars))
            solver->roots[n++] = root;
    }
    solver->n_roots = n;
}

hone_status hone__solver_open(hone_solver *solver, const hone_csp *csp,
                              const hone_node *roots, size_t n_roots,
                              hone_error *err)
{
    *solver = (hone_solver){.csp = csp, .graph = csp->graph};
    if (csp->graph->failed)
        return hone__solver_no_memory(err);
    solver->roots =
        hone__arena_alloc(&solver->arena, (n_roots + 1) * sizeof *roots);
    if (!solver->roots)
        return hone__solver_no_memory(err);
    if (n_roots)
        memcpy(solver->roots, roots, n_roots * sizeof *roots);
    solver->n_roots = n_roots;
    HONE_TRY(all_positions(solver, err));
    HONE_TRY(hone__solver_extend(solver, err));
    HONE_TRY(reduce_all(solver, roots, n_roots, err));
    if (solver->is_empty)
        return HONE_OK;
    if (solver->n_info == 0)
        HONE_TRY(hone__solver_extend(solver, err));
    settle(solver);
    return HONE_OK;
}
