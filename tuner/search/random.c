/* SPDX-License-Identifier: Apache-2.0 */
/* Random search without replacement: what every other strategy has to beat.
 */
#include "tuner/search/strategy.h"

const hone_strategy hone__strategy_random = {
    .name = "random",
    .summary = "each configuration as likely as any other",
    .is_blind = 1,
    .propose = hone__search_any_new,
};
