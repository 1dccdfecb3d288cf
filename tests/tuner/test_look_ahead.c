/* SPDX-License-Identifier: Apache-2.0 */
/* How far ahead a run asks its search: the rule, and a simulated farm and
 * device that must not stand idle by it. */
#include "tuner/session/rules.h"
#include "tuner/search/chance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static int ahead(double compile_s, double trial_s, int n_workers)
{
    const hone_pace pace = {compile_s, trial_s};

    return hone__look_ahead(&pace, n_workers, 1);
}

static void test_rule(void **state)
{
    (void)state;
    assert_int_equal(ahead(0, 0, 16), 18); /* nothing known: fill the farm */
    assert_int_equal(ahead(0, 1, 16), 18);
    assert_int_equal(ahead(1, 0, 16), 18);
    assert_int_equal(ahead(1, 0.001, 16), 18); /* the farm is the slower */
    assert_int_equal(ahead(1, 1, 16), 3);
    assert_int_equal(ahead(0.009, 0.005, 16), 5);
    assert_int_equal(ahead(0.001, 1, 16), 2); /* all in the cache */
    assert_int_equal(ahead(1e300, 1e-300, 16), 18);
    assert_int_equal(ahead(1, 0.001, 1), 3);
    /* Nothing is lost by asking early. */
    assert_int_equal(hone__look_ahead(&(hone_pace){1, 1}, 16, 0), 64);
}

static void test_pace_follows(void **state)
{
    double mean = 0;

    (void)state;
    hone__pace_add(&mean, 8);
    assert_true(mean == 8);
    hone__pace_add(&mean, 0);
    assert_true(mean == 7);
    for (int i = 0; i < 100; ++i)
        hone__pace_add(&mean, 1);
    assert_true(mean > 0.99 && mean < 1.01);
}

/* ---- a farm and a device ------------------------------------------------
 */

enum { MOST_WORKERS = 64, N_TRIALS = 4000, IN_PIPE = 2 };

typedef struct line {
    hone_chance chance;
    double now_s;
    double compile_ends_s[MOST_WORKERS]; /* 0: idle */
    double compile_took_s[MOST_WORKERS];
    double trial_ends_s; /* 0: idle */
    double trial_took_s;
    int n_busy;
    int n_queued;
    int n_waiting; /* in the device's pipe */
    hone_pace pace;
} line;

/* Half to one and a half times the mean, a tenth of them three times that. */
static double about(line *l, double mean_s)
{
    const double at = (double)hone__chance_below(&l->chance, 1000) / 1000;
    const int is_long = hone__chance_below(&l->chance, 10) == 0;

    return mean_s * (0.5 + at) * (is_long ? 3 : 1) / 1.2;
}

static void fill(line *l, double compile_s, double trial_s, int n_workers,
                 int limit)
{
    for (int i = 0; i < n_workers; ++i) {
        const int most =
            limit > 0 ? limit : hone__look_ahead(&l->pace, n_workers, 1);

        if (l->compile_ends_s[i] > 0 || l->n_queued + l->n_busy >= most)
            continue;
        l->compile_took_s[i] = about(l, compile_s);
        l->compile_ends_s[i] = l->now_s + l->compile_took_s[i];
        ++l->n_busy;
    }
    while (l->n_queued && l->n_waiting + (l->trial_ends_s > 0) < IN_PIPE) {
        --l->n_queued;
        ++l->n_waiting;
    }
    if (l->n_waiting && !(l->trial_ends_s > 0)) {
        --l->n_waiting;
        l->trial_took_s = about(l, trial_s);
        l->trial_ends_s = l->now_s + l->trial_took_s;
    }
}

/* Time goes on to whatever ends next. Returns 1 if that is a trial. */
static int step(line *l, int n_workers)
{
    int next = -1; /* the trial */
    double at = l->trial_ends_s > 0 ? l->trial_ends_s : 1e300;

    for (int i = 0; i < n_workers; ++i) {
        if (l->compile_ends_s[i] > 0 && l->compile_ends_s[i] < at) {
            at = l->compile_ends_s[i];
            next = i;
        }
    }
    l->now_s = at;
    if (next < 0) {
        l->trial_ends_s = 0;
        hone__pace_add(&l->pace.trial_s, l->trial_took_s);
        return 1;
    }
    l->compile_ends_s[next] = 0;
    hone__pace_add(&l->pace.compile_s, l->compile_took_s[next]);
    --l->n_busy;
    ++l->n_queued;
    return 0;
}

/* Trials per second. `limit` 0: as the rule says. */
static double rate(double compile_s, double trial_s, int n_workers, int limit)
{
    line l = {.chance = hone__chance(1)};
    int n = 0;

    while (n < N_TRIALS) {
        fill(&l, compile_s, trial_s, n_workers, limit);
        n += step(&l, n_workers);
    }
    return N_TRIALS / l.now_s;
}

static void test_neither_stands_idle(void **state)
{
    static const double trials_s[] = {0.001, 0.01, 0.05, 0.2, 0.5, 1, 3, 20};
    static const int workers[] = {1, 2, 16, 64};

    (void)state;
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        for (size_t t = 0; t < sizeof trials_s / sizeof trials_s[0]; ++t) {
            const double best = rate(1, trials_s[t], workers[w], 100000);
            const double ours = rate(1, trials_s[t], workers[w], 0);

            if (ours < 0.9 * best)
                fail_msg("%d workers, trials of %g s: %g instead of %g /s",
                         workers[w], trials_s[t], ours, best);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_pace_follows),
        cmocka_unit_test(test_neither_stands_idle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
