/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-neighbourhood search: a walk whose steps are chosen by a guess.
 * Each proposal is the most promising of a small pool: neighbours of where
 * the walk stands (of a kind that was successful lately), children of two of
 * the fastest, and some from anywhere. The last two keep the walk from
 * believing its own guesses. */
#include "tuner/search/acceptance.h"
#include "tuner/search/nearest.h"

#include "runtime/base/alloc.h"

/* Measured on the recorded spaces: half or twice of each does about as well,
 * but a pool of 16 or more does worse, because the guess then decides too
 * much. */
enum {
    POOL_NEIGHBOURS = 4,
    POOL_CHILDREN = 2,
    POOL_ANY = 2,
    POOL = POOL_NEIGHBOURS + POOL_CHILDREN + POOL_ANY,
    ELITE = 10,
    TABU = 32, /* places where it does not start again */
    STALL = 1, /* trials without progress until it starts elsewhere, in
                  neighbourhoods */
    STARTS = 8 /* of as many trials at random, the fastest */
};
/* As a fraction of the scatter of the times. */
static const double temperature = 0.1;
/* What success and failure do to the weight of a kind of neighbours. */
static const double success = 1.3;
static const double failure = 0.97;
static const double least_weight = 0.1;
static const double most_weight = 10;

typedef struct variable {
    hone_scatter scatter;
    hone_elite elite;
    hone_nearest nearest;
    int *values; /* of a candidate */
    double weight[HONE_N_MOVES];
    int64_t neighbourhood; /* how many neighbours there can be */
    int64_t at;            /* trial; -1: none is valid yet */
    double best_ns;        /* since the last start */
    int64_t n_stall;       /* trials since the last progress */
    int64_t tabu[TABU];    /* trials where it stood last */
    size_t n_tabu;
} variable;

static hone_status start(hone_search *search, hone_error *err)
{
    variable *v = search->state;

    v->at = -1;
    v->best_ns = INFINITY;
    v->elite.capacity = ELITE;
    v->neighbourhood = (int64_t)hone__move_capacity(search);
    for (int i = 0; i < HONE_N_MOVES; ++i)
        v->weight[i] = 1;
    HONE_TRY(hone__nearest_open(search, &v->nearest, err));
    v->values = hone__alloc((search->space.n_params + 1) * sizeof *v->values);
    return v->values ? HONE_OK
                     : hone__fail(err, HONE_ERR_NO_MEMORY,
                                  "out of memory in the search");
}

static void stop(hone_search *search)
{
    variable *v = search->state;

    hone__nearest_close(&v->nearest);
    hone__free(v->values);
}

/* ---- proposing ----------------------------------------------------------
 */

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

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    const variable *v = search->state;
    double best = INFINITY;
    hone_move move;

    (void)err;
    if (v->at < 0)
        return HONE_OK;
    move = pick_move(search, v);
    for (int i = 0; i < POOL; ++i) {
        const int64_t index = candidate(search, v, i, move);
        double guess;

        if (!hone__search_is_new(search, index))
            continue;
        search->space.get(search->space.user, index, v->values);
        guess = hone__nearest_guess(search, &v->nearest, &v->elite, v->values);
        if (guess >= best)
            continue;
        best = guess;
        *out_index = index;
        search->tag = i < POOL_NEIGHBOURS ? 1 + (int)move : 0;
    }
    return HONE_OK;
}

/* ---- learning -----------------------------------------------------------
 */

static void stand_at(variable *v, int64_t slot)
{
    v->at = slot;
    v->tabu[v->n_tabu++ % TABU] = slot;
}

static int is_tabu(const variable *v, int64_t slot)
{
    for (size_t i = 0; i < TABU && i < v->n_tabu; ++i)
        if (v->tabu[i] == slot)
            return 1;
    return 0;
}

static void start_elsewhere(hone_search *search, variable *v)
{
    const int64_t slot = hone__trial_pick(search, STARTS);

    v->n_stall = 0;
    if (slot < 0 || is_tabu(v, slot))
        return;
    stand_at(v, slot);
    v->best_ns = search->trials[slot].time_ns;
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

    hone__scatter_learn(search, &v->scatter, slot);
    hone__nearest_learn(search, &v->nearest, slot);
    (void)hone__elite_learn(search, &v->elite, slot);
    if (++v->n_stall > STALL * v->neighbourhood)
        start_elsewhere(search, v);
    is_faster = v->at < 0 || trial->time_ns < search->trials[v->at].time_ns;
    if (trial->tag)
        reward(v, trial->tag, is_faster);
    if (isinf(trial->time_ns))
        return;
    if (is_faster ||
        hone__accept(search, search->trials[v->at].time_ns, trial->time_ns,
                     temperature * hone__scatter_of(&v->scatter)))
        stand_at(v, slot);
    if (trial->time_ns < v->best_ns) {
        v->best_ns = trial->time_ns;
        v->n_stall = 0;
    }
}

const hone_strategy hone__strategy_variable = {
    .name = "variable",
    .summary = "variable neighbourhoods, steps chosen by a guess from the "
               "nearest known configurations",
    .n_spread = 12,
    .state_bytes = sizeof(variable),
    .start = start,
    .stop = stop,
    .propose = propose,
    .learn = learn,
};
