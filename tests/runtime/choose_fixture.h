/* SPDX-License-Identifier: Apache-2.0 */
/* Choosers of a made-up operation whose times follow a rule, so that the best
 * member is known at every shape. */
#ifndef HONE_TESTS_RUNTIME_CHOOSE_FIXTURE_H
#define HONE_TESTS_RUNTIME_CHOOSE_FIXTURE_H

#include "runtime/base/device_properties.h"
#include "runtime/choose/chooser.h"

/* Rows x cols with a leading dimension that is `cols` by default. */
extern const char choose_plan[];
enum { CHOOSE_DIMS = 3, CHOOSE_MEMBERS = 3 };

/* ns of member 0: little at small sizes; 1: at large ones, where cols are a
 * multiple of 8; 2, the safe one: a bit behind the better of them. */
double choose_time(size_t member, const int64_t *dims);

typedef struct choose_fixture {
    hone_launch_spec *spec;
    hone_properties properties;
    hone_chooser *chooser;
} choose_fixture;

/* A chooser with times of `n` problems, spread over 32 .. 8192 both ways, not
 * prepared; each member reaches 8192. NULL: out of memory. */
hone_chooser *choose_make(size_t n_problems, hone_error *err);
/* With the plan; ends the program where that fails. */
void choose_begin(choose_fixture *fixture, size_t n_problems);
hone_launch_case choose_at(const choose_fixture *fixture, const int64_t *dims);
/* To its members 0 and 2; not prepared then. */
void choose_add_costs(hone_chooser *chooser);
/* 24 small ones of member 0, 24 large ones of member 1. */
void choose_add_places(hone_chooser *chooser);
void choose_end(choose_fixture *fixture);

#endif
