/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces made up so that each has one feature that holds searches up:
 * for bench_traps and the test of the same name. */
#ifndef HONE_TESTS_TUNER_TRAP_SPACES_H
#define HONE_TESTS_TUNER_TRAP_SPACES_H

#include "tuner/search/search.h"

enum { TRAP_PARAMS = 6, TRAP_MOST = 16384 };

typedef struct hone_trap_shape hone_trap_shape;

typedef struct hone_trap {
    const hone_trap_shape *shape;
    hone_search_space view;   /* its `user` is this */
    int64_t raw[TRAP_MOST];   /* place in the product of each configuration */
    int64_t index[TRAP_MOST]; /* the other way round; -1: not valid */
    double best;              /* the fastest time */
} hone_trap;

/* `i` from 0; returns 0 after the last. */
int hone__trap_open(size_t i, hone_trap *out);
const char *hone__trap_name(const hone_trap *trap);
/* The time of a configuration, 0: it fails. */
double hone__trap_time(const hone_trap *trap, int64_t index);

typedef struct hone_trap_run {
    int64_t found;   /* evaluations until 2 % off the optimum; 0: never */
    int64_t longest; /* most evaluations in a row, before that, in which the
                        best became less than 1 % faster */
    double best;     /* time, at the end */
} hone_trap_run;

/* HONE_ERR_ARGUMENT: no such strategy. */
hone_status hone__trap_search(const hone_trap *trap, const char *strategy,
                              uint64_t seed, int64_t budget, hone_trap_run *out,
                              hone_error *err);

/* Held up: not there at the end, or late, after more than 100 evaluations
 * without a gain worth the name. */
int hone__trap_caught(const hone_trap_run *run);

#endif
