/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a tuning run, all of them pure: how many configurations it asks
 * for ahead, when it has enough, what it tries first, how noisy its times
 * are. rules.c says why they are as they are. */
#ifndef HONE_TUNER_RULES_H
#define HONE_TUNER_RULES_H

#include <stddef.h>
#include <stdint.h>

/* ---- how far ahead ------------------------------------------------------ */

/* How long things take in this run, as moving means; 0: not known yet. */
typedef struct hone_pace {
    double compile_s; /* from the farm's getting a job to its answer */
    double trial_s;   /* of the device */
} hone_pace;

/* One more value for one of the means. */
void hone__pace_add(double *mean_s, double value_s);

/* Jobs that may be with the compilers or compiled and waiting. With
 * `is_learning`, what the search proposes depends on the answers. */
int hone__look_ahead(const hone_pace *pace, int n_workers, int is_learning);

/* ---- how long ----------------------------------------------------------- */

typedef struct hone_until {
    double gain;       /* 0.01: another percent; 0: never stop */
    double anchor_ns;  /* the best when it last counted as a gain */
    int64_t n_told;    /* answers */
    int64_t last_gain; /* the answer that was one; 0: none was valid */
} hone_until;

/* An answer of the search: 0 if it failed. Many small gains add up to one. */
void hone__until_add(hone_until *until, double time_ns);

/* Is another gain unlikely now? */
int hone__until_is_reached(const hone_until *until);

/* ---- whose turn it is ---------------------------------------------------
 *
 * Implementations of one operation share the budget of a run. */

typedef struct hone_turn {
    int64_t first;      /* trials that it begins with; 0: as many as others */
    int is_unknown;     /* one that a model of the others knows nothing of */
    int has_guess;      /* a model of earlier problems says .. */
    double guess;       /* .. the log of its best time, up to what all share */
    int64_t n_asked;    /* configurations of it, those under way included */
    int64_t n_answered; /* of those */
    int64_t n_told;
    double best_ns;     /* 0: none was valid */
    double doubled_ns;  /* the best when there were half as many answers .. */
    int64_t doubled_at; /* .. or a little less than half: so many */
    double gain;        /* log of what the last doubling of answers gained */
} hone_turn;

/* An answer of its search: 0 if it failed. */
void hone__turn_add(hone_turn *share, double time_ns);

/* Which of them asks next: NULL ones have no more. `budget_left` 0: not known.
 * -1: none. */
int hone__turn_next(hone_turn *const *shares, size_t n, int64_t budget_left);

/* How many of `budget_trials` each search is told to plan for; 0: unknown. */
int64_t hone__turn_planned(int64_t budget_trials, size_t n);

/* ---- what goes first ---------------------------------------------------- */

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
    int was_new;      /* of a run: nobody had tried it, nor is it one before */
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

/* ---- how noisy the machine is ------------------------------------------- */

/* How much the times of one variant scatter, over the last trials. */
enum { HONE_NOISE_WINDOW = 64 };
typedef struct hone_tune_noise {
    double relative[HONE_NOISE_WINDOW];
    size_t n; /* of all trials, may exceed the window */
} hone_tune_noise;

/* A variant was timed well: half the interquartile range of so many samples. */
void hone__tune_noise_add(hone_tune_noise *noise, double time_ns,
                          double spread_ns, int n_samples);
/* Relative spread of a typical trial; 0: not known yet. */
double hone__tune_noise_level(const hone_tune_noise *noise);

#endif
