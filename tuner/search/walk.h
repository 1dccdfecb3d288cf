/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over neighbours that also goes to slower ones, ever less often:
 * simulated annealing. It remembers no path: whatever is answered close to
 * where it stands is a step that it may take, whoever proposed it, and when.
 */
#ifndef HONE_TUNER_SEARCH_WALK_H
#define HONE_TUNER_SEARCH_WALK_H

#include "tuner/search/acceptance.h"

typedef struct hone_walk {
    hone_scatter scatter;
    int64_t neighbourhood; /* how many neighbours there can be */
    int64_t at;            /* trial; -1: none is valid yet */
    double best_ns;        /* since the start */
    int64_t n_cycle;       /* trials since then */
    int64_t n_stall;       /* and since the last progress */
} hone_walk;

void hone__walk_open(hone_search *search, hone_walk *walk);
/* A new neighbour of where it stands, which must be somewhere; -1: a number
 * of attempts found none. */
int64_t hone__walk_propose(hone_search *search, const hone_walk *walk);
/* A trial was answered. */
void hone__walk_learn(hone_search *search, hone_walk *walk, int64_t slot);

#endif
