/* SPDX-License-Identifier: Apache-2.0 */
/* Every configuration in the space's order: neighbours in it differ in the
 * parameters that come last, so that some share a compile. */
#include "tuner/search/strategy.h"

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    int64_t *next = search->state;

    (void)err;
    while (*next < search->space.count && !hone__search_is_new(search, *next))
        ++*next;
    *out_index = *next < search->space.count ? *next : -1;
    return HONE_OK;
}

const hone_strategy hone__strategy_exhaustive = {
    .name = "exhaustive",
    .summary = "every configuration, in order",
    .is_blind = 1,
    .state_bytes = sizeof(int64_t),
    .propose = propose,
};
