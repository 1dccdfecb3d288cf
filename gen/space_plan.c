/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation order of a space: each require at the parameter that
 * completes it, in declared order; each let just before the first require
 * that needs it, so that a let nobody needs cannot fail. */
#include "gen/space_plan.h"

#include "runtime/alloc.h"

typedef struct planner {
    const hone_template *tmpl;
    hone_space_plan *plan;
    size_t *let_level;  /* parameters that must be bound */
    char *let_is_ready; /* placed already */
} planner;

static size_t level_of(const planner *p, const hone_template_expr *expr)
{
    const hone_slots *slots = &p->tmpl->slots;
    size_t level = 0;

    for (size_t i = 0; i < p->tmpl->n_params; ++i) {
        if (hone__expr_reads(expr->expr, slots->params + i))
            level = i + 1;
    }
    for (size_t i = 0; i < p->tmpl->n_lets; ++i) {
        if (p->let_level[i] > level &&
            hone__expr_reads(expr->expr, slots->lets + i))
            level = p->let_level[i];
    }
    return level;
}

/* Lets read earlier ones only: the recursion ends. */
static void place_lets(planner *p, const hone_template_expr *expr)
{
    for (size_t i = 0; i < p->tmpl->n_lets; ++i) {
        if (p->let_is_ready[i] ||
            !hone__expr_reads(expr->expr, p->tmpl->slots.lets + i))
            continue;
        place_lets(p, &p->tmpl->lets[i].value);
        p->let_is_ready[i] = 1;
        p->plan->steps[p->plan->n_steps++] = (hone_space_step){1, i};
    }
}

static void place_all(planner *p, const size_t *require_level, int with_dims)
{
    const hone_template *tmpl = p->tmpl;

    for (size_t d = 0; d <= tmpl->n_params; ++d) {
        p->plan->first[d] = p->plan->n_steps;
        for (size_t i = 0; i < tmpl->n_requires; ++i) {
            const hone_template_expr *expr = &tmpl->requires_[i].condition;

            if (require_level[i] != d || (expr->reads_dims && !with_dims))
                continue;
            place_lets(p, expr);
            p->plan->steps[p->plan->n_steps++] = (hone_space_step){0, i};
        }
    }
    p->plan->first[tmpl->n_params + 1] = p->plan->n_steps;
}

hone_status hone__space_plan_create(const hone_template *tmpl, int with_dims,
                                    hone_space_plan *out, hone_error *err)
{
    planner p = {.tmpl = tmpl, .plan = out};
    size_t *require_level =
        hone__alloc((tmpl->n_requires + 1) * sizeof *require_level);
    hone_status status = HONE_OK;

    p.let_level = hone__alloc((tmpl->n_lets + 1) * sizeof *p.let_level);
    p.let_is_ready = hone__alloc(tmpl->n_lets + 1);
    out->steps = hone__alloc((tmpl->n_lets + tmpl->n_requires + 1) *
                             sizeof *out->steps);
    out->first = hone__alloc((tmpl->n_params + 2) * sizeof *out->first);
    if (require_level && p.let_level && p.let_is_ready && out->steps &&
        out->first) {
        for (size_t i = 0; i < tmpl->n_lets; ++i)
            p.let_level[i] = level_of(&p, &tmpl->lets[i].value);
        for (size_t i = 0; i < tmpl->n_requires; ++i)
            require_level[i] = level_of(&p, &tmpl->requires_[i].condition);
        place_all(&p, require_level, with_dims);
    } else {
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    hone__free(require_level);
    hone__free(p.let_level);
    hone__free(p.let_is_ready);
    return status;
}

void hone__space_plan_free(hone_space_plan *plan)
{
    hone__free(plan->steps);
    hone__free(plan->first);
    *plan = (hone_space_plan){0};
}
