/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over neighbours that also goes to slower ones, ever less often:
 * simulated annealing. It remembers no path: whatever is answered close to
 * where it stands is a step that it may take, whoever proposed it, and when.
 */
#ifndef HONE_TUNER_SEARCH_WALK_H
#define HONE_TUNER_SEARCH_WALK_H

#include "tuner/search/strategy.h"

/* What a strategy's state begins with. */
typedef struct hone_walk {
    int64_t at;      /* trial; -1: none is valid yet */
    double best_ns;  /* since the start */
    int64_t n_cycle; /* trials since then */
    int64_t n_stall; /* and since the last progress */
} hone_walk;

/* A strategy's `start` and `learn`, or the begin of them. */
hone_status hone__walk_start(hone_search *search, hone_error *err);
void hone__walk_learn(hone_search *search, int64_t slot);

#endif
