/* SPDX-License-Identifier: Apache-2.0 */
/* A set of variants for many problems: see portfolio_cover.h. Greedy, then
 * exchanges: the exact optimum is a hard problem (k-median), and the times have
 * noise of a percent. */
#include "tuner/portfolio/portfolio_cover.h"

#include "runtime/base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How much the second best of a set counts beside the best: between two
 * candidates that gain as much, the one that serves more problems well. It is
 * also what is right where a member turns out wrong, or unknown times better
 * or worse than they were taken for. */
#define SECOND_WEIGHT 0.02

/* Unknown times: how much worse, in log(time), one unit of distance makes a
 * candidate, and at most. One unit is a factor of e in one dimension. */
#define WORSE_BY_DISTANCE 0.08
#define WORSE_AT_MOST 0.7

typedef struct cover {
    const hone_cover_request *request;
    /* Of each problem: log of the best and second best of the set, over the
     * best known. */
    double *first, *second;
    double second_weight;
    unsigned char *is_in;
} cover;

static double ratio_log(const hone_cover_request *r, size_t problem,
                        size_t candidate)
{
    const double time = r->time_ns[problem * r->n_candidates + candidate];
    const double nobody = log(HONE_COVER_NOBODY);
    double ratio;

    if (time <= 0 || r->best_ns[problem] <= 0)
        return nobody;
    ratio = log(time / r->best_ns[problem]);
    return ratio < nobody ? ratio : nobody;
}

static double weight_of(const hone_cover_request *r, size_t problem)
{
    return r->weight ? r->weight[problem] : 1;
}

/* What the set costs, were `more` in it, too. Smaller is better. */
static double cost_with(const cover *c, size_t more)
{
    const hone_cover_request *r = c->request;
    double sum = 0;

    for (size_t p = 0; p < r->n_problems; ++p) {
        const double ratio = ratio_log(r, p, more);
        const double first = ratio < c->first[p] ? ratio : c->first[p];
        const double middle = ratio < c->first[p] ? c->first[p] : ratio;
        const double second = middle < c->second[p] ? middle : c->second[p];

        sum += weight_of(r, p) * (first + c->second_weight * second);
    }
    return sum;
}

static double mean_first(const cover *c)
{
    double sum = 0, weights = 0;

    for (size_t p = 0; p < c->request->n_problems; ++p) {
        sum += weight_of(c->request, p) * c->first[p];
        weights += weight_of(c->request, p);
    }
    return weights > 0 ? sum / weights : 0;
}

static void add(cover *c, size_t candidate)
{
    const hone_cover_request *r = c->request;

    c->is_in[candidate] = 1;
    for (size_t p = 0; p < r->n_problems; ++p) {
        const double ratio = ratio_log(r, p, candidate);

        if (ratio < c->first[p]) {
            c->second[p] = c->first[p];
            c->first[p] = ratio;
        } else if (ratio < c->second[p]) {
            c->second[p] = ratio;
        }
    }
}

static void recount(cover *c, const size_t *set, size_t n, size_t without)
{
    const hone_cover_request *r = c->request;

    for (size_t p = 0; p < r->n_problems; ++p)
        c->first[p] = c->second[p] = log(HONE_COVER_NOBODY);
    memset(c->is_in, 0, r->n_candidates);
    for (size_t i = 0; i < n; ++i)
        if (i != without)
            add(c, set[i]);
}

static int is_never(const hone_cover_request *r, size_t candidate)
{
    return r->never && r->never[candidate];
}

static int is_always(const hone_cover_request *r, size_t candidate)
{
    return r->always && r->always[candidate] && !is_never(r, candidate);
}

/* One that is valid nowhere serves nobody. */
static int is_of_use(const hone_cover_request *r, size_t candidate)
{
    for (size_t p = 0; p < r->n_problems; ++p)
        if (r->time_ns[p * r->n_candidates + candidate] > 0)
            return 1;
    return 0;
}

/* SIZE_MAX: there is nobody left. Of equal ones the first. */
static size_t best_to_add(const cover *c, double *out_cost)
{
    const hone_cover_request *r = c->request;
    size_t best = SIZE_MAX;

    *out_cost = DBL_MAX;
    for (size_t i = 0; i < r->n_candidates; ++i) {
        double cost;

        if (c->is_in[i] || is_never(r, i) || !is_of_use(r, i))
            continue;
        cost = cost_with(c, i);
        if (cost < *out_cost) {
            *out_cost = cost;
            best = i;
        }
    }
    return best;
}

static void choose_greedily(cover *c, size_t *out, size_t *out_n)
{
    const hone_cover_request *r = c->request;

    for (size_t i = 0; i < r->n_candidates && *out_n < r->most; ++i)
        if (is_always(r, i) && is_of_use(r, i)) {
            out[(*out_n)++] = i;
            add(c, i);
        }
    while (*out_n < r->most) {
        const double before = mean_first(c);
        double cost;
        size_t best;

        /* Behind the least, only the best counts, as it does for `gain`. */
        c->second_weight = *out_n < r->least ? SECOND_WEIGHT : 0;
        best = best_to_add(c, &cost);
        if (best == SIZE_MAX)
            return;
        add(c, best);
        out[(*out_n)++] = best;
        if (*out_n > r->least && before - mean_first(c) < r->gain) {
            --*out_n;
            return;
        }
    }
}

/* Somebody else in the place of a member, wherever that gains most. Each
 * exchange makes the cost smaller, so it ends. */
static void exchange(cover *c, size_t *set, size_t n)
{
    enum { MOST_ROUNDS = 8 };
    const hone_cover_request *r = c->request;
    const double least = 1e-6 * (double)r->n_problems;

    c->second_weight = SECOND_WEIGHT;
    for (int round = 0, is_better = 1; is_better && round < MOST_ROUNDS;
         ++round) {
        is_better = 0;
        for (size_t i = 0; i < n; ++i) {
            double cost, as_it_is;
            size_t best;

            if (is_always(r, set[i]))
                continue;
            recount(c, set, n, i);
            as_it_is = cost_with(c, set[i]);
            best = best_to_add(c, &cost);
            if (best == SIZE_MAX || cost > as_it_is - least)
                continue;
            set[i] = best;
            is_better = 1;
        }
    }
}

hone_status hone__cover_choose(const hone_cover_request *request, size_t *out,
                               size_t *out_n, hone_error *err)
{
    const size_t n = request->n_problems;
    cover c = {.request = request,
               .first = hone__alloc((n + 1) * sizeof(double)),
               .second = hone__alloc((n + 1) * sizeof(double)),
               .is_in = hone__alloc(request->n_candidates + 1)};
    const int is_ready = c.first && c.second && c.is_in;

    *out_n = 0;
    if (is_ready) {
        recount(&c, out, 0, SIZE_MAX);
        choose_greedily(&c, out, out_n);
        exchange(&c, out, *out_n);
    }
    hone__free(c.first);
    hone__free(c.second);
    hone__free(c.is_in);
    return is_ready ? HONE_OK : hone__out_of_memory(err, " for a portfolio");
}

double hone__cover_mean(const hone_cover_request *request, const size_t *set,
                        size_t n)
{
    double sum = 0, weights = 0;

    for (size_t p = 0; p < request->n_problems; ++p) {
        double best = log(HONE_COVER_NOBODY);

        for (size_t i = 0; i < n; ++i) {
            const double ratio = ratio_log(request, p, set[i]);

            best = ratio < best ? ratio : best;
        }
        sum += weight_of(request, p) * best;
        weights += weight_of(request, p);
    }
    return weights > 0 ? exp(sum / weights) : 1;
}

/* ---- unknown times ---------------------------------------------------------
 */

/* Mean of log(time over best) where it was measured, weighed by nearness. */
static double guess(size_t n_problems, size_t n_candidates,
                    const double *distance, const double *best_ns,
                    const double *time_ns, size_t problem, size_t candidate)
{
    double sum = 0, weights = 0, nearest = DBL_MAX, worse;

    for (size_t q = 0; q < n_problems; ++q) {
        const double time = time_ns[q * n_candidates + candidate];
        const double far = distance[problem * n_problems + q];
        const double weight = 1 / (0.25 + far * far);

        if (q == problem || time <= 0 || best_ns[q] <= 0)
            continue;
        nearest = far < nearest ? far : nearest;
        sum += weight * log(time / best_ns[q]);
        weights += weight;
    }
    if (weights <= 0)
        return HONE_CELL_UNKNOWN;
    worse = WORSE_BY_DISTANCE * nearest;
    return best_ns[problem] *
           exp(sum / weights + (worse < WORSE_AT_MOST ? worse : WORSE_AT_MOST));
}

void hone__cover_estimate(size_t n_problems, size_t n_candidates,
                          const double *distance, const double *best_ns,
                          double *time_ns)
{
    /* A guess is not based on guesses: they are negative until all are there,
     * far below what cells of the other kinds are. */
    for (size_t p = 0; p < n_problems; ++p)
        for (size_t c = 0; c < n_candidates; ++c) {
            double *cell = &time_ns[p * n_candidates + c];

            if (*cell == HONE_CELL_UNKNOWN && best_ns[p] > 0)
                *cell = -1000 * guess(n_problems, n_candidates, distance,
                                      best_ns, time_ns, p, c);
        }
    for (size_t i = 0; i < n_problems * n_candidates; ++i)
        if (time_ns[i] < -10)
            time_ns[i] /= -1000;
}
