/* SPDX-License-Identifier: Apache-2.0 */
/* The sample of solve_sample.h: 64 configurations, the same ones every time,
 * so that an order follows from the space alone. */
#include "gen/solve_sample.h"

#include <string.h>

/* The least and the most that a node can become in each configuration of the
 * sample, once some of its variables are bound. Floats: estimates only. */
struct hone_span_of {
    const float *low;
    const float *high;
    float *exact;      /* all variables bound */
    float *range[2];   /* none bound */
    float *between[2]; /* some bound */
};

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

static double n_of(const hone_sample *s, uint32_t var)
{
    return (double)s->solver->positions[var].n;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static const hone_graph_node *node_of(const hone_sample *s, hone_node node)
{
    return &s->solver->graph->nodes[node];
}

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

static double as_double(hone_datum value)
{
    return value.kind == HONE_DATUM_FLOAT ? value.d : (double)value.i;
}

static hone_status sample_node(hone_sample *s, hone_node node,
                               uint16_t (*positions)[HONE_SAMPLES],
                               hone_error *err)
{
    const hone_graph_node *self = node_of(s, node);
    const hone_node_info *info = &s->solver->info[node];
    hone_column *column = &s->columns[node];
    const double *fast[3];
    const hone_datum *checked[3];

    column->fast = hone__arena_alloc(&s->solver->arena,
                                     HONE_SAMPLES * sizeof *column->fast);
    column->checked = hone__arena_alloc(
        &s->solver->arena, HONE_SAMPLES * sizeof *column->checked);
    if (!column->fast || !column->checked)
        return no_memory(err);
    for (int k = 0; k < 3; ++k) {
        fast[k] = s->columns[self->args[k]].fast;
        checked[k] = s->columns[self->args[k]].checked;
    }
    if (self->vars && !info->table && info->fast) {
        hone__column_fast(s->solver, node, fast, column->fast, HONE_SAMPLES);
        hone__column_widen(info->kind, column->fast, column->checked,
                           HONE_SAMPLES);
        return HONE_OK;
    }
    if (self->vars && !info->table)
        hone__column_checked(s->solver, node, checked, column->checked,
                             HONE_SAMPLES);
    for (size_t i = 0; i < HONE_SAMPLES; ++i) {
        if (info->table)
            column->checked[i] =
                info->table[positions[hone__vars_first(self->vars)][i]];
        else if (!self->vars)
            column->checked[i] = self->value;
        column->fast[i] = as_double(column->checked[i]);
    }
    return HONE_OK;
}

static hone_status make_span(hone_sample *s, hone_node node, hone_error *err)
{
    struct hone_span_of *span = &s->spans[node];
    float *block = hone__arena_alloc(&s->solver->arena,
                                     5 * HONE_SAMPLES * sizeof *block);

    if (!block)
        return no_memory(err);
    span->exact = block;
    span->range[0] = block + HONE_SAMPLES;
    span->range[1] = block + 2 * HONE_SAMPLES;
    span->between[0] = block + 3 * HONE_SAMPLES;
    span->between[1] = block + 4 * HONE_SAMPLES;
    for (size_t i = 0; i < HONE_SAMPLES; ++i) {
        span->exact[i] = (float)s->columns[node].fast[i];
        span->range[0][i] = (float)s->solver->info[node].low;
        span->range[1][i] = (float)s->solver->info[node].high;
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

        while (first[at] && !hone__datum_same(values[first[at] - 1],
                                              values[i]))
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
    const hone_graph_node *self = node_of(s, node);
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
        n *= s->variety[self->args[k]];
    if (info->fast && info->kind == HONE_DATUM_INT)
        n = smaller(n, info->high - info->low + 1);
    again = n > 2 ? repeats(s->columns[node].checked, HONE_SAMPLES) : 0;
    if (again > 2)
        n = smaller(n, larger(HONE_SAMPLES - again,
                              HONE_SAMPLES * HONE_SAMPLES / 2 / again));
    return n;
}

/* ---- conditions --------------------------------------------------------- */

static hone_status look_at_root(hone_sample *s, size_t i, hone_error *err)
{
    const hone_node root = s->solver->roots[i];
    const hone_graph_node *self = node_of(s, root);
    hone_sample_root *out = &s->roots[i];
    int n_true = 0;

    *out = (hone_sample_root){
        .vars = self->vars,
        .is_ordered = self->op >= HONE_OP_LT && self->op <= HONE_OP_GE};
    for (size_t k = 0; k < HONE_SAMPLES; ++k) {
        if (!hone__datum_truth(s->columns[root].checked[k]))
            continue;
        out->alive.bits[k / 64] |= (uint64_t)1 << k % 64;
        ++n_true;
    }
    out->share = (n_true + 0.5) / (HONE_SAMPLES + 1);
    memset(s->reached, 0, root + 1);
    hone__graph_reach(s->solver->graph, root, s->reached);
    for (hone_node n = 1; n <= root; ++n)
        out->n_steps += s->reached[n];
    out->steps = hone__arena_alloc(&s->solver->arena,
                                   (out->n_steps + 1) * sizeof *out->steps);
    if (!out->steps)
        return no_memory(err);
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
    uint16_t(*positions)[HONE_SAMPLES] = hone__arena_alloc(
        &solver->arena, HONE_GRAPH_VARS * sizeof *positions);

    s->solver = solver;
    s->roots = hone__arena_alloc(&solver->arena,
                                 (solver->n_roots + 1) * sizeof *s->roots);
    s->variety = hone__arena_alloc(&solver->arena, n * sizeof *s->variety);
    s->reached = hone__arena_alloc(&solver->arena, n);
    s->columns = hone__arena_alloc(&solver->arena, n * sizeof *s->columns);
    s->spans = hone__arena_alloc(&solver->arena, n * sizeof *s->spans);
    if (!positions || !s->roots || !s->variety || !s->reached ||
        !s->columns || !s->spans)
        return no_memory(err);
    memset(&s->all.alive, 0xff, sizeof s->all.alive);
    s->all.share = 1;
    draw(s, seed, positions);
    for (hone_node i = 1; i < solver->n_info; ++i) {
        if (!solver->info[i].wanted)
            continue;
        HONE_TRY(sample_node(s, i, positions, err));
        HONE_TRY(make_span(s, i, err));
        s->variety[i] = variety_of(s, i);
    }
    for (size_t i = 0; i < solver->n_roots; ++i)
        HONE_TRY(look_at_root(s, i, err));
    memset(s->reached, 0, n);
    return HONE_OK;
}

/* ---- shares ------------------------------------------------------------- */

static float fsmaller(float a, float b)
{
    return a < b ? a : b;
}

static float flarger(float a, float b)
{
    return a > b ? a : b;
}

/* To span->between; 0 if nothing is known but the range. */
static int bounds_of(const hone_sample *s, hone_node node)
{
    const hone_graph_node *self = node_of(s, node);
    const struct hone_span_of *a = &s->spans[self->args[0]];
    const struct hone_span_of *b = &s->spans[self->args[1]];
    const float *restrict al = a->low, *restrict ah = a->high;
    const float *restrict bl = b->low, *restrict bh = b->high;
    float *restrict low = s->spans[node].between[0];
    float *restrict high = s->spans[node].between[1];
    const int is_positive = s->solver->info[self->args[0]].low >= 0 &&
                            s->solver->info[self->args[1]].low >= 0;

#define BOUNDS(l, h)                                                         \
    for (size_t i = 0; i < HONE_SAMPLES; ++i) {                              \
        low[i] = (l);                                                        \
        high[i] = (h);                                                       \
    }                                                                        \
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
        BOUNDS(fsmaller(al[i], bl[i]), fsmaller(ah[i], bh[i]));
    case HONE_OP_MAX:
    case HONE_OP_OR_ELSE:
        BOUNDS(flarger(al[i], bl[i]), flarger(ah[i], bh[i]));
    case HONE_OP_LT:
        BOUNDS(ah[i] < bl[i] ? 1 : 0, al[i] < bh[i] ? 1 : 0);
    case HONE_OP_LE:
        BOUNDS(ah[i] <= bl[i] ? 1 : 0, al[i] <= bh[i] ? 1 : 0);
    case HONE_OP_GT:
        BOUNDS(al[i] > bh[i] ? 1 : 0, ah[i] > bl[i] ? 1 : 0);
    case HONE_OP_GE:
        BOUNDS(al[i] >= bh[i] ? 1 : 0, ah[i] >= bl[i] ? 1 : 0);
    case HONE_OP_EQ:
        BOUNDS(0, (al[i] <= bh[i]) & (bl[i] <= ah[i]) ? 1 : 0);
    default:
        return 0;
    }
#undef BOUNDS
}

static void find_alive(hone_sample *s, const hone_sample_root *root,
                       hone_outlook *out)
{
    const struct hone_span_of *last =
        &s->spans[root->steps[root->n_steps - 1]];

    for (size_t k = 0; k < root->n_steps; ++k) {
        const hone_node node = root->steps[k];
        const hone_vars vars = node_of(s, node)->vars;
        struct hone_span_of *span = &s->spans[node];

        if (!(vars & ~out->bound)) {
            span->low = span->high = span->exact;
        } else if (!(vars & out->bound) || !bounds_of(s, node)) {
            span->low = span->range[0];
            span->high = span->range[1];
        } else {
            span->low = span->between[0];
            span->high = span->between[1];
        }
    }
    for (size_t i = 0; i < HONE_SAMPLES; ++i)
        out->alive.bits[i / 64] |= (uint64_t)(last->high[i] != 0) << i % 64;
}

/* With one variable left a condition lives in a mask, unless the variable has
 * too many values. */
static int is_masked(const hone_sample *s, hone_vars left)
{
    return left && !(left & (left - 1)) &&
           n_of(s, hone__vars_first(left)) <= HONE_MASK_BITS;
}

void hone__subset_and(hone_subset *subset, const hone_subset *other)
{
    for (size_t i = 0; i < HONE_SAMPLE_WORDS; ++i)
        subset->bits[i] &= other->bits[i];
}

int hone__subset_size(const hone_subset *subset)
{
    int n = 0;

    for (size_t i = 0; i < HONE_SAMPLE_WORDS; ++i) {
        for (uint64_t bits = subset->bits[i]; bits; bits &= bits - 1)
            ++n;
    }
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
    out->share = (hone__subset_size(&out->alive) + 0.5) /
                 (HONE_SAMPLES + 1);
    if (left && is_masked(s, left)) /* some value has to be allowed */
        out->share = smaller(out->share, root->share *
                                             n_of(s, hone__vars_first(left)));
    if (out->share < root->share)
        out->share = root->share;
}

const hone_outlook *hone__sample_look(hone_sample *s, size_t i,
                                      hone_vars bound)
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

int hone__sample_is_masked(const hone_sample *s, size_t i, hone_vars bound)
{
    return is_masked(s, s->roots[i].vars & ~bound);
}

double hone__sample_work(const hone_sample *s, size_t i, hone_vars bound,
                         uint32_t var)
{
    const hone_sample_root *root = &s->roots[i];
    const int masked = is_masked(s, root->vars & ~bound);
    const hone_vars left =
        masked ? root->vars & ~bound : (hone_vars)1 << var;
    const hone_vars known = root->vars & bound & ~left;
    size_t n = 2;

    if (!(known & (known - 1)))
        return 0; /* of two variables: a table */
    if (!masked && !root->is_ordered)
        return 0; /* it has no bounds */
    for (size_t k = 0; k < root->n_steps; ++k) {
        const hone_vars vars = node_of(s, root->steps[k])->vars;

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
            is_masked(s, vars & ~bound))
            continue;
        s->reached[root] = 1;
        last = root > last ? root : last;
    }
    for (hone_node i = last; i > 0; --i) {
        const hone_graph_node *node = node_of(s, i);

        if (!s->reached[i])
            continue;
        s->reached[i] = 0;
        if (!(node->vars & ~bound)) {
            n *= node->vars ? s->variety[i] : 1;
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
            share *= smaller(1, outlook->share * product(s, dead));
        else
            one_by_one *= outlook->share;
        if (is_masked(s, left))
            n *= kept_masks(root, n_of(s, hone__vars_first(left)));
    }
    if (!has_dead && hone__subset_size(alive) >= HONE_ENOUGH_SAMPLES)
        one_by_one = larger(one_by_one, (double)hone__subset_size(alive) /
                                            HONE_SAMPLES);
    return smaller(n, product(s, live)) * share * one_by_one;
}
