/* SPDX-License-Identifier: Apache-2.0 */
/* Which implementation of an operation asks next. */
#include "tuner/session/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 5 };

/* Implementations that take turns; each answer comes before the next. */
typedef struct game {
    hone_turn shares[MOST];
    int is_exhausted[MOST];
    size_t n;
    int64_t left; /* of the budget; 0: not known */
} game;

static int next(game *g)
{
    hone_turn *pointers[MOST];

    for (size_t i = 0; i < g->n; ++i)
        pointers[i] = g->is_exhausted[i] ? NULL : &g->shares[i];
    return hone__turn_next(pointers, g->n, g->left);
}

static void answer(game *g, int i, double time_ns)
{
    ++g->shares[i].n_asked;
    ++g->shares[i].n_answered;
    hone__turn_add(&g->shares[i], time_ns);
    g->left -= g->left > 0;
}

/* `n_trials` turns in which implementation i always takes times[i]. */
static void play(game *g, const double *times, int n_trials)
{
    for (int k = 0; k < n_trials; ++k) {
        const int i = next(g);

        assert_in_range(i, 0, g->n - 1);
        answer(g, i, times[i]);
    }
}

/* A model of earlier problems guesses the third to be the fastest, the second
 * to be far behind, and does not know the fourth. */
static void test_guesses_begin(void **state)
{
    const double times[] = {100, 100, 100, 100};
    game g = {.n = 4, .left = 60};
    int n[4] = {0};

    (void)state;
    g.shares[0] = (hone_turn){.has_guess = 1, .guess = -3.3};
    g.shares[1] = (hone_turn){.has_guess = 1, .guess = -2.9};
    g.shares[2] = (hone_turn){.has_guess = 1, .guess = -3.5};
    g.shares[3] = (hone_turn){.is_unknown = 1};
    for (int k = 0; k < 5 + 1 + 15 + 15; ++k) {
        const int i = next(&g);

        ++n[i];
        answer(&g, i, times[i]);
    }
    /* 60 / (3 * 4) each to begin with; the leader and the unknown three times
     * as many, the one far behind its default. */
    assert_int_equal(n[0], 5);
    assert_int_equal(n[1], 1);
    assert_int_equal(n[2], 15);
    assert_int_equal(n[3], 15);
}

static void test_each_begins(void **state)
{
    const double times[] = {100, 1000, 0}; /* one fails all the time */
    game g = {.n = 3, .left = 300};

    (void)state;
    for (int k = 0; k < 36; ++k) {
        assert_int_equal(next(&g), k % 3);
        play(&g, times, 1);
    }
    assert_int_equal(next(&g), 0);
}

static void test_small_budgets(void **state)
{
    const double times[] = {300, 200, 100, 400, 500};
    game g = {.n = 5, .left = 30}; /* a third of it to begin with: 2 each */
    game tiny = {.n = 5, .left = 3};

    (void)state;
    play(&g, times, 10);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(g.shares[i].n_asked, 2);
    assert_int_equal(next(&g), 2);
    play(&g, times, 20);
    assert_true(g.shares[2].n_asked > 15);
    play(&tiny, times, 3); /* one each, as far as it goes */
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tiny.shares[i].n_asked, i < 3);
}

static void test_unknown_budget(void **state)
{
    const double times[] = {100, 200};
    game g = {.n = 2};

    (void)state;
    play(&g, times, 24);
    assert_int_equal(g.shares[1].n_asked, 12);
    play(&g, times, 1000);
    assert_true(g.shares[0].n_asked > 9 * g.shares[1].n_asked);
}

static void test_hopeless_is_left_alone(void **state)
{
    const double times[] = {300, 100};
    game g = {.n = 2, .left = 300};

    (void)state;
    play(&g, times, 300);
    assert_int_equal(g.shares[0].n_asked, 12);
    assert_int_equal(g.shares[1].n_asked, 288);
}

/* Two that are about as fast share what is left. */
static void test_close_ones_share(void **state)
{
    const double times[] = {100, 101};
    game g = {.n = 2, .left = 300};

    (void)state;
    play(&g, times, 300);
    assert_in_range(g.shares[1].n_asked, 75, 150);
}

/* It is behind, but every answer gains 4 %: until it has passed the other. */
static void test_gaining_keeps_its_turn(void **state)
{
    double times[] = {100, 200};
    game g = {.n = 2, .left = 300};

    (void)state;
    for (int k = 0; k < 24; ++k) {
        const int i = next(&g);

        answer(&g, i, times[i]);
        times[1] *= i == 1 ? 0.96 : 1;
    }
    assert_true(g.shares[1].best_ns > g.shares[0].best_ns);
    while (g.shares[1].best_ns > g.shares[0].best_ns) {
        assert_int_equal(next(&g), 1);
        answer(&g, 1, times[1] *= 0.96);
    }
    /* As far behind, without a gain: not its turn. */
    g = (game){.n = 2, .left = 300};
    times[1] = 200 * 0.64;
    play(&g, times, 24);
    assert_int_equal(next(&g), 0);
}

static void test_exhausted_is_skipped(void **state)
{
    const double times[] = {100, 200, 300};
    game g = {.n = 3, .left = 90};

    (void)state;
    g.is_exhausted[0] = 1;
    play(&g, times, 20);
    assert_int_equal(g.shares[0].n_asked, 0);
    g.is_exhausted[1] = 1;
    play(&g, times, 20);
    assert_int_equal(g.shares[1].n_asked + g.shares[2].n_asked, 40);
    assert_true(g.shares[2].n_asked >= 20);
    g.is_exhausted[2] = 1;
    assert_int_equal(next(&g), -1);
}

/* A vendor's list, the best of which is at its beginning. */
static void test_list_goes_first(void **state)
{
    const double times[] = {100, 900};
    game g = {.n = 2, .left = 100};

    (void)state;
    g.shares[1].first = 16;
    play(&g, times, 16);
    assert_int_equal(g.shares[1].n_asked, 16);
    play(&g, times, 84);
    assert_int_equal(g.shares[0].n_asked, 84);
}

/* Answers of earlier runs count, although this run did not ask for them. */
static void test_earlier_answers_count(void **state)
{
    game g = {.n = 2, .left = 100};

    (void)state;
    for (int k = 0; k < 200; ++k) {
        hone__turn_add(&g.shares[0], 100);
        hone__turn_add(&g.shares[1], 150);
    }
    play(&g, (const double[]){100, 150}, 100);
    assert_int_equal(g.shares[1].n_asked, 12);
}

static void test_planned(void **state)
{
    (void)state;
    assert_int_equal(hone__turn_planned(100, 1), 100);
    assert_int_equal(hone__turn_planned(100, 3), 50);
    assert_int_equal(hone__turn_planned(1, 2), 1);
    assert_int_equal(hone__turn_planned(0, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guesses_begin),
        cmocka_unit_test(test_each_begins),
        cmocka_unit_test(test_small_budgets),
        cmocka_unit_test(test_unknown_budget),
        cmocka_unit_test(test_hopeless_is_left_alone),
        cmocka_unit_test(test_close_ones_share),
        cmocka_unit_test(test_gaining_keeps_its_turn),
        cmocka_unit_test(test_exhausted_is_skipped),
        cmocka_unit_test(test_list_goes_first),
        cmocka_unit_test(test_earlier_answers_count),
        cmocka_unit_test(test_planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
