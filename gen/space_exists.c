/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of a template at one configuration, and which of its parameters
 * exist there. */
#include "gen/space_parts.h"

#include <string.h>

hone_status hone__space_trial_open(const hone_space *space,
                                   const int64_t *config, hone_space_trial *out,
                                   hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    const size_t n_slots = tmpl->slots.total + 1;

    *out = (hone_space_trial){.tmpl = tmpl};
    out->values.slots = hone__alloc(n_slots * sizeof *out->values.slots);
    out->values.lacks = hone__alloc(n_slots);
    out->let_is_ready = hone__alloc(tmpl->n_lets + 1);
    if (!out->values.slots || !out->values.lacks || !out->let_is_ready)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    memcpy(out->values.slots, space->slots,
           n_slots * sizeof *out->values.slots);
    if (tmpl->n_params)
        memcpy(out->values.slots + tmpl->slots.params, config,
               tmpl->n_params * sizeof *config);
    return HONE_OK;
}

void hone__space_trial_close(hone_space_trial *trial)
{
    hone__values_free(&trial->values);
    hone__free(trial->let_is_ready);
}

/* Lets read earlier ones only: the recursion ends. */
hone_status hone__space_trial_eval(hone_space_trial *trial,
                                   const hone_template_expr *expr, int64_t *out,
                                   hone_error *err)
{
    const hone_template *tmpl = trial->tmpl;

    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        const size_t slot = tmpl->slots.lets + i;

        if (trial->let_is_ready[i] || !hone__expr_reads(expr->expr, slot))
            continue;
        trial->values.lacks[slot] =
            hone__space_trial_eval(trial, &tmpl->lets[i].value,
                                   &trial->values.slots[slot], NULL) != HONE_OK;
        trial->let_is_ready[i] = 1;
    }
    return hone__values_eval(tmpl, expr, &trial->values, out, err);
}

/* In declared order: whether a parameter exists depends on earlier ones, which
 * are settled then. What cannot be evaluated exists: a constraint says so. */
static hone_status settle(const hone_space *space, int64_t *config,
                          unsigned char *out_exists, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    hone_space_trial trial;
    hone_status status;
    size_t first = 0;

    memset(out_exists, 1, tmpl->n_params);
    while (first < tmpl->n_params && !tmpl->params[first].exists.expr)
        ++first;
    if (first == tmpl->n_params)
        return HONE_OK;
    status = hone__space_trial_open(space, config, &trial, err);
    for (size_t i = first; status == HONE_OK && i < tmpl->n_params; ++i) {
        const hone_param *param = &tmpl->params[i];
        int64_t exists = 1;

        if (!param->exists.expr ||
            hone__space_trial_eval(&trial, &param->exists, &exists, NULL) ||
            exists)
            continue;
        config[i] = param->values[param->default_index];
        trial.values.slots[tmpl->slots.params + i] = config[i];
        out_exists[i] = 0;
    }
    hone__space_trial_close(&trial);
    return status;
}

hone_status hone__space_settle_indexes(const hone_space *space,
                                       int *value_indexes,
                                       unsigned char *out_exists,
                                       hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    unsigned char exists[HONE_GRAPH_VARS];
    int64_t config[HONE_GRAPH_VARS];

    if (!out_exists)
        out_exists = exists;
    memset(out_exists, 1, space->n_params);
    if (!tmpl)
        return HONE_OK;
    for (size_t i = 0; i < tmpl->n_params; ++i)
        config[i] = tmpl->params[i].values[value_indexes[i]];
    HONE_TRY(settle(space, config, out_exists, err));
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (!out_exists[i])
            value_indexes[i] = (int)tmpl->params[i].default_index;
    }
    return HONE_OK;
}

void hone__space_format(const hone_space *space, const int64_t *config,
                        hone_text *out)
{
    const hone_template *tmpl = space->tmpl;
    unsigned char exists[HONE_GRAPH_VARS];
    int64_t settled[HONE_GRAPH_VARS];

    memcpy(settled, config, tmpl->n_params * sizeof *config);
    if (settle(space, settled, exists, NULL))
        out->failed = 1;
    else
        hone__config_format(tmpl, config, exists, out);
}
