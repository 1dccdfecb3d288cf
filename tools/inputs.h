/* SPDX-License-Identifier: Apache-2.0 */
/* What most commands begin with: a template, a problem, a configuration. */
#ifndef HONE_TOOLS_INPUTS_H
#define HONE_TOOLS_INPUTS_H

#include "gen/space.h"
#include "gen/parse/template.h"
#include "tools/arguments.h"

#include "tools/json.h"

/* Find and parse a template. Mistakes in it are printed on stderr, located,
 * before this returns HONE_ERR_INPUT with their number. */
hone_status hone__load_template(const hone_options *options, const char *name,
                                hone_template **out, hone_error *err);

/* The problem of --dims, completed. Without --dims: `*out_given` is 0, type
 * dimensions have their default and integer ones are 1; a type dimension
 * without default is HONE_ERR_DIMS. */
hone_status hone__load_dims(const hone_options *options,
                            const hone_template *tmpl,
                            int64_t out_dims[HONE_MAX_DIMS], int *out_given,
                            hone_error *err);

/* --arch, default "sm_90". */
const char *hone__load_arch(const hone_options *options);

/* The space for --dims and --arch. */
hone_status hone__load_space(const hone_options *options,
                             const hone_template *tmpl, hone_space **out,
                             hone_error *err);

/* [4096, "f32"], as --dims spells it. */
json_t *hone__dims_json(const hone_template *tmpl, const int64_t *dims);

#endif
