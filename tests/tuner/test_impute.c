/* SPDX-License-Identifier: Apache-2.0 */
/* Times that nobody measured: exact where costs are off by a problem's and a
 * variant's part, whatever the unit; hardly touched by times far from the best;
 * none of what has no cost, no time, or does not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuner/portfolio/impute.h"

#include <math.h>
#include <string.h>

enum { PROBLEMS = 12, VARIANTS = 6, ROW = 16 };

typedef struct table {
    double cost[VARIANTS * ROW], time_ns[PROBLEMS * VARIANTS],
        truth[PROBLEMS * VARIANTS];
    unsigned char counts[VARIANTS];
} table;

/* Costs between 1 and 1.4, so that no time is far from the best; variants are
 * 2 % apart, problems 5 %. */
static void make(table *t)
{
    memset(t, 0, sizeof *t);
    memset(t->counts, 1, sizeof t->counts);
    for (size_t j = 0; j < VARIANTS; ++j)
        for (size_t i = 0; i < PROBLEMS; ++i) {
            const size_t at = i * VARIANTS + j;
            const double cost = 1 + 0.1 * (double)((i * 7 + j * 3) % 5);

            t->cost[j * ROW + i] = log(cost);
            t->time_ns[at] = t->truth[at] =
                3000 * cost * pow(1.05, (double)(i % 3)) * pow(1.02, (double)j);
        }
}

static void impute(table *t)
{
    hone_error err = {0};

    assert_int_equal(
        hone__impute_times(&(hone_impute_request){.n_problems = PROBLEMS,
                                                  .n_variants = VARIANTS,
                                                  .cost = t->cost,
                                                  .cost_row = ROW,
                                                  .counts = t->counts,
                                                  .time_ns = t->time_ns},
                           &err),
        HONE_OK);
}

static double off(const table *t, size_t problem, size_t variant)
{
    const size_t at = problem * VARIANTS + variant;

    return fabs(log(t->time_ns[at] / t->truth[at]));
}

/* A variant with two times, another with half of them. */
static void test_parts(void **state)
{
    table t;

    (void)state;
    make(&t);
    for (size_t i = 2; i < PROBLEMS; ++i)
        t.time_ns[i * VARIANTS + 5] = 0;
    for (size_t i = 0; i < PROBLEMS; i += 2)
        t.time_ns[i * VARIANTS + 1] = 0;
    impute(&t);
    for (size_t i = 0; i < PROBLEMS; ++i) {
        assert_true(off(&t, i, 5) < 0.03);
        assert_true(off(&t, i, 1) < 0.02);
        assert_true(off(&t, i, 0) == 0); /* was measured */
    }
}

/* One time of three is five times what it costs: it says little, where two near
 * the best say more. */
static void test_far(void **state)
{
    table t;

    (void)state;
    make(&t);
    for (size_t i = 3; i < PROBLEMS; ++i)
        t.time_ns[i * VARIANTS + 4] = 0;
    t.time_ns[4] *= 5;
    impute(&t);
    assert_true(off(&t, 7, 4) < 0.08);
    assert_true(t.time_ns[4] == 5 * t.truth[4]);
}

static void test_nothing(void **state)
{
    table t;

    (void)state;
    make(&t);
    for (size_t i = 0; i < PROBLEMS; ++i) {
        t.time_ns[i * VARIANTS + 2] = 0; /* never timed */
        if (i % 2)
            t.time_ns[i * VARIANTS] = t.time_ns[i * VARIANTS + 3] = 0;
    }
    t.counts[3] = 0;
    t.cost[1] = NAN; /* of the first, which was not timed there */
    impute(&t);
    for (size_t i = 0; i < PROBLEMS; ++i) {
        assert_true(t.time_ns[i * VARIANTS + 2] == 0);
        assert_true((t.time_ns[i * VARIANTS + 3] == 0) == (i % 2 == 1));
        assert_true((t.time_ns[i * VARIANTS] == 0) == (i == 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
