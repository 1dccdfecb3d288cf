/* SPDX-License-Identifier: Apache-2.0 */
/* The score: see replay_score.h. */
#include "tuner/replay/replay_score.h"

#include "tuner/judge/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_STEPS = 1000 };

static hone_status out_of_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory while scoring");
}

/* ---- the space ---------------------------------------------------------- */

/* The valid times of a recording, ascending: rank 0 is the optimum. */
typedef struct ranks {
    double *times;
    size_t n;
    double median;        /* of them */
    double median_cost_s; /* of all configurations, failed ones included */
    double valid_cost_s;  /* of a valid one and of the failed ones met on the
                             way to it, mean */
} ranks;

static hone_status make_ranks(const hone_recording *recording, ranks *out,
                              hone_error *err)
{
    const size_t n = (size_t)recording->n_configs;
    double *costs = hone__alloc(n * sizeof *costs);

    *out = (ranks){.times = hone__alloc((n + 1) * sizeof(double))};
    if (!costs || !out->times) {
        hone__free(costs);
        return out_of_memory(err);
    }
    for (size_t i = 0; i < n; ++i) {
        const hone_recorded_trial *trial = &recording->trials[i];

        costs[i] = hone__recorded_cost_s(trial);
        if (trial->outcome == HONE_OUTCOME_OK)
            out->times[out->n++] = trial->time_ns;
    }
    out->median_cost_s = hone__median(costs, n);
    hone__free(costs);
    out->valid_cost_s = recording->total_s / (double)(out->n ? out->n : 1);
    out->median = hone__median(out->times, out->n); /* sorts them */
    if (out->n < 2 || out->times[0] >= out->times[out->n - 1])
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: a score needs at least two different times",
                          recording->path);
    return HONE_OK;
}

/* Place of the first time that is not below `time_ns`. */
static size_t rank_of(const ranks *r, double time_ns)
{
    size_t low = 0;
    size_t high = r->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (r->times[middle] < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Point 2 of the method: `i` counts from the slowest time, 0. */
static hone_replay_budget cutoff_budget(const ranks *r, double cutoff)
{
    const double optimum = r->times[0];
    const double target = optimum + (r->median - optimum) * (1 - cutoff);
    size_t i = 0;
    hone_replay_budget budget;

    while (r->times[r->n - 1 - i] > target && i < r->n - 1)
        ++i;
    if (r->times[r->n - 1 - i] <= optimum && i > 0)
        --i;
    budget.evaluations = (int64_t)ceil((double)i / (double)(r->n + 1 - i));
    if (budget.evaluations < 1)
        budget.evaluations = 1;
    budget.seconds = (double)budget.evaluations * r->median_cost_s;
    return budget;
}

hone_status hone__replay_cutoff(const hone_recording *recording, double cutoff,
                                hone_replay_budget *out, hone_error *err)
{
    ranks r;
    const hone_status status = make_ranks(recording, &r, err);

    if (status == HONE_OK)
        *out = cutoff_budget(&r, cutoff);
    hone__free(r.times);
    return status;
}

/* Point 3: what random search has found after `time_s`. The times are those
 * of valid configurations, so it is them that are counted; failed ones only
 * cost time. */
static double random_time(const ranks *r, double time_s)
{
    const double n = (double)r->n;
    double m = rint(time_s / r->valid_cost_s);
    double falling;

    if (m < 1)
        m = 1;
    falling = rint(m * (n + 1) / (m + 1));
    return falling >= n - 1 ? r->times[0]
                            : r->times[r->n - 1 - (size_t)falling];
}

/* ---- the strategy's curve ----------------------------------------------- */

typedef struct point {
    double time_s;
    double rank; /* of the best so far */
} point;

typedef struct curve {
    const ranks *ranks;
    point *points;
    size_t n;
} curve;

/* The points of all runs up to the end, and of each run the first one behind
 * it. Without a valid configuration there is no rank yet. */
static hone_status gather(curve *c, const hone_replay_traces *traces,
                          double end_s, hone_error *err)
{
    const hone_replay_budget end = {0, end_s};
    size_t n = 0;

    for (size_t i = 0; i < traces->n; ++i)
        n += hone__replay_trace_within(&traces->runs[i], &end);
    c->points = hone__alloc((n + 1) * sizeof *c->points);
    if (!c->points)
        return out_of_memory(err);
    for (size_t i = 0; i < traces->n; ++i) {
        const hone_replay_point *from = traces->runs[i].points;

        n = hone__replay_trace_within(&traces->runs[i], &end);
        for (size_t k = 0; k < n; ++k)
            if (from[k].best_ns > 0)
                c->points[c->n++] =
                    (point){from[k].simulated_s,
                            (double)rank_of(c->ranks, from[k].best_ns)};
    }
    return HONE_OK;
}

static int compare_points(const void *a, const void *b)
{
    const point *x = a;
    const point *y = b;

    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

hone_status hone__isotonic_falling(double *values, const double *weights,
                                   size_t n, hone_error *err)
{
    typedef struct block {
        double value;
        double weight;
        size_t n;
    } block;
    block *blocks = hone__alloc((n + 1) * sizeof *blocks);
    size_t n_blocks = 0;

    if (!blocks)
        return out_of_memory(err);
    for (size_t i = 0; i < n; ++i) { /* pool adjacent violators */
        block last = {values[i], weights[i], 1};

        while (n_blocks && blocks[n_blocks - 1].value <= last.value) {
            const block *before = &blocks[--n_blocks];
            const double weight = before->weight + last.weight;

            last.value =
                (before->value * before->weight + last.value * last.weight) /
                weight;
            last.weight = weight;
            last.n += before->n;
        }
        blocks[n_blocks++] = last;
    }
    for (size_t b = 0, i = 0; b < n_blocks; ++b)
        for (size_t k = 0; k < blocks[b].n; ++k)
            values[i++] = blocks[b].value;
    hone__free(blocks);
    return HONE_OK;
}

/* Point 4: one rank per moment, never rising. Points of the same moment are
 * averaged first. */
static hone_status fit(curve *c, hone_error *err)
{
    double *values = hone__alloc((c->n + 1) * sizeof *values);
    double *weights = hone__alloc((c->n + 1) * sizeof *weights);
    hone_status status = HONE_OK;
    size_t n = 0;

    if (!values || !weights)
        status = out_of_memory(err);
    if (status == HONE_OK) {
        qsort(c->points, c->n, sizeof *c->points, compare_points);
        for (size_t i = 0; i < c->n; ++i) {
            if (n && c->points[i].time_s <= c->points[n - 1].time_s) {
                values[n - 1] += c->points[i].rank;
                weights[n - 1] += 1;
                continue;
            }
            c->points[n] = c->points[i];
            values[n] = c->points[i].rank;
            weights[n++] = 1;
        }
        for (size_t i = 0; i < n; ++i)
            values[i] /= weights[i];
        status = hone__isotonic_falling(values, weights, n, err);
    }
    for (size_t i = 0; status == HONE_OK && i < n; ++i)
        c->points[i].rank = values[i];
    c->n = n;
    hone__free(values);
    hone__free(weights);
    return status;
}

/* The fitted time at a moment; `at` moves on from call to call. */
static double curve_time(const curve *c, double time_s, size_t *at)
{
    const point *p = c->points;
    double rank;

    while (*at + 1 < c->n && p[*at + 1].time_s <= time_s)
        ++*at;
    rank = p[*at].rank;
    if (*at + 1 < c->n && time_s > p[*at].time_s)
        rank += (p[*at + 1].rank - rank) * (time_s - p[*at].time_s) /
                (p[*at + 1].time_s - p[*at].time_s);
    return c->ranks->times[(size_t)rint(rank)];
}

/* Point 5. Steps at which random search already has the optimum cannot be
 * won: they are left out. */
static double mean_gain(const curve *c, double start_s, double end_s)
{
    const double optimum = c->ranks->times[0];
    double sum = 0;
    size_t at = 0;
    int n = 0;

    for (int i = 0; i < N_STEPS; ++i) {
        const double time_s = start_s + (end_s - start_s) * i / (N_STEPS - 1);
        const double baseline = random_time(c->ranks, time_s);
        const double found = curve_time(c, time_s, &at);

        if (baseline <= optimum)
            continue;
        sum += (baseline - found) / (baseline - optimum);
        ++n;
    }
    return n ? sum / n : 0;
}

hone_status hone__replay_score(const hone_recording *recording,
                               const hone_replay_traces *traces,
                               double *out_score, hone_error *err)
{
    ranks r;
    curve c = {.ranks = &r};
    hone_replay_budget start = {0, 0};
    hone_replay_budget end = {0, 0};
    hone_status status = make_ranks(recording, &r, err);

    *out_score = 0;
    if (status == HONE_OK && r.median_cost_s <= 0)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "%s: a score needs recorded costs, and at least "
                            "half of the trials have none",
                            recording->path);
    if (status == HONE_OK) {
        start = cutoff_budget(&r, HONE_SCORE_START);
        end = cutoff_budget(&r, HONE_SCORE_END);
        status = gather(&c, traces, end.seconds, err);
    }
    if (status == HONE_OK && c.n == 0)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "%s: no run found a valid configuration within "
                            "the budget",
                            recording->path);
    if (status == HONE_OK)
        status = fit(&c, err);
    if (status == HONE_OK)
        *out_score = mean_gain(&c, start.seconds, end.seconds);
    hone__free(c.points);
    hone__free(r.times);
    return status;
}
