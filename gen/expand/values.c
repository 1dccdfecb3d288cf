/* SPDX-License-Identifier: Apache-2.0 */
/* The value vector of one variant: see values.h. */
#include "gen/expand/values.h"

#include "gen/parse/body.h"
#include "runtime/base/alloc.h"

#include <stdio.h>

hone_status hone__values_eval(const hone_template *tmpl,
                              const hone_template_expr *expr,
                              const int64_t *slots, int64_t *out,
                              hone_error *err)
{
    hone_error inner = {0};
    const hone_status status = hone__expr_eval(expr->expr, slots, out, &inner);

    return status ? hone__fail(err, status, "%s:%d:%d: %s", tmpl->path,
                               expr->line, expr->column, inner.text)
                  : HONE_OK;
}

int hone__values_is_fixed(const hone_template_expr *expr)
{
    return !expr->reads_dims && !expr->reads_properties;
}

hone_status hone__values_create(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                int64_t **out, hone_error *err)
{
    int64_t *slots = hone__alloc(tmpl->body->n_slots * sizeof *slots);
    hone_status status = HONE_OK;

    *out = NULL;
    if (!slots)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (tmpl->dims[i].n_types)
            slots[tmpl->slots.dims + i] = dims[i];
    }
    for (size_t i = 0; i < tmpl->n_params; ++i)
        slots[tmpl->slots.params + i] = config[i];
    for (size_t i = 0; !status && i < tmpl->n_lets; ++i) {
        const hone_template_expr *value = &tmpl->lets[i].value;

        if (hone__values_is_fixed(value))
            status = hone__values_eval(tmpl, value, slots,
                                       &slots[tmpl->slots.lets + i], err);
    }
    if (status)
        hone__free(slots);
    else
        *out = slots;
    return status;
}
