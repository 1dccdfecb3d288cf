/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: a walk over neighbours that also goes to slower ones,
 * ever less often. It remembers no path: whatever is answered close to where
 * it stands is a step that it may take, whoever proposed it, and when. */
#include "tuner/search/acceptance.h"
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

typedef struct annealing {
    hone_scatter scatter;
    int64_t neighbourhood; /* how many neighbours there can be */
    int64_t at;            /* trial; -1: none is valid yet */
    double best_ns;        /* since the start */
    int64_t n_cycle;       /* trials since then */
    int64_t n_stall;       /* and since the last progress */
} annealing;

static hone_status start(hone_search *search, hone_error *err)
{
    annealing *a = search->state;

    (void)err;
    a->at = -1;
    a->best_ns = INFINITY;
    a->neighbourhood = (int64_t)hone__move_capacity(search);
    return HONE_OK;
}

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    const annealing *a = search->state;

    (void)err;
    if (a->at >= 0)
        *out_index =
            hone__move_near(search, hone__search_values(search, a->at));
    return HONE_OK;
}

static void start_elsewhere(hone_search *search, annealing *a)
{
    const int64_t slot = hone__trial_pick(search, STARTS);

    a->n_cycle = 0;
    a->n_stall = 0;
    if (slot < 0)
        return;
    a->at = slot;
    a->best_ns = search->trials[slot].time_ns;
}

static double temperature(const annealing *a)
{
    const double length = (double)(CYCLE * a->neighbourhood + 1);
    const double done = fmin(1, (double)a->n_cycle / length);

    return hone__scatter_of(&a->scatter) * hottest *
           pow(coldest / hottest, done);
}

static void learn(hone_search *search, int64_t slot)
{
    annealing *a = search->state;
    const double time_ns = search->trials[slot].time_ns;

    hone__scatter_learn(search, &a->scatter, slot);
    ++a->n_cycle;
    if (++a->n_stall > STALL * a->neighbourhood)
        start_elsewhere(search, a);
    if (isinf(time_ns))
        return;
    /* Two parameters: of a few answers that are on their way at the same
     * time, each may be a neighbour of the one before. */
    if (a->at < 0 || slot == search->best ||
        (hone__search_distance(search, slot, a->at) <= 2 &&
         hone__accept(search, search->trials[a->at].time_ns, time_ns,
                      temperature(a))))
        a->at = slot;
    if (a->at == slot && time_ns < a->best_ns) {
        a->best_ns = time_ns;
        a->n_stall = 0;
    }
}

const hone_strategy hone__strategy_annealing = {
    .name = "annealing",
    .summary = "simulated annealing: slower neighbours are accepted, ever "
               "less often",
    .n_spread = 12,
    .state_bytes = sizeof(annealing),
    .start = start,
    .propose = propose,
    .learn = learn,
};
