/* SPDX-License-Identifier: Apache-2.0 */
/* Space-filling: every value of every parameter as often as its others, as
 * far as the constraints allow. */
#include "tuner/search/strategy.h"

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    (void)err;
    *out_index = hone__search_spread(search);
    return HONE_OK;
}

const hone_strategy hone__strategy_latin = {
    .name = "latin",
    .summary = "spread evenly over the values of every parameter",
    .is_blind = 1,
    .propose = propose,
};
