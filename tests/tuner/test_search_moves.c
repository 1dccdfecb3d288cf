/* SPDX-License-Identifier: Apache-2.0 */
/* Moves: they end in valid configurations, go as far as they say, and what
 * lists all neighbours agrees with brute force. */
#include "tests/tuner/search_fixture.h"
#include "tuner/search/strategy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_PARAMS = 5, MOST = 512 };

/* D has one value: no move may touch it. */
static const char lines[] = "#pragma hone param A in 1..7 default 3\n"
                            "#pragma hone param B in {1, 2, 4, 8}\n"
                            "#pragma hone param C in 0..4\n"
                            "#pragma hone param D in {3}\n"
                            "#pragma hone param E in 0..1\n"
                            "#pragma hone require A != B\n"
                            "#pragma hone require A*B + C <= 24\n"
                            "#pragma hone require C != 2 || A > 2\n"
                            "#pragma hone require E == 0 || A % 2 == 1\n";

typedef struct fixture {
    hone_search_fixture base;
    hone_search *search;
    int rows[MOST][N_PARAMS]; /* of all configurations */
} fixture;

static int set_up(void **state)
{
    static fixture f;
    const hone_search_options options = {.seed = 5};
    const hone_search_space *view = &f.base.view;

    if (!hone__search_fixture_open(lines, &f.base) || view->count > MOST ||
        view->n_params != N_PARAMS ||
        hone__search_open("random", view, &options, &f.search, NULL) != HONE_OK)
        return -1;
    for (int64_t i = 0; i < view->count; ++i)
        view->get(view->user, i, f.rows[i]);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;

    hone__search_close(f->search);
    hone__search_fixture_close(&f->base);
    return 0;
}

/* How many parameters differ, and by how many steps at most. */
static int difference(const int *a, const int *b, int *out_steps)
{
    int n = 0;

    *out_steps = 0;
    for (int p = 0; p < N_PARAMS; ++p) {
        const int steps = abs(a[p] - b[p]);

        n += steps > 0;
        if (steps > *out_steps)
            *out_steps = steps;
    }
    return n;
}

static void test_random(void **state)
{
    static const int most_params[HONE_N_MOVES] = {1, 3, 1, 2, 2};
    static const int most_steps[HONE_N_MOVES] = {1, 3, 6, 6, 1};
    fixture *f = *state;
    int longest = 0;
    int n_missed = 0;

    for (int64_t i = 0; i < f->base.view.count; ++i) {
        for (int move = 0; move < HONE_N_MOVES; ++move) {
            const int64_t to =
                hone__move_random(f->search, f->rows[i], (hone_move)move, 0);
            int n, steps;

            if (to < 0) {
                ++n_missed;
                continue;
            }
            assert_in_range(to, 0, f->base.view.count - 1);
            n = difference(f->rows[i], f->rows[to], &steps);
            assert_in_range(n, 1, most_params[move]);
            assert_in_range(steps, 1, most_steps[move]);
            if (steps > longest)
                longest = steps;
        }
    }
    assert_true(longest >= 5);
    /* It goes on looking when the first attempts are not valid. */
    assert_in_range(n_missed, 0, 2);
}

/* Every neighbour is found in the end, and only new ones once they are
 * asked for. */
static void test_only_new(void **state)
{
    fixture *f = *state;
    const int *const from = f->rows[f->base.view.count / 2];
    hone_search *search = NULL;
    size_t n_all = 0, n_found = 0;

    assert_int_equal(hone__search_open("random", &f->base.view,
                                       &(hone_search_options){.seed = 6},
                                       &search, NULL),
                     HONE_OK);
    for (int64_t k = 0; k < f->base.view.count; ++k) {
        int steps;

        n_all += difference(from, f->rows[k], &steps) == 1;
    }
    assert_in_range(n_all, 5, MOST);
    for (int i = 0; i < 1000; ++i) {
        const int64_t to =
            hone__move_random(search, from, HONE_MOVE_HAMMING, 1);

        if (to < 0)
            continue;
        assert_true(hone__search_is_new(search, to));
        assert_int_equal(hone__search_tell(search, to, 100, NULL), HONE_OK);
        ++n_found;
    }
    assert_int_equal(n_found, n_all);
    assert_int_equal(hone__move_random(search, from, HONE_MOVE_STRICT, 1), -1);
    /* All neighbours are known: two parameters away there is more. */
    {
        const int64_t to = hone__move_near(search, from);
        int steps;

        assert_true(hone__search_is_new(search, to));
        assert_int_equal(difference(from, f->rows[to], &steps), 2);
    }
    hone__search_close(search);
}

static void test_capacity(void **state)
{
    const fixture *f = *state;

    assert_int_equal(f->search->neighbourhood, 6 + 3 + 4 + 0 + 1);
}

/* All raw configurations: the valid ones stay, the others end nearby if they
 * can, in any case in a valid one. */
static void test_repair(void **state)
{
    fixture *f = *state;
    const int *n = f->base.view.n_values;
    int row[N_PARAMS];
    int n_valid = 0, n_near = 0, n_far = 0;

    for (int raw = 0; raw < 7 * 4 * 5 * 2; ++raw) {
        int before[N_PARAMS] = {raw % 7, raw / 7 % 4, raw / 28 % 5, 0,
                                raw / 140};
        const int64_t index = f->base.view.find(f->base.view.user, before);
        int64_t to;
        int changed, steps;

        assert_in_range(before[4], 0, n[4] - 1);
        memcpy(row, before, sizeof row);
        to = hone__move_repair(f->search, row, f->rows[raw % 20]);
        assert_memory_equal(row, before, sizeof row);
        assert_in_range(to, 0, f->base.view.count - 1);
        changed = difference(before, f->rows[to], &steps);
        if (index >= 0) {
            assert_int_equal(to, index);
            ++n_valid;
        } else if (changed == 1)
            ++n_near;
        else
            ++n_far;
    }
    assert_int_equal(n_valid, f->base.view.count);
    assert_true(n_near > 4 * n_far);
}

/* What parents agree on stays, unless only a repair helps. */
static void test_cross(void **state)
{
    fixture *f = *state;
    const int64_t count = f->base.view.count;
    int n_mixed = 0, n_alien = 0;

    for (int64_t i = 0; i < 4000; ++i) {
        const int64_t a = i % count;
        const int64_t b = (i * 7 + 3) % count;
        const int64_t to = hone__move_cross(f->search, f->rows[a], f->rows[b]);
        int is_alien = 0;

        assert_in_range(to, 0, count - 1);
        for (int p = 0; p < N_PARAMS; ++p)
            is_alien |= f->rows[to][p] != f->rows[a][p] &&
                        f->rows[to][p] != f->rows[b][p];
        n_alien += is_alien;
        n_mixed += to != a && to != b;
    }
    assert_in_range(n_mixed, 1000, 4000);
    assert_in_range(n_alien, 0, 1000);
}

static void test_kick(void **state)
{
    fixture *f = *state;
    int n_far = 0;

    for (int64_t i = 0; i < f->base.view.count; ++i) {
        const int64_t to = hone__move_kick(f->search, f->rows[i], 3);
        int steps;

        assert_in_range(to, 0, f->base.view.count - 1);
        n_far += difference(f->rows[i], f->rows[to], &steps) >= 2;
    }
    assert_true(2 * n_far > f->base.view.count);
}

/* Nowhere to go: nothing is found, nothing hangs. */
static void test_single(void **state)
{
    hone_search_fixture one;
    hone_search *search = NULL;
    const char *name, *summary;
    int values[2] = {0, 0};

    (void)state;
    assert_true(hone__search_fixture_open("#pragma hone param A in {3}\n"
                                          "#pragma hone param B in 1..2\n"
                                          "#pragma hone require B < 2\n",
                                          &one));
    assert_int_equal(one.view.count, 1);
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        int64_t index;

        assert_int_equal(hone__search_open(name, &one.view,
                                           &(hone_search_options){.seed = 1},
                                           &search, NULL),
                         HONE_OK);
        for (int move = 0; move < HONE_N_MOVES; ++move)
            assert_int_equal(
                hone__move_random(search, values, (hone_move)move, 0), -1);
        assert_int_equal(hone__move_repair(search, values, values), 0);
        assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
        assert_int_equal(index, 0);
        assert_int_equal(hone__search_tell(search, 0, i % 2 ? 100 : 0, NULL),
                         HONE_OK);
        assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
        assert_int_equal(index, -1);
        hone__search_close(search);
    }
    hone__search_fixture_close(&one);
}

/* A parameter that does not exist is no way to go; where a move makes it go
 * away, what is left is a neighbour. */
static void test_conditional(void **state)
{
    static const char text[] = "#pragma hone param A in 0..1\n"
                               "#pragma hone param B in 1..4 when A == 1\n"
                               "#pragma hone param C in 0..2\n";
    hone_search_fixture f;
    hone_search *search = NULL;
    const char *name, *summary;
    int rows[15][3];
    int n_left = 0;

    (void)state;
    assert_true(hone__search_fixture_open(text, &f));
    assert_int_equal(f.view.count, 3 + 4 * 3);
    assert_int_equal(hone__search_open("random", &f.view,
                                       &(hone_search_options){.seed = 1},
                                       &search, NULL),
                     HONE_OK);
    for (int64_t i = 0; i < 15; ++i)
        f.view.get(f.view.user, i, rows[i]);
    for (int64_t i = 0; i < 15 * 20; ++i) {
        const int *from = rows[i % 15];
        const int64_t to =
            hone__move_random(search, from, HONE_MOVE_HAMMING, 0);

        assert_in_range(to, 0, 14);
        assert_int_not_equal(to, i % 15);
        n_left += from[1] && !rows[to][0] && rows[to][2] == from[2];
    }
    assert_in_range(n_left, 20, 300);
    hone__search_close(search);
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        int64_t index = 0;
        int n = 0;

        assert_int_equal(hone__search_open(name, &f.view,
                                           &(hone_search_options){.seed = 1},
                                           &search, NULL),
                         HONE_OK);
        for (;; ++n) {
            assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
            if (index < 0)
                break;
            assert_int_equal(
                hone__search_tell(search, index, (double)(100 + n % 7), NULL),
                HONE_OK);
        }
        assert_int_equal(n, 15);
        hone__search_close(search);
    }
    hone__search_fixture_close(&f);
}

/* Looking up a configuration takes away values of parameters that do not exist
 * there; what is repaired is valid all the same. */
static void test_conditional_repair(void **state)
{
    hone_search_fixture f;
    hone_search *search = NULL;

    (void)state;
    assert_true(hone__search_fixture_open(
        "#pragma hone param A in 1..4 default 1\n"
        "#pragma hone param B in {none, a, b, c, d, e} when A > 1\n"
        "#pragma hone param C in 0..9\n"
        "#pragma hone require A == 1 ? C == 9 : B == e && C == 0\n",
        &f));
    assert_int_equal(hone__search_open("random", &f.view,
                                       &(hone_search_options){.seed = 1},
                                       &search, NULL),
                     HONE_OK);
    for (int i = 0; i < 6 * 9 * 4; ++i) {
        const int row[] = {0, i % 6, i / 6 % 9};
        int fallback[3];

        f.view.get(f.view.user, i % f.view.count, fallback);
        assert_in_range(hone__move_repair(search, row, fallback), 0,
                        f.view.count - 1);
    }
    hone__search_close(search);
    hone__search_fixture_close(&f);
}

/* Neighbouring indexes are neighbouring numbers, however they are listed. */
static void test_numbers_ascend(void **state)
{
    static const char *const texts[] = {"A", "2", "4", "8", "16"};
    static const char *const reals[] = {"R", "-0.5", "0.5", "1.5"};
    hone_search_fixture f;

    (void)state;
    assert_true(hone__search_fixture_open(
        "#pragma hone param A in {8, 2, 16, 4} default 4\n"
        "#pragma hone param R in {1.5, -0.5, 0.5} when A != 2\n"
        "#pragma hone param E in {z, a}\n"
        "#pragma hone require A != 16 || E == a\n",
        &f));
    for (int i = -1; i < 4; ++i) {
        hone_text text = {0};

        f.view.describe(f.view.user, 0, i, &text);
        assert_string_equal(text.data, texts[i + 1]);
        hone__text_clear(&text);
        f.view.describe(f.view.user, 1, i < 3 ? i : 2, &text);
        assert_string_equal(text.data, reals[i < 3 ? i + 1 : 3]);
        hone__text_free(&text);
    }
    for (int64_t i = 0; i < f.view.count; ++i) {
        int64_t config[3];
        int row[3];

        f.view.get(f.view.user, i, row);
        hone__space_get(f.space, i, config);
        assert_int_equal(config[0], 2 << row[0]);
        assert_int_equal(f.view.find(f.view.user, row), i);
        row[1] = row[0] ? row[1] : 0; /* does not exist where A is 2 */
        assert_int_equal(f.view.find(f.view.user, row), i);
        assert_true(row[0] || row[1] == 2); /* 1.5, its default */
    }
    hone__search_fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_only_new),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_cross),
        cmocka_unit_test(test_kick),
        cmocka_unit_test(test_conditional_repair),
        cmocka_unit_test(test_numbers_ascend),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_conditional),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
