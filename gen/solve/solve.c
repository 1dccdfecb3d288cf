/* SPDX-License-Identifier: Apache-2.0 */
/* Solving: reduce the variables, choose an order, bind one after another. */
#include "gen/solve/solver.h"

#include <string.h>

enum {
    PILOT_STATES = 128,  /* of a level, when an order is tried */
    FREE_STATES = 1024,  /* as many at first, up to .. */
    FREE_WORK = 100000,  /* .. this work: most spaces need no more */
    ORDER_WORK = 1500000 /* what finding and trying one more order has to
                            save; a trial sees double, for states that would
                            turn out equal are not in it */
};

/* One run over all levels. */
typedef struct trial {
    size_t most_states; /* of a level; the rest is left out. 0: no limit */
    double most_work;   /* stop there. 0: no limit */
    double work;        /* what the whole would take */
    int is_whole;       /* nothing was left out */
} trial;

/* Keep `most` states, evenly spread. */
static void thin_out(hone_rows *states, size_t most)
{
    const size_t n_words = states->n_words;

    for (size_t i = 0; i < most; ++i)
        memmove(states->rows + i * n_words,
                states->rows + i * states->n / most * n_words,
                n_words * sizeof *states->rows);
    states->n = most;
}

static hone_status run_level(hone_solver *solver, size_t level,
                             hone_layout *layout, const hone_rows *from,
                             hone_rows *to, hone_diagram *diagram,
                             hone_error *err)
{
    hone_arena arena = {0};
    hone_level_plan plan = {.in = *layout};
    hone_status status =
        hone__plan_level(solver, level, from->n, &arena, &plan, err);

    if (status == HONE_OK)
        status = hone__level_run(solver, &plan, from, to,
                                 &diagram->levels[level], err);
    *layout = plan.out;
    hone__arena_free(&arena);
    return status;
}

/* All levels, in solver->order. HONE_ERR_BUSY: more work than allowed. */
static hone_status run_levels(hone_solver *solver, hone_diagram *diagram,
                              trial *t, hone_error *err)
{
    hone_rows from = {.n = 1};
    hone_rows to = {0};
    hone_layout layout = {0};
    hone_status status = HONE_OK;
    double scale = 1;

    t->is_whole = 1;
    t->work = 0;
    if (solver->csp->watch)
        solver->csp->watch->bytes = 0;
    if (!hone__rows_reserve(&from, 0))
        status = hone__solver_no_memory(err);
    for (size_t i = 0; status == HONE_OK && i < diagram->n_levels; ++i) {
        const int64_t before = solver->work;

        if (solver->csp->watch)
            solver->csp->watch->n_bound = i;
        status = run_level(solver, i, &layout, &from, &to, diagram, err);
        t->work += scale * (double)(solver->work - before);
        if (t->most_states && to.n > t->most_states &&
            (to.n > FREE_STATES || t->work > FREE_WORK)) {
            scale *= (double)to.n / (double)t->most_states;
            thin_out(&to, t->most_states);
            t->is_whole = 0;
        }
        if (status == HONE_OK && t->most_work > 0 && t->work > t->most_work)
            status = HONE_ERR_BUSY;
        hone__rows_free(&from);
        from = to;
        to = (hone_rows){0};
    }
    hone__rows_free(&from);
    return status;
}

/* Run in the order that is set; `*out` is NULL unless nothing was left
 * out. */
static hone_status try_order(hone_solver *solver, trial *t, hone_diagram **out,
                             hone_error *err)
{
    const size_t n_roots = solver->n_roots;
    hone_status status;

    HONE_TRY(hone__solver_add_bounds(solver, err));
    HONE_TRY(hone__diagram_create(solver->csp->n_vars, out, err));
    status = run_levels(solver, *out, t, err);
    solver->n_roots = n_roots; /* bounds belong to an order */
    if (status != HONE_OK || !t->is_whole) {
        hone__diagram_free(*out);
        *out = NULL;
    }
    return status;
}

typedef struct order {
    uint32_t vars[HONE_GRAPH_VARS];
    double work; /* as a pilot run says */
} order;

/* Pilot runs of the orders worth a look; `*out` is the diagram if one of them
 * left nothing out, which is the rule. */
static hone_status pilot(hone_solver *solver, order *orders, size_t *out_n,
                         hone_diagram **out, hone_error *err)
{
    double best = 0;
    int in_vain = 0; /* orders in a row that were no better */

    *out = NULL;
    for (*out_n = 0; *out_n < HONE_ORDERS; ++*out_n) {
        trial t = {.most_states = PILOT_STATES, .most_work = best};
        hone_status status;

        if (in_vain == 2 || (best > 0 && best <= (double)*out_n * ORDER_WORK))
            break;
        HONE_TRY(hone__solver_order(solver, *out_n, err));
        status = try_order(solver, &t, out, err);
        if (status != HONE_OK && status != HONE_ERR_BUSY)
            return status;
        if (*out)
            break;
        memcpy(orders[*out_n].vars, solver->order, sizeof solver->order);
        orders[*out_n].work = t.work;
        in_vain = best > 0 && t.work > best * 0.9 ? in_vain + 1 : 0;
        best = best <= 0 || t.work < best ? t.work : best;
    }
    return HONE_OK;
}

/* The best order first; one that gets out of hand is followed by the next. */
static hone_status search(hone_solver *solver, hone_diagram **out,
                          hone_error *err)
{
    order orders[HONE_ORDERS];
    size_t n;
    hone_status status = HONE_ERR_UNSUPPORTED;

    HONE_TRY(pilot(solver, orders, &n, out, err));
    if (*out)
        return HONE_OK;
    for (; n > 0 && status == HONE_ERR_UNSUPPORTED &&
           !(solver->csp->watch && solver->csp->watch->is_over == 2);
         --n) {
        trial whole = {0};
        size_t best = 0;

        for (size_t i = 1; i < n; ++i)
            best = orders[i].work < orders[best].work ? i : best;
        memcpy(solver->order, orders[best].vars, sizeof solver->order);
        orders[best] = orders[n - 1];
        if (solver->csp->watch)
            solver->csp->watch->is_over = 0;
        status = try_order(solver, &whole, out, err);
    }
    return status;
}

static hone_status solve(hone_solver *solver, hone_diagram **out,
                         hone_error *err)
{
    if (solver->is_empty) { /* no lane survives the first level */
        solver->n_roots = 0;
        solver->positions[0].n = 0;
    }
    HONE_TRY(search(solver, out, err));
    HONE_TRY(hone__diagram_finish(*out, err));
    if (solver->is_empty)
        (*out)->count = 0; /* also without a level */
    return HONE_OK;
}

hone_status hone__csp_solve(const hone_csp *csp, const hone_node *roots,
                            size_t n_roots, hone_diagram **out, hone_error *err)
{
    hone_solver solver;
    hone_status status = hone__solver_open(&solver, csp, roots, n_roots, err);

    *out = NULL;
    if (status == HONE_OK)
        status = solve(&solver, out, err);
    if (status != HONE_OK) {
        hone__diagram_free(*out);
        *out = NULL;
    }
    hone__arena_free(&solver.arena);
    return status;
}

/* ---- faults ------------------------------------------------------------- */

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
    hone_solver solver;
    hone_status status = hone__solver_open(&solver, csp, NULL, 0, err);
    hone_node *copy =
        hone__arena_alloc(&solver.arena, (n_roots + 1) * sizeof *copy);
    int found = 0;

    *out_root = n_roots;
    if (status == HONE_OK && !copy)
        status = hone__solver_no_memory(err);
    if (status == HONE_OK) {
        for (size_t i = 0; i < n_roots; ++i)
            copy[i] = roots[i];
        solver.roots = copy;
        solver.n_roots = n_roots;
        status = hone__solver_extend(&solver, err);
    }
    for (size_t i = 0; status == HONE_OK && !found && i < n_roots; ++i) {
        if (solver.info[roots[i]].fast)
            continue; /* ranges prove that it is no fault */
        status = find_one(csp, copy, i, &found, out_values, err);
        if (found)
            *out_root = i;
    }
    hone__arena_free(&solver.arena);
    return status;
}
