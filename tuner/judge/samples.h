/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one trial, on any device: how many, which are thrown away
 * because the card was slowed down, and whether what comes out can be true. */
#ifndef HONE_TUNER_SAMPLES_H
#define HONE_TUNER_SAMPLES_H

#include "tuner/judge/statistics.h"
#include "tuner/judge/trial_protocol.h"

/* ---- screening: how many ------------------------------------------------- */

/* A variant climbs a ladder of 2, 4 and 8 samples and is dropped at a rung
 * where it is clearly slower than the best so far; one that stays to the last
 * rung is a contender, and gets more samples if its times scatter. Pure. */

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

/* ---- why a card holds its clocks back: bits of NVML ---------------------- */

/* "software power cap, hardware slowdown"; "none" for 0, "unknown" for -1;
 * bits without a name as a number. Cut to size_bytes. */
void hone__clock_reasons_text(int64_t clock_reasons, char *out,
                              size_t size_bytes);

/* Those of them under which a time must be thrown away. */
int64_t hone__clock_discard_bits(int64_t clock_reasons);

/* ---- a trial ------------------------------------------------------------- */

/* Where samples come from. */
typedef struct hone_sample_source {
    hone_status (*sample)(void *user, double *out_ns, hone_error *err);
    /* Why the hardware holds the clocks back right now, as one of the bits
     * whose samples are thrown away; 0: it does not. NULL ok. */
    int64_t (*slowed)(void *user);
    void *user;
    double most_s;   /* after so long, what is there has to do */
    int may_scatter; /* the cpu shares its cores: a wide spread is normal and
                        stands in the record, not in the variant's way */
    double began_s;  /* of hone__now_s(): the trial, whose time limit this is a
                        part of; 0: now */
} hone_sample_source;

/* Fills samples, time, spread, screening and discards of `report`; outcome
 * unstable if the times scatter or the card stays slow. An error is the
 * source's. */
hone_status hone__trial_race(const hone_trial_job *job,
                             const hone_sample_source *source,
                             hone_trial_report *report, hone_error *err);

/* Take over what a verification found. */
void hone__trial_take_verdict(hone_trial_report *report,
                              const hone_verdict *verdict);

/* Apply the self-check: outcome unstable with its sentence if there is an
 * alarm. */
void hone__trial_check(const hone_selfcheck *check, hone_trial_report *report);

#endif
