/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ compiler gets for a variant, and the default variant. */
#ifndef HONE_TUNER_HOST_UNIT_H
#define HONE_TUNER_HOST_UNIT_H

#include "gen/space.h"
#include "runtime/base/text.h"
#include "runtime/launch/launch_spec.h"

/* The unit for the C++ compiler; there are no options
 * (hone_variant_writer). */
hone_status hone__host_unit(const hone_template *tmpl, const int64_t *config,
                            const int64_t *dims, hone_text *out_source,
                            hone_text *out_options, hone_error *err);

/* What it is compiled for on a device of `arch`: "sm_90a" if it needs that. */
void hone__arch_for(const hone_template *tmpl, const char *arch,
                    char out[static 16]);

/* The default variant of a template at one problem: its place in the space
 * and its launch plan, which tells what the arguments are. Free the plan with
 * hone__launch_spec_free(). */
hone_status hone__default_plan(const hone_template *tmpl,
                               const hone_space *space, int64_t *out_index,
                               hone_launch_spec **out, hone_error *err);

#endif
