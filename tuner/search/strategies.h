/* SPDX-License-Identifier: Apache-2.0 */
/* The table of strategies. */
#ifndef HONE_TUNER_SEARCH_STRATEGIES_H
#define HONE_TUNER_SEARCH_STRATEGIES_H

#include "tuner/search/strategy.h"

/* NULL if there is none of this name. */
const hone_strategy *hone__strategy_find(const char *name);

#endif
