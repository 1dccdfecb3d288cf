/* SPDX-License-Identifier: Apache-2.0 */
/* Choosers in the databases of tests. */
#ifndef HONE_TESTS_RUNTIME_CHOSEN_FIXTURE_H
#define HONE_TESTS_RUNTIME_CHOSEN_FIXTURE_H

#include "tests/runtime/runtime_fixture.h"

#include "runtime/choose/chooser.h"

/* Members are variants of the database, by their configurations. */
typedef struct chosen_put {
    const char *op;
    const char *types;
    size_t n_dims;
    const char *const *configs;
    size_t n_members;
    /* ns of a member at dims, 0: it is not valid there. */
    double (*time_ns)(size_t member, const int64_t *dims);
    int64_t device_id; /* 0: of the first device */
    const char *mode;  /* NULL: "cold" */
    double gain_error; /* 0: as small as it is */
} chosen_put;

/* Times of `n_problems` problems, whose first dims are powers of two from 16,
 * dims behind three are given; each member reaches 4096. */
hone_chooser *chosen_make(const runtime_fixture *fixture, const chosen_put *put,
                          size_t n_problems, const int64_t *rest);
/* Store a text as a chooser, as the tuner does it. */
void chosen_store(const runtime_fixture *fixture, const chosen_put *put,
                  const char *text);
/* Both; the chooser is freed. */
void chosen_put_chooser(const runtime_fixture *fixture, const chosen_put *put,
                        hone_chooser *chooser);

#endif
