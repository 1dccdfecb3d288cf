/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy is and what it may use. Adding one: a file that defines a
 * hone_strategy, and its row in strategies.c. */
#ifndef HONE_TUNER_SEARCH_STRATEGY_H
#define HONE_TUNER_SEARCH_STRATEGY_H

#include "tuner/search/chance.h"
#include "tuner/search/search.h"

#include <math.h>

/* One configuration that was asked for or told. */
typedef struct hone_search_trial {
    int64_t index;
    double time_ns; /* INFINITY: it failed; NAN: not told yet */
    double cost_s;
    int tag; /* what `propose` left in search->tag; 0 for all others */
} hone_search_trial;

typedef struct hone_strategy {
    const char *name;
    const char *summary; /* one sentence */
    int is_blind;        /* what it proposes does not depend on answers */
    /* Spread over the space and tried before anything is proposed. */
    int64_t n_spread;
    size_t state_bytes; /* of search->state, zeroed */
    /* All may be NULL but `propose`. */
    hone_status (*start)(hone_search *search, hone_error *err);
    void (*stop)(hone_search *search);
    /* A configuration that is new (hone__search_is_new), in as many calls in
     * a row as the caller likes without an answer in between. -1: no idea; a
     * random new one is taken then. HONE_ERR_NO_MEMORY. */
    hone_status (*propose)(hone_search *search, int64_t *out_index,
                           hone_error *err);
    /* `slot` of the trials was answered. */
    void (*learn)(hone_search *search, int64_t slot);
} hone_strategy;

struct hone_search {
    const hone_strategy *strategy;
    void *state;
    int tag; /* for the strategy: goes into the trial it proposes */
    hone_search_space space;
    hone_chance chance;
    hone_permutation permutation; /* of the space, for random new ones */
    int64_t n_drawn;              /* of it */
    int64_t budget_trials;
    int64_t *first;
    size_t n_first;
    size_t at_first;
    int64_t n_spread; /* left to do */
    int *uses;        /* how often each value was spread, by parameter */
    size_t *use_base; /* where a parameter's begin */
    int *row;         /* space for a configuration */
    size_t *free;     /* the parameters with more than one value */
    size_t n_free;

    hone_search_trial *trials;
    int *values; /* n_params value indexes for each trial */
    int64_t n_trials;
    int64_t capacity;
    int64_t *table; /* from configuration to trial + 1 */
    size_t table_size;
    int64_t *told; /* trials in the order they were answered */
    int64_t n_told;
    int64_t n_valid; /* answered with a time */
    int64_t best;    /* trial, -1: none is valid */
};

/* The trial of a configuration, -1 if it is new. */
int64_t hone__search_slot(const hone_search *search, int64_t index);
int hone__search_is_new(const hone_search *search, int64_t index);
/* Its value indexes. */
const int *hone__search_values(const hone_search *search, int64_t slot);
/* In how many parameters two trials differ. */
size_t hone__search_distance(const hone_search *search, int64_t a, int64_t b);
/* A random configuration, new or not. */
int64_t hone__search_any(hone_search *search);
/* A random new one, -1 if there is none left. */
int64_t hone__search_any_new(hone_search *search);
/* A new one whose values were rarely spread so far, of some random ones. */
int64_t hone__search_spread(hone_search *search);

/* ---- moves (moves.c): all end in valid configurations -------------------
 */

/* How far a move goes. */
typedef enum hone_move {
    HONE_MOVE_STRICT,   /* one parameter, one step along its values */
    HONE_MOVE_ADJACENT, /* some parameters, one step each */
    HONE_MOVE_HAMMING,  /* one parameter, any other value */
    HONE_MOVE_PAIR,     /* two parameters, any other values */
    HONE_N_MOVES
} hone_move;

/* A random neighbour of `values`, -1 if a number of attempts found none that
 * is valid. With `only_new`, one that is new. */
int64_t hone__move_random(hone_search *search, const int *values,
                          hone_move move, int only_new);
/* A new one close to `values` (not search->row): a neighbour if there is a
 * new one, else two parameters away. -1 if a number of attempts found none.
 */
int64_t hone__move_near(hone_search *search, const int *values);
/* How many HAMMING neighbours there can be. */
size_t hone__move_capacity(const hone_search *search);
/* The valid configuration at `values`, or one that differs from it in as few
 * parameters, by as few steps, as a number of attempts finds, with values of
 * `fallback` (valid) where nothing else helps. */
int64_t hone__move_repair(hone_search *search, const int *values,
                          const int *fallback);
/* `n` parameters, drawn with repetition, at any value, repaired. */
int64_t hone__move_kick(hone_search *search, const int *values, int n);
/* Each value of one of two parents, repaired. */
int64_t hone__move_cross(hone_search *search, const int *a, const int *b);

#endif
