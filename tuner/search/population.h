/* SPDX-License-Identifier: Apache-2.0 */
/* The fastest trials so far; and a population without generations: whatever is
 * answered joins it if it is faster than the slowest member. When it has made
 * no progress for long it is drawn anew. */
#ifndef HONE_TUNER_SEARCH_POPULATION_H
#define HONE_TUNER_SEARCH_POPULATION_H

#include "tuner/search/strategy.h"

enum { HONE_ELITE_MOST = 64 };

typedef struct hone_elite {
    int64_t slots[HONE_ELITE_MOST]; /* of trials, fastest first */
    size_t n;
    size_t capacity; /* <= HONE_ELITE_MOST */
} hone_elite;

/* A trial was answered. Returns whether it joined the fastest: failed ones
 * and those that have joined already do not. */
int hone__elite_learn(const hone_search *search, hone_elite *elite,
                      int64_t slot);
/* The fastest of `n` at random, which must not be empty. */
int64_t hone__elite_pick(hone_search *search, const hone_elite *elite, int n);

/* The state of a strategy. */
typedef struct hone_population {
    hone_elite members;
    double best_ns;   /* of this population */
    int64_t n_stall;  /* trials since it became faster */
    int64_t n_barren; /* trials since the last that joined */
    int *child;       /* space for one */
} hone_population;

/* A strategy's `start` and `learn`. */
hone_status hone__population_start(hone_search *search, hone_error *err);
void hone__population_learn(hone_search *search, int64_t slot);

#endif
