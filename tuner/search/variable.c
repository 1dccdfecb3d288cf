/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-neighbourhood search: a walk whose steps are chosen by a guess.
 * Each proposal is the most promising of a small pool: neighbours of where
 * the walk stands (of a kind that was successful lately), children of two of
 * the fastest, and some from anywhere. The last two keep the walk from
 * believing its own guesses. */
#include "tuner/search/parts.h"

#include <stdlib.h>

/* Measured on the recorded spaces: half or twice of each does about as well,
 * but a pool of 16 or more does worse, because the guess then decides too
 * much. */
enum {
    POOL_NEIGHBOURS = 4,
    POOL_CHILDREN = 2,
    POOL_ANY = 2,
    POOL = POOL_NEIGHBOURS + POOL_CHILDREN + POOL_ANY,
    ELITE = 10
};
/* As a fraction of the scatter of the times. */
static const double temperature = 0.1;
/* What success and failure do to the weight of a kind of neighbours. */
static const double success = 1.3;
static const double failure = 0.97;
static const double least_weight = 0.1;
static const double most_weight = 10;

/* Of a guess. Measured on the recorded spaces: 3 neighbours and 500 trials of
 * history do as well, one neighbour does not. A longer history costs time for
 * every guess. */
enum { N_NEAREST = 5, HISTORY = 128 };

/* Distances are whole numbers of 1 / UNIT: this loop is what a guess costs.
 */
enum { UNIT = 1 << 16 };

typedef struct variable {
    hone_elite elite;
    int *step;   /* distance of one step, by parameter */
    int *values; /* of a candidate */
    double weight[HONE_N_MOVES];
    int64_t at; /* trial; -1: none is valid yet */
    hone_stall stall;
} variable;

static hone_status start(hone_search *search, hone_error *err)
{
    variable *v = search->state;
    const size_t n = search->space.n_params;

    v->at = -1;
    v->elite.capacity = ELITE;
    for (int i = 0; i < HONE_N_MOVES; ++i)
        v->weight[i] = 1;
    v->step = hone__search_alloc(search, n * sizeof *v->step, err);
    v->values = hone__search_alloc(search, n * sizeof *v->values, err);
    if (!v->step || !v->values)
        return HONE_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; ++i)
        v->step[i] = UNIT / search->space.n_values[i];
    return HONE_OK;
}

/* ---- a guess ------------------------------------------------------------ */

/* The nearest so far, in ascending order of distance. */
typedef struct found {
    int distance[N_NEAREST];
    int64_t slot[N_NEAREST];
    int n;
} found;

/* A parameter that differs counts 1, and up to 1 more by how far:
 * neighbouring values of a number are alike, while names have no order. Over
 * all parameters (those with one value never differ) and to the end: a loop
 * that stops at a limit, in floating point, took three times as long. */
static int distance_of(const hone_search *search, const int *step, const int *a,
                       const int *b)
{
    int distance = 0;

    for (size_t i = 0; i < search->space.n_params; ++i) {
        const int steps = abs(a[i] - b[i]);

        distance += (steps > 0) * UNIT + steps * step[i];
    }
    return distance;
}

static void look_at(const hone_search *search, const variable *v, int64_t slot,
                    found *f)
{
    const int distance = distance_of(search, v->step, v->values,
                                     hone__search_values(search, slot));
    int at;

    if (f->n == N_NEAREST && distance >= f->distance[N_NEAREST - 1])
        return;
    if (f->n < N_NEAREST)
        ++f->n;
    for (at = f->n - 1; at > 0 && f->distance[at - 1] > distance; --at) {
        f->distance[at] = f->distance[at - 1];
        f->slot[at] = f->slot[at - 1];
    }
    f->distance[at] = distance;
    f->slot[at] = slot;
}

/* log(time) of v->values, weighted by the inverse of the distance; of the
 * trials answered last and of the elite. A failed one counts as the slowest. */
static double guess_of(const hone_search *search, const variable *v)
{
    const int64_t first =
        search->n_told > HISTORY ? search->n_told - HISTORY : 0;
    found f = {.n = 0};
    double sum = 0;
    double weights = 0;

    for (int64_t i = first; i < search->n_told; ++i)
        look_at(search, v, search->told[i], &f);
    /* One that is in both counts twice, which does no harm. */
    for (size_t i = 0; first > 0 && i < v->elite.n; ++i)
        look_at(search, v, v->elite.slots[i], &f);
    for (int i = 0; i < f.n; ++i) {
        const double time_ns = search->trials[f.slot[i]].time_ns;
        const double weight = 1 / (double)(f.distance[i] + UNIT / 100);

        sum += weight * log(fmin(time_ns, search->worst_ns));
        weights += weight;
    }
    return f.n ? sum / weights : 0;
}

/* ---- proposing ---------------------------------------------------------- */

static hone_move pick_move(hone_search *search, const variable *v)
{
    double sum = 0;
    double left;

    for (int i = 0; i < HONE_N_MOVES; ++i)
        sum += v->weight[i];
    left = sum * hone__chance_unit(&search->chance);
    for (int i = 0; i < HONE_N_MOVES; ++i) {
        left -= v->weight[i];
        if (left < 0)
            return (hone_move)i;
    }
    return HONE_MOVE_HAMMING;
}

static int64_t child(hone_search *search, const variable *v)
{
    const int64_t a = hone__elite_pick(search, &v->elite, 1);
    const int64_t b = hone__elite_pick(search, &v->elite, 1);

    return hone__move_cross(search, hone__search_values(search, a),
                            hone__search_values(search, b));
}

static int64_t candidate(hone_search *search, const variable *v, int i,
                         hone_move move)
{
    if (i < POOL_NEIGHBOURS)
        return hone__move_random(search, hone__search_values(search, v->at),
                                 move, 1);
    return i < POOL_NEIGHBOURS + POOL_CHILDREN ? child(search, v)
                                               : hone__search_any(search);
}

static int64_t propose(hone_search *search)
{
    variable *v = search->state;
    double best = INFINITY;
    int64_t best_index = hone__stall_propose(search, &v->stall);
    hone_move move;

    if (best_index >= 0 || v->at < 0)
        return best_index;
    move = pick_move(search, v);
    for (int i = 0; i < POOL; ++i) {
        const int64_t index = candidate(search, v, i, move);
        double guess;

        if (!hone__search_is_new(search, index))
            continue;
        search->space.get(search->space.user, index, v->values);
        guess = guess_of(search, v);
        if (guess >= best)
            continue;
        best = guess;
        best_index = index;
        search->tag = i < POOL_NEIGHBOURS ? 1 + (int)move : 0;
    }
    return best_index;
}

/* ---- learning ----------------------------------------------------------- */

static void start_elsewhere(const hone_search *search, variable *v)
{
    const int64_t slot = hone__stall_leave(search, &v->stall, v->at);

    if (slot >= 0)
        v->at = slot;
}

static void reward(variable *v, int tag, int is_faster)
{
    double *weight = &v->weight[tag - 1];

    *weight *= is_faster ? success : failure;
    *weight = fmin(most_weight, fmax(least_weight, *weight));
}

static void learn(hone_search *search, int64_t slot)
{
    variable *v = search->state;
    const hone_search_trial *trial = &search->trials[slot];
    int is_faster;

    (void)hone__elite_learn(search, &v->elite, slot);
    if (hone__stall_grows(search, &v->stall))
        start_elsewhere(search, v);
    if (hone__stall_starts(search, &v->stall, slot)) {
        v->at = slot;
        return;
    }
    is_faster = v->at < 0 || trial->time_ns < search->trials[v->at].time_ns;
    if (trial->tag && trial->tag != HONE_TAG_START)
        reward(v, trial->tag, is_faster);
    if (isinf(trial->time_ns))
        return;
    if (is_faster || hone__search_accepts(
                         search, search->trials[v->at].time_ns, trial->time_ns,
                         temperature * hone__search_scatter(search)))
        v->at = slot;
    hone__stall_learn(search, &v->stall, slot);
}

const hone_strategy hone__strategy_variable = {
    .name = "variable",
    .summary = "variable neighbourhoods, steps chosen by a guess from the "
               "nearest known configurations",
    .n_spread = 12,
    .state_bytes = sizeof(variable),
    .start = start,
    .propose = propose,
    .learn = learn,
};
