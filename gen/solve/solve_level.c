/* SPDX-License-Identifier: Apache-2.0 */
/* Binds one variable in all states of a level. A lane is a state and a value
 * for the variable; lanes are evaluated in blocks, column by column, and
 * those that no condition rejects become edges to the states that follow. */
#include "gen/solve/solver.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_EDGES = 1 << 25 }; /* of a level: half a GiB when finished */

typedef struct runner {
    hone_solver *solver;
    const hone_level_plan *plan;
    const hone_rows *from;
    hone_rows *to;
    hone_diagram_level *out;
    size_t edge_capacity;
    size_t n_edges;
    const hone_slot *own_mask; /* of the variable being bound, or NULL */
    uint64_t *words;           /* n_lanes rows of the states to come */
    hone_error *err;
    /* the block */
    size_t n;
    uint32_t parent[HONE_LANES];
    uint16_t position[HONE_LANES];
    uint64_t alive[HONE_LANES]; /* all bits or none */
    uint64_t mask[HONE_LANES];
    double factor[HONE_LANES];
} runner;

static uint64_t row_word(const runner *r, size_t lane, size_t word)
{
    return r->from->rows[r->parent[lane] * r->from->n_words + word];
}

/* ---- columns ------------------------------------------------------------ */

static void from_row(runner *r, const hone_step *step, hone_column *column)
{
    for (size_t i = 0; i < r->n; ++i) {
        const uint64_t word = row_word(r, i, step->word);

        if (column->fast) {
            memcpy(&column->fast[i], &word, sizeof word);
        } else {
            column->checked[i].kind = (hone_datum_kind)word;
            column->checked[i].i = (int64_t)row_word(r, i, step->word + 1);
        }
    }
}

/* By the lane's position or, `choice` not NULL, by this one. */
static void from_table(runner *r, hone_node node, const size_t *choice,
                       hone_column *column)
{
    const hone_node_info *info = &r->solver->info[node];

    for (size_t i = 0; i < r->n; ++i) {
        const size_t at = choice ? *choice : r->position[i];

        if (column->fast)
            column->fast[i] = info->fast_table[at];
        else
            column->checked[i] = info->table[at];
    }
}

static void run_steps(runner *r, const hone_steps *steps, size_t choice)
{
    for (size_t s = 0; s < steps->n; ++s) {
        const hone_step *step = &steps->items[s];
        hone_column *column = &r->plan->columns[step->node];

        switch (step->kind) {
        case HONE_STEP_ROW:
            from_row(r, step, column);
            break;
        case HONE_STEP_TABLE:
            from_table(r, step->node, NULL, column);
            break;
        case HONE_STEP_CHOICE:
            from_table(r, step->node, &choice, column);
            break;
        case HONE_STEP_APPLY:
            hone__column_apply(r->solver, step->node, r->plan->columns, r->n);
            break;
        }
    }
}

/* ---- conditions --------------------------------------------------------- */

/* Add `bit` to the words of the lanes in which the node is true. */
static void add_truth(const runner *r, hone_node node, uint64_t bit,
                      uint64_t *words)
{
    const hone_column *column = &r->plan->columns[node];

    if (column->fast) {
        const double *values = column->fast;

        for (size_t i = 0; i < r->n; ++i)
            words[i] |= values[i] != 0 ? bit : 0;
    } else {
        for (size_t i = 0; i < r->n; ++i)
            words[i] |= hone__datum_truth(column->checked[i]) ? bit : 0;
    }
}

static void run_filters(runner *r)
{
    uint64_t holds[HONE_LANES];

    for (size_t i = 0; i < r->n; ++i)
        r->alive[i] = ~(uint64_t)0;
    for (size_t f = 0; f < r->plan->n_filters; ++f) {
        memset(holds, 0, r->n * sizeof holds[0]);
        add_truth(r, r->plan->filters[f], ~(uint64_t)0, holds);
        for (size_t i = 0; i < r->n; ++i)
            r->alive[i] &= holds[i];
    }
}

/* Which values of its variable the rule allows in each lane. */
static void run_rule(runner *r, const hone_mask_rule *rule, uint64_t *allowed)
{
    const size_t n = r->solver->positions[rule->var].n;

    r->solver->work += (int64_t)(r->n * n * (rule->steps.n + 1));
    memset(allowed, 0, r->n * sizeof *allowed);
    for (size_t choice = 0; choice < n; ++choice) {
        run_steps(r, &rule->steps, choice);
        add_truth(r, rule->root, (uint64_t)1 << choice, allowed);
    }
}

/* The mask of `slot` in every lane, to r->mask. */
static void run_mask(runner *r, const hone_slot *slot)
{
    const uint64_t all =
        ~(uint64_t)0 >> (HONE_MASK_BITS - r->solver->positions[slot->var].n);
    uint64_t allowed[HONE_LANES];

    for (size_t i = 0; i < r->n; ++i)
        r->mask[i] = slot->had_mask ? row_word(r, i, slot->from) : all;
    for (size_t m = 0; !slot->is_carried && m < r->plan->n_masks; ++m) {
        const hone_mask_rule *rule = &r->plan->masks[m];

        if (rule->var != slot->var)
            continue;
        if (rule->table) {
            for (size_t i = 0; i < r->n; ++i)
                r->mask[i] &= rule->table[r->position[i]];
            continue;
        }
        run_rule(r, rule, allowed);
        for (size_t i = 0; i < r->n; ++i)
            r->mask[i] &= allowed[i];
    }
    for (size_t i = 0; i < r->n; ++i)
        r->alive[i] = r->mask[i] ? r->alive[i] : 0;
}

/* ---- states and edges --------------------------------------------------- */

static void store_node(runner *r, const hone_slot *slot, uint64_t *words,
                       size_t n_words)
{
    const hone_column *column = &r->plan->columns[slot->node];

    for (size_t i = 0; i < r->n; ++i) {
        uint64_t *word = words + i * n_words + slot->word;

        if (slot->is_carried) {
            word[0] = row_word(r, i, slot->from);
            if (!r->solver->info[slot->node].fast)
                word[1] = row_word(r, i, slot->from + 1);
        } else if (column->fast) {
            const double value = column->fast[i] + 0.0; /* no -0 */

            memcpy(word, &value, sizeof value);
        } else {
            word[0] = (uint64_t)column->checked[i].kind;
            word[1] = (uint64_t)column->checked[i].i;
        }
    }
}

static void build_rows(runner *r)
{
    const hone_layout *out = &r->plan->out;

    for (size_t s = 0; s < out->n; ++s) {
        const hone_slot *slot = &out->slots[s];

        if (slot->node) {
            store_node(r, slot, r->words, out->n_words);
            continue;
        }
        run_mask(r, slot);
        for (size_t i = 0; i < r->n; ++i)
            r->words[i * out->n_words + slot->word] = r->mask[i];
    }
}

static hone_status reserve_edges(runner *r)
{
    size_t capacity = r->edge_capacity ? 2 * r->edge_capacity : 1024;
    uint32_t *child;
    uint16_t *value;

    if (r->n_edges + r->n <= r->edge_capacity)
        return HONE_OK;
    if (capacity > MAX_EDGES)
        return hone__fail(r->err, HONE_ERR_UNSUPPORTED,
                          "%s: the conditions tie too many parameters "
                          "together: more than %d partial configurations "
                          "differ in what they allow",
                          r->solver->csp->name, MAX_EDGES / 2);
    child = hone__realloc(r->out->child, capacity * sizeof *child);
    if (child)
        r->out->child = child;
    value = hone__realloc(r->out->value, capacity * sizeof *value);
    if (value)
        r->out->value = value;
    if (!child || !value)
        return hone__solver_no_memory(r->err);
    r->edge_capacity = capacity;
    return HONE_OK;
}

static int64_t bytes_of(const hone_rows *rows)
{
    return (int64_t)(rows->capacity * (rows->n_words + 1) * sizeof *rows->rows +
                     rows->n_index * 2 * sizeof(uint32_t));
}

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The variables of the part in which the most of some states differ. */
static hone_vars find_worst(const runner *r)
{
    enum { LOOKED_AT = 1024 };
    const hone_layout *out = &r->plan->out;
    const hone_rows *rows = r->to;
    const size_t n = rows->n < LOOKED_AT ? rows->n : LOOKED_AT;
    uint64_t words[LOOKED_AT];
    hone_vars worst = 0;
    size_t most = 0;

    for (size_t s = 0; s < out->n; ++s) {
        const hone_slot *slot = &out->slots[s];
        size_t n_different = n != 0;

        for (size_t i = 0; i < n; ++i)
            words[i] = rows->rows[i * rows->n / n * rows->n_words + slot->word];
        qsort(words, n, sizeof *words, compare_words);
        for (size_t i = 1; i < n; ++i)
            n_different += words[i] != words[i - 1];
        if (n_different <= most)
            continue;
        most = n_different;
        worst = slot->node ? r->solver->graph->nodes[slot->node].vars
                           : (hone_vars)1 << slot->var;
    }
    return worst;
}

/* Of an edge: what it has in the end. */
enum { EDGE_BYTES = 2 * sizeof(uint64_t) };

static hone_status look(const runner *r)
{
    const hone_csp *csp = r->solver->csp;
    hone_status status;

    if (!csp->watch)
        return HONE_OK;
    status =
        hone__solve_watch_look(csp->watch, csp->name, csp->n_vars, r->to->n,
                               bytes_of(r->from) + bytes_of(r->to) +
                                   (int64_t)(r->edge_capacity * EDGE_BYTES),
                               r->err);
    if (status != HONE_OK && r->to->n > csp->watch->most_states)
        csp->watch->worst = find_worst(r);
    return status;
}

static hone_status run_block(runner *r)
{
    const size_t n_words = r->plan->out.n_words;
    const uint16_t *values = r->solver->positions[r->plan->var].values;

    HONE_TRY(look(r));
    r->solver->work += (int64_t)(r->n * (r->plan->steps.n + HONE_LANE_WORK));
    HONE_TRY(reserve_edges(r));
    if (!hone__rows_reserve(r->to, r->n))
        return hone__solver_no_memory(r->err);
    run_steps(r, &r->plan->steps, 0);
    run_filters(r);
    build_rows(r);
    for (size_t i = 0; i < r->n; ++i) {
        if (!r->alive[i])
            continue;
        r->out->child[r->n_edges] =
            n_words ? hone__rows_find(r->to, r->words + i * n_words) : 0;
        r->out->value[r->n_edges++] = values[r->position[i]];
        ++r->out->begin[r->parent[i] + 1];
    }
    if (!n_words && r->n_edges)
        r->to->n = 1;
    r->n = 0;
    return HONE_OK;
}

/* Lanes of one state, in ascending order of the values. */
static hone_status run_state(runner *r, uint32_t state)
{
    const size_t n = r->solver->positions[r->plan->var].n;
    const uint64_t mask =
        r->own_mask
            ? r->from->rows[state * r->from->n_words + r->own_mask->word]
            : 0;

    for (size_t p = 0; p < n; ++p) {
        if (r->own_mask && !(mask >> p & 1))
            continue;
        r->parent[r->n] = state;
        r->position[r->n++] = (uint16_t)p;
        if (r->n == r->plan->n_lanes)
            HONE_TRY(run_block(r));
    }
    return HONE_OK;
}

/* Rules that read no earlier variable: once for each value. */
static void fill_tables(runner *r)
{
    const size_t n = r->solver->positions[r->plan->var].n;

    for (size_t m = 0; m < r->plan->n_masks; ++m) {
        const hone_mask_rule *rule = &r->plan->masks[m];

        for (size_t p = 0; rule->table && p < n; p += r->n) {
            r->n = n - p < r->plan->n_lanes ? n - p : r->plan->n_lanes;
            for (size_t i = 0; i < r->n; ++i)
                r->position[i] = (uint16_t)(p + i);
            run_steps(r, &rule->before, 0);
            run_rule(r, rule, rule->table + p);
        }
    }
    r->n = 0;
}

static hone_status run(runner *r)
{
    fill_tables(r);
    for (uint32_t i = 0; i < r->from->n; ++i)
        HONE_TRY(run_state(r, i));
    HONE_TRY(run_block(r));
    for (uint32_t i = 0; i < r->from->n; ++i)
        r->out->begin[i + 1] += r->out->begin[i];
    return HONE_OK;
}

hone_status hone__level_run(hone_solver *solver, const hone_level_plan *plan,
                            const hone_rows *from, hone_rows *to,
                            hone_diagram_level *out, hone_error *err)
{
    runner r = {.solver = solver,
                .plan = plan,
                .from = from,
                .to = to,
                .out = out,
                .own_mask = hone__layout_find(&plan->in, 0, plan->var),
                .err = err};
    hone_status status;

    out->var = plan->var;
    out->n_values = (uint32_t)solver->csp->vars[plan->var].n;
    out->n_nodes = (uint32_t)from->n;
    out->begin = hone__alloc((from->n + 1) * sizeof *out->begin);
    to->n_words = plan->out.n_words;
    r.words = hone__alloc((plan->n_lanes * to->n_words + 1) * sizeof *r.words);
    status = r.words && out->begin ? run(&r) : hone__solver_no_memory(err);
    if (solver->csp->watch && to->n > 2 * solver->csp->watch->most_states) {
        solver->csp->watch->most_states = to->n;
        solver->csp->watch->worst = find_worst(&r);
    }
    if (solver->csp->watch)
        solver->csp->watch->bytes += (int64_t)(r.edge_capacity * EDGE_BYTES);
    hone__free(r.words);
    return status;
}
