/* SPDX-License-Identifier: Apache-2.0 */
/* The racing rule: its ladder, its margins, and what it costs and loses on
 * spaces with synthetic times. */
#include "tuner/trial/timer.h"
#include "tuner/judge/samples.h"
#include "tuner/judge/statistics.h"
#include "tuner/judge/trial_protocol.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Steps of a variant whose samples are all `time_ns`; returns the last step
 * and how many samples it took. */
static hone_screen_step climb(const hone_screen_rule *rule, double time_ns,
                              int *out_n, double *out_ratio)
{
    double samples[HONE_MAX_SAMPLES];
    hone_screen_step step;
    int n = 0;

    for (;;) {
        int until = -1;

        step = hone__screen_next(rule, samples, n, &until, out_ratio);
        if (step != HONE_SCREEN_MORE)
            break;
        assert_in_range(until, n + 1, HONE_MAX_SAMPLES);
        while (n < until)
            samples[n++] = time_ns;
    }
    *out_n = n;
    return step;
}

static void test_ladder(void **state)
{
    static const struct {
        double incumbent_ns, noise, time_ns;
        hone_screen_step step;
        int n;
    } rows[] = {
        {0, 0, 100, HONE_SCREEN_KEEP, 8}, /* nobody to race against */
        {100, 0, 200, HONE_SCREEN_DROP, 2},
        {100, 0, 107, HONE_SCREEN_DROP, 2},
        {100, 0, 104, HONE_SCREEN_DROP, 4},
        {100, 0, 101, HONE_SCREEN_KEEP, 8},
        {100, 0, 50, HONE_SCREEN_KEEP, 8},
        {100, 0.05, 107, HONE_SCREEN_KEEP, 8}, /* a noisy device */
        {100, 0.05, 140, HONE_SCREEN_DROP, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const hone_screen_rule rule = {0, rows[i].incumbent_ns, rows[i].noise};
        double ratio = -1;
        int n = 0;

        assert_int_equal(climb(&rule, rows[i].time_ns, &n, &ratio),
                         rows[i].step);
        assert_int_equal(n, rows[i].n);
        if (rows[i].incumbent_ns > 0)
            assert_true(fabs(ratio - rows[i].time_ns / 100) < 1e-9);
        else
            assert_true(ratio == 0);
    }
}

static void test_fixed_samples(void **state)
{
    hone_screen_rule rule = {30, 100, 0};
    double ratio = 0;
    int n = 0;

    (void)state;
    assert_int_equal(climb(&rule, 500, &n, &ratio), HONE_SCREEN_KEEP);
    assert_int_equal(n, 30);
    rule.fixed_samples = 1000;
    assert_int_equal(climb(&rule, 500, &n, &ratio), HONE_SCREEN_KEEP);
    assert_int_equal(n, HONE_MAX_SAMPLES);
}

/* Margins shrink with samples and widen with noise. */
static void test_limits(void **state)
{
    const hone_screen_rule quiet = {0, 1, 0.001};
    const hone_screen_rule noisy = {0, 1, 0.02};

    (void)state;
    assert_true(hone__screen_limit(&quiet, 2) > hone__screen_limit(&quiet, 4));
    assert_true(hone__screen_limit(&quiet, 4) > 1.01);
    assert_true(hone__screen_limit(&quiet, 2) < 1.06);
    assert_true(hone__screen_limit(&noisy, 2) >
                hone__screen_limit(&quiet, 2) + 0.03);
}

/* One disturbed sample of two must not drop a good variant. */
static void test_spike(void **state)
{
    const hone_screen_rule rule = {0, 100, 0};
    const double samples[] = {140, 100};
    double ratio = 0;
    int until = 0;

    (void)state;
    assert_int_equal(hone__screen_next(&rule, samples, 2, &until, &ratio),
                     HONE_SCREEN_MORE);
    assert_int_equal(until, 4);
}

static void test_scatter(void **state)
{
    const hone_screen_rule rule = {0, 0, 0};
    double samples[HONE_MAX_SAMPLES];
    double ratio = 0;
    int until = 0;

    (void)state;
    for (int i = 0; i < HONE_MAX_SAMPLES; ++i)
        samples[i] = i % 2 ? 100 : 300;
    assert_true(hone__screen_scatters(samples, 8));
    assert_int_equal(hone__screen_next(&rule, samples, 8, &until, &ratio),
                     HONE_SCREEN_MORE);
    assert_int_equal(until, HONE_SCREEN_MOST);
    assert_int_equal(
        hone__screen_next(&rule, samples, HONE_SCREEN_MOST, &until, &ratio),
        HONE_SCREEN_KEEP);
    for (int i = 0; i < 8; ++i)
        samples[i] = 100 + i % 2;
    assert_false(hone__screen_scatters(samples, 8));
}

/* ---- a whole space ------------------------------------------------------
 */

typedef struct simulation {
    uint64_t random;
    double sigma;      /* of a sample, relative */
    double spike_rate; /* share of samples that take 1.3 times as long */
    double drift;      /* of the clock from trial to trial, relative */
    int n_samples;
    double best_kept; /* true time of the best contender */
    double best;      /* of all */
} simulation;

static double uniform(simulation *s)
{
    s->random += 0x9e3779b97f4a7c15u;
    uint64_t x = s->random;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

static double normal(simulation *s)
{
    const double u = uniform(s);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * uniform(s));
}

/* Race one variant as a trial does, with the median as its time. */
static void race_one(simulation *s, double time, double *incumbent)
{
    const hone_screen_rule rule = {0, *incumbent, 0.674 * s->sigma};
    double samples[HONE_MAX_SAMPLES];
    hone_screen_step step;
    double ratio, median;
    const double clock = 1 + s->drift * (2 * uniform(s) - 1);
    int until = 0;
    int n = 0;

    while ((step = hone__screen_next(&rule, samples, n, &until, &ratio)) ==
           HONE_SCREEN_MORE) {
        for (; n < until; ++n) {
            samples[n] = clock * time * (1 + s->sigma * normal(s));
            if (uniform(s) < s->spike_rate)
                samples[n] *= 1.3;
        }
    }
    s->n_samples += n;
    s->best = time < s->best ? time : s->best;
    if (step == HONE_SCREEN_KEEP)
        s->best_kept = time < s->best_kept ? time : s->best_kept;
    median = hone__median(samples, (size_t)n);
    if (*incumbent <= 0 || median < *incumbent)
        *incumbent = median;
}

enum { N_CONFIGS = 300, N_REPEATS = 20, N_SPACES = 4 };

/* 300 configurations: times that spread over a factor of ten, over a factor
 * of two, within 10 % (as of kernels at the memory's limit), and half of
 * them within 1 % of the best. */
static double time_in(int space, simulation *s)
{
    const double u = uniform(s);

    switch (space) {
    case 0:
        return 100 * pow(10, u);
    case 1:
        return 100 * (1 + u);
    case 2:
        return 100 * (1 + 0.1 * u);
    default:
        return u < 0.5 ? 100 * (1 + 0.02 * u) : 100 * (1 + u);
    }
}

static void test_samples_and_regret(void **state)
{
    double samples = 0;
    double worst_regret = 0;

    (void)state;
    for (int space = 0; space < N_SPACES; ++space) {
        for (int repeat = 0; repeat < N_REPEATS; ++repeat) {
            simulation s = {.random =
                                (uint64_t)(1 + space * N_REPEATS + repeat),
                            .sigma = 0.005,
                            .spike_rate = repeat % 2 ? 0.03 : 0,
                            .drift = repeat % 4 < 2 ? 0 : 0.01,
                            .best = 1e9,
                            .best_kept = 1e9};
            double incumbent = 0;

            for (int i = 0; i < N_CONFIGS; ++i)
                race_one(&s, time_in(space, &s), &incumbent);
            samples += (double)s.n_samples / (N_CONFIGS * N_REPEATS * N_SPACES);
            if (s.best_kept / s.best - 1 > worst_regret)
                worst_regret = s.best_kept / s.best - 1;
        }
    }
    print_message("%.2f samples per configuration, regret %.2f %%\n", samples,
                  100 * worst_regret);
    assert_true(samples * 5 <= 30);
    assert_true(worst_regret <= 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_fixed_samples),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_spike),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_samples_and_regret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
