/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of problems: see problem_sizes.h. */
#include "tuner/portfolio/problem_sizes.h"

#include <math.h>

/* Of other types: what is moderate of f16 may be huge of f64. */
#define OTHER_BYTES 2e9
#define OTHER_FLOPS 2e12

double hone__sizes_distance(const hone_template *tmpl, const int64_t *a,
                            const int64_t *b)
{
    double sum = 0;

    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (hone__is_size(tmpl, d))
            sum += fabs(log(((double)a[d] + 1) / ((double)b[d] + 1)));
    return sum;
}

hone_problem_work hone__problem_work(const hone_matrix *m,
                                     const hone_launch_spec *spec,
                                     const int64_t *dims)
{
    const hone_template *tmpl = m->tune->tmpl;
    double product = sizeof(double);
    int64_t flops = 0, bytes = 0;

    if (hone__launch_work(
            &(hone_launch_case){spec, dims, tmpl->n_dims, m->properties},
            &flops, &bytes) != HONE_OK)
        flops = bytes = 0;
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (hone__is_size(tmpl, d))
            product *= (double)dims[d];
    return (hone_problem_work){bytes || flops ? (double)bytes : product,
                               (double)flops};
}

hone_problem_work hone__problem_work_most(const hone_matrix *m,
                                          const hone_launch_spec *spec)
{
    hone_problem_work most = {0};

    for (size_t p = 0; p < m->n_problems + m->n_others; ++p) {
        hone_problem_work work =
            hone__problem_work(m, spec, hone__matrix_sizes(m, p));

        if (p >= m->n_problems) {
            work.bytes = fmin(work.bytes, OTHER_BYTES);
            work.flops = fmin(work.flops, OTHER_FLOPS);
        }
        most.bytes = fmax(most.bytes, work.bytes);
        most.flops = fmax(most.flops, work.flops);
    }
    return most;
}
