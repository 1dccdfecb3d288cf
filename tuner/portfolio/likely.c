/* SPDX-License-Identifier: Apache-2.0 */
/* What configurations cost at a problem, and which costs least: see likely.h.
 */
#include "tuner/portfolio/likely.h"

#include "gen/parse/parse.h"
#include "runtime/base/alloc.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 2000, STARTS = 4, MOST_STEPS = 16 };

/* Configurations are value indexes here, as the space numbers them. */
typedef struct seeker {
    const hone_likely *likely;
    int starts[STARTS][HONE_MAX_PARAMS];
    double costs[STARTS]; /* the lowest first */
    size_t n_starts;
} seeker;

/* Beside its space. */
static hone_status open_features(hone_likely *out, const int64_t *dims,
                                 const hone_properties *properties,
                                 hone_error *err)
{
    HONE_TRY(hone__features_create(out->tmpl, dims, properties, &out->features,
                                   err));
    out->row =
        hone__alloc((hone__features_count(out->features) + 1) * sizeof(float));
    return out->row ? HONE_OK : hone__out_of_memory(err, " for a portfolio");
}

hone_status hone__likely_open(const hone_template *tmpl, const int64_t *dims,
                              const hone_properties *properties,
                              const hone_lesson *lesson, hone_likely *out,
                              hone_error *err)
{
    *out = (hone_likely){.tmpl = tmpl, .lesson = lesson};
    HONE_TRY(hone__space_create(tmpl, dims, properties, &out->space, err));
    if (!out->space->count)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "no configuration is valid there");
    return open_features(out, dims, properties, err);
}

hone_status hone__likely_open_unsolved(const hone_template *tmpl,
                                       const int64_t *dims,
                                       const hone_properties *properties,
                                       const hone_lesson *lesson,
                                       hone_likely *out, hone_error *err)
{
    *out = (hone_likely){.tmpl = tmpl, .lesson = lesson};
    HONE_TRY(hone__space_create_unsolved(tmpl, dims, properties, 0, &out->space,
                                         err));
    return open_features(out, dims, properties, err);
}

void hone__likely_close(hone_likely *likely)
{
    hone__free(likely->row);
    hone__features_free(likely->features);
    hone__space_free(likely->space);
    *likely = (hone_likely){0};
}

/* What cannot be evaluated is the last for a search; here it says nothing. */
static double cost_at(const hone_likely *likely, const int64_t *config,
                      double *out_beside)
{
    double cost;

    *out_beside = 0;
    if (likely->lesson) {
        hone__features_get(likely->features, config, likely->row);
        cost = hone__features_row_cost(likely->features, likely->row);
        *out_beside = hone__lesson(likely->lesson, likely->row);
    } else {
        cost = hone__features_cost(likely->features, config, likely->row);
    }
    return cost > 0 && isfinite(cost) ? cost + *out_beside : NAN;
}

static double cost_of(const hone_likely *likely, int64_t number)
{
    int64_t config[HONE_MAX_PARAMS];
    double ignored;

    hone__space_get(likely->space, number, config);
    return cost_at(likely, config, &ignored);
}

double hone__likely_cost(const hone_likely *likely, const int64_t *config,
                         double *out_beside)
{
    *out_beside = 0;
    return hone__space_check(likely->space, config, NULL) != HONE_OK
               ? NAN
               : cost_at(likely, config, out_beside);
}

/* Among the best of the sample, if it is one of them. */
static void offer(seeker *s, const int *indexes, double cost)
{
    const size_t bytes = s->likely->space->n_params * sizeof *indexes;
    size_t at = s->n_starts;

    if (isnan(cost) || (at == STARTS && !(cost < s->costs[STARTS - 1])))
        return;
    if (s->n_starts < STARTS)
        ++s->n_starts;
    else
        --at;
    for (; at > 0 && cost < s->costs[at - 1]; --at) {
        s->costs[at] = s->costs[at - 1];
        memcpy(s->starts[at], s->starts[at - 1], bytes);
    }
    s->costs[at] = cost;
    memcpy(s->starts[at], indexes, bytes);
}

/* Evenly over the space, in an order in which parameters change. */
static void sample(seeker *s)
{
    const hone_space *space = s->likely->space;
    const int64_t n = space->count < SAMPLE ? space->count : SAMPLE;
    int indexes[HONE_MAX_PARAMS];

    for (int64_t i = 0; i < n; ++i) {
        const int64_t at =
            (int64_t)((double)i * (double)space->count / (double)n);

        hone__space_get_indexes(space, at, indexes);
        offer(s, indexes, cost_of(s->likely, at));
    }
}

/* To the best of those that differ in one parameter, and in those that do not
 * exist beside it any more; 0: there is none. */
static hone_status step(const seeker *s, int *indexes, double *cost,
                        int *out_moved, hone_error *err)
{
    const hone_space *space = s->likely->space;
    const size_t bytes = space->n_params * sizeof *indexes;
    int best[HONE_MAX_PARAMS];

    *out_moved = 0;
    for (size_t i = 0; i < space->n_params; ++i)
        for (int v = 0; v < space->n_values[i]; ++v) {
            int other[HONE_MAX_PARAMS];
            int64_t number;
            double its;

            if (v == indexes[i])
                continue;
            memcpy(other, indexes, bytes);
            other[i] = v;
            HONE_TRY(hone__space_settle_indexes(space, other, NULL, err));
            number = hone__space_find_indexes(space, other);
            its = number < 0 ? NAN : cost_of(s->likely, number);
            if (!(its < *cost))
                continue;
            *cost = its;
            *out_moved = 1;
            memcpy(best, other, bytes);
        }
    if (*out_moved)
        memcpy(indexes, best, bytes);
    return HONE_OK;
}

hone_status hone__likely_cheapest(const hone_likely *likely, int64_t *config,
                                  double *out_cost, hone_error *err)
{
    seeker s = {.likely = likely};

    *out_cost = INFINITY;
    sample(&s);
    for (size_t i = 0; i < s.n_starts; ++i) {
        int moves = 1;

        for (int n = 0; moves && n < MOST_STEPS; ++n)
            HONE_TRY(step(&s, s.starts[i], &s.costs[i], &moves, err));
        if (!(s.costs[i] < *out_cost))
            continue;
        *out_cost = s.costs[i];
        hone__space_get(likely->space,
                        hone__space_find_indexes(likely->space, s.starts[i]),
                        config);
    }
    return isfinite(*out_cost)
               ? HONE_OK
               : hone__fail(err, HONE_ERR_CONSTRAINT,
                            "no configuration there says what it costs");
}
