/* SPDX-License-Identifier: Apache-2.0 */
/* What configurations cost at a problem, and which costs least: see likely.h.
 */
#include "tuner/portfolio/likely.h"

#include "gen/parse/parse.h"
#include "runtime/base/alloc.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 2000, STARTS = 4, MOST_STEPS = 16 };

typedef struct seeker {
    const hone_likely *likely;
    int64_t starts[STARTS][HONE_MAX_PARAMS];
    double costs[STARTS]; /* the lowest first */
    size_t n_starts;
} seeker;

hone_status hone__likely_open(const hone_template *tmpl, const int64_t *dims,
                              const hone_properties *properties,
                              hone_likely *out, hone_error *err)
{
    *out = (hone_likely){.tmpl = tmpl};
    HONE_TRY(hone__space_create(tmpl, dims, properties, &out->space, err));
    if (!out->space->count)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "no configuration is valid there");
    HONE_TRY(
        hone__features_create(tmpl, dims, properties, &out->features, err));
    out->row =
        hone__alloc((hone__features_count(out->features) + 1) * sizeof(float));
    return out->row ? HONE_OK : hone__out_of_memory(err, " for a portfolio");
}

void hone__likely_close(hone_likely *likely)
{
    hone__free(likely->row);
    hone__features_free(likely->features);
    hone__space_free(likely->space);
    *likely = (hone_likely){0};
}

static double cost_of(const hone_likely *likely, const int64_t *config)
{
    return hone__features_cost(likely->features, config, likely->row);
}

double hone__likely_cost(const hone_likely *likely, const int64_t *config)
{
    return hone__space_find(likely->space, config) < 0
               ? NAN
               : cost_of(likely, config);
}

/* Among the best of the sample, if it is one of them. */
static void offer(seeker *s, const int64_t *config, double cost)
{
    size_t at = s->n_starts;

    if (s->n_starts == STARTS && !(cost < s->costs[STARTS - 1]))
        return;
    if (s->n_starts < STARTS)
        ++s->n_starts;
    else
        --at;
    for (; at > 0 && cost < s->costs[at - 1]; --at) {
        s->costs[at] = s->costs[at - 1];
        memcpy(s->starts[at], s->starts[at - 1], sizeof s->starts[at]);
    }
    s->costs[at] = cost;
    memcpy(s->starts[at], config, s->likely->tmpl->n_params * sizeof *config);
}

/* Evenly over the space, in an order in which parameters change. */
static void sample(seeker *s)
{
    const int64_t count = s->likely->space->count;
    const int64_t n = count < SAMPLE ? count : SAMPLE;
    int64_t config[HONE_MAX_PARAMS];

    for (int64_t i = 0; i < n; ++i) {
        const double at = (double)i * (double)count / (double)n;

        hone__space_get(s->likely->space, (int64_t)at, config);
        offer(s, config, cost_of(s->likely, config));
    }
}

/* To the best of those that differ in one parameter; 0: there is none. */
static int step(const seeker *s, int64_t *config, double *cost)
{
    int64_t best[HONE_MAX_PARAMS];
    int is_better = 0;

    for (size_t i = 0; i < s->likely->tmpl->n_params; ++i) {
        const hone_param *param = &s->likely->tmpl->params[i];
        const int64_t kept = config[i];

        for (size_t v = 0; v < param->n_values; ++v) {
            double other;

            config[i] = param->values[v];
            if (config[i] == kept ||
                hone__space_find(s->likely->space, config) < 0)
                continue;
            other = cost_of(s->likely, config);
            if (other < *cost) {
                *cost = other;
                is_better = 1;
                memcpy(best, config, s->likely->tmpl->n_params * sizeof *best);
            }
        }
        config[i] = kept;
    }
    if (is_better)
        memcpy(config, best, s->likely->tmpl->n_params * sizeof *best);
    return is_better;
}

double hone__likely_cheapest(const hone_likely *likely, int64_t *config)
{
    const size_t bytes = likely->tmpl->n_params * sizeof *config;
    seeker s = {.likely = likely};
    double best = INFINITY;

    sample(&s);
    for (size_t i = 0; i < s.n_starts; ++i) {
        int n_steps = 0;

        while (n_steps < MOST_STEPS && step(&s, s.starts[i], &s.costs[i]))
            ++n_steps;
        if (s.costs[i] < best) {
            best = s.costs[i];
            memcpy(config, s.starts[i], bytes);
        }
    }
    return best;
}
