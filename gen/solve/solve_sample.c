/* SPDX-License-Identifier: Apache-2.0 */
/* The sample of solver.h: random configurations, the same ones every
 * time, so that an order follows from the space alone. */
#include "gen/solve/solver.h"

#include <math.h>
#include <string.h>

/* ---- the values of the sample ------------------------------------------- */

static void draw(hone_sample *s, uint64_t state,
                 uint16_t (*positions)[HONE_SAMPLES])
{
    for (uint32_t v = 0; v < s->solver->csp->n_vars; ++v) {
        for (size_t i = 0; i < HONE_SAMPLES; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            positions[v][i] =
                (uint16_t)((state >> 33) % s->solver->positions[v].n);
        }
    }
}

static hone_status sample_node(hone_sample *s, hone_node node,
                               uint16_t (*positions)[HONE_SAMPLES],
                               hone_error *err)
{
    const hone_graph_node *self = &s->solver->graph->nodes[node];
    const hone_node_info *info = &s->solver->info[node];
    hone_sample_node *out = hone__arena_alloc(&s->solver->arena, sizeof *out);
    const uint16_t *at =
        positions[self->vars ? hone__vars_first(self->vars) : 0];

    if (!out)
        return hone__solver_no_memory(err);
    s->nodes[node] = out;
    if (info->fast)
        s->columns[node].fast = out->fast;
    else
        s->columns[node].checked = out->checked;
    if (self->vars && !info->table)
        hone__column_apply(s->solver, node, s->columns, HONE_SAMPLES);
    for (size_t i = 0; i < HONE_SAMPLES; ++i) {
        if (!self->vars || info->table)
            out->checked[i] = self->vars ? info->table[at[i]] : self->value;
        else if (info->fast)
            out->checked[i] = hone__datum_widen(info->kind, out->fast[i]);
        out->fast[i] = hone__datum_double(out->checked[i]);
        out->exact[i] = (float)out->fast[i];
        out->range[0][i] = (float)info->low;
        out->range[1][i] = (float)info->high;
    }
    return HONE_OK;
}

/* ---- how many values a node has ----------------------------------------- */

/* How often a value of the sample was there before. */
static double repeats(const hone_datum *values, size_t n)
{
    uint16_t first[1024] = {0}; /* index + 1 */
    double count = 0;

    for (size_t i = 0; i < n; ++i) {
        uint64_t hash = (uint64_t)values[i].i * 0x9e3779b97f4a7c15u;
        size_t at = hash >> 54;

        while (first[at] && !hone__datum_same(values[first[at] - 1], values[i]))
            at = (at + 1) & 1023;
        count += first[at] != 0;
        first[at] = (uint16_t)(i + 1);
    }
    return count;
}

/* A table is counted; of the rest at most the product of the operands, or as
 * many as make the repeats of the sample likely. */
static double variety_of(const hone_sample *s, hone_node node)
{
    const hone_graph_node *self = &s->solver->graph->nodes[node];
    const hone_node_info *info = &s->solver->info[node];
    double n = 1;
    double again;

    if (info->table) {
        const size_t size =
            s->solver->positions[hone__vars_first(self->vars)].n;

        return size > 200 ? (double)size
                          : (double)size - repeats(info->table, size);
    }
    for (int k = 0; k < self->n_args; ++k)
        n *= s->nodes[self->args[k]]->variety;
    if (info->fast && info->kind == HONE_DATUM_INT)
        n = fmin(n, info->high - info->low + 1);
    again = n > 2 ? repeats(s->nodes[node]->checked, HONE_SAMPLES) : 0;
    if (again > 2)
        n = fmin(n, fmax(HONE_SAMPLES - again,
                         HONE_SAMPLES * HONE_SAMPLES / 2 / again));
    return n;
}

/* ---- conditions --------------------------------------------------------- */

static hone_status look_at_root(hone_sample *s, size_t i, hone_error *err)
{
    const hone_node root = s->solver->roots[i];
    const hone_graph_node *self = &s->solver->graph->nodes[root];
    hone_sample_root *out = &s->roots[i];
    int n_true = 0;

    *out = (hone_sample_root){.vars = self->vars,
                              .is_ordered = self->op >= HONE_OP_LT &&
                                            self->op <= HONE_OP_GE};
    for (size_t k = 0; k < HONE_SAMPLES; ++k) {
        if (!hone__datum_truth(s->nodes[root]->checked[k]))
            continue;
        out->alive.bits[k / 64] |= (uint64_t)1 << k % 64;
        ++n_true;
    }
    out->share = (n_true + 0.5) / (HONE_SAMPLES + 1);
    memset(s->reached, 0, root + 1);
    s->reached[root] = 1;
    hone__graph_reach(s->solver->graph, root, s->reached);
    for (hone_node n = 1; n <= root; ++n)
        out->n_steps += s->reached[n];
    out->steps = hone__arena_alloc(&s->solver->arena,
                                   (out->n_steps + 1) * sizeof *out->steps);
    if (!out->steps)
        return hone__solver_no_memory(err);
    out->n_steps = 0;
    for (hone_node n = 1; n <= root; ++n) {
        if (s->reached[n])
            out->steps[out->n_steps++] = n;
    }
    return HONE_OK;
}

hone_status hone__sample_take(hone_sample *s, hone_solver *solver,
                              uint64_t seed, hone_error *err)
{
    const size_t n = solver->n_info + 1;
    uint16_t(*positions)[HONE_SAMPLES] =
        hone__arena_alloc(&solver->arena, HONE_GRAPH_VARS * sizeof *positions);

    s->solver = solver;
    s->roots = hone__arena_alloc(&solver->arena,
                                 (solver->n_roots + 1) * sizeof *s->roots);
    s->nodes = hone__arena_alloc(&solver->arena, n * sizeof *s->nodes);
    s->columns = hone__arena_alloc(&solver->arena, n * sizeof *s->columns);
    s->reached = hone__arena_alloc(&solver->arena, n);
    if (!positions || !s->roots || !s->nodes || !s->columns || !s->reached)
        return hone__solver_no_memory(err);
    s->nodes[0] = hone__arena_alloc(&solver->arena, sizeof **s->nodes);
    if (!s->nodes[0])
        return hone__solver_no_memory(err);
    memset(&s->all.alive, 0xff, sizeof s->all.alive);
    s->all.share = 1;
    draw(s, seed, positions);
    for (hone_node i = 1; i < solver->n_info; ++i) {
        if (!solver->info[i].wanted)
            continue;
        HONE_TRY(sample_node(s, i, positions, err));
        s->nodes[i]->variety = variety_of(s, i);
    }
    for (size_t i = 0; i < solver->n_roots; ++i)
        HONE_TRY(look_at_root(s, i, err));
    memset(s->reached, 0, n);
    return HONE_OK;
}
