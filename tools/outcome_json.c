/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes as JSON. */
#include "tools/outcome_json.h"

json_t *hone__outcomes_json(const int64_t *counts)
{
    json_t *object = json_object();

    for (int i = 0; i < HONE_N_OUTCOMES; ++i)
        if (counts[i])
            (void)json_object_set_new(object,
                                      hone__outcome_name((hone_outcome)i),
                                      json_integer(counts[i]));
    return object;
}
