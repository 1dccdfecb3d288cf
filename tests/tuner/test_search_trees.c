/* SPDX-License-Identifier: Apache-2.0 */
/* Regression trees on functions whose values are known, and `auto` in spaces
 * that fit its budget and that do not. */
#include "tests/tuner/search_fixture.h"

#include "tuner/search/trees.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 12, N_PARAMS = 3, N = SIDE * SIDE * SIDE, TREES = 24 };

typedef struct grid {
    int rows[N * N_PARAMS];
    int64_t points[N];
    double y[N];
} grid;

/* The second parameter counts only together with the first: a ridge. */
static double truth(const int *row)
{
    return abs(row[0] + row[1] - 11) + 0.25 * row[2];
}

static void fill(grid *g, int64_t every)
{
    for (int i = 0; i < N; ++i) {
        int *row = g->rows + i * N_PARAMS;

        row[0] = i / (SIDE * SIDE);
        row[1] = i / SIDE % SIDE;
        row[2] = i % SIDE;
    }
    for (int i = 0; i < N; ++i) {
        g->points[i] = (int64_t)i * every % N;
        g->y[i] = truth(g->rows + g->points[i] * N_PARAMS);
    }
}

static hone_trees *grow(hone_arena *arena, const grid *g, size_t n,
                        uint64_t seed)
{
    hone_trees *trees = NULL;
    hone_chance chance = hone__chance(seed);

    assert_int_equal(
        hone__trees_create(arena, N_PARAMS, TREES, N, &trees, NULL), HONE_OK);
    for (int k = 0; k < TREES; ++k)
        hone__trees_grow(trees, g->rows, g->points, g->y, n, &chance);
    return trees;
}

/* What they were grown from they know exactly, and for certain. */
static void test_points_are_known(void **state)
{
    static grid g;
    static double mean[N], deviation[N];
    hone_arena arena = {NULL};
    hone_trees *trees;

    (void)state;
    fill(&g, 5);
    trees = grow(&arena, &g, 200, 1);
    hone__trees_predict(trees, g.rows, N, mean, deviation);
    for (int i = 0; i < 200; ++i) {
        const int64_t point = g.points[i];

        assert_true(fabs(mean[point] - g.y[i]) < 1e-5);
        assert_true(deviation[point] < 1e-2);
    }
    hone__arena_free(&arena);
}

/* Of the others they know more than the mean of all: half of its error is
 * gone with one point in five. And they say where they are not certain. */
static void test_others_are_guessed(void **state)
{
    static grid g;
    static double mean[N], deviation[N];
    const size_t n = N / 5;
    double average = 0, error = 0, spread = 0, uncertain = 0;
    hone_arena arena = {NULL};
    hone_trees *trees;

    (void)state;
    fill(&g, 5);
    trees = grow(&arena, &g, n, 2);
    hone__trees_predict(trees, g.rows, N, mean, deviation);
    for (int i = 0; i < N; ++i)
        average += truth(g.rows + i * N_PARAMS) / N;
    for (size_t i = n; i < N; ++i) {
        const int64_t point = g.points[i];

        error += pow(mean[point] - g.y[i], 2);
        spread += pow(average - g.y[i], 2);
        uncertain += deviation[point];
    }
    assert_true(error < 0.25 * spread);
    assert_true(uncertain / (double)(N - n) > 0.1);
    hone__arena_free(&arena);
}

static void test_seed_decides(void **state)
{
    static grid g;
    static double a[N], b[N], c[N], deviation[N];
    hone_arena arena = {NULL};
    hone_trees *one, *two, *other;

    (void)state;
    fill(&g, 7);
    one = grow(&arena, &g, 100, 1);
    two = grow(&arena, &g, 100, 1);
    other = grow(&arena, &g, 100, 2);
    hone__trees_predict(one, g.rows, N, a, deviation);
    hone__trees_predict(two, g.rows, N, b, deviation);
    hone__trees_predict(other, g.rows, N, c, deviation);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    hone__arena_free(&arena);
}

/* Equal points with different values: one leaf, their mean, their scatter. */
static void test_noise(void **state)
{
    const int rows[] = {4, 4, 4, 4, 4, 4, 0, 0, 0};
    const int64_t points[] = {0, 1, 2};
    const double y[] = {1, 3, 10};
    hone_chance chance = hone__chance(1);
    hone_arena arena = {NULL};
    hone_trees *trees;
    double mean, deviation;

    (void)state;
    assert_int_equal(hone__trees_create(&arena, 3, 2, 3, &trees, NULL),
                     HONE_OK);
    hone__trees_grow(trees, rows, points, y, 3, &chance);
    hone__trees_predict(trees, rows, 1, &mean, &deviation);
    assert_true(fabs(mean - 2) < 1e-6);
    assert_true(fabs(deviation - 1) < 1e-6);
    hone__arena_free(&arena);
}

static const char lines[] = "#pragma hone param A in 0..29\n"
                            "#pragma hone param B in 0..29\n"
                            "#pragma hone require A != B\n";

static void test_auto_falls_back(void **state)
{
    hone_search_fixture f;
    hone_search *search = NULL;
    int64_t index;
    int n_in_order;

    (void)state;
    assert_true(hone__search_fixture_open(lines, &f));
    assert_int_equal(f.view.count, 870);
    for (int64_t budget = 869; budget <= 870; ++budget) {
        assert_int_equal(
            hone__search_open(
                "auto", &f.view,
                &(hone_search_options){.seed = 1, .budget_trials = budget},
                &search, NULL),
            HONE_OK);
        n_in_order = 0;
        for (int64_t i = 0; i < 100; ++i) {
            assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
            n_in_order += index == i;
        }
        if (budget == 870)
            assert_int_equal(n_in_order, 100);
        else
            assert_true(n_in_order < 10);
        hone__search_close(search);
    }
    hone__search_fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_are_known),
        cmocka_unit_test(test_others_are_guessed),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_auto_falls_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
