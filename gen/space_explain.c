/* SPDX-License-Identifier: Apache-2.0 */
/* Which constraint removes what: the space is solved with one constraint
 * alone, and with more and more of them in declared order. */
#include "gen/space_parts.h"

#include <string.h>

void hone__space_locate(const hone_space *space, size_t constraint,
                        hone_text *out)
{
    if (space->t1) {
        const hone_t1_condition *condition = &space->t1->conditions[constraint];

        hone__text_printf(out, "%s:%d:%d: '%s'", space->t1->path,
                          condition->line, condition->column, condition->text);
        return;
    }
    {
        const hone_template_require *require =
            &space->tmpl->requires_[constraint];

        hone__text_printf(out, "%s:%d:%d: '%s'%s%s%s", space->tmpl->path,
                          require->condition.line, require->condition.column,
                          hone__require_text(require),
                          *require->message ? " (" : "", require->message,
                          *require->message ? ")" : "");
    }
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

    if (high == 0)
        return hone__fail(err, HONE_ERR_INTERNAL,
                          "%s: empty without a constraint", space->csp.name);
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
    hone__space_locate(space, low, &where);
    if (alone)
        hone__text_printf(&where,
                          " rejects the last of the configurations: all %lld "
                          "that the constraints above it leave",
                          (long long)before);
    else
        hone__text_puts(&where, " rejects every configuration");
    return hone__text_fail(&where, HONE_ERR_NOT_FOUND, err);
}
