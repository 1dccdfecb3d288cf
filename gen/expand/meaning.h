/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about one variant, and nothing that an author may change
 * without changing it: comments, branches that this configuration does not
 * take, parameters that the rest does not name. Where two are equal, so are
 * their machine code, launch and check; that they are unequal says nothing. */
#ifndef HONE_GEN_MEANING_H
#define HONE_GEN_MEANING_H

#include "gen/parse/template.h"

/* What all variants of a template have in common: its headers, read once. */
typedef struct hone_meaning hone_meaning;

/* `tmpl` must outlive it. HONE_ERR_NO_MEMORY. */
hone_status hone__meaning_create(const hone_template *tmpl, hone_meaning **out,
                                 hone_error *err);
void hone__meaning_free(hone_meaning *meaning);

/* Append it. `source` is what the compiler gets for this configuration:
 * hone__expand_unit(), with anything around it; `plan` its launch plan. */
hone_status hone__meaning_write(hone_meaning *meaning, const char *source,
                                const char *plan, const int64_t *config,
                                const int64_t *dims, hone_text *out,
                                hone_error *err);

#endif
