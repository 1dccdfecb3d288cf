/* SPDX-License-Identifier: Apache-2.0 */
/* Descent: from a trial to a faster neighbour, and on from there, until no
 * neighbour is left. */
#ifndef HONE_TUNER_SEARCH_DESCENT_H
#define HONE_TUNER_SEARCH_DESCENT_H

#include "tuner/search/strategy.h"

typedef struct hone_descent_step {
    int param;
    int value;
    double turn; /* ascending */
} hone_descent_step;

/* Neighbours differ in one parameter. They come in an order by chance that a
 * step down does not begin anew: what was just tried around the last place is
 * unlikely to be better around this one. */
typedef struct hone_descent {
    int64_t at; /* trial, answered with a time; -1: nowhere */
    hone_descent_step *steps;
    size_t n;
    size_t next;
    size_t n_tried; /* steps since it came to `at` */
} hone_descent;

/* HONE_ERR_NO_MEMORY */
hone_status hone__descent_open(hone_search *search, hone_descent *descent,
                               hone_error *err);
/* Start at a trial that was answered with a time. */
void hone__descent_start(hone_search *search, hone_descent *descent,
                         int64_t slot);
/* A new neighbour; -1: there is none (left). */
int64_t hone__descent_next(hone_search *search, hone_descent *descent);
/* A trial was answered: go there if it is a faster neighbour, or the fastest
 * of all. Returns whether it went. */
int hone__descent_learn(const hone_search *search, hone_descent *descent,
                        int64_t slot);

#endif
