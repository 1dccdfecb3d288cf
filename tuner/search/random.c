/* SPDX-License-Identifier: Apache-2.0 */
/* Random search without replacement: what every other strategy has to beat.
 */
#include "tuner/search/strategy.h"

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    (void)err;
    *out_index = hone__search_any_new(search);
    return HONE_OK;
}

const hone_strategy hone__strategy_random = {
    .name = "random",
    .summary = "each configuration as likely as any other",
    .is_blind = 1,
    .propose = propose,
};
