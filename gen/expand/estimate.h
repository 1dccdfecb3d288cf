/* SPDX-License-Identifier: Apache-2.0 */
/* What a template says that a configuration costs (`feature COST`), as
 * expressions over sizes alone: parameters, types and the device's properties
 * are numbers by then, and what these decide is gone. What evaluates it for
 * many problems, in microseconds, needs no template. */
#ifndef HONE_GEN_ESTIMATE_H
#define HONE_GEN_ESTIMATE_H

#include "gen/parse/template.h"

/* Take an expression that others read: `*out` is its number from 0. The same
 * text twice may have the same number. */
typedef hone_status hone_estimate_add(void *user, const char *text, size_t *out,
                                      hone_error *err);

/* Append it to `out`: dims are called d0, d1, .. in declared order, what `add`
 * was given e0, e1, .. It may read numbers that were given before. It is what
 * the template says where nothing faults and sizes are at least 1 (also of dims
 * that may be 0). Of `dims` only types
 * and dims that list their values are read. HONE_ERR_NOT_FOUND: the
 * template declares none; HONE_ERR_UNSUPPORTED: it is a quotient, or reads
 * something of a repeated launch. */
hone_status hone__expand_estimate(const hone_template *tmpl,
                                  const int64_t *config, const int64_t *dims,
                                  const hone_properties *properties,
                                  hone_estimate_add *add, void *user,
                                  hone_text *out, hone_error *err);

#endif
