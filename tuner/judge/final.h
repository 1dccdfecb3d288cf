/* SPDX-License-Identifier: Apache-2.0 */
/* The final of a tuning run: the best variants, the default one and the
 * baselines, in a process of their own in which nothing of earlier variants
 * is left.
 *
 *   enter    each is loaded and verified: on edge shapes with a second
 *            seed, then on the problem itself
 *   race     those that are right are timed in turns, with an A/A control of
 *            the one expected to win (race.h)
 *   choose   the tie rule among those nobody can tell apart (race.h)
 *   recheck  the chosen one is verified once more; if it is wrong now, it is
 *            out, and the others race again
 *   series   the time that it is known by: samples of its own after a rest
 *   energy   of every one that ran, where an objective asks for it
 *
 * This course is the same on every device; what a step does on one is in a
 * table of functions (trial/final_steps.c). A variant may ruin the
 * process at any step: the parent (final_client.c) follows by messages, and
 * starts the final again without it. */
#ifndef HONE_TUNER_FINAL_H
#define HONE_TUNER_FINAL_H

#include "tuner/judge/trial_protocol.h"
#include "tuner/judge/race.h"
#include "gen/parse/template.h"

enum { HONE_MAX_BASELINES = 8 };

enum {
    HONE_LEAST_FINALISTS = 8, /* as far as there are so many */
    HONE_MOST_FINALISTS = 32, /* that are there for their time */
    HONE_MAX_FINALISTS = HONE_MOST_FINALISTS + 2,
    /* Finalists first, then the baselines in the template's order. */
    HONE_MAX_RUNNERS = HONE_MAX_FINALISTS + HONE_MAX_BASELINES,
    HONE_SERIES_SAMPLES = 16
};

/* Messages of a worker beside those of trial_protocol.h. */
enum {
    HONE_FINAL_AT = 20 /* runner (-1: all), hone_final_stage */
};

typedef enum hone_final_stage {
    HONE_FINAL_ENTER,
    HONE_FINAL_RACE,
    HONE_FINAL_RECHECK,
    HONE_FINAL_SERIES
} hone_final_stage;

/* ---- what is asked for --------------------------------------------------- */

typedef struct hone_final_entry {
    hone_trial_job job;
    double time_ns;   /* by its trial, or as it is stored; 0: unknown */
    int is_trial;     /* time_ns is a trial's, on a card that was mostly idle */
    int keep;         /* runs until it has an interval, however slow it is */
    int wants_series; /* like the winner and the baselines */
    hone_tie_features features; /* the device adds registers and memory */
} hone_final_entry;

/* A runner that ruined an earlier process: it stays outside. */
typedef struct hone_final_disqualified {
    hone_outcome outcome; /* ok: it did not */
    char message[320];
    double waited_s; /* timeout: so long; the parent's own business */
} hone_final_disqualified;

typedef struct hone_final_request {
    int n_entries;
    int n_baselines; /* the worker's own business */
    int careful;     /* say before every sample whose it is */
    double race_s;   /* time limit of one race; 0: 10 */
    int wants_energy;
    hone_final_entry entries[HONE_MAX_FINALISTS]; /* the fastest first */
    hone_final_disqualified disqualified[HONE_MAX_RUNNERS];
} hone_final_request;

/* How many of `n` candidates take part, `times_ns` ascending: those within
 * 2 % of the best, or within four times the noise if that is more. */
size_t hone__final_count(const double *times_ns, size_t n, double noise);

/* ---- what comes of it ---------------------------------------------------- */

typedef struct hone_finalist {
    int64_t id;           /* of the job; -1 - n for baseline n */
    hone_outcome outcome; /* ok, or what is wrong with it */
    char message[320];
    int is_left_out; /* it is right, but there was no room for it */
    double error_ratio;
    hone_tie_features features;
    /* The race; ratio 0: it did not run. Ratios are to `fastest`. */
    int n_samples;     /* rounds it ran in */
    int dropped_round; /* after which it was left out; 0: never, or kept */
    int is_slower;     /* clearly so */
    int is_tied;       /* the tie rule chose from it and others */
    double ratio;
    double ratio_low;
    double ratio_high;
    double rounds_ns[HONE_RACE_MOST];
    /* Its time: of a series, or the winner's times the ratio of the two. */
    int n_series; /* samples of the series; 0: none */
    double time_ns;
    double spread_ns;
    double ci_low_ns;
    double ci_high_ns;
    double energy_uj; /* of one execution; 0: not measured */
    int algorithm;    /* baselines: the fastest, its rank */
    int n_algorithms; /* baselines; 0: a variant */
    char label[96];
} hone_finalist;

typedef struct hone_final_report {
    int n; /* items: entries in their order, then baselines */
    int n_entries;
    int winner;  /* item; -1: nobody is right */
    int fastest; /* item that the ratios are to; -1: none */
    int n_raced; /* entries */
    int n_tied;  /* entries the tie rule chose from, the fastest included */
    int n_rounds;
    hone_race_verdict verdict;
    hone_tie_rule rule; /* that decided between the tied */
    double noise_floor; /* relative; negative: unknown */
    int timing;         /* hone_timing of all */
    hone_clocks clocks;
    hone_finalist items[HONE_MAX_RUNNERS];
} hone_final_report;

/* One sentence: who won and how sure that is. "" without a winner. */
void hone__final_sentence(const hone_final_report *report, char *out,
                          size_t size);
/* One sentence about an entry that did not win, and the kind of decision it
 * is in the database: "refuted", "dropped" or "tied". */
const char *hone__final_reason(const hone_final_report *report, int item,
                               char *out, size_t size);

/* ---- the course ---------------------------------------------------------- */

/* What the steps do on a device. `runner` counts entries, then baselines; the
 * A/A control is the one behind them. A runner's own failure is its
 * `outcome`, and HONE_OK: an error means that this process cannot go on.
 * HONE_ERR_KERNEL, or a fatal error of CUDA: that it is the runner's fault.
 */
typedef struct hone_final_ops {
    hone_status (*enter)(void *user, int runner, hone_finalist *item,
                         hone_error *err);
    /* Make it ready to be timed. The first one is the fastest by its trial:
     * how it is timed is how all are. */
    hone_status (*open)(void *user, int runner, hone_finalist *item,
                        hone_error *err);
    /* Load and open `of` a second time, in place of an earlier A/A control.
     * `*out` is 0 if that is not possible. */
    hone_status (*control)(void *user, int of, int *out, hone_error *err);
    hone_status (*sample)(void *user, int runner, double *out_ns,
                          hone_error *err);
    hone_status (*recheck)(void *user, int runner, hone_finalist *item,
                           hone_error *err);
    /* Fill in n_series and the four times. */
    hone_status (*series)(void *user, int runner, hone_finalist *item,
                          hone_error *err);
    void (*at)(void *user, int runner, hone_final_stage stage); /* NULL ok */
    /* Fill in energy_uj. NULL: the device has no counter. */
    hone_status (*energy)(void *user, int runner, hone_finalist *item,
                          hone_error *err);
} hone_final_ops;

hone_status hone__final_run(const hone_final_ops *ops, void *user,
                            const hone_final_request *request,
                            hone_final_report *out, hone_error *err);

/* ---- in the worker ------------------------------------------------------- */

void hone__final_request_pack(hone_text *out,
                              const hone_final_request *request);
/* Cubins and texts stay in the message. */
void hone__final_request_unpack(hone_unpack *in, hone_final_request *out);
/* Tell the parent where the final is. */
void hone__final_say_at(int to_parent, int runner, hone_final_stage stage);
/* Median, spread and interval of a series into `item`. Sorts `series_ns`. */
void hone__final_set_time(hone_finalist *item, double *series_ns, int n);

#endif
