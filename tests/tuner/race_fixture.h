/* SPDX-License-Identifier: Apache-2.0 */
/* Races of made-up runners on a made-up machine. */
#ifndef HONE_TESTS_RACE_FIXTURE_H
#define HONE_TESTS_RACE_FIXTURE_H

#include "tuner/judge/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A machine: what each runner really takes, and what disturbs it. */
typedef struct machine {
    uint64_t state;
    double true_ns[HONE_RACE_RUNNERS];
    double noise;    /* relative, of every sample */
    double drift;    /* relative, common to all, per sample taken */
    double outliers; /* part of the samples that take half as long again */
    int n_samples;
    int n_of[HONE_RACE_RUNNERS];
    int order[64]; /* of the first samples */
    int fail_at;   /* sample that fails; 0: none */
    int last;      /* runner that was timed before */
    int heavy;     /* runner that slows the next by 2 %; 0: none */
    int wild;      /* runner with a tenth of noise; 0: none */
    int late;      /* runner that swings for 8 rounds, then is fast */
} machine;

/* A hone_race_sample; `user` is the machine. */
hone_status race_sample(void *user, int runner, double *out_ns,
                        hone_error *err);

extern double race_clock_s; /* moves on by a second whenever it is asked */

/* `n` runners that contend and, last, the A/A control of runner 0. */
void race_set_up(machine *m, hone_race *race, int n, const double *true_ns,
                 double noise, uint64_t seed);
void race_run(hone_race *race);

#endif
