/* SPDX-License-Identifier: Apache-2.0 */
/* What several strategies are made of: see parts.h. */
#include "tuner/search/parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- descent ------------------------------------------------------------ */

hone_status hone__descent_open(hone_search *search, hone_descent *descent,
                               hone_error *err)
{
    size_t n = 0;

    *descent = (hone_descent){.at = -1};
    for (size_t i = 0; i < search->n_free; ++i)
        n += (size_t)search->space.n_values[search->free[i]];
    descent->steps =
        hone__search_alloc(search, n * sizeof *descent->steps, err);
    if (!descent->steps)
        return HONE_ERR_NO_MEMORY;
    for (size_t i = 0; i < search->n_free; ++i) {
        const int param = (int)search->free[i];

        for (int v = 0; v < search->space.n_values[param]; ++v)
            descent->steps[descent->n++] = (hone_descent_step){param, v, 0};
    }
    return HONE_OK;
}

static int compare_turns(const void *a, const void *b)
{
    const hone_descent_step *const x = a;
    const hone_descent_step *const y = b;

    return (x->turn > y->turn) - (x->turn < y->turn);
}

/* By chance, but values far away come later: each delays its turn by so much
 * of all turns. Without this, a parameter with many values gets most of the
 * first trials. */
static const double delay = 0.125;

void hone__descent_start(hone_search *search, hone_descent *descent,
                         int64_t slot)
{
    const int *values = hone__search_values(search, slot);

    for (size_t i = 0; i < descent->n; ++i) {
        hone_descent_step *step = &descent->steps[i];

        step->turn = hone__chance_unit(&search->chance) +
                     delay * abs(step->value - values[step->param]);
    }
    qsort(descent->steps, descent->n, sizeof *descent->steps, compare_turns);
    descent->at = slot;
    descent->next = 0;
    descent->n_tried = 0;
}

int64_t hone__descent_next(hone_search *search, hone_descent *descent)
{
    const int *own;
    size_t bytes;

    if (descent->at < 0)
        return -1;
    own = hone__search_values(search, descent->at);
    bytes = search->space.n_params * sizeof *search->row;
    memcpy(search->row, own, bytes);
    while (descent->n_tried < descent->n) {
        const hone_descent_step step = descent->steps[descent->next];
        int64_t index;

        ++descent->n_tried;
        if (++descent->next == descent->n)
            descent->next = 0;
        if (step.value == own[step.param])
            continue;
        search->row[step.param] = step.value;
        index = search->space.find(search->space.user, search->row);
        if (hone__search_is_new(search, index))
            return index;
        memcpy(search->row, own, bytes);
    }
    return -1;
}

int hone__descent_learn(const hone_search *search, hone_descent *descent,
                        int64_t slot)
{
    const hone_search_trial *trials = search->trials;

    if (isinf(trials[slot].time_ns))
        return 0;
    if (descent->at >= 0 &&
        (trials[slot].time_ns >= trials[descent->at].time_ns ||
         (slot != search->best &&
          hone__search_distance(search, slot, descent->at) > 1)))
        return 0;
    descent->at = slot;
    descent->n_tried = 0;
    return 1;
}

/* ---- walk --------------------------------------------------------------- */

/* Temperatures are fractions of the scatter of the times. Measured on the
 * recorded spaces: half or twice of each does about as well. */
static const double hottest = 0.15;
static const double coldest = 0.05;
enum { CYCLE = 2 /* trials from hot to cold, in neighbourhoods */ };

hone_status hone__walk_start(hone_search *search, hone_error *err)
{
    (void)err;
    *(hone_walk *)search->state = (hone_walk){.at = -1};
    return HONE_OK;
}

static void walk_elsewhere(hone_search *search, hone_walk *walk)
{
    const int64_t slot = hone__stall_leave(search, &walk->stall, walk->at);

    walk->n_cycle = 0;
    if (slot >= 0)
        walk->at = slot;
}

static double temperature(const hone_search *search, const hone_walk *walk)
{
    const double length = (double)(CYCLE * search->neighbourhood + 1);
    const double done = fmin(1, (double)walk->n_cycle / length);

    return hone__search_scatter(search) * hottest *
           pow(coldest / hottest, done);
}

void hone__walk_learn(hone_search *search, int64_t slot)
{
    hone_walk *walk = search->state;
    const double time_ns = search->trials[slot].time_ns;

    ++walk->n_cycle;
    if (hone__stall_grows(search, &walk->stall))
        walk_elsewhere(search, walk);
    if (hone__stall_starts(search, &walk->stall, slot)) {
        walk->at = slot;
        walk->n_cycle = 0;
    }
    if (isinf(time_ns))
        return;
    /* Two parameters: of a few answers that are on their way at the same
     * time, each may be a neighbour of the one before. */
    if (walk->at < 0 || slot == search->best ||
        (hone__search_distance(search, slot, walk->at) <= 2 &&
         hone__search_accepts(search, search->trials[walk->at].time_ns, time_ns,
                              temperature(search, walk))))
        walk->at = slot;
    if (walk->at == slot)
        hone__stall_learn(search, &walk->stall, slot);
}

/* ---- the fastest -------------------------------------------------------- */

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
