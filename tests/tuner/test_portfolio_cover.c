/* SPDX-License-Identifier: Apache-2.0 */
/* Which variants serve many problems best: sets with a known optimum, against
 * all sets, members that must or must not be, when it stops, unknown times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/portfolio/portfolio_cover.h"

#include <math.h>
#include <string.h>

enum { MOST = 16 };

static hone_cover_request request_of(size_t n_problems, size_t n_candidates,
                                     const double *times, const double *best)
{
    return (hone_cover_request){.n_problems = n_problems,
                                .n_candidates = n_candidates,
                                .time_ns = times,
                                .best_ns = best,
                                .least = 1,
                                .most = MOST,
                                .gain = 0.002};
}

static size_t choose(const hone_cover_request *request, size_t *set)
{
    size_t n = 0;
    hone_error err = {0};

    assert_int_equal(hone__cover_choose(request, set, &n, &err), HONE_OK);
    return n;
}

static int has(const size_t *set, size_t n, size_t candidate)
{
    for (size_t i = 0; i < n; ++i)
        if (set[i] == candidate)
            return 1;
    return 0;
}

/* Each of 4 problems has a specialist; the one that is good everywhere goes
 * first and is worth nothing once they are there. */
static void test_specialists(void **state)
{
    static const double best[] = {100, 100, 100, 100};
    static const double times[] = {
        100, 200, 200, 200, 110, /* */
        200, 100, 200, 200, 110, /* */
        200, 200, 100, 200, 110, /* */
        200, 200, 200, 100, 110,
    };
    hone_cover_request request = request_of(4, 5, times, best);
    size_t set[MOST], n;

    (void)state;
    n = choose(&request, set);
    assert_true(n >= 4);
    for (size_t i = 0; i < 4; ++i)
        assert_true(has(set, n, i));
    assert_true(fabs(hone__cover_mean(&request, set, n) - 1) < 1e-12);
    /* With one place it is the one that is good everywhere; with four, an
     * exchange puts it out again. */
    request.most = 1;
    n = choose(&request, set);
    assert_int_equal(n, 1);
    assert_int_equal(set[0], 4);
    assert_true(fabs(hone__cover_mean(&request, set, n) - 1.1) < 1e-12);
    request.most = 4;
    n = choose(&request, set);
    assert_int_equal(n, 4);
    assert_false(has(set, n, 4));
}

static void test_stops_when_nothing_is_gained(void **state)
{
    static const double best[] = {100, 100};
    static const double times[] = {
        100,   150, 130, 120, /* */
        100.1, 100, 130, 120,
    };
    hone_cover_request request = request_of(2, 4, times, best);
    size_t set[MOST];

    (void)state;
    assert_int_equal(choose(&request, set), 1); /* 0.05 % are not enough */
    assert_int_equal(set[0], 0);
    request.gain = 1e-4;
    assert_int_equal(choose(&request, set), 2);
    /* At least so many: whoever is the best second one. */
    request.gain = 0.002;
    request.least = 3;
    assert_int_equal(choose(&request, set), 3);
    assert_true(has(set, 3, 3));
    /* There are no more than there are. */
    request.least = 9;
    assert_int_equal(choose(&request, set), 4);
}

static void test_always_and_never(void **state)
{
    static const double best[] = {100};
    static const double times[] = {100, 101, 500, HONE_CELL_INVALID,
                                   HONE_CELL_FAILED};
    static const unsigned char always[] = {0, 0, 1, 1, 0};
    static const unsigned char never[] = {1, 0, 0, 0, 0};
    hone_cover_request request = request_of(1, 5, times, best);
    size_t set[MOST], n;

    (void)state;
    request.always = always;
    request.never = never;
    n = choose(&request, set);
    assert_int_equal(n, 2);
    assert_int_equal(set[0], 2); /* it comes in first */
    assert_int_equal(set[1], 1); /* 0 may not; 3 and 4 are valid nowhere */
    /* Both: never wins. */
    request.never = always;
    n = choose(&request, set);
    assert_int_equal(n, 1);
    assert_int_equal(set[0], 0);
}

static void test_nobody_is_valid(void **state)
{
    static const double best[] = {100, 100};
    static const double times[] = {100, HONE_CELL_INVALID};
    const hone_cover_request request = request_of(2, 1, times, best);
    size_t set[MOST];

    (void)state;
    assert_int_equal(choose(&request, set), 1);
    assert_true(fabs(hone__cover_mean(&request, set, 1) -
                     sqrt(HONE_COVER_NOBODY)) < 1e-9);
}

/* ---- against all sets -------------------------------------------------------
 */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double best_of_all(const hone_cover_request *request, size_t size)
{
    double best = 1e9;

    for (uint32_t mask = 0; mask < 1u << request->n_candidates; ++mask) {
        size_t set[MOST], n = 0;
        double mean;

        for (size_t i = 0; i < request->n_candidates && n < size + 1; ++i)
            if (mask >> i & 1)
                set[n++] = i;
        if (n != size)
            continue;
        mean = hone__cover_mean(request, set, n);
        best = mean < best ? mean : best;
    }
    return best;
}

static void test_near_the_optimum(void **state)
{
    enum { N_PROBLEMS = 9, N_CANDIDATES = 12, N_RUNS = 40, SIZE = 4 };
    uint32_t seed = 7;
    int n_exact = 0;

    (void)state;
    for (int run = 0; run < N_RUNS; ++run) {
        double times[N_PROBLEMS * N_CANDIDATES], best[N_PROBLEMS];
        hone_cover_request request =
            request_of(N_PROBLEMS, N_CANDIDATES, times, best);
        size_t set[MOST];
        double mean, optimum;

        for (size_t p = 0; p < N_PROBLEMS; ++p) {
            best[p] = 1e9;
            for (size_t c = 0; c < N_CANDIDATES; ++c) {
                double *t = &times[p * N_CANDIDATES + c];

                *t = next_random(&seed) % 5 == 0
                         ? HONE_CELL_INVALID
                         : 100 + (double)(next_random(&seed) % 400);
                if (*t > 0 && *t < best[p])
                    best[p] = *t;
            }
        }
        request.least = request.most = SIZE;
        assert_int_equal(choose(&request, set), SIZE);
        mean = hone__cover_mean(&request, set, SIZE);
        optimum = best_of_all(&request, SIZE);
        assert_true(mean >= optimum - 1e-12);
        assert_true(mean < optimum * 1.06);
        n_exact += mean < optimum + 1e-9;
    }
    assert_true(n_exact >= N_RUNS / 2);
}

/* ---- unknown times
 * ----------------------------------------------------------- */

static void test_estimate(void **state)
{
    /* Problem 1 is near 0, problem 2 is far. */
    static const double distance[] = {0, 0.5, 8, 0.5, 0, 8, 8, 8, 0};
    static const double best[] = {100, 200, 300};
    double times[] = {
        100,
        HONE_CELL_UNKNOWN,
        HONE_CELL_INVALID,
        HONE_CELL_UNKNOWN, /* */
        HONE_CELL_UNKNOWN,
        200,
        240,
        HONE_CELL_UNKNOWN, /* */
        HONE_CELL_UNKNOWN,
        600,
        HONE_CELL_FAILED,
        HONE_CELL_UNKNOWN,
    };

    (void)state;
    hone__cover_estimate(3, 4, distance, best, times);
    /* What is known stays. */
    assert_true(times[0] == 100 && times[5] == 200 && times[9] == 600);
    assert_true(times[2] == HONE_CELL_INVALID && times[10] == HONE_CELL_FAILED);
    assert_true(times[3] == HONE_CELL_UNKNOWN); /* known nowhere */
    /* As good as where it was measured, but not better than a known one; far
     * away it is taken for worse. */
    assert_true(times[4] > 200 && times[4] < 220);
    assert_true(times[8] > 300 * 1.5 && times[8] < 300 * 2.1);
    /* The near one counts more than the far one, where it is twice as slow. */
    assert_true(times[1] > 100 && times[1] < 110);
}

/* One that is right for the heavy problem, though another is for two. */
static void weighs_problems(void **state)
{
    static const double times[] = {1, 2, 2, 1, 2, 1};
    static const double best[] = {1, 1, 1};
    static const double weights[] = {3, 1, 1};
    hone_cover_request request = {.n_problems = 3,
                                  .n_candidates = 2,
                                  .time_ns = times,
                                  .best_ns = best,
                                  .least = 1,
                                  .most = 1};
    size_t set[1], n = 0;

    (void)state;
    assert_int_equal(hone__cover_choose(&request, set, &n, NULL), HONE_OK);
    assert_true(n == 1 && set[0] == 1);
    request.weight = weights;
    assert_int_equal(hone__cover_choose(&request, set, &n, NULL), HONE_OK);
    assert_true(n == 1 && set[0] == 0);
    assert_true(fabs(hone__cover_mean(&request, set, 1) - exp2(0.4)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specialists),
        cmocka_unit_test(test_stops_when_nothing_is_gained),
        cmocka_unit_test(test_always_and_never),
        cmocka_unit_test(test_nobody_is_valid),
        cmocka_unit_test(test_near_the_optimum),
        cmocka_unit_test(test_estimate),
        cmocka_unit_test(weighs_problems)};

    return cmocka_run_group_tests_name("portfolio_cover", tests, NULL, NULL);
}
