/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: the plain walk. */
#include "tuner/search/walk.h"

static hone_status start(hone_search *search, hone_error *err)
{
    (void)err;
    hone__walk_open(search, search->state);
    return HONE_OK;
}

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    const hone_walk *walk = search->state;

    (void)err;
    if (walk->at >= 0)
        *out_index = hone__walk_propose(search, walk);
    return HONE_OK;
}

static void learn(hone_search *search, int64_t slot)
{
    hone__walk_learn(search, search->state, slot);
}

const hone_strategy hone__strategy_annealing = {
    .name = "annealing",
    .summary = "simulated annealing: slower neighbours are accepted, ever "
               "less often",
    .n_spread = 12,
    .state_bytes = sizeof(hone_walk),
    .start = start,
    .propose = propose,
    .learn = learn,
};
