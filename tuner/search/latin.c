/* SPDX-License-Identifier: Apache-2.0 */
/* Space-filling: every value of every parameter as often as its others, as
 * far as the constraints allow. */
#include "tuner/search/strategy.h"

const hone_strategy hone__strategy_latin = {
    .name = "latin",
    .summary = "spread evenly over the values of every parameter",
    .is_blind = 1,
    .propose = hone__search_spread,
};
