/* SPDX-License-Identifier: Apache-2.0 */
/* The search space of a T1 definition. */
#include "gen/space_parts.h"

#include <string.h>

/* "NAME=VALUE,.." of a configuration. */
static void config_text(const hone_t1 *t1, const int *value_indexes,
                        hone_text *out)
{
    for (size_t i = 0; i < t1->n_params; ++i)
        hone__text_printf(out, "%s%s=%s", i ? "," : "", t1->params[i].name,
                          t1->params[i].texts[value_indexes[i]]);
}

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
    hone__space_locate(space, constraint, &text);
    hone__text_printf(&text, ": %s (with ", hone__datum_fault_text(fault));
    config_text(t1, value_indexes, &text);
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
