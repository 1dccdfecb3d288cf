/* SPDX-License-Identifier: Apache-2.0 */
/* A steady-state genetic algorithm: one child at a time. There are no
 * generations, so nothing waits for the last answer of one. */
#include "tuner/search/parts.h"

/* Measured on the recorded spaces: two thirds and one and a half times of
 * each do about as well. */
enum { MEMBERS, TOURNAMENT, MUTATION };
static const hone_strategy_option options[] = {
    {"members", 12, 2, HONE_ELITE_MOST, 1, "size of the population"},
    {"tournament", 3, 1, 16, 1,
     "each parent is the fastest of as many members"},
    {"mutation", 0.3, 0, 1, 0,
     "share of the children that are mutated; it grows while none joins"},
};
extern const hone_strategy hone__strategy_genetic;

static double option(const hone_search *search, size_t i)
{
    return hone__search_option(search, &hone__strategy_genetic, i);
}

/* Children of a population that has become uniform are mostly known already,
 * and those that are not rarely join it: then more of them are mutated. */
static int is_mutant(hone_search *search, const hone_population *population)
{
    const double rate =
        option(search, MUTATION) +
        (double)population->n_barren / (double)(search->neighbourhood + 1);

    return hone__chance_unit(&search->chance) < rate;
}

static int64_t propose(hone_search *search)
{
    hone_population *population = search->state;
    const hone_elite *members = &population->members;
    int64_t a, b, index;

    if (members->n < 2)
        return -1;
    a = hone__elite_pick(search, members, (int)option(search, TOURNAMENT));
    b = hone__elite_pick(search, members, (int)option(search, TOURNAMENT));
    index = hone__move_cross(search, hone__search_values(search, a),
                             hone__search_values(search, b));
    if (hone__search_is_new(search, index) && !is_mutant(search, population))
        return index;
    search->space.get(search->space.user, index, population->child);
    return hone__move_near(search, population->child);
}

static hone_status start(hone_search *search, hone_error *err)
{
    hone_population *population = search->state;

    HONE_TRY(hone__population_start(search, err));
    population->members.capacity = (size_t)option(search, MEMBERS);
    return HONE_OK;
}

const hone_strategy hone__strategy_genetic = {
    .name = "genetic",
    .summary = "children of two fast configurations, some mutated, one at a "
               "time",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .n_spread = 16,
    .state_bytes = sizeof(hone_population),
    .start = start,
    .propose = propose,
    .learn = hone__population_learn,
};
