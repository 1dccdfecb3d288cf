/* SPDX-License-Identifier: Apache-2.0 */
/* In which order lets and constraints are evaluated while parameters are
 * bound one after another. Private to gen/. */
#ifndef HONE_GEN_SPACE_PLAN_H
#define HONE_GEN_SPACE_PLAN_H

#include "gen/template.h"

typedef struct hone_space_step {
    int is_let; /* else a require */
    size_t index;
} hone_space_step;

/* The steps once d parameters are bound are first[d] .. first[d+1]-1. */
typedef struct hone_space_plan {
    hone_space_step *steps;
    size_t n_steps;
    size_t *first; /* n_params + 2 */
} hone_space_plan;

/* `with_dims` 0 leaves constraints on integer dimensions out. A plan starts
 * as {0}; on failure it must still be freed. */
hone_status hone__space_plan_create(const hone_template *tmpl, int with_dims,
                                    hone_space_plan *out, hone_error *err);
void hone__space_plan_free(hone_space_plan *plan);

#endif
