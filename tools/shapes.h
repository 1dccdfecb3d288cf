/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one `hone tune`: which templates at which shapes, from the
 * order of the arguments and from a --shapes file. */
#ifndef HONE_TOOLS_SHAPES_H
#define HONE_TOOLS_SHAPES_H

#include "gen/parse/template.h"
#include "tools/arguments.h"

typedef struct hone_shape {
    const hone_template *tmpl;
    int64_t dims[HONE_MAX_DIMS];
} hone_shape;

typedef struct hone_shapes {
    hone_template **templates;
    size_t n_templates;
    hone_shape *items;
    size_t n;
} hone_shapes;

/* Read everything and check every problem before any work starts. A problem
 * that is named twice is kept once. HONE_ERR_ARGUMENT: a template without
 * problem, or neither. Free with hone__shapes_free(), also on failure. */
hone_status hone__shapes_read(const hone_options *options, hone_shapes *out,
                              hone_error *err);
void hone__shapes_free(hone_shapes *shapes);

#endif
