/* SPDX-License-Identifier: Apache-2.0 */
/* Search: which configuration is tried next. A search is asked for
 * configurations and told what became of them, in any order and as many at a
 * time as the caller can use; it never asks for the same one twice. */
#ifndef HONE_TUNER_SEARCH_SEARCH_H
#define HONE_TUNER_SEARCH_SEARCH_H

#include "gen/space.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hone_search hone_search;

/* What strategies see of a space, be it a template's or a recorded one:
 * configurations 0 .. count-1, each a vector of value indexes. Values that
 * are numbers are in ascending order, so that neighbouring indexes are
 * neighbouring values. */
typedef struct hone_search_space {
    int64_t count;
    size_t n_params;
    const int *n_values; /* of each parameter */
    void (*get)(const void *user, int64_t index, int *out_values);
    /* The configuration's number, -1 if it is not valid. Parameters that do
     * not exist there get the values that they have in it. */
    int64_t (*find)(const void *user, int *values);
    const void *user;
    /* Append the text of a value, with -1 that of the parameter's name. NULL:
     * nobody knows. */
    void (*describe)(const void *user, size_t param, int value, hone_text *out);
} hone_search_space;

/* The view of a template's space, which must outlive it. */
hone_search_space hone__search_space_of(const hone_space *space);

/* A guess at times, made elsewhere. */
typedef struct hone_search_prior {
    /* log of the time of a configuration, up to what all have in common;
     * INFINITY: it cannot say. NULL: there is none. */
    double (*guess)(void *user, int64_t index);
    void *user;
    double error; /* its usual error */
} hone_search_prior;

/* At most: a model of earlier problems and a template's own estimate. */
enum { HONE_SEARCH_PRIORS = 2 };

typedef struct hone_search_options {
    uint64_t seed;
    /* Tried first, in this order; -1 and repeated ones are passed over. Such
     * are the default configuration, so that every run knows what tuning
     * gains, and the winners of neighbouring shapes and devices. */
    const int64_t *first;
    size_t n_first;
    /* How many will be asked for, with those that were told of from
     * elsewhere; 0: not known. */
    int64_t budget_trials;
    /* 'auto' is guided by them, the other strategies do not look at them. The
     * second counts beside the first alone. */
    hone_search_prior prior;
    hone_search_prior second;
    /* What the guesses are to rank in any case: configurations that were good
     * elsewhere. */
    const int64_t *hints;
    size_t n_hints;
    double answer_s; /* that a strategy's program may take; 0: 60 */
    const volatile sig_atomic_t *stop; /* while one is waited for; NULL ok */
    /* Of several searches that share the configurations among them, `part` of
     * 0 .. n_parts-1: which one a configuration belongs to depends on its
     * number alone, and the others' count as known. What is in `first` all try.
     * 0 parts: there are no others. */
    int part;
    int n_parts;
} hone_search_options;

/* `name` is one of hone__search_names(), or one with options,
 * "local:kicks=4,params=2", or a program, "exec:./mine". The space's `user`
 * must outlive the search. The same name, space, options and answers give the
 * same order. HONE_ERR_ARGUMENT lists the strategies, or the options of one;
 * HONE_ERR_NO_MEMORY; HONE_ERR_IO: the program does not start. */
hone_status hone__search_open(const char *name, const hone_search_space *space,
                              const hone_search_options *options,
                              hone_search **out, hone_error *err);
void hone__search_close(hone_search *search);

/* The next configuration; -1 once each was asked for or told.
 * HONE_ERR_NO_MEMORY; of a program also HONE_ERR_INTERRUPTED, and HONE_ERR_IO
 * with what hone__search_failure() says, from then on. */
hone_status hone__search_next(hone_search *search, int64_t *out_index,
                              hone_error *err);
/* What became of one: asked for, or known from elsewhere (an earlier run).
 * `time_ns` 0: it failed. Only the first answer counts. What the trial cost
 * is not asked: weighing it gained nothing. HONE_ERR_NO_MEMORY. */
hone_status hone__search_tell(hone_search *search, int64_t index,
                              double time_ns, hone_error *err);

/* Why a strategy's program is of no use any more; NULL: it is. */
const char *hone__search_failure(const hone_search *search);

/* Does what comes next depend on answers? Not while the first and the spread
 * ones last, and never with some strategies: asking early then loses
 * nothing. */
int hone__search_is_learning(const hone_search *search);

/* The best that the first prior guesses of any configuration, less the best
 * that the second does, if there is one; NAN without a first. */
double hone__search_best_guess(hone_search *search);

/* Was it neither asked for nor told, and is it no other search's part? Not of
 * -1. */
int hone__search_is_new(const hone_search *search, int64_t index);
/* Was it asked for or told, whosever part it is? Not of -1. */
int hone__search_is_known(const hone_search *search, int64_t index);

/* Would it open? HONE_ERR_ARGUMENT. */
hone_status hone__search_check(const char *name, hone_error *err);

/* Of a list NAME[:option=value,..],NAME.. : how long the first is. */
size_t hone__search_list_first(const char *list);

/* Option `k` of strategy `i`: "local:kicks=N", and what it does with its range.
 * The texts are `size` bytes each. 0: there is none. */
int hone__search_strategy_option(size_t i, size_t k, char *out_name,
                                 char *out_summary, size_t size);

/* The strategies, in the order of their table: names with a sentence each.
 * `i` from 0; returns 0 after the last. */
int hone__search_strategy(size_t i, const char **out_name,
                          const char **out_summary);
/* The strategy that is a program: "exec:COMMAND", with a sentence. */
void hone__search_program(const char **out_name, const char **out_summary);
/* "auto, exhaustive, random, ..": for messages and help. */
const char *hone__search_names(void);

#endif
