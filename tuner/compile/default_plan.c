/* SPDX-License-Identifier: Apache-2.0 */
/* The default variant: see default_plan.h. */
#include "tuner/compile/default_plan.h"

#include "gen/expand/expand.h"
#include "runtime/base/alloc.h"

hone_status hone__default_plan(const hone_template *tmpl,
                               const hone_space *space, int64_t *out_index,
                               hone_text *out_spec, hone_error *err)
{
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_status status;

    if (!config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__space_default(space, config, err);
    if (status == HONE_OK) {
        *out_index = hone__space_find(space, config);
        status = hone__expand_launch_spec(tmpl, config, out_spec, err);
    }
    hone__free(config);
    return status;
}
