/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes as JSON. */
#include "tools/outcome_json.h"

#include <stdio.h>

json_t *hone__outcomes_json(const int64_t *counts)
{
    json_t *object = hone__json("");

    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        char member[32];

        (void)snprintf(member, sizeof member, "%s:I",
                       hone__outcome_name((hone_outcome)i));
        if (counts[i])
            object = hone__json_add(object, member, counts[i]);
    }
    return object;
}
