/* SPDX-License-Identifier: Apache-2.0 */
/* A steady-state genetic algorithm: one child at a time. There are no
 * generations, so nothing waits for the last answer of one. */
#include "tuner/search/population.h"

/* Measured on the recorded spaces: two thirds and one and a half times of
 * each do about as well. */
enum { MEMBERS = 12, TOURNAMENT = 3 };
static const double least_mutation = 0.3;

static hone_status start(hone_search *search, hone_error *err)
{
    return hone__population_open(search, search->state, MEMBERS, err);
}

static void stop(hone_search *search)
{
    hone__population_close(search->state);
}

/* Children of a population that has become uniform are mostly known already,
 * and those that are not rarely join it: then more of them are mutated. */
static int is_mutant(hone_search *search, const hone_population *population)
{
    const double rate =
        least_mutation +
        (double)population->n_barren / (double)(population->neighbourhood + 1);

    return hone__chance_unit(&search->chance) < rate;
}

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    hone_population *population = search->state;
    const hone_elite *members = &population->members;
    int64_t a, b;

    (void)err;
    if (members->n < 2)
        return HONE_OK;
    a = hone__elite_pick(search, members, TOURNAMENT);
    b = hone__elite_pick(search, members, TOURNAMENT);
    *out_index = hone__move_cross(search, hone__search_values(search, a),
                                  hone__search_values(search, b));
    if (hone__search_is_new(search, *out_index) &&
        !is_mutant(search, population))
        return HONE_OK;
    search->space.get(search->space.user, *out_index, population->child);
    *out_index = hone__move_near(search, population->child);
    return HONE_OK;
}

static void learn(hone_search *search, int64_t slot)
{
    hone__population_learn(search, search->state, slot);
}

const hone_strategy hone__strategy_genetic = {
    .name = "genetic",
    .summary = "children of two fast configurations, some mutated, one at a "
               "time",
    .n_spread = 16,
    .state_bytes = sizeof(hone_population),
    .start = start,
    .stop = stop,
    .propose = propose,
    .learn = learn,
};
