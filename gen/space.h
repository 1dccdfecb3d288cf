/* SPDX-License-Identifier: Apache-2.0 */
/* The search space of a template: its valid configurations, for one problem
 * on one device or for all problems of an architecture. */
#ifndef HONE_GEN_SPACE_H
#define HONE_GEN_SPACE_H

#include "gen/template.h"

/* A configuration is the vector of parameter values in declared order. */
typedef struct hone_space hone_space;

/* `dims` NULL: constraints that read integer dimensions are left out, and
 * type dimensions take their default. `facts` is mandatory. Fails with
 * HONE_ERR_INPUT or HONE_ERR_OVERFLOW when a constraint cannot be evaluated
 * (the sentence has the template's line); HONE_ERR_CONSTRAINT when the
 * template's `arch` line excludes the device. */
hone_status hone__space_create(const hone_template *tmpl,
                               const int64_t *dims, const hone_facts *facts,
                               hone_space **out, hone_error *err);
void hone__space_free(hone_space *space);

/* Product of the domain sizes, saturated at INT64_MAX. */
int64_t hone__space_raw_count(const hone_space *space);
/* Valid configurations. */
int64_t hone__space_count(const hone_space *space);
/* Configuration `index` (0 .. count-1) in lexicographic order of the value
 * indexes. `out` has n_params values. */
void hone__space_get(const hone_space *space, int64_t index, int64_t *out);
/* Index of a configuration, -1 if it is not valid. */
int64_t hone__space_find(const hone_space *space, const int64_t *config);

/* How many raw configurations each require rejects first (in the order of
 * the template); n_requires counts. */
hone_status hone__space_explain(const hone_space *space, int64_t *out_rejected,
                                hone_error *err);

/* Why is this one not valid? HONE_OK if it is, HONE_ERR_CONSTRAINT with the
 * template's line, condition and message, HONE_ERR_INPUT for a value outside
 * a domain. */
hone_status hone__space_check(const hone_space *space, const int64_t *config,
                              hone_error *err);

/* "BM=128,BN=64,.." in declared order: the canonical spelling that the
 * database keeps. */
void hone__config_format(const hone_template *tmpl, const int64_t *config,
                         hone_text *out);
/* Parse such a text in any order; parameters left out take their default.
 * HONE_ERR_INPUT names the parameter and lists its values. */
hone_status hone__config_parse(const hone_template *tmpl, const char *text,
                               int64_t *out, hone_error *err);
/* The default configuration. If it is not valid in `space`, the valid one
 * that differs from it in the fewest parameters (first in order). Returns
 * HONE_ERR_NOT_FOUND if the space is empty. */
hone_status hone__space_default(const hone_space *space, int64_t *out,
                                hone_error *err);

#endif
