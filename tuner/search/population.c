/* SPDX-License-Identifier: Apache-2.0 */
/* A population and its renewal. */
#include "tuner/search/population.h"

int hone__elite_learn(const hone_search *search, hone_elite *elite,
                      int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;
    size_t at = elite->n;

    if (isinf(time_ns))
        return 0;
    for (size_t i = 0; i < elite->n; ++i)
        if (elite->slots[i] == slot)
            return 0;
    while (at > 0 && search->trials[elite->slots[at - 1]].time_ns > time_ns)
        --at;
    if (at >= elite->capacity)
        return 0;
    if (elite->n < elite->capacity)
        ++elite->n;
    for (size_t i = elite->n - 1; i > at; --i)
        elite->slots[i] = elite->slots[i - 1];
    elite->slots[at] = slot;
    return 1;
}

int64_t hone__elite_pick(hone_search *search, const hone_elite *elite, int n)
{
    int64_t best = (int64_t)elite->n;

    for (int i = 0; i < n; ++i) {
        const int64_t pick =
            hone__chance_below(&search->chance, (int64_t)elite->n);

        if (pick < best)
            best = pick;
    }
    return elite->slots[best];
}

/* ---- a population ------------------------------------------------------- */

/* Measured on the recorded spaces: half or twice of each does about as well.
 * Without renewal the population stays in the first good valley for good. */
enum {
    MEMBERS = 12, /* 8 and 18 do as well, too */
    STALL = 2,    /* trials without progress until it is drawn anew, in
                     neighbourhoods */
    STARTERS = 2  /* of as many trials at random, the fastest joins */
};

hone_status hone__population_start(hone_search *search, hone_error *err)
{
    hone_population *population = search->state;

    population->members.capacity = MEMBERS;
    population->best_ns = INFINITY;
    population->child = hone__search_alloc(
        search, search->space.n_params * sizeof *population->child, err);
    return population->child ? HONE_OK : HONE_ERR_NO_MEMORY;
}

static void draw_anew(hone_search *search, hone_population *population)
{
    hone_elite *members = &population->members;

    members->n = 0;
    population->best_ns = INFINITY;
    population->n_stall = 0;
    population->n_barren = 0;
    for (size_t i = 0; i < members->capacity; ++i) {
        const int64_t slot = hone__search_pick(search, STARTERS);

        if (slot >= 0)
            (void)hone__elite_learn(search, members, slot);
    }
    if (members->n)
        population->best_ns = search->trials[members->slots[0]].time_ns;
}

void hone__population_learn(hone_search *search, int64_t slot)
{
    hone_population *population = search->state;
    const double time_ns = search->trials[slot].time_ns;

    if (++population->n_stall > STALL * search->neighbourhood)
        draw_anew(search, population);
    ++population->n_barren;
    if (hone__elite_learn(search, &population->members, slot))
        population->n_barren = 0;
    if (time_ns < population->best_ns) {
        population->best_ns = time_ns;
        population->n_stall = 0;
    }
}
