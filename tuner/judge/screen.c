/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of racing: see screen.h. */
#include "tuner/judge/screen.h"

#include "tuner/judge/statistics.h"
#include "tuner/judge/trial_protocol.h"

#include <math.h>
#include <string.h>

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

static void sort_copy(const double *samples_ns, int n, double *sorted)
{
    memcpy(sorted, samples_ns, (size_t)n * sizeof *sorted);
    (void)hone__median(sorted, (size_t)n); /* sorts */
}

int hone__screen_scatters(const double *samples_ns, int n)
{
    double sorted[HONE_MAX_SAMPLES];
    double median_ns;

    sort_copy(samples_ns, n, sorted);
    median_ns = hone__median(sorted, (size_t)n);
    return hone__half_iqr(sorted, (size_t)n) > most_scatter * median_ns;
}

double hone__screen_limit(const hone_screen_rule *rule, int n)
{
    const double noise = rule->noise > 0 ? rule->noise : usual_noise;
    double margin = 0;

    for (int i = 0; i < N_RUNGS; ++i) {
        if (n <= rungs[i].n_samples) {
            margin = rungs[i].margin;
            break;
        }
    }
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
    sort_copy(samples_ns, n, sorted);
    return sorted[(n - 1) / 2] / rule->incumbent_ns;
}

/* So many samples for everybody. */
static hone_screen_step step_fixed(int fixed, int n, int *out_until)
{
    *out_until = fixed < HONE_MAX_SAMPLES ? fixed : HONE_MAX_SAMPLES;
    return n < *out_until ? HONE_SCREEN_MORE : HONE_SCREEN_KEEP;
}

hone_screen_step hone__screen_next(const hone_screen_rule *rule,
                                   const double *samples_ns, int n,
                                   int *out_until, double *out_ratio)
{
    *out_ratio = ratio_of(rule, samples_ns, n);
    if (rule->fixed_samples > 0)
        return step_fixed(rule->fixed_samples, n, out_until);
    *out_until = n;
    if (n > 0 &&
        n<HONE_SCREEN_SAMPLES && * out_ratio> hone__screen_limit(rule, n))
        return HONE_SCREEN_DROP;
    for (int i = 0; i < N_RUNGS; ++i) {
        if (n < rungs[i].n_samples) {
            *out_until = rungs[i].n_samples;
            return HONE_SCREEN_MORE;
        }
    }
    if (n < HONE_SCREEN_SAMPLES) {
        *out_until = HONE_SCREEN_SAMPLES;
        return HONE_SCREEN_MORE;
    }
    if (n < HONE_SCREEN_MOST && hone__screen_scatters(samples_ns, n)) {
        *out_until = HONE_SCREEN_MOST;
        return HONE_SCREEN_MORE;
    }
    return HONE_SCREEN_KEEP;
}
