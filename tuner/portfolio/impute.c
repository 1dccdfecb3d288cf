/* SPDX-License-Identifier: Apache-2.0 */
/* Times that nobody measured: see impute.h. A problem's part and a variant's
 * are found in turns, each as the mean of what the other leaves. */
#include "tuner/portfolio/impute.h"

#include "runtime/base/alloc.h"

#include <math.h>

enum { N_TURNS = 30 };
/* As if so many times more said that a part is 0. */
#define PULL 0.5
/* A time twice as long as the best counts a quarter. */
#define FAR_COUNTS 3.0

typedef struct parts {
    const hone_impute_request *request;
    double unit;
    double *problem, *variant;
    double *rest, *weight; /* of each time: log(time) - log(cost), and how much
                              that says; 0: nothing */
} parts;

static double best_at(const hone_impute_request *r, size_t problem)
{
    double best = INFINITY;

    for (size_t j = 0; j < r->n_variants; ++j) {
        const double time_ns = r->time_ns[problem * r->n_variants + j];

        if (r->counts[j] && time_ns > 0)
            best = fmin(best, time_ns);
    }
    return best;
}

static void look_at(parts *p)
{
    const hone_impute_request *r = p->request;

    for (size_t i = 0; i < r->n_problems; ++i) {
        const double best_ns = best_at(r, i);

        for (size_t j = 0; j < r->n_variants; ++j) {
            const size_t at = i * r->n_variants + j;
            const double cost = r->cost[j * r->cost_row + i];

            if (!r->counts[j] || !(r->time_ns[at] > 0) || !isfinite(cost))
                continue;
            p->rest[at] = log(r->time_ns[at]) - cost;
            p->weight[at] =
                1 / (1 + FAR_COUNTS * (r->time_ns[at] / best_ns - 1));
        }
    }
}

/* The mean of what is left, beside the unit and the other part, of `n` cells
 * that are `step` apart. */
static double find_part(const parts *p, size_t first, size_t step, size_t n,
                        const double *other)
{
    double sum = 0, weights = PULL;

    for (size_t k = 0; k < n; ++k) {
        const size_t at = first + k * step;

        sum += p->weight[at] * (p->rest[at] - p->unit - other[k]);
        weights += p->weight[at];
    }
    return sum / weights;
}

static void find_unit(parts *p)
{
    const hone_impute_request *r = p->request;
    double sum = 0, weights = 0;

    for (size_t i = 0; i < r->n_problems; ++i)
        for (size_t j = 0; j < r->n_variants; ++j) {
            const size_t at = i * r->n_variants + j;

            sum +=
                p->weight[at] * (p->rest[at] - p->problem[i] - p->variant[j]);
            weights += p->weight[at];
        }
    p->unit = weights > 0 ? sum / weights : 0;
}

static void fill_in(const parts *p)
{
    const hone_impute_request *r = p->request;

    for (size_t j = 0; j < r->n_variants; ++j) {
        int is_timed = 0;

        for (size_t i = 0; i < r->n_problems; ++i)
            is_timed |= p->weight[i * r->n_variants + j] > 0;
        for (size_t i = 0; i < r->n_problems && is_timed && r->counts[j]; ++i) {
            double *time_ns = &r->time_ns[i * r->n_variants + j];
            const double cost = r->cost[j * r->cost_row + i];

            if (!(*time_ns > 0) && isfinite(cost))
                *time_ns = exp(cost + p->unit + p->problem[i] + p->variant[j]);
        }
    }
}

hone_status hone__impute_times(const hone_impute_request *request,
                               hone_error *err)
{
    const size_t n_cells = request->n_problems * request->n_variants;
    double *block = hone__alloc(
        (request->n_problems + request->n_variants + 2 * n_cells + 1) *
        sizeof *block);
    parts p = {.request = request, .problem = block};

    if (!block)
        return hone__out_of_memory(err, " for a portfolio");
    p.variant = p.problem + request->n_problems;
    p.rest = p.variant + request->n_variants;
    p.weight = p.rest + n_cells;
    look_at(&p);
    for (int turn = 0; turn < N_TURNS; ++turn) {
        find_unit(&p);
        for (size_t i = 0; i < request->n_problems; ++i)
            p.problem[i] = find_part(&p, i * request->n_variants, 1,
                                     request->n_variants, p.variant);
        for (size_t j = 0; j < request->n_variants; ++j)
            p.variant[j] = find_part(&p, j, request->n_variants,
                                     request->n_problems, p.problem);
    }
    fill_in(&p);
    hone__free(block);
    return HONE_OK;
}
