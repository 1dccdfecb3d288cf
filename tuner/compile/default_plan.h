/* SPDX-License-Identifier: Apache-2.0 */
/* The default variant of a template at one problem: its place in the space
 * and its launch plan, which tells what the arguments are. */
#ifndef HONE_TUNER_DEFAULT_PLAN_H
#define HONE_TUNER_DEFAULT_PLAN_H

#include "gen/space.h"
#include "runtime/launch/launch_spec.h"

/* Free the plan with hone__launch_spec_free(). */
hone_status hone__default_plan(const hone_template *tmpl,
                               const hone_space *space, int64_t *out_index,
                               hone_launch_spec **out, hone_error *err);

#endif
