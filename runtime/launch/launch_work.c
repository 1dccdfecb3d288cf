/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation does at some dims, and which dims follow others: as little
 * of a launch plan is evaluated as says that. See launch_spec.h. */
#include "runtime/launch/launch_resolver.h"

#include <string.h>

static size_t slots_of(const hone_expr *expr)
{
    return expr ? hone__expr_slot_count(expr) : 0;
}

hone_status hone__launch_work(const hone_launch_case *plan, int64_t *out_flops,
                              int64_t *out_bytes)
{
    const hone_launch_spec *spec = plan->spec;
    size_t n = slots_of(spec->flops);
    hone_resolver r; /* what is not read is not set */

    *out_flops = *out_bytes = 0;
    if (!spec->flops && !spec->bytes)
        return HONE_ERR_NOT_FOUND;
    n = n > slots_of(spec->bytes) ? n : slots_of(spec->bytes);
    r.spec = spec;
    r.properties = plan->properties;
    r.err = NULL;
    memcpy(r.slots, plan->properties, sizeof *plan->properties);
    memcpy(r.slots + SLOT_DIMS, plan->dims, plan->n_dims * sizeof *plan->dims);
    for (size_t i = 0; SLOT_LETS + i < n; ++i) /* they read those before them */
        HONE_TRY(
            hone__resolver_eval(&r, spec->lets[i], &r.slots[SLOT_LETS + i]));
    HONE_TRY(hone__resolver_eval_or(&r, spec->flops, 0, out_flops));
    return hone__resolver_eval_or(&r, spec->bytes, 0, out_bytes);
}

void hone__launch_spec_derived(const hone_launch_spec *spec,
                               const int64_t *dims, int64_t *out)
{
    int64_t slots[SLOT_LETS];

    memset(slots, 0, SLOT_DIMS * sizeof *slots); /* none reads properties */
    memcpy(slots + SLOT_DIMS, dims, spec->n_dims * sizeof *dims);
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const hone_expr *expr = spec->dims[i].default_expr;

        out[i] = -1;
        if (expr && hone__expr_eval(expr, slots, &out[i], NULL) != HONE_OK)
            out[i] = -1;
    }
}
