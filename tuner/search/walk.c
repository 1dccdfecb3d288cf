/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: see walk.h. */
#include "tuner/search/walk.h"

/* Temperatures are fractions of the scatter of the times. Measured on the
 * recorded spaces: half or twice of each does about as well. */
static const double hottest = 0.15;
static const double coldest = 0.05;
enum {
    CYCLE = 2, /* trials from hot to cold, in neighbourhoods */
    STALL = 1, /* and without progress until it starts elsewhere */
    STARTS = 8 /* of as many trials at random, the fastest */
};

hone_status hone__walk_start(hone_search *search, hone_error *err)
{
    (void)err;
    *(hone_walk *)search->state = (hone_walk){.at = -1, .best_ns = INFINITY};
    return HONE_OK;
}

static void start_elsewhere(hone_search *search, hone_walk *walk)
{
    const int64_t slot = hone__search_pick(search, STARTS);

    walk->n_cycle = 0;
    walk->n_stall = 0;
    if (slot < 0)
        return;
    walk->at = slot;
    walk->best_ns = search->trials[slot].time_ns;
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
    if (++walk->n_stall > STALL * search->neighbourhood)
        start_elsewhere(search, walk);
    if (isinf(time_ns))
        return;
    /* Two parameters: of a few answers that are on their way at the same
     * time, each may be a neighbour of the one before. */
    if (walk->at < 0 || slot == search->best ||
        (hone__search_distance(search, slot, walk->at) <= 2 &&
         hone__search_accepts(search, search->trials[walk->at].time_ns, time_ns,
                              temperature(search, walk))))
        walk->at = slot;
    if (walk->at == slot && time_ns < walk->best_ns) {
        walk->best_ns = time_ns;
        walk->n_stall = 0;
    }
}
