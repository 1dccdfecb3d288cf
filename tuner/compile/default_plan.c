/* SPDX-License-Identifier: Apache-2.0 */
/* The default variant: see default_plan.h. */
#include "tuner/compile/default_plan.h"

#include "gen/expand/expand.h"
#include "runtime/base/alloc.h"

hone_status hone__default_plan(const hone_template *tmpl,
                               const hone_space *space, int64_t *out_index,
                               hone_launch_spec **out, hone_error *err)
{
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_text plan = {0};
    hone_status status;

    if (!config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = hone__space_default(space, config, err);
    if (status == HONE_OK) {
        *out_index = hone__space_find(space, config);
        status = hone__expand_launch_spec(tmpl, config, &plan, err);
    }
    if (status == HONE_OK)
        status = hone__launch_spec_parse(hone__text_str(&plan), out, err);
    hone__text_free(&plan);
    hone__free(config);
    return status;
}
