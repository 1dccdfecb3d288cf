/* SPDX-License-Identifier: Apache-2.0 */
/* The value vector of one variant, and evaluation with messages that name
 * the template's line. Private to gen/. */
#ifndef HONE_GEN_VALUES_H
#define HONE_GEN_VALUES_H

#include "gen/parse/template.h"

/* Type dimensions, parameters and the lets that need nothing else;
 * properties, integer dimensions and the other lets are 0. Has room for the
 * loop variables of the body. `dims` completed. Free with hone__free(). */
hone_status hone__values_create(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                int64_t **out, hone_error *err);
/* Evaluate; a failure names path, line and column. */
hone_status hone__values_eval(const hone_template *tmpl,
                              const hone_template_expr *expr,
                              const int64_t *slots, int64_t *out,
                              hone_error *err);
/* Is it fixed once parameters and type dimensions are? */
int hone__values_is_fixed(const hone_template_expr *expr);

#endif
