/* SPDX-License-Identifier: Apache-2.0 */
/* Which few variants serve many problems best together. Pure: times in, a set
 * out. */
#ifndef HONE_TUNER_PORTFOLIO_COVER_H
#define HONE_TUNER_PORTFOLIO_COVER_H

#include "runtime/base/error.h"

#include <stddef.h>

/* Times of candidates at problems, in rows of one problem: above 0 in ns. */
#define HONE_CELL_UNKNOWN 0.0  /* nobody measured it */
#define HONE_CELL_INVALID -1.0 /* it is no configuration there */
#define HONE_CELL_FAILED -2.0  /* it was tried and is not ok */

/* What it costs to have no valid variant at a problem, as a ratio. */
#define HONE_COVER_NOBODY 16.0

typedef struct hone_cover_request {
    size_t n_problems, n_candidates;
    const double *time_ns; /* n_problems x n_candidates; unknown is as bad as
                              invalid */
    const double *best_ns; /* of each problem: the shortest time that is known
                              of anything */
    const double *weight;  /* n_problems: what each counts; NULL: 1 */
    const unsigned char *always; /* members whatever they cost; NULL: none */
    const unsigned char *never;  /* NULL: none */
    size_t least, most;
    /* Above `least`, a member has to make the geometric mean better by so
     * much: 0.002 for 0.2 %. */
    double gain;
} hone_cover_request;

/* A set of candidates, in the order in which they came in: first those of
 * `always`, then whoever gains most. At the end members change places with
 * others as long as that gains anything. `out` has room for `most`.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__cover_choose(const hone_cover_request *request, size_t *out,
                               size_t *out_n, hone_error *err);

/* Geometric mean, over problems with their weights, of the best of the set over
 * `best_ns`; at least 1 where `best_ns` are the best of all candidates. */
double hone__cover_mean(const hone_cover_request *request, const size_t *set,
                        size_t n);

/* Fill in unknown cells, in place: what a candidate does there by what it does
 * at the problems where it was measured, the nearer the more, and worse the
 * farther: a time that nobody measured must not look better than one that
 * somebody did. `distance` is n_problems x n_problems. Known ones, and those
 * of invalid or failed ones, stay. */
void hone__cover_estimate(size_t n_problems, size_t n_candidates,
                          const double *distance, const double *best_ns,
                          double *time_ns);

#endif
