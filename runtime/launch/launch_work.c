/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation does at some dims, and which dims follow others: as little
 * of a launch plan is evaluated as says that. See launch_spec.h. */
#include "runtime/launch/launch_resolver.h"

#include <string.h>

hone_status hone__launch_work(const hone_launch_case *plan, int64_t *out_flops,
                              int64_t *out_bytes)
{
    const hone_launch_spec *spec = plan->spec;
    const hone_expr *const exprs[] = {spec->flops, spec->bytes};
    int64_t *const to[] = {out_flops, out_bytes};
    hone_resolver r; /* what is not read is not set */
    size_t n_lets = 0;

    r.spec = spec;
    r.err = NULL;
    memset(r.lacks, 0, sizeof r.lacks);
    memcpy(r.slots, plan->properties, sizeof *plan->properties);
    memcpy(r.slots + SLOT_DIMS, plan->dims, plan->n_dims * sizeof *plan->dims);
    for (size_t i = 0; i < 2; ++i) {
        *to[i] = 0;
        if (!exprs[i])
            continue;
        /* Lets read those before them. */
        for (; SLOT_LETS + n_lets < hone__expr_slot_count(exprs[i]); ++n_lets)
            hone__resolver_let(&r, n_lets);
        HONE_TRY(hone__resolver_eval(&r, exprs[i], to[i]));
    }
    return HONE_OK;
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
