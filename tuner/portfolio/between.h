/* SPDX-License-Identifier: Apache-2.0 */
/* Problems like those of a list that nobody named: what a chooser is to know
 * lies between the tuned ones. Pure. */
#ifndef HONE_TUNER_PORTFOLIO_BETWEEN_H
#define HONE_TUNER_PORTFOLIO_BETWEEN_H

#include "gen/parse/template.h"

enum {
    /* Of fewer problems, whatever their types, nothing is drawn; and so many
     * are wanted of each kind (between_kinds.h), which a chooser takes. */
    HONE_BETWEEN_LEAST_PROBLEMS = 4,
    HONE_BETWEEN_MOST_KINDS = 96,
};

typedef struct hone_between_request {
    const hone_template *tmpl;
    const int64_t (*dims)[HONE_MAX_DIMS]; /* n_problems, completed */
    size_t n_problems;
    size_t n_wanted;
    int is_beyond; /* up to half of them are larger than all of the list */
    uint64_t seed;
} hone_between_request;

/* Those of kinds first that have the fewest problems, until each has
 * HONE_BETWEEN_LEAST_PROBLEMS; then of each problem's in turn. Each on the way
 * from one problem to one of its nearest, sizes in their logarithms, aside by
 * up to half an octave, aligned as one of the two, and powers of two where all
 * are; of several such the one that is furthest from all problems of its kind.
 * Never outside of what the list has of a size, nor one of the list, nor one
 * twice. Where a scale is another, as the length of transforms, sizes are such
 * that their product with the scales stays as it was. Beyond is,
 * of each size, a problem with four times the most of it, to 16 elements, and
 * moderate and aligned otherwise, so that it is no more than four of the
 * largest problem, of the types of the one that has the most: what was never as
 * large is not launched at sizes that are. Where kinds have their problems,
 * then one with sixteen times the most, if that is so without other sizes below
 * the least of the list. What follows from other dimensions goes on following.
 * `out` has room for n_wanted; fewer may come: a list of one size has nothing
 * between. HONE_ERR_NO_MEMORY. */
hone_status hone__between_draw(const hone_between_request *request,
                               int64_t (*out)[HONE_MAX_DIMS], size_t *out_n,
                               hone_error *err);

/* How many it takes until each kind has HONE_BETWEEN_LEAST_PROBLEMS.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__between_lacking(const hone_between_request *request,
                                  size_t *out, hone_error *err);

#endif
