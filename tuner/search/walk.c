/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: see walk.h. */
#include "tuner/search/walk.h"

#include "tuner/search/elite.h"

/* Temperatures are fractions of the scatter of the times. Measured on the
 * recorded spaces: half or twice of each does about as well. */
static const double hottest = 0.15;
static const double coldest = 0.05;
enum {
    CYCLE = 2, /* trials from hot to cold, in neighbourhoods */
    STALL = 1, /* and without progress until it starts elsewhere */
    STARTS = 8 /* of as many trials at random, the fastest */
};

void hone__walk_open(hone_search *search, hone_walk *walk)
{
    *walk = (hone_walk){.at = -1,
                        .best_ns = INFINITY,
                        .neighbourhood = (int64_t)hone__move_capacity(search)};
}

int64_t hone__walk_propose(hone_search *search, const hone_walk *walk)
{
    const int *values = hone__search_values(search, walk->at);
    hone_move move = HONE_MOVE_HAMMING;
    int64_t index;

    if (hone__chance_bits(&search->chance) & 1)
        move = HONE_MOVE_STRICT;
    index = hone__move_random(search, values, move, 1);
    return index >= 0 ? index
                      : hone__move_random(search, values, HONE_MOVE_PAIR, 1);
}

static void start_elsewhere(hone_search *search, hone_walk *walk)
{
    const int64_t slot = hone__trial_pick(search, STARTS);

    walk->n_cycle = 0;
    walk->n_stall = 0;
    if (slot < 0)
        return;
    walk->at = slot;
    walk->best_ns = search->trials[slot].time_ns;
}

static double temperature(const hone_walk *walk)
{
    const double length = (double)(CYCLE * walk->neighbourhood + 1);
    const double done = fmin(1, (double)walk->n_cycle / length);

    return hone__scatter_of(&walk->scatter) * hottest *
           pow(coldest / hottest, done);
}

void hone__walk_learn(hone_search *search, hone_walk *walk, int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;

    hone__scatter_learn(search, &walk->scatter, slot);
    ++walk->n_cycle;
    if (++walk->n_stall > STALL * walk->neighbourhood)
        start_elsewhere(search, walk);
    if (isinf(time_ns))
        return;
    /* Two parameters: of a few answers that are on their way at the same
     * time, each may be a neighbour of the one before. */
    if (walk->at < 0 || slot == search->best ||
        (hone__search_distance(search, slot, walk->at) <= 2 &&
         hone__accept(search, search->trials[walk->at].time_ns, time_ns,
                      temperature(walk))))
        walk->at = slot;
    if (walk->at == slot && time_ns < walk->best_ns) {
        walk->best_ns = time_ns;
        walk->n_stall = 0;
    }
}
