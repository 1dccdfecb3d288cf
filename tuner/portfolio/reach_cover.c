/* SPDX-License-Identifier: Apache-2.0 */
/* Problems that let variants reach further: see reach_cover.h. */
#include "tuner/portfolio/reach_cover.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <string.h>

double hone__reach_gain(const hone_reach_request *r, const int64_t *reach,
                        const int64_t *dims)
{
    double octaves = 0;

    for (size_t d = 0; d < r->n_dims; ++d) {
        const int64_t to = dims[d] < r->most[d] ? dims[d] : r->most[d];

        if (to > reach[d])
            octaves += log2((double)(to + 1) / (double)(reach[d] + 1));
    }
    return octaves;
}

void hone__reach_extend(size_t n_dims, int64_t *reach, const int64_t *dims)
{
    for (size_t d = 0; d < n_dims; ++d)
        if (dims[d] > reach[d])
            reach[d] = dims[d];
}

/* What a problem adds to each variant's reach; 0 where it is not valid. */
static void find_gains(const hone_reach_request *r,
                       const int64_t (*reach)[HONE_MAX_DIMS], size_t variant,
                       double *gains)
{
    for (size_t p = 0; p < r->n_problems; ++p)
        gains[p * r->n_variants + variant] =
            r->is_valid[p * r->n_variants + variant]
                ? hone__reach_gain(r, reach[variant], r->dims[p])
                : 0;
}

/* The problem that adds most, and how much. */
static size_t find_best(const hone_reach_request *r, const double *gains,
                        double *out_most)
{
    size_t best = 0;

    *out_most = 0;
    for (size_t p = 0; p < r->n_problems; ++p) {
        double sum = 0;

        for (size_t i = 0; i < r->n_variants; ++i)
            sum += gains[p * r->n_variants + i];
        if (sum > *out_most) {
            *out_most = sum;
            best = p;
        }
    }
    return best;
}

static void choose(const hone_reach_request *r, int64_t (*reach)[HONE_MAX_DIMS],
                   double *gains, size_t *out, size_t *out_n)
{
    for (size_t i = 0; i < r->n_variants; ++i)
        find_gains(r, (const int64_t(*)[HONE_MAX_DIMS])reach, i, gains);
    while (*out_n < r->n_most) {
        double most;
        const size_t best = find_best(r, gains, &most);

        if (most <= 0 || most < r->gain)
            return;
        for (size_t i = 0; i < r->n_variants; ++i) {
            if (gains[best * r->n_variants + i] <= 0)
                continue;
            hone__reach_extend(r->n_dims, reach[i], r->dims[best]);
            find_gains(r, (const int64_t(*)[HONE_MAX_DIMS])reach, i, gains);
        }
        out[(*out_n)++] = best;
    }
}

hone_status hone__reach_choose(const hone_reach_request *r, size_t *out,
                               size_t *out_n, hone_error *err)
{
    int64_t(*reach)[HONE_MAX_DIMS] =
        hone__alloc((r->n_variants + 1) * sizeof *reach);
    double *gains =
        hone__alloc((r->n_problems * r->n_variants + 1) * sizeof *gains);
    hone_status status = HONE_OK;

    *out_n = 0;
    if (!reach || !gains) {
        status = hone__out_of_memory(err, " for a portfolio");
    } else {
        memcpy(reach, r->reach, r->n_variants * sizeof *reach);
        choose(r, reach, gains, out, out_n);
    }
    hone__free(reach);
    hone__free(gains);
    return status;
}
