/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of problems: of the same types and choices, for which there is the same
 * code. Nothing tuned of one kind can be launched for another, and a chooser is
 * of one, so that each kind needs problems of its own. Pure. */
#ifndef HONE_TUNER_PORTFOLIO_BETWEEN_KINDS_H
#define HONE_TUNER_PORTFOLIO_BETWEEN_KINDS_H

#include "tuner/portfolio/between.h"

typedef struct hone_between_kind {
    int64_t dims[HONE_MAX_DIMS]; /* types and choices; sizes are 0 */
    size_t from; /* a problem of the list, of this kind or of one beside it */
    size_t n;    /* how many problems it has */
    int is_full; /* nothing more can be drawn of it */
} hone_between_kind;

typedef struct hone_between_kinds {
    hone_between_kind *items;
    size_t n;
} hone_between_kinds;

/* Of the same types and choices? */
int hone__between_is_alike(const hone_template *tmpl, const int64_t *a,
                           const int64_t *b);

/* Is there a default that the size differs from? Whatever it is, such as rows
 * with room between them, would not be that between two. */
int hone__between_is_special(const hone_template *tmpl, const int64_t *dims);

/* Those of the list's problems that are not special, and those between them:
 * as one of the list, but for one scale that has a value between the least and
 * the most that the list has beside these other types and choices. At most
 * HONE_BETWEEN_MOST_KINDS. Freed by hone__between_kinds_free().
 * HONE_ERR_NO_MEMORY. */
hone_status hone__between_kinds_find(const hone_between_request *request,
                                     hone_between_kinds *out, hone_error *err);
void hone__between_kinds_free(hone_between_kinds *kinds);

/* The kind that has the fewest problems, fewer than
 * HONE_BETWEEN_LEAST_PROBLEMS, and is not full; NULL: none has. */
hone_between_kind *hone__between_kinds_neediest(hone_between_kinds *kinds);
hone_between_kind *hone__between_kinds_of(const hone_between_kinds *kinds,
                                          const hone_template *tmpl,
                                          const int64_t *dims);

#endif
