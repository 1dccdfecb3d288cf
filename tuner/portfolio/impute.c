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

static double mean(double sum, double weights)
{
    return weights > 0 ? sum / weights : 0;
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
    p->unit = mean(sum, weights);
}

static void find_problem(parts *p, size_t i)
{
    const hone_impute_request *r = p->request;
    double sum = 0, weights = PULL;

    for (size_t j = 0; j < r->n_variants; ++j) {
        const size_t at = i * r->n_variants + j;

        sum += p->weight[at] * (p->rest[at] - p->unit - p->variant[j]);
        weights += p->weight[at];
    }
    p->problem[i] = mean(sum, weights);
}

static void find_variant(parts *p, size_t j)
{
    const hone_impute_request *r = p->request;
    double sum = 0, weights = PULL;

    for (size_t i = 0; i < r->n_problems; ++i) {
        const size_t at = i * r->n_variants + j;

        sum += p->weight[at] * (p->rest[at] - p->unit - p->problem[i]);
        weights += p->weight[at];
    }
    p->variant[j] = mean(sum, weights);
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
            find_problem(&p, i);
        for (size_t j = 0; j < request->n_variants; ++j)
            find_variant(&p, j);
    }
    fill_in(&p);
    hone__free(block);
    return HONE_OK;
}
