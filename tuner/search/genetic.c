/* SPDX-License-Identifier: Apache-2.0 */
/* A steady-state genetic algorithm: one child at a time, which replaces the
 * slowest of the population if it is faster. There are no generations, so
 * nothing waits for the last answer of one. */
#include "tuner/search/elite.h"

#include "runtime/alloc.h"

/* Measured on the recorded spaces: two thirds and one and a half times of
 * each do about as well. */
enum {
    POPULATION = 12,
    TOURNAMENT = 3,
    STALL = 2,   /* trials without a faster child until the population is
                    drawn anew, in neighbourhoods */
    STARTERS = 2 /* of as many trials at random, the fastest joins it */
};
static const double least_mutation = 0.3;

typedef struct genetic {
    hone_elite population;
    int *child;
    double best_ns; /* of this population */
    int64_t neighbourhood;
    int64_t n_stall;  /* trials since it became faster */
    int64_t n_barren; /* trials since the last child that joined it */
} genetic;

static hone_status start(hone_search *search, hone_error *err)
{
    genetic *g = search->state;

    g->population.capacity = POPULATION;
    g->best_ns = INFINITY;
    g->neighbourhood = (int64_t)hone__move_capacity(search);
    g->child = hone__alloc((search->space.n_params + 1) * sizeof *g->child);
    return g->child ? HONE_OK
                    : hone__fail(err, HONE_ERR_NO_MEMORY,
                                 "out of memory in the search");
}

static void stop(hone_search *search)
{
    genetic *g = search->state;

    hone__free(g->child);
}

/* Children of a population that has become uniform are mostly known already,
 * and those that are not rarely join it: then more of them are mutated. */
static int is_mutant(hone_search *search, const genetic *g)
{
    const double rate =
        least_mutation + (double)g->n_barren / (double)(g->neighbourhood + 1);

    return hone__chance_unit(&search->chance) < rate;
}

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    genetic *g = search->state;
    hone_move move = HONE_MOVE_HAMMING;
    int64_t a, b, index;

    (void)err;
    if (g->population.n < 2)
        return HONE_OK;
    a = hone__elite_pick(search, &g->population, TOURNAMENT);
    b = hone__elite_pick(search, &g->population, TOURNAMENT);
    index = hone__move_cross(search, hone__search_values(search, a),
                             hone__search_values(search, b));
    if (hone__search_is_new(search, index) && !is_mutant(search, g)) {
        *out_index = index;
        return HONE_OK;
    }
    if (index < 0)
        return HONE_OK;
    search->space.get(search->space.user, index, g->child);
    if (hone__chance_bits(&search->chance) & 1)
        move = HONE_MOVE_STRICT;
    *out_index = hone__move_random(search, g->child, move, 1);
    if (*out_index < 0)
        *out_index = hone__move_random(search, g->child, HONE_MOVE_PAIR, 1);
    return HONE_OK;
}

static void draw_anew(hone_search *search, genetic *g)
{
    g->population.n = 0;
    g->best_ns = INFINITY;
    g->n_stall = 0;
    g->n_barren = 0;
    for (int i = 0; i < POPULATION; ++i) {
        const int64_t slot = hone__trial_pick(search, STARTERS);

        if (slot >= 0)
            (void)hone__elite_learn(search, &g->population, slot);
    }
    if (g->population.n)
        g->best_ns = search->trials[g->population.slots[0]].time_ns;
}

static void learn(hone_search *search, int64_t slot)
{
    genetic *g = search->state;
    const double time_ns = search->trials[slot].time_ns;

    if (++g->n_stall > STALL * g->neighbourhood)
        draw_anew(search, g);
    ++g->n_barren;
    if (hone__elite_learn(search, &g->population, slot))
        g->n_barren = 0;
    if (time_ns < g->best_ns) {
        g->best_ns = time_ns;
        g->n_stall = 0;
    }
}

const hone_strategy hone__strategy_genetic = {
    .name = "genetic",
    .summary = "children of two fast configurations, some mutated, one at a "
               "time",
    .n_spread = 16,
    .state_bytes = sizeof(genetic),
    .start = start,
    .stop = stop,
    .propose = propose,
    .learn = learn,
};
