/* SPDX-License-Identifier: Apache-2.0 */
/* Racing: how many samples a variant gets against the best so far. Pure, and
 * the same for every device. A variant climbs a ladder of 2, 4 and 8 samples
 * and is dropped at a rung where it is clearly slower; one that stays to the
 * last rung is a contender, and gets more samples if its times scatter. */
#ifndef HONE_TUNER_SCREEN_H
#define HONE_TUNER_SCREEN_H

/* A contender's samples, and how many it gets at most if they scatter. */
enum { HONE_SCREEN_SAMPLES = 8, HONE_SCREEN_MOST = 24 };

typedef struct hone_screen_rule {
    int fixed_samples;   /* > 0: so many for everybody, nobody is dropped */
    double incumbent_ns; /* the best so far; 0: none, nobody is dropped */
    double noise;        /* half interquartile range over the median, as seen
                            in this session; 0: unknown */
} hone_screen_rule;

typedef enum hone_screen_step {
    HONE_SCREEN_MORE, /* take samples until there are `out_until` */
    HONE_SCREEN_DROP, /* slower than the incumbent */
    HONE_SCREEN_KEEP  /* a contender: its samples are complete */
} hone_screen_step;

/* What to do after `n` samples (0: how many to begin with). `out_ratio` is
 * the time that was compared over the incumbent's; 0 if there is none. */
hone_screen_step hone__screen_next(const hone_screen_rule *rule,
                                   const double *samples_ns, int n,
                                   int *out_until, double *out_ratio);

/* A variant is dropped after `n` samples if its ratio is above this. */
double hone__screen_limit(const hone_screen_rule *rule, int n);

/* Whether times scatter so much that their median says nothing. */
int hone__screen_scatters(const double *samples_ns, int n);

#endif
