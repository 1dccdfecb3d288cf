/* SPDX-License-Identifier: Apache-2.0 */
/* A population and its renewal. */
#include "tuner/search/population.h"

#include "runtime/base/alloc.h"

/* Measured on the recorded spaces: half or twice of each does about as well.
 * Without renewal the population stays in the first good valley for good. */
enum {
    STALL = 2,   /* trials without progress until it is drawn anew, in
                    neighbourhoods */
    STARTERS = 2 /* of as many trials at random, the fastest joins */
};

hone_status hone__population_open(hone_search *search,
                                  hone_population *population, size_t size,
                                  hone_error *err)
{
    *population = (hone_population){
        .best_ns = INFINITY,
        .neighbourhood = (int64_t)hone__move_capacity(search),
        .child = hone__alloc((search->space.n_params + 1) * sizeof(int))};
    population->members.capacity = size;
    return population->child ? HONE_OK
                             : hone__fail(err, HONE_ERR_NO_MEMORY,
                                          "out of memory in the search");
}

void hone__population_close(hone_population *population)
{
    hone__free(population->child);
}

static void draw_anew(hone_search *search, hone_population *population)
{
    hone_elite *members = &population->members;

    members->n = 0;
    population->best_ns = INFINITY;
    population->n_stall = 0;
    population->n_barren = 0;
    for (size_t i = 0; i < members->capacity; ++i) {
        const int64_t slot = hone__trial_pick(search, STARTERS);

        if (slot >= 0)
            (void)hone__elite_learn(search, members, slot);
    }
    if (members->n)
        population->best_ns = search->trials[members->slots[0]].time_ns;
}

void hone__population_learn(hone_search *search, hone_population *population,
                            int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;

    if (++population->n_stall > STALL * population->neighbourhood)
        draw_anew(search, population);
    ++population->n_barren;
    if (hone__elite_learn(search, &population->members, slot))
        population->n_barren = 0;
    if (time_ns < population->best_ns) {
        population->best_ns = time_ns;
        population->n_stall = 0;
    }
}
