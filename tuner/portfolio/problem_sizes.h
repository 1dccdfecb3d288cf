/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of problems: which dims they are, how far two problems are apart, and
 * how much a problem takes. */
#ifndef HONE_TUNER_PROBLEM_SIZES_H
#define HONE_TUNER_PROBLEM_SIZES_H

#include "tuner/portfolio/matrix.h"

/* Does a dim say something of its own, as types and pitches do not? */
static inline int hone__is_size(const hone_template *tmpl, size_t dim)
{
    return !tmpl->dims[dim].n_types && !tmpl->dims[dim].default_expr.expr;
}

/* Sum of |log| of their sizes' ratios; nearer than this they are alike. */
#define HONE_NEAR 1.5
double hone__sizes_distance(const hone_template *tmpl, const int64_t *a,
                            const int64_t *b);

typedef struct hone_problem_work {
    double bytes, flops;
} hone_problem_work;

/* As the operation declares; where it does not, as if its elements were the
 * product of its sizes, of 8 bytes each. `spec` is any launch plan of it. */
hone_problem_work hone__problem_work(const hone_matrix *matrix,
                                     const hone_launch_spec *spec,
                                     const int64_t *dims);
/* What a problem that nobody tunes may take: as much as the largest tuned one
 * of these types, and as one of other types, but of these no more than 2 GB and
 * 2e12 operations. */
hone_problem_work hone__problem_work_most(const hone_matrix *matrix,
                                          const hone_launch_spec *spec);

static inline int hone__problem_work_fits(hone_problem_work work,
                                          hone_problem_work most)
{
    return work.bytes <= most.bytes && work.flops <= most.flops;
}

#endif
