/* SPDX-License-Identifier: Apache-2.0 */
/* In which order variables are bound. The work is the number of states times
 * the values tried in each, level by level, so an order is judged by an
 * estimate of the states after each of its prefixes: how many combinations of
 * kept values there can be, times the share that the conditions so far let
 * through. Orders are built front to back, keeping the best few (a beam
 * search). The figures come from a sample: solve_outlook.c. */
#include "gen/solve/solver.h"

#include <math.h>
#include <string.h>

enum { BEAM = 12 };

typedef struct prefix {
    hone_vars bound;
    hone_subset alive;
    double cost;
    double states;
    uint32_t order[HONE_GRAPH_VARS];
    size_t n;
} prefix;

/* ---- judging a prefix --------------------------------------------------- */

/* How much of `given` is in `of`; where the sample is too small to say, the
 * product of the shares of each condition. */
static double conditional(const hone_subset *of, const hone_subset *given,
                          double one_by_one)
{
    const int n = hone__subset_size(given);

    return n < HONE_ENOUGH_SAMPLES ? one_by_one
                                   : (hone__subset_size(of) + 0.5) / (n + 0.5);
}

/* Extend a prefix by one variable. A condition or a bound that is known
 * before allows only some of its values; one that comes to have a single
 * variable left is evaluated for each value of that, in every lane. */
static void extend(hone_sample *s, prefix *p, uint32_t var)
{
    const hone_vars before = p->bound;
    const hone_vars bound = before | (hone_vars)1 << var;
    const double n_tried = p->states * (double)s->solver->positions[var].n;
    hone_subset tried = p->alive; /* before its lanes are evaluated */
    hone_subset after = p->alive;
    double tried_share = 1;
    double after_share = 1;
    double per_lane = HONE_LANE_WORK;
    double lanes;

    for (size_t i = 0; i < s->solver->n_roots; ++i) {
        const hone_outlook *old;
        const hone_outlook *new;

        if (!(s->roots[i].vars >> var & 1))
            continue;
        old = hone__sample_look(s, i, before);
        new = hone__sample_look(s, i, bound);
        hone__subset_and(&after, &new->alive);
        if (hone__solver_has_mask(s->solver, s->roots[i].vars & ~bound)) {
            after_share *= new->share / old->share;
            per_lane += hone__sample_work(s, i, bound, 0);
        } else {
            hone__subset_and(&tried, &new->alive);
            tried_share *= new->share / old->share;
            p->cost += n_tried * hone__sample_work(s, i, before, var);
        }
    }
    lanes = n_tried * conditional(&tried, &p->alive, tried_share);
    p->bound = bound;
    p->alive = after;
    p->cost += lanes * per_lane;
    p->states = fmin(hone__sample_states(s, bound, &after),
                     lanes * conditional(&after, &tried, after_share));
    p->states = p->states < 1 ? 1 : p->states;
    p->order[p->n++] = var;
}

/* ---- the beam ----------------------------------------------------------- */

/* The cost so far, and a guess of what each state will cost yet: with less,
 * small domains come first and multiply everything behind them. */
static double rank(const prefix *p)
{
    return p->cost + 200 * p->states;
}

/* Keep the best; of those that bound the same variables, the cheapest. */
static void offer(prefix *beam, size_t *n, const prefix *candidate)
{
    size_t worst = 0;

    for (size_t i = 0; i < *n; ++i) {
        if (beam[i].bound == candidate->bound) {
            if (candidate->cost < beam[i].cost)
                beam[i] = *candidate;
            return;
        }
        if (rank(&beam[i]) > rank(&beam[worst]))
            worst = i;
    }
    if (*n < BEAM)
        beam[(*n)++] = *candidate;
    else if (rank(candidate) < rank(&beam[worst]))
        beam[worst] = *candidate;
}

/* Variables that share an undecided condition with the prefix; all, if none
 * does. */
static hone_vars candidates(const hone_sample *s, hone_vars bound,
                            hone_vars all)
{
    hone_vars linked = 0;

    for (size_t i = 0; i < s->solver->n_roots; ++i) {
        if (s->roots[i].vars & bound)
            linked |= s->roots[i].vars & ~bound;
    }
    return linked & all ? linked & all : all & ~bound;
}

static hone_status search_order(hone_sample *s, hone_vars all, prefix *out,
                                hone_error *err)
{
    const size_t size = (2 * BEAM) * sizeof(prefix);
    prefix *beam = hone__arena_alloc(&s->solver->arena, size);
    prefix *next = beam + BEAM;
    size_t n = 1;

    if (!beam)
        return hone__solver_no_memory(err);
    beam[0] = (prefix){.alive = s->all.alive, .states = 1};
    while (beam[0].bound != all) {
        size_t n_next = 0;

        for (size_t i = 0; i < n; ++i) {
            hone_vars vars = candidates(s, beam[i].bound, all);

            for (; vars; vars &= vars - 1) {
                prefix candidate = beam[i];

                extend(s, &candidate, hone__vars_first(vars));
                offer(next, &n_next, &candidate);
            }
        }
        memcpy(beam, next, n_next * sizeof *beam);
        n = n_next;
    }
    *out = beam[0]; /* all bind the same: one is left */
    return HONE_OK;
}

static void declared_order(const hone_sample *s, hone_vars all, prefix *out)
{
    *out = (prefix){.cost = 1};
    for (; all; all &= all - 1) {
        const uint32_t var = hone__vars_first(all);

        out->order[out->n++] = var;
        out->cost *= (double)s->solver->positions[var].n;
    }
}

/* ---- components --------------------------------------------------------- */

/* The variables that conditions link to `var`. */
static hone_vars component_of(const hone_sample *s, uint32_t var)
{
    hone_vars vars = (hone_vars)1 << var;
    hone_vars before = 0;

    while (vars != before) {
        before = vars;
        for (size_t i = 0; i < s->solver->n_roots; ++i) {
            const hone_vars linked =
                s->solver->graph->nodes[s->solver->roots[i]].vars;

            if (linked & vars)
                vars |= linked;
        }
    }
    return vars;
}

/* Without a sample the variables as they are declared. Free variables first,
 * then small components: each level above is a list of
 * copies of what is below it. */
static hone_status order_all(hone_sample *s, hone_error *err)
{
    hone_solver *solver = s->solver;
    prefix *parts = hone__arena_alloc(
        &solver->arena, (solver->csp->n_vars + 1) * sizeof *parts);
    hone_vars done = 0;
    size_t n_parts = 0;
    size_t n = 0;

    if (!parts)
        return hone__solver_no_memory(err);
    for (uint32_t v = 0; v < solver->csp->n_vars; ++v) {
        const hone_vars all = component_of(s, v);
        prefix part = {.order = {v}, .n = 1};
        size_t at = n_parts;

        if (done & all)
            continue;
        done |= all;
        if (hone__vars_are_many(all) && s->roots)
            HONE_TRY(search_order(s, all, &part, err));
        else if (hone__vars_are_many(all))
            declared_order(s, all, &part);
        for (; at > 0 && parts[at - 1].cost > part.cost; --at)
            parts[at] = parts[at - 1];
        parts[at] = part;
        ++n_parts;
    }
    for (size_t i = 0; i < n_parts; ++i) {
        memcpy(solver->order + n, parts[i].order,
               parts[i].n * sizeof *solver->order);
        n += parts[i].n;
    }
    return HONE_OK;
}

hone_status hone__solver_order(hone_solver *solver, size_t attempt,
                               hone_error *err)
{
    hone_sample sample = {.solver = solver};

    if (attempt)
        HONE_TRY(hone__sample_take(&sample, solver, attempt, err));
    return order_all(&sample, err);
}
