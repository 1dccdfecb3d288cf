/* SPDX-License-Identifier: Apache-2.0 */
/* A template whose variants are right, wrong, hang and die, and what a search
 * of it hears: its calls are watched (the linker's --wrap). */
#ifndef HONE_TESTS_TUNE_FIXTURE_H
#define HONE_TESTS_TUNE_FIXTURE_H

#include "tuner/search/search.h"
#include "tuner/session/tune_state.h"

enum { N_KINDS = 8 };
extern const char *const kinds[N_KINDS]; /* their configurations */

typedef struct told {
    int64_t index;
    double time_ns; /* 0: failed */
    int was_asked;  /* it, before */
} told;

typedef struct seen_search {
    const hone_template *tmpl;
    hone_space *space;
    told told[64];
    int n_told;
    int64_t asked[64];
    int n_asked;
    int n_told_first; /* before the first was asked for */
    int64_t budget;   /* that it was opened with */
} seen_search;
extern seen_search seen;

/* The first thing told of a kind; NULL: nothing. */
const told *told_of(const char *kind);
int times_told(const char *kind);
/* A new run begins. */
void seen_nothing(void);

typedef struct fixture {
    hone_template *tmpl;
    hone_space *space;
    char folder[64];
    char db_path[96];
    char cache[96];
} fixture;

/* Of a group of tests. */
int tune_fixture_set_up(void **state);
int tune_fixture_tear_down(void **state);

#endif
