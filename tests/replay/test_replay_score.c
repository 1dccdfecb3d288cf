/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated runs and their score, on spaces whose figures can be worked out
 * by hand. */
#include "tests/replay/replay_file.h"

#include "tuner/replay/replay_score.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A recording with one parameter and these times in seconds (0: failed), in
 * this order; each trial cost `cost_s`. */
static const hone_recording *make(hone_recordings *list, const double *times_s,
                                  size_t n, double cost_s)
{
    hone_text text = {0};
    hone_error err = {0};
    replay_file file;

    hone__text_puts(&text, "{\"metadata\": {\"timeunit\": \"seconds\"}, "
                           "\"results\": [");
    for (size_t i = 0; i < n; ++i)
        hone__text_printf(
            &text,
            "%s{\"configuration\": {\"P\": %zu}, \"invalidity\": \"%s\", "
            "\"times\": {\"compilation\": %g}, \"measurements\": "
            "[{\"name\": \"time\", \"value\": %.17g}]}",
            i ? "," : "", i, times_s[i] > 0 ? "correct" : "runtime", cost_s,
            times_s[i]);
    hone__text_puts(&text, "]}");
    replay_file_write(&file, text.data, text.length);
    if (hone__recordings_read(file.path, list, &err) != HONE_OK)
        fail_msg("%s", err.text);
    replay_file_remove(&file);
    hone__text_free(&text);
    return list->items[0];
}

static void near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9 * (1 + fabs(wanted)))
        fail_msg("%.17g, not %.17g", value, wanted);
}

/* ---- runs ---------------------------------------------------------------
 */

static hone_replay_step run(const hone_recording *r, int64_t evaluations,
                            double seconds)
{
    hone_replay_step last;

    assert_int_equal(
        hone__replay_run(
            &(hone_replay_request){.recording = r,
                                   .strategy = "exhaustive",
                                   .first = -1,
                                   .seed = 1,
                                   .budget = {evaluations, seconds}},
            NULL, NULL, &last, NULL),
        HONE_OK);
    return last;
}

static void test_runs_and_budgets(void **state)
{
    static const double times[] = {0, 5, 7, 3, 4};
    hone_recordings list;
    const hone_recording *r = make(&list, times, 5, 2);
    hone_replay_step last;
    hone_error err = {0};

    (void)state;
    last = run(r, 0, 0); /* the whole space */
    assert_int_equal(last.n, 5);
    near(last.simulated_s, 10);
    near(last.best_ns, 3e9);
    last = run(r, 1, 0);
    assert_int_equal(last.n, 1);
    assert_true(last.best_ns == 0); /* it failed, and cost time */
    near(last.simulated_s, 2);
    last = run(r, 3, 0);
    near(last.best_ns, 5e9);
    last = run(r, 0, 5); /* no trial begins after 5 s */
    assert_int_equal(last.n, 3);
    near(last.simulated_s, 6);
    last = run(r, 2, 100);
    assert_int_equal(last.n, 2);
    assert_int_equal(hone__replay_run(
                         &(hone_replay_request){
                             .recording = r, .strategy = "magic", .first = -1},
                         NULL, NULL, &last, &err),
                     HONE_ERR_ARGUMENT);
    hone__recordings_free(&list);
}

/* ---- the parts of the score ---------------------------------------------
 */

static void test_cutoff(void **state)
{
    /* Times 10..1: median 5.5, optimum 1. At 0.95 the target is 1.225, only
     * the optimum reaches it (i = 9), so i = 8 and ceil(8 / 3) = 3. At 0.01
     * it is 5.455: i = 5 and ceil(5 / 6) = 1. */
    static const double times[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0};
    static const double flat[] = {4, 4, 0};
    hone_recordings list;
    const hone_recording *r = make(&list, times, 12, 2);
    hone_replay_budget budget;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__replay_cutoff(r, 0.95, &budget, &err), HONE_OK);
    assert_int_equal(budget.evaluations, 3);
    near(budget.seconds, 6);
    assert_int_equal(hone__replay_cutoff(r, 0.01, &budget, &err), HONE_OK);
    assert_int_equal(budget.evaluations, 1);
    hone__recordings_free(&list);
    r = make(&list, flat, 3, 2);
    assert_int_equal(hone__replay_cutoff(r, 0.95, &budget, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "two different times"));
    hone__recordings_free(&list);
}

static void test_isotonic(void **state)
{
    static const struct {
        size_t n;
        double values[6];
        double weights[6];
        double wanted[6];
    } cases[] = {
        {0, {0}, {0}, {0}},
        {1, {3}, {2}, {3}},
        {4, {4, 3, 2, 1}, {1, 1, 1, 1}, {4, 3, 2, 1}},
        {4, {1, 2, 3, 4}, {1, 1, 1, 1}, {2.5, 2.5, 2.5, 2.5}},
        {6, {9, 4, 6, 5, 1, 2}, {1, 1, 1, 1, 1, 1}, {9, 5, 5, 5, 1.5, 1.5}},
        {3, {5, 1, 4}, {1, 1, 3}, {5, 3.25, 3.25}},
        {5,
         {5, 3, 4, 6, 1},
         {1, 1, 1, 1, 1},
         {5, 13. / 3, 13. / 3, 13. / 3, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double values[6];

        memcpy(values, cases[i].values, sizeof values);
        assert_int_equal(
            hone__isotonic_falling(values, cases[i].weights, cases[i].n, NULL),
            HONE_OK);
        for (size_t k = 0; k < cases[i].n; ++k)
            near(values[k], cases[i].wanted[k]);
    }
}

/* Runs of the length that a score needs. */
static hone_status try_score(const hone_recording *r, const char *strategy,
                             int64_t repeats, uint64_t seed, double *out,
                             hone_error *err)
{
    hone_replay_request request = {
        .recording = r, .strategy = strategy, .first = -1, .seed = seed};
    hone_replay_traces traces = {NULL, 0};
    hone_status status =
        hone__replay_cutoff(r, HONE_SCORE_END, &request.budget, err);

    request.budget.evaluations = 0;
    if (status == HONE_OK)
        status = hone__replay_traces(&request, repeats, 3, &traces, err);
    if (status == HONE_OK)
        status = hone__replay_score(r, &traces, out, err);
    hone__replay_traces_free(&traces);
    return status;
}

static double score(const hone_recording *r, const char *strategy,
                    int64_t repeats, uint64_t seed)
{
    hone_error err = {0};
    double out = NAN;

    if (try_score(r, strategy, repeats, seed, &out, &err) != HONE_OK)
        fail_msg("%s", err.text);
    return out;
}

static void test_scores_by_hand(void **state)
{
    /* Worst first: from 2 to 6 s the strategy has ranks 9, 8 and 7, changing
     * half-way between trials; random search has time 4 until 3 s, 3 until
     * 5 s, then 2. So (4-10)/3 = -2 for a quarter of the steps, (3-9)/2 = -3
     * for half of them, (2-8)/1 = -6 for a quarter. */
    static const double worst_first[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    static const double best_first[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    hone_recordings list;
    const hone_recording *r = make(&list, worst_first, 10, 2);

    (void)state;
    near(score(r, "exhaustive", 1, 1), -3.5);
    near(score(r, "exhaustive", 7, 2), -3.5);
    hone__recordings_free(&list);
    r = make(&list, best_first, 10, 2);
    near(score(r, "exhaustive", 3, 1), 1); /* the optimum at once */
    hone__recordings_free(&list);
}

static void test_no_score(void **state)
{
    static const double times[] = {3, 2, 1};
    static const double failures[] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 1};
    hone_recordings list;
    const hone_recording *r = make(&list, times, 3, 0);
    hone_error err = {0};
    double out;

    (void)state;
    assert_int_equal(try_score(r, "random", 5, 1, &out, &err), HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "needs recorded costs"));
    assert_int_equal(try_score(r, "magic", 5, 1, &out, &err),
                     HONE_ERR_ARGUMENT);
    hone__recordings_free(&list);
    r = make(&list, failures, 10, 1);
    assert_int_equal(try_score(r, "exhaustive", 5, 1, &out, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "no run found a valid"));
    hone__recordings_free(&list);
}

/* On a space of some size random search is compared with itself. */
static void test_random_scores_nothing(void **state)
{
    enum { N = 2000 };
    static double times[N];
    uint64_t x = 88172645463325252u;
    hone_recordings list;
    const hone_recording *r;
    double first;

    (void)state;
    for (int i = 0; i < N; ++i) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        times[i] = i % 9 == 4 ? 0 : 1 + (double)(x % 100000) / 1e4;
    }
    r = make(&list, times, N, 1.5);
    first = score(r, "random", 100, 1);
    assert_true(fabs(first) < 0.08);
    assert_true(fabs(score(r, "random", 100, 2)) < 0.08);
    assert_true(score(r, "random", 100, 1) == first); /* the same again */
    assert_true(score(r, "random", 100, 2) != first);
    hone__recordings_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_and_budgets),
        cmocka_unit_test(test_cutoff),
        cmocka_unit_test(test_isotonic),
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_no_score),
        cmocka_unit_test(test_random_scores_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
