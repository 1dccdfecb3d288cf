/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one trial: see trial_race.h. */
#include "tuner/judge/trial_race.h"

#include "tuner/judge/screen.h"
#include "tuner/process/worker.h"
#include "tuner/judge/statistics.h"
#include "tuner/judge/clock_reasons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Pauses for a slowed card: doubling, and together less than the parent
 * waits for the trial, so that it is reported and not killed. */
static const double first_pause_s = 0.05;
static const double longest_pause_s = 1.0;
static const double usual_timeout_s = 10;
static const double timeout_share = 0.6;

typedef struct race {
    const hone_sample_source *source;
    hone_trial_report *report;
    double waited_s;
    double most_wait_s;
    int is_slow; /* waited long enough */
} race;

static void pause_for(double seconds)
{
    const double whole = floor(seconds);
    const struct timespec t = {(time_t)whole, (long)(1e9 * (seconds - whole))};

    (void)nanosleep(&t, NULL);
}

static int64_t slowed(const race *r)
{
    return r->source->slowed ? r->source->slowed(r->source->user) : 0;
}

static hone_status take(race *r, int until, hone_error *err)
{
    hone_trial_report *report = r->report;
    const double start_s = hone__now_s();
    hone_status status = HONE_OK;

    for (int i = report->n_samples; status == HONE_OK && i < until; ++i)
        status =
            r->source->sample(r->source->user, &report->samples_ns[i], err);
    report->sample_s += hone__now_s() - start_s;
    return status;
}

static void give_up(race *r, int64_t reasons)
{
    char text[128];

    hone__clock_reasons_text(reasons, text, sizeof text);
    r->is_slow = 1;
    r->report->outcome = HONE_OUTCOME_UNSTABLE;
    (void)snprintf(r->report->message, sizeof r->report->message,
                   "the card is slowed down (%s) and was not after %.1f s of "
                   "waiting: %d samples were thrown away; see to its cooling "
                   "and power, then run the same command again",
                   text, r->waited_s, r->report->n_discarded);
}

/* Samples until there are `until`; those taken while the card was slowed
 * down are thrown away and taken again after a pause. */
static hone_status take_steady(race *r, int until, hone_error *err)
{
    double pause_s = first_pause_s;

    for (;;) {
        int64_t reasons = slowed(r);

        if (!reasons) {
            HONE_TRY(take(r, until, err));
            reasons = slowed(r);
            if (!reasons) {
                r->report->n_samples = until;
                return HONE_OK;
            }
            r->report->n_discarded += until - r->report->n_samples;
        }
        if (r->waited_s + pause_s > r->most_wait_s) {
            give_up(r, reasons);
            return HONE_OK;
        }
        pause_for(pause_s);
        r->waited_s += pause_s;
        pause_s = 2 * pause_s < longest_pause_s ? 2 * pause_s : longest_pause_s;
    }
}

static void summarise(hone_trial_report *report)
{
    double sorted[HONE_MAX_SAMPLES];
    const size_t n = (size_t)report->n_samples;

    memcpy(sorted, report->samples_ns, n * sizeof sorted[0]);
    report->time_ns = hone__median(sorted, n);
    report->spread_ns = hone__half_iqr(sorted, n);
}

/* If the times scatter after all samples, the number is not worth anything.
 */
static void check_scatter(hone_trial_report *report)
{
    if (report->n_samples < HONE_SCREEN_SAMPLES ||
        !hone__screen_scatters(report->samples_ns, report->n_samples))
        return;
    report->outcome = HONE_OUTCOME_UNSTABLE;
    (void)snprintf(report->message, sizeof report->message,
                   "the time scatters by %.0f %% over %d samples",
                   100 * report->spread_ns / report->time_ns,
                   report->n_samples);
}

hone_status hone__trial_race(const hone_trial_job *job,
                             const hone_sample_source *source,
                             hone_trial_report *report, hone_error *err)
{
    const hone_screen_rule rule = {job->fixed_samples, job->incumbent_ns,
                                   job->noise};
    const double timeout_s =
        job->timeout_s > 0 ? job->timeout_s : usual_timeout_s;
    race r = {source, report, 0, timeout_share * timeout_s, 0};
    hone_screen_step step;
    int until = 0;

    for (;;) {
        step = hone__screen_next(&rule, report->samples_ns, report->n_samples,
                                 &until, &report->screen_ratio);
        if (step != HONE_SCREEN_MORE)
            break;
        if (report->n_samples && !job->fixed_samples &&
            report->sample_s > source->most_s)
            break;
        HONE_TRY(take_steady(&r, until, err));
        if (r.is_slow)
            break;
    }
    report->screened = step == HONE_SCREEN_DROP;
    summarise(report);
    if (report->outcome == HONE_OUTCOME_OK && !source->may_scatter)
        check_scatter(report);
    return HONE_OK;
}

void hone__trial_take_verdict(hone_trial_report *report,
                              const hone_verdict *verdict)
{
    report->verified |= verdict->n_compared > 0;
    report->coverage = verdict->coverage;
    report->leaving |= verdict->leaving;
    if (verdict->error_ratio > report->error_ratio)
        report->error_ratio = verdict->error_ratio;
    if (verdict->outcome == HONE_OUTCOME_OK)
        return;
    report->outcome = verdict->outcome;
    report->wrong = verdict->wrong;
    memcpy(report->message, verdict->message, sizeof report->message);
}

void hone__trial_check(const hone_selfcheck *check, hone_trial_report *report)
{
    if (report->outcome != HONE_OUTCOME_OK)
        return;
    report->alarm = (int)hone__selfcheck_trial(check, report->message,
                                               sizeof report->message);
    if (report->alarm != HONE_ALARM_NONE)
        report->outcome = HONE_OUTCOME_UNSTABLE;
}
