/* SPDX-License-Identifier: Apache-2.0 */
/* Which stored configurations go first: distances, order, quotas. */
#include "tuner/session/rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int is_near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void test_distance(void **state)
{
    static const int sizes[3] = {0, 0, 0};
    static const int typed[3] = {0, 0, 1};
    const int64_t square[3] = {64, 64, 5};
    const int64_t row[3] = {1, 4096, 5};
    const int64_t twice[3] = {128, 64, 5};
    const int64_t half[3] = {32, 64, 5};
    const int64_t other_type[3] = {64, 64, 6};
    const int64_t empty[3] = {0, 64, 5};
    const int64_t one[3] = {1, 64, 5};

    (void)state;
    assert_true(hone__seed_shape_distance(square, square, sizes, 3) == 0);
    assert_true(
        is_near(hone__seed_shape_distance(square, twice, sizes, 3), log(2)));
    assert_true(
        is_near(hone__seed_shape_distance(square, half, sizes, 3), log(2)));
    /* The product of the sizes is the same, the shape is far away. */
    assert_true(
        is_near(hone__seed_shape_distance(square, row, sizes, 3), 2 * log(64)));
    assert_true(hone__seed_shape_distance(square, other_type, typed, 3) < 0);
    assert_true(hone__seed_shape_distance(square, twice, typed, 3) > 0);
    assert_true(hone__seed_shape_distance(empty, one, sizes, 3) == 0);
}

static void check(hone_seed *seeds, size_t n, const int64_t *expected,
                  size_t n_expected)
{
    assert_int_equal(hone__seeds_choose(seeds, n), n_expected);
    for (size_t i = 0; i < n_expected; ++i)
        assert_int_equal(seeds[i].index, expected[i]);
}

static void test_nearest_first_and_once(void **state)
{
    hone_seed seeds[] = {
        {.index = 1, .from = HONE_SEED_FAR, .distance = 0.1, .rank = 1},
        {.index = 2, .from = HONE_SEED_DEVICE, .distance = 3, .rank = 1},
        {.index = 3, .from = HONE_SEED_SHAPE, .distance = 2, .rank = 1},
        {.index = 4, .from = HONE_SEED_SHAPE, .distance = 1, .rank = 2},
        {.index = 5, .from = HONE_SEED_SHAPE, .distance = 1, .rank = 1},
        {.index = 6, .from = HONE_SEED_SHAPE, .distance = 0.5, .rank = 3},
        {.index = 5, .from = HONE_SEED_DEVICE, .distance = 1, .rank = 1},
        {.index = 7, .from = HONE_SEED_HERE, .distance = 9, .rank = 3}};
    /* 6 is but the third of its ranking, 5 is there twice. */
    static const int64_t expected[] = {7, 5, 4, 3, 2, 1};

    (void)state;
    check(seeds, sizeof seeds / sizeof seeds[0], expected, 6);
    assert_int_equal(hone__seeds_choose(seeds, 0), 0);
}

static void test_some_of_every_kind(void **state)
{
    hone_seed seeds[80];
    size_t n_from[HONE_N_SEED_FROM] = {0};
    size_t n;

    (void)state;
    for (int i = 0; i < 80; ++i)
        seeds[i] = (hone_seed){.index = i,
                               .from = (hone_seed_from)(i % 4),
                               .distance = i / 8,
                               .rank = 1 + i / 4 % 2};
    n = hone__seeds_choose(seeds, 80);
    assert_int_equal(n, HONE_MOST_SEEDS);
    for (size_t i = 0; i < n; ++i)
        ++n_from[seeds[i].from];
    assert_int_equal(n_from[HONE_SEED_HERE], 4);
    assert_int_equal(n_from[HONE_SEED_SHAPE], 4);
    assert_int_equal(n_from[HONE_SEED_DEVICE], 2); /* what is left of ten */
    for (int i = 0; i < 80; ++i)
        seeds[i] = (hone_seed){
            .index = i, .from = HONE_SEED_FAR, .distance = i, .rank = 1};
    assert_int_equal(hone__seeds_choose(seeds, 80), 2);
    assert_int_equal(seeds[0].index, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_nearest_first_and_once),
        cmocka_unit_test(test_some_of_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
