/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a search for sizes that a variant allows can end well: see cover.h.
 */
#include "tuner/judge/cover.h"

#include "runtime/launch/launch_resolver.h"

#include <string.h>

int hone__edge_is_hopeless(const hone_launch_case *plan, unsigned open)
{
    const hone_launch_spec *spec = plan->spec;
    hone_resolver r = {.spec = spec, .properties = plan->properties};

    memcpy(r.slots, plan->properties, sizeof *plan->properties);
    memcpy(r.slots + SLOT_DIMS, plan->dims, plan->n_dims * sizeof *plan->dims);
    for (size_t i = 0; i < plan->n_dims; ++i)
        r.lacks[SLOT_DIMS + i] =
            (open >> i & 1) || spec->dims[i].default_expr != NULL;
    for (size_t i = 0; i < spec->n_lets; ++i)
        hone__resolver_let(&r, i);
    for (size_t i = 0; i < spec->n_requires; ++i) {
        int64_t holds = 1;
        size_t lacking;

        if (hone__expr_eval_known(spec->requires_[i], r.slots, r.lacks, &holds,
                                  &lacking, NULL) == HONE_OK &&
            !holds)
            return 1;
    }
    return 0;
}
