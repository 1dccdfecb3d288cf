/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the stored best configurations a search tries first: a pure rule.
 */
#ifndef HONE_TUNER_SEEDS_H
#define HONE_TUNER_SEEDS_H

#include <stddef.h>
#include <stdint.h>

/* Where a configuration was good, the nearest first. */
typedef enum hone_seed_from {
    HONE_SEED_HERE,   /* this shape on this device: of an earlier template or
                         driver, or in the other mode */
    HONE_SEED_SHAPE,  /* another shape on this device */
    HONE_SEED_DEVICE, /* this shape on another device */
    HONE_SEED_FAR,    /* another shape on another device */
    HONE_N_SEED_FROM
} hone_seed_from;

typedef struct hone_seed {
    int64_t index; /* in the space of this run */
    hone_seed_from from;
    double distance;  /* within `from` */
    int64_t rank;     /* 1: the winner there */
    char origin[160]; /* for people: "place 1 of n=4096 on this device" */
} hone_seed;

enum {
    HONE_MOST_SEEDS = 10,
    HONE_SEED_RANKS = 4 /* worth reading from each ranking */
};

/* Sum over the dimensions of |log(a/b)|: twice as long is as far as half as
 * long, in each dimension by itself, so that 1 x 4096 is far from 64 x 64.
 * Types (`is_type`) must agree: -1 if they do not. */
double hone__seed_shape_distance(const int64_t *a, const int64_t *b,
                                 const int *is_type, size_t n_dims);

/* Keep what is worth trying, best first, no configuration twice; returns how
 * many, at most HONE_MOST_SEEDS. */
size_t hone__seeds_choose(hone_seed *seeds, size_t n);

#endif
