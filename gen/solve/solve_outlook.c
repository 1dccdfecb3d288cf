/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the sample: which share of partial configurations a condition
 * leaves possible, what it costs, and how many states differ. */
#include "gen/solve/solver.h"

#include <math.h>

static double n_of(const hone_sample *s, uint32_t var)
{
    return (double)s->solver->positions[var].n;
}

/* ---- what can become of a condition ------------------------------------- */

/* To ->between; 0 if nothing is known but the range. */
static int bounds_of(const hone_sample *s, hone_node node)
{
    const hone_graph_node *self = &s->solver->graph->nodes[node];
    const hone_sample_node *a = s->nodes[self->args[0]];
    const hone_sample_node *b = s->nodes[self->args[1]];
    const float *restrict al = a->low, *restrict ah = a->high;
    const float *restrict bl = b->low, *restrict bh = b->high;
    float *restrict low = s->nodes[node]->between[0];
    float *restrict high = s->nodes[node]->between[1];
    const int is_positive = s->solver->info[self->args[0]].low >= 0 &&
                            s->solver->info[self->args[1]].low >= 0;

#define BOUNDS(l, h)                                                           \
    for (size_t i = 0; i < HONE_SAMPLES; ++i) {                                \
        low[i] = (l);                                                          \
        high[i] = (h);                                                         \
    }                                                                          \
    return 1
    switch (self->op) {
    case HONE_OP_ADD:
        BOUNDS(al[i] + bl[i], ah[i] + bh[i]);
    case HONE_OP_SUB:
        BOUNDS(al[i] - bh[i], ah[i] - bl[i]);
    case HONE_OP_MUL:
        if (!is_positive)
            return 0;
        BOUNDS(al[i] * bl[i], ah[i] * bh[i]);
    case HONE_OP_DIV:
    case HONE_OP_FLOOR_DIV:
    case HONE_OP_TRUE_DIV:
    case HONE_OP_CEILDIV:
        if (!is_positive || s->solver->info[self->args[1]].low <= 0)
            return 0;
        BOUNDS(al[i] / bh[i] - 1, ah[i] / bl[i] + 1);
    case HONE_OP_MIN:
    case HONE_OP_AND_THEN:
        BOUNDS(al[i] < bl[i] ? al[i] : bl[i], ah[i] < bh[i] ? ah[i] : bh[i]);
    case HONE_OP_MAX:
    case HONE_OP_OR_ELSE:
        BOUNDS(al[i] > bl[i] ? al[i] : bl[i], ah[i] > bh[i] ? ah[i] : bh[i]);
    case HONE_OP_LT:
        BOUNDS(ah[i] < bl[i] ? 1 : 0, al[i] < bh[i] ? 1 : 0);
    case HONE_OP_LE:
        BOUNDS(ah[i] <= bl[i] ? 1 : 0, al[i] <= bh[i] ? 1 : 0);
    case HONE_OP_GT:
        BOUNDS(al[i] > bh[i] ? 1 : 0, ah[i] > bl[i] ? 1 : 0);
    case HONE_OP_GE:
        BOUNDS(al[i] >= bh[i] ? 1 : 0, ah[i] >= bl[i] ? 1 : 0);
    case HONE_OP_EQ:
        BOUNDS(0, ((al[i] <= bh[i]) & (bl[i] <= ah[i])) != 0 ? 1 : 0);
    default:
        return 0;
    }
#undef BOUNDS
}

static void find_alive(hone_sample *s, const hone_sample_root *root,
                       hone_outlook *out)
{
    const hone_sample_node *last = s->nodes[root->steps[root->n_steps - 1]];

    for (size_t k = 0; k < root->n_steps; ++k) {
        const hone_node node = root->steps[k];
        const hone_vars vars = s->solver->graph->nodes[node].vars;
        hone_sample_node *reach = s->nodes[node];

        if (!(vars & ~out->bound)) {
            reach->low = reach->high = reach->exact;
        } else if (!(vars & out->bound) || !bounds_of(s, node)) {
            reach->low = reach->range[0];
            reach->high = reach->range[1];
        } else {
            reach->low = reach->between[0];
            reach->high = reach->between[1];
        }
    }
    for (size_t i = 0; i < HONE_SAMPLES; ++i)
        out->alive.bits[i / 64] |= (uint64_t)(last->high[i] != 0) << i % 64;
}

void hone__subset_and(hone_subset *subset, const hone_subset *other)
{
    for (size_t i = 0; i < HONE_SAMPLE_WORDS; ++i)
        subset->bits[i] &= other->bits[i];
}

int hone__subset_size(const hone_subset *subset)
{
    int n = 0;

    for (size_t i = 0; i < HONE_SAMPLE_WORDS; ++i)
        n += __builtin_popcountll(subset->bits[i]);
    return n;
}

static void find_outlook(hone_sample *s, const hone_sample_root *root,
                         hone_outlook *out)
{
    const hone_vars left = root->vars & ~out->bound;
    const hone_node node = root->steps[root->n_steps - 1];

    out->alive = s->all.alive;
    if (!left) {
        out->alive = root->alive;
    } else if (s->solver->info[node].fast) {
        out->alive = (hone_subset){{0}};
        find_alive(s, root, out);
    }
    out->share = (hone__subset_size(&out->alive) + 0.5) / (HONE_SAMPLES + 1);
    if (hone__solver_has_mask(s->solver,
                              left)) /* some value has to be allowed */
        out->share =
            fmin(out->share, root->share * n_of(s, hone__vars_first(left)));
    if (out->share < root->share)
        out->share = root->share;
}

const hone_outlook *hone__sample_look(hone_sample *s, size_t i, hone_vars bound)
{
    hone_sample_root *root = &s->roots[i];
    hone_outlook *known = root->outlooks;

    bound &= root->vars;
    if (!bound)
        return &s->all;
    while (known && known->bound != bound)
        known = known->next;
    if (known)
        return known;
    known = hone__arena_alloc(&s->solver->arena, sizeof *known);
    if (!known)
        return &s->all; /* an estimate is not worth a failure */
    *known = (hone_outlook){.bound = bound, .next = root->outlooks};
    find_outlook(s, root, known);
    root->outlooks = known;
    return known;
}

double hone__sample_work(const hone_sample *s, size_t i, hone_vars bound,
                         uint32_t var)
{
    const hone_sample_root *root = &s->roots[i];
    const int masked = hone__solver_has_mask(s->solver, root->vars & ~bound);
    const hone_vars left = masked ? root->vars & ~bound : (hone_vars)1 << var;
    const hone_vars known = root->vars & bound & ~left;
    size_t n = 2;

    if (!(known & (known - 1)))
        return 0; /* of two variables: a table */
    if (!masked && !root->is_ordered)
        return 0; /* it has no bounds */
    for (size_t k = 0; k < root->n_steps; ++k) {
        const hone_vars vars = s->solver->graph->nodes[root->steps[k]].vars;

        n += (vars & left) && (vars & known);
    }
    return (double)n * (masked ? n_of(s, hone__vars_first(left)) : 1);
}

/* ---- states ------------------------------------------------------------- */

/* How many combinations of kept values: the product of their varieties. */
static double kept_values(hone_sample *s, hone_vars bound)
{
    hone_node last = 0;
    double n = 1;

    for (size_t i = 0; i < s->solver->n_roots; ++i) {
        const hone_vars vars = s->roots[i].vars;
        const hone_node root = s->solver->roots[i];

        if (!(vars & bound) || !(vars & ~bound) ||
            hone__solver_has_mask(s->solver, vars & ~bound))
            continue;
        s->reached[root] = 1;
        last = root > last ? root : last;
    }
    for (hone_node i = last; i > 0; --i) {
        const hone_graph_node *node = &s->solver->graph->nodes[i];

        if (!s->reached[i])
            continue;
        s->reached[i] = 0;
        if (!(node->vars & ~bound)) {
            n *= node->vars ? s->nodes[i]->variety : 1;
            continue;
        }
        for (int k = 0; k < node->n_args; ++k)
            s->reached[node->args[k]] = 1;
    }
    return n;
}

/* The variables whose values still matter. */
static hone_vars live_vars(const hone_sample *s, hone_vars bound)
{
    hone_vars live = 0;

    for (size_t i = 0; i < s->solver->n_roots; ++i) {
        if (s->roots[i].vars & ~bound)
            live |= s->roots[i].vars & bound;
    }
    return live;
}

static double product(const hone_sample *s, hone_vars vars)
{
    double n = 1;

    for (; vars; vars &= vars - 1)
        n *= n_of(s, hone__vars_first(vars));
    return n;
}

/* How many masks a condition can leave on a variable of n values. */
static double kept_masks(const hone_sample_root *root, double n)
{
    if (root->is_ordered)
        return n + 1;
    return n < 20 ? (double)(1 << (int)n) : 1e6;
}

/* The share of states that survives: of conditions all of whose variables
 * matter, together as in the sample if enough of it is left, else one by one;
 * of the others, for which some value of what no longer matters is enough,
 * one by one. */
double hone__sample_states(hone_sample *s, hone_vars bound,
                           const hone_subset *alive)
{
    const hone_vars live = live_vars(s, bound);
    double n = kept_values(s, bound);
    double one_by_one = 1;
    double share = 1;
    int has_dead = 0;

    for (size_t i = 0; i < s->solver->n_roots; ++i) {
        const hone_sample_root *root = &s->roots[i];
        const hone_vars left = root->vars & ~bound;
        const hone_vars dead = root->vars & bound & ~live;
        const hone_outlook *outlook;

        if (!(root->vars & bound))
            continue;
        outlook = hone__sample_look(s, i, bound);
        has_dead |= dead != 0;
        if (dead)
            share *= fmin(1, outlook->share * product(s, dead));
        else
            one_by_one *= outlook->share;
        if (hone__solver_has_mask(s->solver, left))
            n *= kept_masks(root, n_of(s, hone__vars_first(left)));
    }
    if (!has_dead && hone__subset_size(alive) >= HONE_ENOUGH_SAMPLES)
        one_by_one =
            fmax(one_by_one, (double)hone__subset_size(alive) / HONE_SAMPLES);
    return fmin(n, product(s, live)) * share * one_by_one;
}
