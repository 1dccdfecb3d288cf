/* SPDX-License-Identifier: Apache-2.0 */
/* The search space of a template: its constraints as a graph for one problem
 * and device, and its configurations by their values. */
#include "gen/space_parts.h"

#include "gen/expand/values.h"

#include <string.h>

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

/* ---- one configuration by the template's own rules --------------------- */

/* Does it count in this space? */
static int counts(const hone_space *space, const hone_template_require *require)
{
    return (space->has_dims || !require->condition.reads_dims) &&
           !(require->is_preference && space->is_whole);
}

/* The first require that rejects `config`; n_requires: none does. What
 * constants take is in *out_bytes if it is that one. */
static hone_status first_rejection(const hone_space *space,
                                   const int64_t *config, size_t *out_require,
                                   int64_t *out_bytes, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    hone_space_trial trial;
    hone_status status = hone__space_trial_open(space, config, &trial, err);

    *out_require = 0;
    for (; status == HONE_OK && *out_require < tmpl->n_requires;
         ++*out_require) {
        const hone_template_require *require = &tmpl->requires_[*out_require];
        int64_t holds = 1;

        if (counts(space, require))
            status = hone__space_trial_eval(&trial, &require->condition, &holds,
                                            err);
        if (status == HONE_OK && !holds && require->bytes.expr)
            status =
                hone__space_trial_eval(&trial, &require->bytes, out_bytes, err);
        if (status == HONE_OK && !holds)
            break;
    }
    hone__space_trial_close(&trial);
    return status;
}

/* ---- making it --------------------------------------------------------- */

static hone_status check_arch(const hone_space *space, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    int64_t holds = 1;

    if (tmpl->arch.expr)
        HONE_TRY(hone__values_eval(tmpl, &tmpl->arch,
                                   &(hone_values){.slots = space->slots},
                                   &holds, err));
    if (holds)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "%s:%d: this template needs '%s'; the device is sm_%lld",
                      tmpl->path, tmpl->arch.line,
                      hone__expr_text(tmpl->arch.expr),
                      (long long)space->slots[HONE_PROPERTY_sm]);
}

static hone_status fill_slots(hone_space *space, const int64_t *dims,
                              const hone_properties *properties,
                              hone_error *err)
{
    const hone_template *tmpl = space->tmpl;

    space->slots = hone__arena_alloc(&space->arena, (tmpl->slots.total + 1) *
                                                        sizeof *space->slots);
    if (!space->slots)
        return no_memory(err);
    memcpy(space->slots, properties->value, sizeof properties->value);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];
        int64_t value = dims ? dims[i] : dim->default_value;

        if (value == HONE_DIM_DEFAULT)
            value = dim->default_value;
        if (!value && dim->n_types && !dim->is_choice)
            value = dim->types[0];
        space->slots[tmpl->slots.dims + i] = value;
    }
    return HONE_OK;
}

static hone_status fill_choices(hone_space *space, hone_error *err)
{
    for (size_t i = 0; i < space->tmpl->n_params; ++i) {
        const hone_param *param = &space->tmpl->params[i];
        hone_datum *values =
            hone__arena_alloc(&space->arena, param->n_values * sizeof *values);

        if (!values)
            return no_memory(err);
        for (size_t k = 0; k < param->n_values; ++k)
            values[k] = hone__datum_int(param->values[k]);
        space->choices[i] = (hone_choices){param->n_values, values};
    }
    return HONE_OK;
}

/* The nodes of all slots: what is known is a constant. */
static hone_node *make_nodes(hone_space *space)
{
    const hone_template *tmpl = space->tmpl;
    hone_node *nodes = hone__arena_alloc(
        &space->arena, (tmpl->slots.total + 1) * sizeof *nodes);

    for (size_t i = 0; nodes && i < tmpl->slots.params; ++i)
        nodes[i] =
            hone__graph_const(&space->graph, hone__datum_int(space->slots[i]));
    for (size_t i = 0; nodes && i < tmpl->n_params; ++i)
        nodes[tmpl->slots.params + i] =
            tmpl->params[i].n_values == 1
                ? hone__graph_const(&space->graph,
                                    hone__datum_int(tmpl->params[i].values[0]))
                : hone__graph_var(&space->graph, (uint32_t)i);
    for (size_t i = 0; nodes && i < tmpl->n_lets; ++i) {
        const hone_template_expr *value = &tmpl->lets[i].value;

        if (space->has_dims || !value->reads_dims)
            nodes[tmpl->slots.lets + i] =
                hone__graph_of_expr(&space->graph, value->expr, nodes);
    }
    return nodes;
}

/* Constraints that are left out are true. */
static hone_status add_requires(hone_space *space, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    hone_node *nodes = make_nodes(space);

    if (!nodes)
        return no_memory(err);
    for (size_t i = 0; i < tmpl->n_requires; ++i) {
        const hone_template_require *require = &tmpl->requires_[i];

        HONE_TRY(hone__space_add(
            space,
            counts(space, require)
                ? hone__graph_of_expr(&space->graph, require->condition.expr,
                                      nodes)
                : hone__graph_const(&space->graph, hone__datum_int(1)),
            err));
    }
    return HONE_OK;
}

/* Say what is wrong where, and for which values. */
static hone_status fail_fault(const hone_space *space, const int *value_indexes,
                              hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    int64_t config[HONE_GRAPH_VARS];
    hone_error inner = {0};
    hone_text text = {0};
    int64_t ignored = 0;
    size_t require;
    hone_status status;

    for (size_t i = 0; i < tmpl->n_params; ++i)
        config[i] = tmpl->params[i].values[value_indexes[i]];
    status = first_rejection(space, config, &require, &ignored, &inner);
    hone__config_format(tmpl, config, NULL, &text);
    if (status == HONE_OK)
        status = hone__fail(err, HONE_ERR_INTERNAL,
                            "%s: '%s' was said to be impossible to evaluate",
                            tmpl->path, hone__text_str(&text));
    else if (hone__text_check(&text, err) != HONE_OK)
        status = HONE_ERR_NO_MEMORY;
    else
        (void)hone__fail(err, status, "%s (with %s)", inner.text,
                         hone__text_str(&text));
    hone__text_free(&text);
    return status;
}

/* All but its configurations. */
static hone_status describe(hone_space *space, const int64_t *dims,
                            const hone_properties *properties, hone_error *err)
{
    space->has_dims = dims != NULL;
    for (size_t i = 0; dims && i < space->tmpl->n_dims; ++i)
        space->has_dims &=
            space->tmpl->dims[i].n_types || dims[i] != HONE_DIM_DEFAULT;
    HONE_TRY(fill_slots(space, dims, properties, err));
    HONE_TRY(check_arch(space, err));
    HONE_TRY(hone__space_prepare(space, space->tmpl->n_params, err));
    HONE_TRY(fill_choices(space, err));
    HONE_TRY(hone__space_rank(space, err));
    return add_requires(space, err);
}

static hone_status solve(hone_space *space, hone_error *err)
{
    int value_indexes[HONE_GRAPH_VARS];
    size_t constraint;

    HONE_TRY(hone__space_solve(space, &constraint, value_indexes, err));
    return constraint < space->n_constraints
               ? fail_fault(space, value_indexes, err)
               : HONE_OK;
}

static hone_status create(const hone_template *tmpl, const int64_t *dims,
                          const hone_properties *properties, int is_whole,
                          hone_space **out, hone_error *err)
{
    hone_space *space = hone__alloc(sizeof *space);
    hone_status status;

    *out = NULL;
    if (!space)
        return no_memory(err);
    space->tmpl = tmpl;
    space->is_whole = is_whole;
    status = describe(space, dims, properties, err);
    if (status)
        hone__space_free(space);
    else
        *out = space;
    return status;
}

/* What became of filling in its configurations: it is made, or nothing is. */
static hone_status made(hone_space **out, hone_status status)
{
    if (status) {
        hone__space_free(*out);
        *out = NULL;
    }
    return status;
}

hone_status hone__space_create(const hone_template *tmpl, const int64_t *dims,
                               const hone_properties *properties,
                               hone_space **out, hone_error *err)
{
    HONE_TRY(create(tmpl, dims, properties, 0, out, err));
    return made(out, solve(*out, err));
}

hone_status hone__space_create_whole(const hone_template *tmpl,
                                     const int64_t *dims,
                                     const hone_properties *properties,
                                     hone_space **out, hone_error *err)
{
    HONE_TRY(create(tmpl, dims, properties, 1, out, err));
    return made(out, solve(*out, err));
}

hone_status hone__space_create_unsolved(const hone_template *tmpl,
                                        const int64_t *dims,
                                        const hone_properties *properties,
                                        int is_whole, hone_space **out,
                                        hone_error *err)
{
    HONE_TRY(create(tmpl, dims, properties, is_whole, out, err));
    hone__space_leave_unsolved(*out);
    return HONE_OK;
}

/* ---- configurations by value ------------------------------------------- */

void hone__space_get(const hone_space *space, int64_t index, int64_t *out)
{
    const hone_template *tmpl = space->tmpl;
    int value_indexes[HONE_GRAPH_VARS];

    hone__space_get_indexes(space, index, value_indexes);
    for (size_t i = 0; i < tmpl->n_params; ++i)
        out[i] = tmpl->params[i].values[value_indexes[i]];
}

/* Index of a value in its parameter's list, n_values if it has none. */
static size_t value_index(const hone_param *param, int64_t value)
{
    size_t i = 0;

    while (i < param->n_values && param->values[i] != value)
        ++i;
    return i;
}

/* 0: some value is none of its parameter's. */
static int find_values(const hone_template *tmpl, const int64_t *config,
                       int *out_value_indexes)
{
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        const size_t at = value_index(&tmpl->params[i], config[i]);

        if (at == tmpl->params[i].n_values)
            return 0;
        out_value_indexes[i] = (int)at;
    }
    return 1;
}

int64_t hone__space_find(const hone_space *space, const int64_t *config)
{
    int value_indexes[HONE_GRAPH_VARS];

    return find_values(space->tmpl, config, value_indexes)
               ? hone__space_find_indexes(space, value_indexes)
               : -1;
}

static hone_status refuse_value(const hone_template *tmpl,
                                const hone_param *param, int64_t value,
                                hone_error *err)
{
    hone_text text = {0};
    hone_status status;

    hone__template_value_text(tmpl, param, value, &text);
    status = hone__text_check(&text, err);
    if (status == HONE_OK)
        status = hone__param_refuse(tmpl, param, text.data, text.length, err);
    hone__text_free(&text);
    return status;
}

hone_status hone__space_check(const hone_space *space, const int64_t *config,
                              hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    const hone_template_require *require;
    int64_t bytes = 0;
    size_t failed;

    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (value_index(&tmpl->params[i], config[i]) ==
            tmpl->params[i].n_values)
            return refuse_value(tmpl, &tmpl->params[i], config[i], err);
    }
    HONE_TRY(first_rejection(space, config, &failed, &bytes, err));
    if (failed == tmpl->n_requires)
        return HONE_OK;
    require = &tmpl->requires_[failed];
    if (require->bytes.expr)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "%s:%d: %s; this configuration takes %lld",
                          HONE_PLACE(tmpl, require->condition.line),
                          require->message, (long long)bytes);
    return hone__fail(err, HONE_ERR_CONSTRAINT, "%s:%d: not '%s'%s%s",
                      HONE_PLACE(tmpl, require->condition.line),
                      hone__require_text(require),
                      *require->message ? ": " : "", require->message);
}

/* ---- some that are known ------------------------------------------------ */

/* Add it to the rows if it is valid. */
static hone_status add_row(const hone_space *space, const int64_t *config,
                           uint16_t *rows, size_t *n, hone_error *err)
{
    const size_t n_params = space->tmpl->n_params;
    int value_indexes[HONE_GRAPH_VARS];
    const hone_status status = hone__space_check(space, config, NULL);

    if (status == HONE_ERR_NO_MEMORY)
        return no_memory(err);
    if (status || !find_values(space->tmpl, config, value_indexes))
        return HONE_OK;
    for (size_t i = 0; i < n_params; ++i)
        rows[*n * n_params + i] = (uint16_t)value_indexes[i];
    ++*n;
    return HONE_OK;
}

static hone_status list(hone_space *space, const int64_t *configs, size_t n,
                        hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    uint16_t *rows = hone__alloc(((n + 1) * tmpl->n_params + 1) * sizeof *rows);
    int64_t usual[HONE_GRAPH_VARS];
    size_t n_rows = 0;
    hone_status status;

    if (!rows)
        return no_memory(err);
    for (size_t i = 0; i < tmpl->n_params; ++i)
        usual[i] = tmpl->params[i].values[tmpl->params[i].default_index];
    status = add_row(space, usual, rows, &n_rows, err);
    for (size_t i = 0; status == HONE_OK && i < n; ++i)
        status =
            add_row(space, configs + i * tmpl->n_params, rows, &n_rows, err);
    if (status == HONE_OK)
        status = hone__space_list(space, rows, n_rows, err);
    hone__free(rows);
    return status;
}

hone_status hone__space_create_listed(const hone_template *tmpl,
                                      const int64_t *dims,
                                      const hone_properties *properties,
                                      const int64_t *configs, size_t n,
                                      hone_space **out, hone_error *err)
{
    HONE_TRY(create(tmpl, dims, properties, 1, out, err));
    return made(out, list(*out, configs, n, err));
}

/* ---- the default ------------------------------------------------------- */

hone_status hone__space_default(const hone_space *space, int64_t *out,
                                hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    int64_t *costs[HONE_GRAPH_VARS] = {NULL};
    int value_indexes[HONE_GRAPH_VARS];
    hone_arena arena = {0};
    hone_status status = HONE_OK;

    if (space->count == 0)
        return hone__space_fail_empty(space, err);
    for (size_t i = 0; status == HONE_OK && i < tmpl->n_params; ++i) {
        const hone_param *param = &tmpl->params[i];

        costs[i] = hone__arena_alloc(&arena, param->n_values * sizeof **costs);
        if (!costs[i])
            status = no_memory(err);
        /* Being another than the default, then its distance. */
        for (size_t v = 0; costs[i] && v < param->n_values; ++v) {
            const int64_t steps = (int64_t)v - (int64_t)param->default_index;

            costs[i][v] = (steps != 0) * (INT64_C(1) << 32) +
                          (steps < 0 ? -steps : steps);
        }
    }
    if (status == HONE_OK)
        status =
            hone__diagram_cheapest(space->diagram, costs, value_indexes, err);
    for (size_t i = 0; status == HONE_OK && i < tmpl->n_params; ++i)
        out[i] = tmpl->params[i].values[value_indexes[i]];
    hone__arena_free(&arena);
    return status;
}
