/* SPDX-License-Identifier: Apache-2.0 */
/* Solving: reduce the variables, choose an order, bind one after another. */
#include "gen/solver.h"

#include <string.h>

/* Lanes that an order may cost before the next is tried. The first limit is
 * some ten milliseconds: ordinary spaces take a few per cent of it. */
static const int64_t first_limit = 4000000;

/* All levels, in solver->order. HONE_ERR_BUSY: over the limit. */
static hone_status run_levels(hone_solver *solver, hone_diagram *diagram,
                              hone_error *err)
{
    hone_states from = {.n = 1};
    hone_states to = {0};
    hone_layout layout = {0};
    hone_status status = HONE_OK;

    if (!hone__states_reserve(&from, 0))
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == HONE_OK && i < diagram->n_levels; ++i) {
        hone_arena arena = {0};
        hone_level_plan plan = {.in = layout};

        status = hone__plan_level(solver, i, &arena, &plan, err);
        if (status == HONE_OK)
            status = hone__level_run(solver, &plan, &from, &to,
                                     &diagram->levels[i], err);
        layout = plan.out;
        hone__arena_free(&arena);
        hone__states_free(&from);
        from = to;
        to = (hone_states){0};
    }
    hone__states_free(&from);
    return status;
}

/* A diagram that holds nothing. */
static hone_status make_empty(hone_solver *solver, hone_diagram *diagram,
                              hone_error *err)
{
    for (size_t i = 0; i < diagram->n_levels; ++i) {
        hone_diagram_level *level = &diagram->levels[i];

        level->var = (uint32_t)i;
        level->n_values = (uint32_t)solver->csp->vars[i].n;
        level->n_nodes = i == 0;
        level->begin = hone__alloc(2 * sizeof *level->begin);
        if (!level->begin)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    return HONE_OK;
}

/* Try one order after another, each further than the last time round. */
static hone_status search(hone_solver *solver, hone_diagram **out,
                          hone_error *err)
{
    const size_t n_roots = solver->n_roots;
    hone_status status = HONE_ERR_BUSY;
    int64_t limit = first_limit;

    for (int i = 0; status == HONE_ERR_BUSY; ++i) {
        const int attempt = i % HONE_ORDER_ATTEMPTS;

        solver->n_roots = n_roots; /* bounds belong to an order */
        solver->lanes_left = limit;
        HONE_TRY(hone__solver_order(solver, attempt, err));
        HONE_TRY(hone__solver_add_bounds(solver, err));
        HONE_TRY(hone__diagram_create(solver->csp->n_vars, out, err));
        status = run_levels(solver, *out, err);
        if (status != HONE_OK) {
            hone__diagram_free(*out);
            *out = NULL;
        }
        if (attempt == HONE_ORDER_ATTEMPTS - 1)
            limit *= 8;
    }
    return status;
}

static hone_status solve(hone_solver *solver, hone_diagram **out,
                         hone_error *err)
{
    hone_status status;

    if (solver->is_empty) {
        HONE_TRY(hone__diagram_create(solver->csp->n_vars, out, err));
        status = make_empty(solver, *out, err);
    } else {
        status = search(solver, out, err);
    }
    if (status == HONE_OK)
        status = hone__diagram_finish(*out, err);
    return status;
}

hone_status hone__csp_solve(const hone_csp *csp, const hone_node *roots,
                            size_t n_roots, hone_diagram **out,
                            hone_error *err)
{
    hone_solver *solver = hone__alloc(sizeof *solver);
    hone_status status;

    *out = NULL;
    if (!solver)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__solver_open(solver, csp, roots, n_roots, err);
    if (status == HONE_OK)
        status = solve(solver, out, err);
    if (status != HONE_OK) {
        hone__diagram_free(*out);
        *out = NULL;
    }
    hone__solver_close(solver);
    hone__free(solver);
    return status;
}

/* ---- faults ------------------------------------------------------------- */

/* Roots that may be a fault, by the ranges of what comes before them. */
static hone_status suspects(const hone_csp *csp, const hone_node *roots,
                            size_t n_roots, unsigned char *out,
                            hone_error *err)
{
    hone_solver *solver = hone__alloc(sizeof *solver);
    hone_status status;

    if (!solver)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__solver_open(solver, csp, NULL, 0, err);
    if (status == HONE_OK) {
        hone_node *all = hone__arena_alloc(&solver->arena,
                                           (n_roots + 1) * sizeof *all);

        if (all && n_roots)
            memcpy(all, roots, n_roots * sizeof *all);
        solver->roots = all;
        solver->n_roots = all ? n_roots : 0;
        status = all ? hone__solver_extend(solver, err)
                     : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == HONE_OK && i < n_roots; ++i)
        out[i] = !solver->info[roots[i]].fast;
    hone__solver_close(solver);
    hone__free(solver);
    return status;
}

/* Is there a configuration that meets roots[0 .. k-1] and makes roots[k] a
 * fault? */
static hone_status find_one(const hone_csp *csp, hone_node *roots, size_t k,
                            int *out_found, int *out_values, hone_error *err)
{
    const hone_node suspect = roots[k];
    hone_diagram *diagram;
    hone_status status;

    roots[k] = hone__graph_op(csp->graph, HONE_OP_FAULTS, suspect, 0, 0);
    status = hone__csp_solve(csp, roots, k + 1, &diagram, err);
    roots[k] = suspect;
    if (status != HONE_OK)
        return status;
    *out_found = diagram->count > 0;
    if (*out_found)
        hone__diagram_get(diagram, 0, out_values);
    hone__diagram_free(diagram);
    return HONE_OK;
}

hone_status hone__csp_find_fault(const hone_csp *csp, const hone_node *roots,
                                 size_t n_roots, size_t *out_root,
                                 int *out_values, hone_error *err)
{
    unsigned char *suspicious = hone__alloc(n_roots + 1);
    hone_node *copy = hone__alloc((n_roots + 1) * sizeof *copy);
    hone_status status = HONE_OK;
    int found = 0;

    *out_root = n_roots;
    if (!suspicious || !copy)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    else if (n_roots)
        memcpy(copy, roots, n_roots * sizeof *copy);
    if (status == HONE_OK)
        status = suspects(csp, roots, n_roots, suspicious, err);
    for (size_t i = 0; status == HONE_OK && !found && i < n_roots; ++i) {
        if (!suspicious[i])
            continue;
        status = find_one(csp, copy, i, &found, out_values, err);
        if (found)
            *out_root = i;
    }
    hone__free(suspicious);
    hone__free(copy);
    return status;
}
