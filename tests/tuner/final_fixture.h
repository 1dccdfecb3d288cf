/* SPDX-License-Identifier: Apache-2.0 */
/* Finals with made-up steps. */
#ifndef HONE_TESTS_FINAL_FIXTURE_H
#define HONE_TESTS_FINAL_FIXTURE_H

#include "tuner/judge/final.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is true of a runner, and what it does. */
typedef struct truth {
    double ns;
    double alone; /* part of its time in turns that it takes alone */
    int64_t registers;
    int wrong;       /* at the first check */
    int wrong_later; /* when it is checked again */
    int no_room;
    int crashes_in; /* hone_final_stage + 1; 0: not */
    int hangs_in;
    int ruins; /* wrong, and the process with it */
} truth;

typedef struct stage {
    truth runners[HONE_MAX_RUNNERS];
    int n;        /* entries and baselines */
    double noise; /* of a sample */
    uint64_t state;
    int control_of;
    int control_crashes;
    int n_controls;
    int n_entered, n_opened, n_rechecked, n_series;
    int n_samples;
    int first_opened;
    int to_parent; /* -1: none */
} stage;

/* Everything a test needs; large, so not on its stack. */
extern stage scene;
extern hone_final_request request;
extern hone_final_report report;

/* Their `user` is the scene. */
extern const hone_final_ops final_ops;

/* `n` entries of these times; the last `n_baselines` runners are baselines.
 */
void final_set_up(int n, int n_baselines, const double *ns);

#endif
