/* SPDX-License-Identifier: Apache-2.0 */
/* What several strategies are made of: a descent, a walk, the fastest trials so
 * far, a population. */
#ifndef HONE_TUNER_SEARCH_PARTS_H
#define HONE_TUNER_SEARCH_PARTS_H

#include "tuner/search/strategy.h"

/* A stall: trials without a gain that means something. Gains are measured
 * against the last one that counted, so that many small ones add up, and none
 * of them alone starts the count anew. When patience is over, the valley is
 * noted as left, and the next start is the fastest trial outside all valleys
 * that were left: often one that was tried for the sake of exploring. If there
 * is none, a configuration far from all trials is asked for. */
enum {
    HONE_LEFT_MOST = 32,
    HONE_TAG_START = 1000 /* of that configuration; others' tags are lower */
};

typedef struct hone_stall {
    double anchor_ns;             /* the last gain that counted; 0: none */
    int64_t n;                    /* trials since */
    int64_t left[HONE_LEFT_MOST]; /* trials where a valley was left */
    int64_t n_left;
    enum { HONE_START_NONE, HONE_START_WANTED, HONE_START_ASKED } start;
} hone_stall;

/* Is `to_ns` enough faster? By a part of how far times lie apart: half a
 * percent is much where they all lie within two. `from_ns` 0: yes. */
int hone__search_is_gain(const hone_search *search, double from_ns,
                         double to_ns);
/* One more trial. Returns whether it is time to leave. */
int hone__stall_grows(const hone_search *search, hone_stall *stall);
/* It stands at `slot` now: if that is a gain, the count starts anew. */
void hone__stall_learn(const hone_search *search, hone_stall *stall,
                       int64_t slot);
/* Leave the valley of `at`, a trial or -1. Returns where to start, -1: where
 * it stands, until the start that is wanted now was answered. */
int64_t hone__stall_leave(const hone_search *search, hone_stall *stall,
                          int64_t at);
/* For `propose`: the start that is wanted; -1: none is. */
int64_t hone__stall_propose(hone_search *search, hone_stall *stall);
/* For `learn`: is `slot` the start that was asked for, with a time? */
int hone__stall_starts(const hone_search *search, hone_stall *stall,
                       int64_t slot);

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
    int64_t n_cycle; /* trials since the start */
    hone_stall stall;
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
