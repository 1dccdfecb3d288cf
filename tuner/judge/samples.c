/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one trial: see samples.h. */
#include "tuner/judge/samples.h"

#include "tuner/process/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- screening ----------------------------------------------------------- */

/* At a rung a variant is dropped if it is slower by `margin` and by what the
 * noise explains. The margins are for what is not noise between neighbouring
 * samples: clocks that drift by a few percent between two trials, and the
 * incumbent being the luckiest of many. Replayed on recorded spaces, two
 * samples and 10 % cost no regret where times spread out; with 5 % and a
 * second look the flat ones get cheap as well. */
static const struct {
    int n_samples;
    double margin;
} rungs[] = {{2, 0.04}, {4, 0.02}};
enum { N_RUNGS = sizeof rungs / sizeof rungs[0] };

/* A difference of medians beyond three times its own deviation is real; a
 * half interquartile range is 0.674 standard deviations, a median of n
 * scatters by 1.25 / sqrt(n) of one: together 5.6. */
static const double noise_factor = 5.6;
/* Until the session knows its own: what a quiet GPU shows. */
static const double usual_noise = 0.003;
/* Far above what a steady kernel shows (below 2 %). */
static const double most_scatter = 0.25;

/* Returns the median. */
static double sort_copy(const double *samples_ns, int n, double *sorted)
{
    memcpy(sorted, samples_ns, (size_t)n * sizeof *sorted);
    return hone__median(sorted, (size_t)n); /* sorts */
}

int hone__screen_scatters(const double *samples_ns, int n)
{
    double sorted[HONE_MAX_SAMPLES];
    const double median_ns = sort_copy(samples_ns, n, sorted);

    return hone__half_iqr(sorted, (size_t)n) > most_scatter * median_ns;
}

double hone__screen_limit(const hone_screen_rule *rule, int n)
{
    const double noise = rule->noise > 0 ? rule->noise : usual_noise;
    double margin = 0;

    for (int i = N_RUNGS - 1; i >= 0; --i)
        if (n <= rungs[i].n_samples)
            margin = rungs[i].margin;
    return 1 + margin +
           noise_factor * noise *
               sqrt(1.0 / (n > 0 ? n : 1) + 1.0 / HONE_SCREEN_SAMPLES);
}

/* The time that is compared: the middle, of an even number the lower one.
 * Whatever disturbs a sample makes it longer, never shorter: of two, the
 * lower one is the better estimate. */
static double ratio_of(const hone_screen_rule *rule, const double *samples_ns,
                       int n)
{
    double sorted[HONE_MAX_SAMPLES];

    if (rule->incumbent_ns <= 0 || n <= 0)
        return 0;
    (void)sort_copy(samples_ns, n, sorted);
    return sorted[(n - 1) / 2] / rule->incumbent_ns;
}

hone_screen_step hone__screen_next(const hone_screen_rule *rule,
                                   const double *samples_ns, int n,
                                   int *out_until, double *out_ratio)
{
    const int is_early = n < HONE_SCREEN_SAMPLES;

    *out_ratio = ratio_of(rule, samples_ns, n);
    *out_until = n;
    if (rule->fixed_samples > 0) { /* so many for everybody */
        *out_until = rule->fixed_samples < HONE_MAX_SAMPLES
                         ? rule->fixed_samples
                         : HONE_MAX_SAMPLES;
    } else if (n > 0 && is_early && *out_ratio > hone__screen_limit(rule, n)) {
        return HONE_SCREEN_DROP;
    } else if (is_early) {
        *out_until = HONE_SCREEN_SAMPLES;
        for (int i = N_RUNGS - 1; i >= 0; --i)
            if (n < rungs[i].n_samples)
                *out_until = rungs[i].n_samples;
    } else if (n < HONE_SCREEN_MOST && hone__screen_scatters(samples_ns, n)) {
        *out_until = HONE_SCREEN_MOST;
    }
    return n < *out_until ? HONE_SCREEN_MORE : HONE_SCREEN_KEEP;
}

/* ---- why a card holds its clocks back ------------------------------------ */

/* The software power cap is the normal state of a tensor-core kernel; it is
 * recorded and kept. */
static const struct {
    int64_t bit;
    const char *text;
    int discard; /* a time measured under it must be thrown away */
} reason_rows[] = {{0x1, "idle", 0},
                   {0x2, "application clocks setting", 0},
                   {0x4, "software power cap", 0},
                   {0x8, "hardware slowdown", 1},
                   {0x10, "sync boost", 0},
                   {0x20, "software thermal slowdown", 1},
                   {0x40, "hardware thermal slowdown", 1},
                   {0x80, "hardware power brake", 1},
                   {0x100, "display clock setting", 0}};
enum { N_REASONS = sizeof reason_rows / sizeof reason_rows[0] };

void hone__clock_reasons_text(int64_t clock_reasons, char *out,
                              size_t size_bytes)
{
    int64_t left = clock_reasons > 0 ? clock_reasons : 0;
    const char *comma = "";
    size_t at = 0;

    if (!left)
        (void)snprintf(out, size_bytes, "%s",
                       clock_reasons ? "unknown" : "none");
    for (size_t i = 0; i < N_REASONS && at < size_bytes; i++) {
        if (!(left & reason_rows[i].bit))
            continue;
        at += (size_t)snprintf(out + at, size_bytes - at, "%s%s", comma,
                               reason_rows[i].text);
        left &= ~reason_rows[i].bit;
        comma = ", ";
    }
    if (left && at < size_bytes)
        (void)snprintf(out + at, size_bytes - at, "%s0x%" PRIx64, comma,
                       (uint64_t)left);
}

int64_t hone__clock_discard_bits(int64_t clock_reasons)
{
    int64_t bits = 0;

    for (size_t i = 0; clock_reasons > 0 && i < N_REASONS; i++)
        if (reason_rows[i].discard)
            bits |= clock_reasons & reason_rows[i].bit;
    return bits;
}

/* ---- a trial ------------------------------------------------------------- */

/* Pauses for a slowed card: doubling. With the samples that are taken again
 * they end well before the parent's limit, so that it is reported and not
 * killed. */
static const double first_pause_s = 0.05;
static const double longest_pause_s = 1.0;
static const double usual_timeout_s = 10;
static const double timeout_share = 0.6;

typedef struct race {
    const hone_sample_source *source;
    hone_trial_report *report;
    double waited_s;
    double until_s; /* it is waited; of hone__now_s() */
    int is_slow;    /* waited long enough */
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
        if (hone__now_s() + pause_s > r->until_s) {
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

    report->time_ns = sort_copy(report->samples_ns, report->n_samples, sorted);
    report->spread_ns = hone__half_iqr(sorted, (size_t)report->n_samples);
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

/* A share of what the trial has left. */
static double wait_until_s(const hone_trial_job *job,
                           const hone_sample_source *source)
{
    const double now_s = hone__now_s();
    const double limit_s =
        job->timeout_s > 0 ? job->timeout_s : usual_timeout_s;
    const double began_s = source->began_s > 0 ? source->began_s : now_s;

    return now_s + timeout_share * (began_s + limit_s - now_s);
}

hone_status hone__trial_race(const hone_trial_job *job,
                             const hone_sample_source *source,
                             hone_trial_report *report, hone_error *err)
{
    const hone_screen_rule rule = {job->fixed_samples, job->incumbent_ns,
                                   job->noise};
    race r = {source, report, 0, wait_until_s(job, source), 0};
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
