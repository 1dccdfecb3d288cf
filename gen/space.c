/* SPDX-License-Identifier: Apache-2.0 */
/* What all search spaces share: solving, configurations by number, and which
 * constraint removes what; and the search space of a T1 definition. */
#include "gen/space_parts.h"

#include <string.h>

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

hone_status hone__space_prepare(hone_space *space, size_t n_params,
                                hone_error *err)
{
    space->n_params = n_params;
    space->choices = hone__arena_alloc(&space->arena,
                                       (n_params + 1) * sizeof *space->choices);
    space->n_values = hone__arena_alloc(
        &space->arena, (n_params + 1) * sizeof *space->n_values);
    if (!space->choices || !space->n_values)
        return no_memory(err);
    space->csp =
        (hone_csp){.graph = space->t1 ? &space->t1->graph : &space->graph,
                   .n_vars = n_params,
                   .vars = space->choices,
                   .name = space->t1 ? space->t1->path : space->tmpl->path,
                   .watch = &space->watch};
    return HONE_OK;
}

/* ---- constraints ------------------------------------------------------- */

static void take_piece(void *user, hone_node piece)
{
    hone_space *space = user;

    const size_t n = space->n_roots + 1;
    hone_node *roots = hone__realloc(space->roots, n * sizeof *roots);
    size_t *owner = hone__realloc(space->owner, n * sizeof *owner);

    if (roots)
        space->roots = roots;
    if (owner)
        space->owner = owner;
    if (!roots || !owner) {
        space->csp.graph->failed = 1;
        return;
    }
    space->roots[space->n_roots] = piece;
    space->owner[space->n_roots++] = space->n_constraints;
}

hone_status hone__space_add(hone_space *space, hone_node root, hone_error *err)
{
    hone__graph_split(space->csp.graph, root, take_piece, space);
    ++space->n_constraints;
    return space->csp.graph->failed ? no_memory(err) : HONE_OK;
}

static void count_raw(hone_space *space)
{
    space->raw = 1;
    for (size_t i = 0; i < space->csp.n_vars; ++i) {
        space->n_values[i] = (int)space->choices[i].n;
        if (__builtin_mul_overflow(space->raw, (int64_t)space->choices[i].n,
                                   &space->raw))
            space->raw = INT64_MAX;
    }
}

void hone__space_free(hone_space *space)
{
    if (!space)
        return;
    hone__diagram_free(space->diagram);
    hone__free(space->roots);
    hone__free(space->owner);
    hone__graph_free(&space->graph);
    hone__arena_free(&space->arena);
    hone__free(space);
}

/* ---- configurations ---------------------------------------------------- */

void hone__space_get_indexes(const hone_space *space, int64_t index,
                             int *out_value_indexes)
{
    hone__diagram_get(space->diagram, index, out_value_indexes);
}

int64_t hone__space_find_indexes(const hone_space *space,
                                 const int *value_indexes)
{
    return hone__diagram_find(space->diagram, value_indexes);
}

void hone__space_rows(const hone_space *space, int64_t first, int64_t n,
                      uint16_t *out)
{
    hone__diagram_rows(space->diagram, first, n, out);
}

/* ---- which constraint removes what ---------------------------------------
 * The space is solved with one constraint alone, and with more and more of
 * them in declared order. */

/* "PATH:LINE:COLUMN: 'CONDITION' (MESSAGE)" of a constraint. */
static void locate(const hone_space *space, size_t constraint, hone_text *out)
{
    const hone_template_require *require;

    if (space->t1) {
        const hone_t1_condition *condition = &space->t1->conditions[constraint];

        hone__text_printf(out, "%s:%d:%d: '%s'", space->t1->path,
                          condition->line, condition->column, condition->text);
        return;
    }
    require = &space->tmpl->requires_[constraint];
    hone__text_printf(out, "%s:%d:%d: '%s'%s%s%s",
                      HONE_PLACE(space->tmpl, require->condition.line),
                      require->condition.column, hone__require_text(require),
                      *require->message ? " (" : "", require->message,
                      *require->message ? ")" : "");
}

static int size_of(hone_vars vars)
{
    return __builtin_popcountll(vars);
}

/* Of a space that is too large: the constraint that ties together most of the
 * parameters in which the states differ. */
static hone_status fail_solving(const hone_space *space, const hone_error *why,
                                hone_error *err)
{
    const hone_vars worst = space->watch.worst;
    size_t at = space->n_roots;
    hone_vars of_best = 0;
    hone_text text = {0};

    for (size_t i = 0; i < space->n_roots && worst; ++i) {
        const hone_vars vars = space->csp.graph->nodes[space->roots[i]].vars;
        const int shared = size_of(vars & worst);
        const int best = size_of(of_best & worst);

        if (shared > best ||
            (shared && shared == best && size_of(vars) > size_of(of_best))) {
            of_best = vars;
            at = i;
        }
    }
    if (why->status != HONE_ERR_UNSUPPORTED || at == space->n_roots)
        return hone__fail_native(err, why->status, why->domain, why->native,
                                 "%s", why->text);
    hone__text_printf(&text, "%s; the constraint that makes most of them is ",
                      why->text);
    locate(space, space->owner[at], &text);
    hone__text_puts(&text, ": leave it out or give its parameters fewer "
                           "values, or see --space-memory and --space-time");
    return hone__text_fail(&text, HONE_ERR_UNSUPPORTED, err);
}

hone_status hone__space_solve(hone_space *space, size_t *out_constraint,
                              int *value_indexes, hone_error *err)
{
    hone_error why = {0};
    hone_status status;
    size_t at;

    count_raw(space);
    *out_constraint = space->n_constraints;
    hone__solve_watch_begin(&space->watch);
    status = hone__csp_find_fault(&space->csp, space->roots, space->n_roots,
                                  &at, value_indexes, &why);
    if (status == HONE_OK && at < space->n_roots) {
        *out_constraint = space->owner[at];
        return HONE_OK;
    }
    if (status == HONE_OK)
        status = hone__csp_solve(&space->csp, space->roots, space->n_roots,
                                 &space->diagram, &why);
    if (status != HONE_OK)
        return fail_solving(space, &why, err);
    space->count = space->diagram->count;
    if (space->count < INT64_MAX)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "%s: more than 9.2e18 configurations are valid; give the "
                      "parameters fewer values or more constraints",
                      space->csp.name);
}

void hone__space_leave_unsolved(hone_space *space)
{
    count_raw(space);
}

hone_status hone__space_list(hone_space *space, const uint16_t *rows, size_t n,
                             hone_error *err)
{
    count_raw(space);
    space->is_listed = 1;
    HONE_TRY(hone__diagram_list(space->choices, space->n_params, rows, n,
                                &space->diagram, err));
    space->count = space->diagram->count;
    return HONE_OK;
}

/* Solve with the constraints first .. last-1. */
static hone_status solve_part(const hone_space *space, size_t first,
                              size_t last, hone_diagram **out, hone_error *err)
{
    size_t begin = 0;
    size_t end = 0;

    while (begin < space->n_roots && space->owner[begin] < first)
        ++begin;
    end = begin;
    while (end < space->n_roots && space->owner[end] < last)
        ++end;
    return hone__csp_solve(&space->csp, space->roots + begin, end - begin, out,
                           err);
}

static hone_status count_part(const hone_space *space, size_t first,
                              size_t last, int64_t *out, hone_error *err)
{
    hone_diagram *diagram;

    HONE_TRY(solve_part(space, first, last, &diagram, err));
    *out = diagram->count;
    hone__diagram_free(diagram);
    return HONE_OK;
}

/* Note the values that constraint `constraint` took away. */
static void mark_pruned(const hone_space *space, const hone_diagram *diagram,
                        size_t constraint, int *pruned)
{
    for (uint32_t var = 0; var < space->csp.n_vars; ++var) {
        const hone_diagram_level *level = diagram->levels;

        while (level->var != var)
            ++level;
        for (int v = 0; v < space->n_values[var]; ++v) {
            if (pruned[v] < 0 && !level->used[v])
                pruned[v] = (int)constraint;
        }
        pruned += space->n_values[var];
    }
}

hone_status hone__space_explain(const hone_space *space, hone_space_reason *out,
                                int *out_pruned, hone_error *err)
{
    int64_t before = space->raw;
    size_t n_values = 0;

    hone__solve_watch_begin(space->csp.watch);
    for (size_t i = 0; i < space->csp.n_vars; ++i)
        n_values += (size_t)space->n_values[i];
    for (size_t i = 0; out_pruned && i < n_values; ++i)
        out_pruned[i] = -1;
    for (size_t i = 0; i < space->n_constraints; ++i) {
        hone_diagram *diagram;

        HONE_TRY(count_part(space, i, i + 1, &out[i].alone, err));
        out[i].alone = space->raw - out[i].alone;
        HONE_TRY(solve_part(space, 0, i + 1, &diagram, err));
        out[i].rejected = before - diagram->count;
        before = diagram->count;
        if (out_pruned)
            mark_pruned(space, diagram, i, out_pruned);
        hone__diagram_free(diagram);
    }
    return HONE_OK;
}

hone_status hone__space_fail_empty(const hone_space *space, hone_error *err)
{
    size_t low = 0; /* so many constraints leave something */
    size_t high = space->n_constraints;
    int64_t alone = 0;
    int64_t before = 0;
    hone_text where = {0};

    if (space->is_listed)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "%s: none of the listed configurations is valid",
                          space->csp.name);
    if (high == 0)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "%s: empty without a constraint", space->csp.name);
    hone__solve_watch_begin(space->csp.watch);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        int64_t count;

        HONE_TRY(count_part(space, 0, middle, &count, err));
        if (count)
            low = middle;
        else
            high = middle;
    }
    HONE_TRY(count_part(space, low, high, &alone, err));
    HONE_TRY(count_part(space, 0, low, &before, err));
    locate(space, low, &where);
    if (alone)
        hone__text_printf(&where,
                          " rejects the last of the configurations: all %lld "
                          "that the constraints above it leave",
                          (long long)before);
    else
        hone__text_puts(&where, " rejects every configuration");
    return hone__text_fail(&where, HONE_ERR_NOT_FOUND, err);
}

/* ---- of a T1 definition -------------------------------------------------- */

static hone_status fail_fault(const hone_space *space, size_t constraint,
                              const int *value_indexes, hone_error *err)
{
    const hone_t1 *t1 = space->t1;
    hone_datum values[HONE_GRAPH_VARS];
    hone_datum *scratch = hone__alloc(t1->graph.n * sizeof *scratch);
    hone_datum fault;
    hone_text text = {0};

    if (!scratch)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < t1->n_params; ++i)
        values[i] = t1->params[i].values[value_indexes[i]];
    fault = hone__graph_eval(&t1->graph, t1->conditions[constraint].root,
                             values, scratch);
    hone__free(scratch);
    locate(space, constraint, &text);
    hone__text_printf(&text, ": %s (with ", hone__datum_fault_text(fault));
    for (size_t i = 0; i < t1->n_params; ++i)
        hone__text_printf(&text, "%s%s=%s", i ? "," : "", t1->params[i].name,
                          t1->params[i].texts[value_indexes[i]]);
    hone__text_puts(&text, ")");
    return hone__text_fail(&text, HONE_ERR_INPUT, err);
}

static hone_status build(hone_space *space, hone_error *err)
{
    hone_t1 *t1 = space->t1;
    int value_indexes[HONE_GRAPH_VARS];
    size_t constraint;

    HONE_TRY(hone__space_prepare(space, t1->n_params, err));
    for (size_t i = 0; i < t1->n_params; ++i)
        space->choices[i] =
            (hone_choices){t1->params[i].n_values, t1->params[i].values};
    for (size_t i = 0; i < t1->n_conditions; ++i)
        HONE_TRY(hone__space_add(space, t1->conditions[i].root, err));
    HONE_TRY(hone__space_solve(space, &constraint, value_indexes, err));
    return constraint < space->n_constraints
               ? fail_fault(space, constraint, value_indexes, err)
               : HONE_OK;
}

hone_status hone__space_create_t1(hone_t1 *t1, hone_space **out,
                                  hone_error *err)
{
    hone_space *space = hone__alloc(sizeof *space);
    hone_status status;

    *out = NULL;
    if (!space)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    space->t1 = t1;
    status = build(space, err);
    if (status)
        hone__space_free(space);
    else
        *out = space;
    return status;
}
