/* SPDX-License-Identifier: Apache-2.0 */
/* Problems that are larger than all of a list. See between.h. */
#include "tuner/portfolio/between_run.h"

#include <math.h>

enum {
    BEYOND = 4,     /* of the largest of the list is the largest problem */
    LEAST_UNIT = 16 /* all sizes are aligned to that */
};

/* The geometric mean of what the list has of a size, and aligned: whoever is
 * valid anywhere is likely to be valid there. */
static int64_t moderate(const between_run *run, size_t d)
{
    const hone_between_request *r = run->request;
    const between_size *size = &run->sizes[d];
    double octaves = 0;
    int64_t value;
    size_t n = 0;

    for (size_t i = 0; i < r->n_problems; ++i)
        if (!hone__between_is_special(r->tmpl, r->dims[i])) {
            octaves += log2((double)r->dims[i][d]);
            ++n;
        }
    value = hone__between_align((int64_t)exp2(octaves / (double)n), LEAST_UNIT,
                                size);
    if (value > size->most)
        return size->most;
    return value < size->least ? size->least : value;
}

static int is_free(const between_run *run, size_t d)
{
    return run->sizes[d].is_drawn &&
           !run->request->tmpl->dims[d].default_expr.expr;
}

static double work_of(const between_run *run, const int64_t *dims)
{
    double work = 1;

    for (size_t d = 0; d < run->request->tmpl->n_dims; ++d)
        if (is_free(run, d))
            work *= (double)dims[d];
    return work;
}

/* Aligned, and no more than that. */
static int64_t align_down(double value, const between_size *size)
{
    const int64_t whole = (int64_t)value;

    if (size->is_power)
        return whole < 1 ? 0 : (int64_t)exp2(floor(log2(value)));
    return whole < LEAST_UNIT ? whole : whole / LEAST_UNIT * LEAST_UNIT;
}

/* Sizes beside `d` become smaller until the problem is no more than BEYOND of
 * the largest of the list, or they are the least that it has: where each
 * problem that is large in one size is small in another, as rows and their
 * lengths are, one that is moderate there takes many times as much as any of
 * the list. Whether it is no more than that. */
static int bound(const between_run *run, size_t d, int64_t *dims)
{
    const hone_between_request *r = run->request;
    double most = 0;

    for (size_t i = 0; i < r->n_problems; ++i)
        if (!hone__between_is_special(r->tmpl, r->dims[i]))
            most = fmax(most, work_of(run, r->dims[i]));
    for (;;) { /* each time a size is smaller, or all are the least */
        const double excess = work_of(run, dims) / (BEYOND * most);
        double n = 0;

        for (size_t k = 0; k < r->tmpl->n_dims; ++k)
            n += k != d && is_free(run, k) && dims[k] > run->sizes[k].least;
        if (n < 1 || excess <= 1)
            return excess <= 1;
        for (size_t k = 0; k < r->tmpl->n_dims; ++k) {
            const between_size *size = &run->sizes[k];

            if (k == d || !is_free(run, k) || dims[k] <= size->least)
                continue;
            /* At least by one: a root of what is hardly above 1 may be 1. */
            dims[k] = align_down(fmin((double)dims[k] / pow(excess, 1 / n),
                                      (double)(dims[k] - 1)),
                                 size);
            if (dims[k] < size->least)
                dims[k] = size->least;
        }
    }
}

/* One that is `times` as large in size `d` as any, of the types of the largest:
 * how far variants of other types may be launched is verified without tuning
 * there (reach.c). Other sizes are moderate: beside one row, say, few variants
 * would be valid, and the others reach no further than before. */
static hone_status draw_beyond(const between_run *run, size_t d, int64_t times,
                               int64_t *out)
{
    const hone_between_request *r = run->request;
    const int64_t *largest = NULL;
    int64_t dims[HONE_MAX_DIMS];

    for (size_t i = 0; i < r->n_problems; ++i)
        if (!hone__between_is_special(r->tmpl, r->dims[i]) &&
            (!largest || r->dims[i][d] > largest[d]))
            largest = r->dims[i];
    if (!largest)
        return HONE_ERR_DIMS;
    for (size_t k = 0; k < r->tmpl->n_dims; ++k) {
        dims[k] = r->tmpl->dims[k].n_types  ? largest[k]
                  : !run->sizes[k].is_drawn ? largest[k]
                  : k == d                  ? largest[k]
                                            : moderate(run, k);
        if (r->tmpl->dims[k].default_expr.expr)
            dims[k] = HONE_DIM_DEFAULT;
    }
    if (dims[d] > INT64_MAX / times)
        return HONE_ERR_OVERFLOW;
    dims[d] *= times;
    if (!run->sizes[d].is_power && dims[d] > times * LEAST_UNIT) {
        const int64_t unit = hone__between_unit(largest[d]) > LEAST_UNIT
                                 ? hone__between_unit(largest[d])
                                 : LEAST_UNIT;

        dims[d] = (dims[d] / unit - 1) * unit; /* and not more aligned for it */
    }
    if (!bound(run, d, dims) && times > HONE_BETWEEN_BEYOND)
        return HONE_ERR_DIMS;
    return hone__template_complete_dims(r->tmpl, dims, r->tmpl->n_dims, out,
                                        NULL);
}

size_t hone__between_draw_beyond(const between_run *run, int64_t times,
                                 int64_t (*out)[HONE_MAX_DIMS], size_t n)
{
    const hone_between_request *r = run->request;
    const int64_t(*drawn)[HONE_MAX_DIMS] = (const int64_t(*)[HONE_MAX_DIMS])out;
    const size_t begin = n;

    for (size_t d = 0;
         d < r->tmpl->n_dims && n < r->n_wanted && n - begin < r->n_wanted / 2;
         ++d)
        if (is_free(run, d) && draw_beyond(run, d, times, out[n]) == HONE_OK &&
            !hone__between_is_among(r->tmpl, out[n], r->dims, r->n_problems) &&
            !hone__between_is_among(r->tmpl, out[n], drawn, n))
            ++n;
    return n;
}
