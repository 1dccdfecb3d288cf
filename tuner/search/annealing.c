/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated annealing: the plain walk. */
#include "tuner/search/parts.h"

static int64_t propose(hone_search *search)
{
    hone_walk *walk = search->state;
    const int64_t start = hone__stall_propose(search, &walk->stall);

    if (start >= 0 || walk->at < 0)
        return start;
    return hone__move_near(search, hone__search_values(search, walk->at));
}

const hone_strategy hone__strategy_annealing = {
    .name = "annealing",
    .summary = "simulated annealing: slower neighbours are accepted, ever "
               "less often",
    .n_spread = 12,
    .state_bytes = sizeof(hone_walk),
    .start = hone__walk_start,
    .propose = propose,
    .learn = hone__walk_learn,
};
