/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one trial, on any device: how many (screen.h), which are
 * thrown away because the card was slowed down, and whether what comes out
 * can be true (selfcheck.h). */
#ifndef HONE_TUNER_TRIAL_RACE_H
#define HONE_TUNER_TRIAL_RACE_H

#include "tuner/judge/trial_protocol.h"
#include "tuner/judge/verdict.h"
#include "tuner/judge/selfcheck.h"

/* Where samples come from. */
typedef struct hone_sample_source {
    hone_status (*sample)(void *user, double *out_ns, hone_error *err);
    /* Why the hardware holds the clocks back right now, as one of the bits
     * whose samples are thrown away (nvml.h); 0: it does not. NULL ok. */
    int64_t (*slowed)(void *user);
    void *user;
    double most_s;   /* after so long, what is there has to do */
    int may_scatter; /* the cpu shares its cores: a wide spread is normal and
                        stands in the record, not in the variant's way */
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
