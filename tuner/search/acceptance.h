/* SPDX-License-Identifier: Apache-2.0 */
/* When a search goes on from a slower configuration. Times are compared by
 * their ratios: the same strategy serves kernels of microseconds and of
 * seconds. */
#ifndef HONE_TUNER_SEARCH_ACCEPTANCE_H
#define HONE_TUNER_SEARCH_ACCEPTANCE_H

#include "tuner/search/strategy.h"

/* How far the times of a space lie apart. */
typedef struct hone_scatter {
    int64_t n;
    double mean; /* of log(time) */
    double squares;
} hone_scatter;

/* A trial was answered; failed ones tell nothing about distances. */
void hone__scatter_learn(const hone_search *search, hone_scatter *scatter,
                         int64_t slot);
/* The standard deviation of log(time): 0.1 means that times differ by 10 %.
 * Never 0. */
double hone__scatter_of(const hone_scatter *scatter);

/* Metropolis: always for a faster one, else with exp(-log(to / from) /
 * temperature). Both times are valid. */
int hone__accept(hone_search *search, double from_ns, double to_ns,
                 double temperature);

#endif
