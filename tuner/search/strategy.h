/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy is and what it may use. Adding one: a file that defines a
 * hone_strategy, and its row in strategies.c. */
#ifndef HONE_TUNER_SEARCH_STRATEGY_H
#define HONE_TUNER_SEARCH_STRATEGY_H

#include "tuner/search/chance.h"
#include "tuner/search/search.h"

#include "runtime/base/alloc.h"

#include <math.h>

/* One configuration that was asked for or told. */
typedef struct hone_search_trial {
    int64_t index;
    double time_ns; /* INFINITY: it failed; NAN: not told yet */
    int tag;        /* what `propose` left in search->tag; 0 for all others */
    double guesses[HONE_SEARCH_PRIORS]; /* of the priors that there are */
} hone_search_trial;

/* A number that `--strategy NAME:option=value` sets. */
typedef struct hone_strategy_option {
    const char *name;
    double initial; /* without it */
    double least, most;
    int is_whole;
    const char *summary; /* what it does, no sentence */
} hone_strategy_option;

enum { HONE_STRATEGY_OPTIONS = 8 /* at most */ };

typedef struct hone_strategy {
    const char *name;
    const char *summary; /* one sentence */
    const hone_strategy_option *options;
    size_t n_options;
    int is_blind; /* what it proposes does not depend on answers */
    /* Spread over the space and tried before anything is proposed. */
    int64_t n_spread;
    size_t state_bytes; /* of search->state, zeroed */
    /* May be NULL. Memory comes from hone__search_alloc(): there is nothing
     * to free. HONE_ERR_NO_MEMORY. */
    hone_status (*start)(hone_search *search, hone_error *err);
    /* A configuration that is new (hone__search_is_new), in as many calls in
     * a row as the caller likes without an answer in between. -1, and one
     * that is not new: no idea; a random new one is taken then. */
    int64_t (*propose)(hone_search *search);
    /* `slot` of the trials was answered. May be NULL. */
    void (*learn)(hone_search *search, int64_t slot);
    /* The search is closed, also one whose `start` failed. May be NULL. */
    void (*finish)(hone_search *search);
    int asks_at_once; /* proposes before the first good answer, too */
} hone_strategy;

/* 'auto' where there is a guess; not in the table, since nobody names it. */
extern const hone_strategy hone__strategy_guided;

/* NULL if there is none of this name. */
const hone_strategy *hone__strategy_find(const char *name);

/* What NAME[:option=value,..] or exec:COMMAND says (spec.c). */
typedef struct hone_strategy_spec {
    const hone_strategy *strategy;
    double options[HONE_STRATEGY_OPTIONS]; /* of the strategy's, in order */
    int64_t n_spread;
    const char *command; /* of exec, within the text; else NULL */
} hone_strategy_spec;

/* HONE_ERR_ARGUMENT says which strategies, or options, there are. */
hone_status hone__strategy_read(const char *text, hone_strategy_spec *out,
                                hone_error *err);

struct hone_search {
    hone_arena arena;
    const hone_strategy *strategy;
    hone_strategy_spec spec; /* what was asked for */
    void *state;
    int tag; /* for the strategy: goes into the trial it proposes */
    hone_search_space space;
    hone_search_prior priors[HONE_SEARCH_PRIORS];
    size_t n_priors;
    hone_chance chance;
    hone_permutation permutation; /* of the space, for random new ones */
    int64_t n_drawn;              /* of it */
    int64_t budget_trials;
    int64_t *hints; /* for the priors to look at */
    size_t n_hints;
    uint64_t seed;
    double answer_s; /* of a program; 0: its own limit */
    const volatile sig_atomic_t *stop;
    int part, n_parts;  /* of the configurations, the rest are others' */
    hone_error failure; /* of `propose` or `learn`: the search is over */
    int64_t *first;
    size_t n_first;
    size_t at_first;
    int64_t n_spread; /* left to do */
    int *uses;        /* how often each value was spread, by parameter */
    size_t *use_base; /* where a parameter's begin */
    int *row;         /* space for a configuration */
    size_t *free;     /* the parameters with more than one value */
    size_t n_free;
    int64_t neighbourhood; /* how many HAMMING neighbours there can be */
    int64_t patience;      /* trials without a gain until one goes elsewhere */

    hone_search_trial *trials;
    int *values; /* n_params value indexes for each trial */
    int64_t n_trials;
    int64_t capacity;
    int64_t *table; /* from configuration to trial + 1 */
    size_t table_size;
    int64_t *told; /* trials in the order they were answered */
    int64_t n_told;
    int64_t best;        /* trial, -1: none is valid */
    double worst_ns;     /* of the valid ones; 1: none is */
    int64_t n_scattered; /* how far their times lie apart: see ..scatter() */
    double scatter_mean; /* of log(time) */
    double scatter_squares;
};

/* Zeroed, for as long as the search lives. NULL: `err` says that there is no
 * memory. */
void *hone__search_alloc(hone_search *search, size_t size_bytes,
                         hone_error *err);

/* Option `i` of the strategy: as it was asked for, its initial value where the
 * strategy is only part of the one that was. */
double hone__search_option(const hone_search *search,
                           const hone_strategy *strategy, size_t i);

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
/* A new one that is far from all trials, of some random ones. -1: those were
 * all known. */
int64_t hone__search_far(hone_search *search);
/* The fastest of `n` random trials that were answered; -1: all `n` failed. */
int64_t hone__search_pick(hone_search *search, int n);
/* The standard deviation of log(time): 0.1 means that times differ by 10 %,
 * whether they are microseconds or seconds. Never 0. */
double hone__search_scatter(const hone_search *search);
/* Metropolis: go on from a slower one? Always from a faster one, else with
 * exp(-log(to / from) / temperature). Both times are valid. */
int hone__search_accepts(hone_search *search, double from_ns, double to_ns,
                         double temperature);

/* ---- moves (moves.c): all end in valid configurations ------------------- */

/* How far a move goes. */
typedef enum hone_move {
    HONE_MOVE_STRICT,   /* one parameter, one step along its values */
    HONE_MOVE_ADJACENT, /* some parameters, one step each */
    HONE_MOVE_HAMMING,  /* one parameter, any other value */
    HONE_MOVE_PAIR,     /* two parameters, any other values */
    HONE_MOVE_DIAGONAL, /* two parameters, one step each */
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
