/* SPDX-License-Identifier: Apache-2.0 */
/* The fastest trials so far, and picks among trials. */
#ifndef HONE_TUNER_SEARCH_ELITE_H
#define HONE_TUNER_SEARCH_ELITE_H

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
/* The same of all trials that were answered; -1 if all of the `n` failed. */
int64_t hone__trial_pick(hone_search *search, int n);

#endif
