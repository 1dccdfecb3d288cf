/* SPDX-License-Identifier: Apache-2.0 */
/* Every configuration in the space's order: neighbours in it differ in the
 * parameters that come last, so that some share a compile. */
#include "tuner/search/strategy.h"

static int64_t propose(hone_search *search)
{
    int64_t *next = search->state;

    while (*next < search->space.count && !hone__search_is_new(search, *next))
        ++*next;
    return *next < search->space.count ? *next : -1;
}

const hone_strategy hone__strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every configuration, in order",
    .is_blind = 1,
    .state_bytes = sizeof(int64_t),
    .propose = propose,
};
