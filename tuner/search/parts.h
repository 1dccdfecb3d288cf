/* SPDX-License-Identifier: Apache-2.0 */
/* What several strategies are made of: a descent, a walk, the fastest trials so
 * far, a population. */
#ifndef HONE_TUNER_SEARCH_PARTS_H
#define HONE_TUNER_SEARCH_PARTS_H

#include "tuner/search/strategy.h"

/* Descent: from a trial to a faster neighbour, and on from there, until no
 * neighbour is left. */
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

/* A walk over neighbours that also goes to slower ones, ever less often:
 * simulated annealing. It remembers no path: whatever is answered close to
 * where it stands is a step that it may take, whoever proposed it, and when.
 */

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

/* The fastest trials so far; and a population without generations: whatever is
 * answered joins it if it is faster than the slowest member. When it has made
 * no progress for long it is drawn anew. */

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
