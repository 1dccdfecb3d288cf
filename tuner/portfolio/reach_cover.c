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

static double gain_of_all(const hone_reach_request *r,
                          const int64_t (*reach)[HONE_MAX_DIMS], size_t problem)
{
    const unsigned char *is_valid = &r->is_valid[problem * r->n_variants];
    double sum = 0;

    for (size_t i = 0; i < r->n_variants; ++i)
        if (is_valid[i])
            sum += hone__reach_gain(r, reach[i], r->dims[problem]);
    return sum;
}

hone_status hone__reach_choose(const hone_reach_request *r, size_t *out,
                               size_t *out_n, hone_error *err)
{
    int64_t(*reach)[HONE_MAX_DIMS] =
        hone__alloc((r->n_variants + 1) * sizeof *reach);

    *out_n = 0;
    if (!reach)
        return hone__out_of_memory(err, " for a portfolio");
    memcpy(reach, r->reach, r->n_variants * sizeof *reach);
    while (*out_n < r->n_most) {
        size_t best = 0;
        double most = 0;

        for (size_t p = 0; p < r->n_problems; ++p) {
            const double gain =
                gain_of_all(r, (const int64_t(*)[HONE_MAX_DIMS])reach, p);

            if (gain > most) {
                most = gain;
                best = p;
            }
        }
        if (most <= 0 || most < r->gain)
            break;
        for (size_t i = 0; i < r->n_variants; ++i)
            if (r->is_valid[best * r->n_variants + i])
                hone__reach_extend(r->n_dims, reach[i], r->dims[best]);
        out[(*out_n)++] = best;
    }
    hone__free(reach);
    return HONE_OK;
}
