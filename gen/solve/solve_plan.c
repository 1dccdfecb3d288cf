/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when one variable more is bound. Of a condition that is not
 * decided yet, a state keeps the values of its largest parts that are known;
 * once a single variable is left of it, the state keeps instead which values
 * of that variable it allows. States that agree in both have the same
 * continuations. */
#include "gen/solve/solver.h"

#include <string.h>

typedef struct planner {
    hone_solver *solver;
    const hone_graph *graph;
    hone_arena *arena;
    hone_level_plan *plan;
    hone_vars before;
    hone_vars bound;
    unsigned char *need; /* nodes whose columns are needed */
    unsigned char *keep; /* nodes that the states after this keep */
    hone_error *err;
} planner;

static void *take(planner *p, size_t n, size_t size)
{
    return hone__arena_alloc(p->arena, (n + 1) * size);
}

/* ---- the conditions at this level --------------------------------------- */

/* Has it, since a variable that it reads is bound, a mask? */
static int has_mask(const planner *p, hone_vars vars, hone_vars bound)
{
    return (vars & bound) && hone__solver_has_mask(p->solver, vars & ~bound);
}

static hone_status sort_roots(planner *p)
{
    const hone_solver *solver = p->solver;
    const hone_vars self = (hone_vars)1 << p->plan->var;

    p->plan->filters = take(p, solver->n_roots, sizeof(hone_node));
    p->plan->masks = take(p, solver->n_roots, sizeof(hone_mask_rule));
    if (!p->plan->filters || !p->plan->masks)
        return hone__solver_no_memory(p->err);
    for (size_t i = 0; i < solver->n_roots; ++i) {
        const hone_node root = solver->roots[i];
        const hone_vars vars = p->graph->nodes[root].vars;

        if (!(vars & self))
            continue;
        if (!(vars & ~p->bound)) {
            if (!has_mask(p, vars, p->before)) /* else it has been applied */
                p->plan->filters[p->plan->n_filters++] = root;
        } else if (has_mask(p, vars, p->bound)) {
            p->plan->masks[p->plan->n_masks++] = (hone_mask_rule){
                .root = root, .var = hone__vars_first(vars & ~p->bound)};
        }
    }
    return HONE_OK;
}

/* ---- what the states after this level keep ------------------------------ */

static void mark_frontier(planner *p)
{
    unsigned char *reached = p->keep;

    for (size_t i = 0; i < p->solver->n_roots; ++i) {
        const hone_node root = p->solver->roots[i];
        const hone_vars vars = p->graph->nodes[root].vars;

        reached[root] |= (vars & p->bound) && (vars & ~p->bound) &&
                         !has_mask(p, vars, p->bound);
    }
    for (hone_node i = p->solver->n_info; i-- > 1;) {
        const hone_graph_node *node = &p->graph->nodes[i];

        if (!reached[i] || !(node->vars & ~p->bound)) {
            reached[i] = reached[i] && node->vars;
            continue; /* known: kept as it is */
        }
        reached[i] = 0;
        for (int k = 0; k < node->n_args; ++k)
            reached[node->args[k]] = 1;
    }
}

/* What one operation makes of other kept nodes need not be kept. */
static void drop_derived(planner *p)
{
    for (hone_node i = 1; i < p->solver->n_info; ++i) {
        const hone_graph_node *node = &p->graph->nodes[i];
        int is_derived = node->n_args > 0 && !p->solver->info[i].loose;

        for (int k = 0; k < node->n_args; ++k)
            is_derived &=
                p->keep[node->args[k]] || !p->graph->nodes[node->args[k]].vars;
        if (p->keep[i] && is_derived)
            p->keep[i] = 0;
    }
}

const hone_slot *hone__layout_find(const hone_layout *layout, hone_node node,
                                   uint32_t var)
{
    for (size_t i = 0; i < layout->n; ++i) {
        const hone_slot *slot = &layout->slots[i];

        if (slot->node == node && (node || slot->var == var))
            return slot;
    }
    return NULL;
}

static void add_slot(planner *p, hone_node node, uint32_t var, int is_new)
{
    hone_layout *out = &p->plan->out;
    const hone_slot *old = hone__layout_find(&p->plan->in, node, var);
    hone_slot *slot = &out->slots[out->n++];

    *slot = (hone_slot){.node = node, .var = var, .word = out->n_words};
    slot->is_carried = old && !is_new;
    slot->had_mask = old && !node;
    slot->from = old ? old->word : 0;
    if (node && !old)
        p->need[node] = 1;
    out->n_words += node && !p->solver->info[node].fast ? 2 : 1;
}

static hone_status lay_out(planner *p)
{
    hone_vars masked = 0;
    hone_vars changed = 0;

    p->plan->out.slots = hone__arena_alloc(
        &p->solver->arena,
        (p->solver->n_info + HONE_GRAPH_VARS) * sizeof(hone_slot));
    if (!p->plan->out.slots)
        return hone__solver_no_memory(p->err);
    mark_frontier(p);
    drop_derived(p);
    for (hone_node i = 1; i < p->solver->n_info; ++i) {
        if (p->keep[i])
            add_slot(p, i, 0, 0);
    }
    for (size_t i = 0; i < p->solver->n_roots; ++i) {
        const hone_vars vars = p->graph->nodes[p->solver->roots[i]].vars;

        if (has_mask(p, vars, p->bound))
            masked |= vars & ~p->bound;
    }
    for (size_t i = 0; i < p->plan->n_masks; ++i)
        changed |= (hone_vars)1 << p->plan->masks[i].var;
    for (; masked; masked &= masked - 1) {
        const uint32_t var = hone__vars_first(masked);

        add_slot(p, 0, var, changed >> var & 1);
    }
    return HONE_OK;
}

/* ---- the steps ---------------------------------------------------------- */

static hone_status add_step(planner *p, hone_steps *steps, hone_step step)
{
    if (!steps->items)
        steps->items = take(p, p->solver->n_info, sizeof *steps->items);
    if (!steps->items)
        return hone__solver_no_memory(p->err);
    steps->items[steps->n++] = step;
    return HONE_OK;
}

static void want_args(planner *p, hone_node node, unsigned char *marks)
{
    const hone_graph_node *self = &p->graph->nodes[node];

    for (int k = 0; k < self->n_args; ++k)
        marks[self->args[k]] = 1;
}

/* Turn a list that was filled from the last node to the first. */
static void reverse(hone_steps *steps)
{
    for (size_t i = 0; i < steps->n / 2; ++i) {
        const hone_step first = steps->items[i];

        steps->items[i] = steps->items[steps->n - 1 - i];
        steps->items[steps->n - 1 - i] = first;
    }
}

/* What reads the variable that is left; the rest of the rule is needed
 * before. */
static hone_status plan_mask(planner *p, hone_mask_rule *rule)
{
    const hone_vars left = (hone_vars)1 << rule->var;
    const hone_vars self = (hone_vars)1 << p->plan->var;
    const int is_table = p->graph->nodes[rule->root].vars == (left | self);
    unsigned char *marks = take(p, rule->root, 1);

    if (!marks)
        return hone__solver_no_memory(p->err);
    marks[rule->root] = 1;
    for (hone_node i = rule->root; i > 0; --i) {
        const hone_vars vars = p->graph->nodes[i].vars;

        if (!marks[i])
            continue;
        if (vars & left) {
            const hone_step_kind kind =
                vars == left ? HONE_STEP_CHOICE : HONE_STEP_APPLY;

            HONE_TRY(add_step(p, &rule->steps, (hone_step){kind, i, 0}));
            if (kind == HONE_STEP_APPLY)
                want_args(p, i, marks);
        } else if (is_table && vars) {
            HONE_TRY(
                add_step(p, &rule->before, (hone_step){HONE_STEP_TABLE, i, 0}));
        } else {
            p->need[i] = 1;
        }
    }
    reverse(&rule->steps);
    if (!is_table)
        return HONE_OK;
    rule->table =
        take(p, p->solver->positions[p->plan->var].n, sizeof *rule->table);
    return rule->table ? HONE_OK : hone__solver_no_memory(p->err);
}

static hone_status plan_steps(planner *p)
{
    const hone_vars self = (hone_vars)1 << p->plan->var;

    for (hone_node i = p->solver->n_info; i-- > 1;) {
        const hone_graph_node *node = &p->graph->nodes[i];
        hone_step step = {HONE_STEP_APPLY, i, 0};
        const hone_slot *slot;

        if (!p->need[i] || !node->vars)
            continue;
        slot = hone__layout_find(&p->plan->in, i, 0);
        if (slot) {
            step.kind = HONE_STEP_ROW;
            step.word = slot->word;
        } else if (node->vars == self) {
            step.kind = HONE_STEP_TABLE;
        } else if (node->op == HONE_OP_SLOT) {
            return hone__fail(p->err, HONE_ERR_INTERNAL,
                              "a state lacks a variable that is read later");
        } else {
            want_args(p, i, p->need);
        }
        HONE_TRY(add_step(p, &p->plan->steps, step));
    }
    reverse(&p->plan->steps);
    return HONE_OK;
}

/* ---- columns ------------------------------------------------------------ */

static hone_status make_column(planner *p, hone_node node)
{
    const hone_node_info *info = &p->solver->info[node];
    const hone_graph_node *self = &p->graph->nodes[node];
    hone_column *column = &p->plan->columns[node];

    if (column->fast || column->checked)
        return HONE_OK;
    if (info->fast)
        column->fast = take(p, p->plan->n_lanes, sizeof *column->fast);
    else
        column->checked = take(p, p->plan->n_lanes, sizeof *column->checked);
    if (!column->fast && !column->checked)
        return hone__solver_no_memory(p->err);
    for (size_t i = 0; !self->vars && i < p->plan->n_lanes; ++i) {
        if (column->fast)
            column->fast[i] = info->low;
        else
            column->checked[i] = self->value;
    }
    return HONE_OK;
}

static hone_status make_columns(planner *p, const hone_steps *steps)
{
    for (size_t i = 0; i < steps->n; ++i) {
        const hone_node node = steps->items[i].node;
        const hone_graph_node *self = &p->graph->nodes[node];

        HONE_TRY(make_column(p, node));
        for (int k = 0;
             steps->items[i].kind == HONE_STEP_APPLY && k < self->n_args; ++k)
            HONE_TRY(make_column(p, self->args[k]));
    }
    return HONE_OK;
}

static hone_status plan_all(planner *p)
{
    HONE_TRY(sort_roots(p));
    HONE_TRY(lay_out(p));
    for (size_t i = 0; i < p->plan->n_filters; ++i)
        p->need[p->plan->filters[i]] = 1;
    for (size_t i = 0; i < p->plan->n_masks; ++i)
        HONE_TRY(plan_mask(p, &p->plan->masks[i]));
    HONE_TRY(plan_steps(p));
    HONE_TRY(make_columns(p, &p->plan->steps));
    for (size_t i = 0; i < p->plan->n_masks; ++i) {
        HONE_TRY(make_columns(p, &p->plan->masks[i].before));
        HONE_TRY(make_columns(p, &p->plan->masks[i].steps));
    }
    return HONE_OK;
}

hone_status hone__plan_level(hone_solver *solver, size_t level, size_t n_states,
                             hone_arena *arena, hone_level_plan *plan,
                             hone_error *err)
{
    const size_t n = solver->n_info;
    planner p = {.solver = solver,
                 .graph = solver->graph,
                 .arena = arena,
                 .plan = plan,
                 .err = err};

    for (size_t i = 0; i < level; ++i)
        p.before |= (hone_vars)1 << solver->order[i];
    plan->var = solver->order[level];
    plan->n_lanes = solver->positions[plan->var].n; /* for its tables */
    if (n_states > 1)
        plan->n_lanes *= n_states < HONE_LANES ? n_states : HONE_LANES;
    if (plan->n_lanes > HONE_LANES)
        plan->n_lanes = HONE_LANES;
    p.bound = p.before | (hone_vars)1 << plan->var;
    p.need = take(&p, n, 1);
    p.keep = take(&p, n, 1);
    plan->columns = take(&p, n, sizeof *plan->columns);
    if (!p.need || !p.keep || !plan->columns)
        return hone__solver_no_memory(err);
    return plan_all(&p);
}
