/* SPDX-License-Identifier: Apache-2.0 */
/* `auto` in spaces that hold searches up (trap_spaces.c), what its guaranteed
 * share of exploration is, and when a stall ends. Everything repeats with its
 * seed, so that the bounds are not a matter of luck. */
#include "tests/tuner/trap_spaces.h"
#include "tuner/search/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static hone_trap trap;

/* Of 24 runs, at most so many are caught, and at most so many never come
 * within 2 % of the optimum in 400 evaluations. Before there was a share of
 * exploration, of 200 runs 21 % were caught by `many-valued`, 80 % by
 * `valley`, 60 % by `deceptive` (docs/results/search-families-*). */
static void test_caught(void **state)
{
    static const struct {
        const char *name;
        int caught;
        int missed;
    } most[] = {{"many-valued", 1, 0}, {"valley", 17, 6},   {"plateau", 1, 0},
                {"failing", 19, 14},   {"deceptive", 4, 1}, {"tied", 9, 1}};

    (void)state;
    for (size_t i = 0; hone__trap_open(i, &trap); ++i) {
        int caught = 0;
        int missed = 0;

        assert_string_equal(hone__trap_name(&trap), most[i].name);
        for (uint64_t seed = 0; seed < 24; ++seed) {
            hone_trap_run run;

            assert_int_equal(
                hone__trap_search(&trap, "auto", seed, 400, &run, NULL),
                HONE_OK);
            caught += hone__trap_caught(&run);
            missed += run.found == 0;
        }
        if (caught > most[i].caught || missed > most[i].missed)
            fail_msg("%s: %d caught, %d missed", most[i].name, caught, missed);
    }
}

/* The same answers give the same trials. */
static void test_repeats(void **state)
{
    hone_trap_run a;
    hone_trap_run b;

    (void)state;
    for (size_t i = 0; hone__trap_open(i, &trap); ++i) {
        assert_int_equal(hone__trap_search(&trap, "auto", 5, 150, &a, NULL),
                         HONE_OK);
        assert_int_equal(hone__trap_search(&trap, "auto", 5, 150, &b, NULL),
                         HONE_OK);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/* However strongly all answers speak for one corner: of 120 trials that come
 * after the spread ones, a sixth lies far from it. */
static void test_share(void **state)
{
    const hone_search_options options = {.seed = 3};
    hone_search *search = NULL;
    int far = 0;

    (void)state;
    assert_true(hone__trap_open(0, &trap));
    assert_int_equal(
        hone__search_open("auto", &trap.view, &options, &search, NULL),
        HONE_OK);
    for (int i = 0; i < 126; ++i) {
        int values[TRAP_PARAMS];
        int64_t index = -1;

        assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
        trap.view.get(trap.view.user, index, values);
        if (i >= 6)
            far += values[1] + values[2] > 18;
        assert_int_equal(
            hone__search_tell(search, index,
                              1 + values[0] + values[1] + values[2] + values[3],
                              NULL),
            HONE_OK);
    }
    hone__search_close(search);
    /* Three in four of all configurations are that far. */
    assert_in_range(far, 12, 60);
}

/* Tells a search of the configuration with these values. */
static int64_t tell(hone_search *search, int b, int c, double time_ns)
{
    int values[TRAP_PARAMS] = {0, b, c, 0, 0, 0};
    const int64_t index = trap.view.find(trap.view.user, values);

    assert_int_equal(hone__search_tell(search, index, time_ns, NULL), HONE_OK);
    return search->n_trials - 1;
}

/* Gains count by the scatter of the times, small ones add up, and a start is
 * the fastest outside the valleys that were left. */
static void test_stall(void **state)
{
    const hone_search_options options = {.seed = 1};
    hone_search *search = NULL;
    hone_stall stall = {0};
    int64_t slow, fast, next, other;

    (void)state;
    assert_true(hone__trap_open(0, &trap));
    assert_int_equal(
        hone__search_open("random", &trap.view, &options, &search, NULL),
        HONE_OK);
    /* Two rounds of 3 + 6 (of 30) + 6 (of 10) + 2 neighbours. */
    assert_int_equal(search->patience, 34);
    slow = tell(search, 0, 0, 200);
    fast = tell(search, 1, 0, 100);
    next = tell(search, 2, 0, 99.9);
    other = tell(search, 9, 9, 150);
    hone__stall_learn(search, &stall, slow);
    assert_true(stall.anchor_ns == 200);
    assert_false(hone__stall_grows(search, &stall));
    hone__stall_learn(search, &stall, fast);
    assert_true(stall.anchor_ns == 100 && stall.n == 0);
    assert_false(hone__stall_grows(search, &stall));
    hone__stall_learn(search, &stall, next);
    assert_true(stall.anchor_ns == 100 && stall.n == 1);
    assert_true(hone__search_is_gain(search, 100, 95));
    for (int i = 1; i < 34; ++i)
        assert_false(hone__stall_grows(search, &stall));
    assert_true(hone__stall_grows(search, &stall));
    /* 2 parameters lie between `fast` and `other`, none else that count. */
    assert_int_equal(hone__stall_leave(search, &stall, next), -1);
    assert_int_equal(stall.n, 0);
    /* A start is asked for, and does not come although nothing else is under
     * way: another one is. */
    assert_true(hone__stall_propose(search, &stall) >= 0);
    for (int i = 0; i < 35; ++i) {
        assert_int_equal(stall.start, HONE_START_ASKED);
        assert_false(hone__stall_grows(search, &stall));
    }
    assert_int_equal(stall.start, HONE_START_WANTED);
    assert_int_equal(stall.n, 0);
    /* Once, and again if it fails. */
    for (int fails = 1; fails >= 0; --fails) {
        const int64_t index = hone__stall_propose(search, &stall);

        assert_true(hone__search_is_new(search, index));
        assert_int_equal(search->tag, HONE_TAG_START);
        assert_int_equal(hone__stall_propose(search, &stall), -1);
        assert_int_equal(
            hone__search_tell(search, index, fails ? 0 : 250, NULL), HONE_OK);
        search->trials[search->n_trials - 1].tag = HONE_TAG_START;
        assert_int_equal(
            hone__stall_starts(search, &stall, search->n_trials - 1), !fails);
    }
    assert_true(stall.anchor_ns == 250);
    other = search->n_trials;
    {
        int values[TRAP_PARAMS] = {3, 9, 9, 2, 0, 0};

        assert_int_equal(
            hone__search_tell(search, trap.view.find(trap.view.user, values),
                              180, NULL),
            HONE_OK);
    }
    assert_int_equal(hone__stall_leave(search, &stall, fast), other);
    assert_true(stall.anchor_ns == 180);
    hone__search_close(search);
}

/* Two parameters at once, one step each. */
static void test_diagonal(void **state)
{
    const hone_search_options options = {.seed = 1};
    const int from[TRAP_PARAMS] = {1, 5, 5, 1, 0, 0};
    hone_search *search = NULL;

    (void)state;
    assert_true(hone__trap_open(0, &trap));
    assert_int_equal(
        hone__search_open("random", &trap.view, &options, &search, NULL),
        HONE_OK);
    for (int i = 0; i < 200; ++i) {
        const int64_t index =
            hone__move_random(search, from, HONE_MOVE_DIAGONAL, 0);
        int values[TRAP_PARAMS];
        int changed = 0;

        assert_true(index >= 0);
        trap.view.get(trap.view.user, index, values);
        for (size_t k = 0; k < TRAP_PARAMS; ++k) {
            assert_in_range(values[k] - from[k] + 1, 0, 2);
            changed += values[k] != from[k];
        }
        assert_int_equal(changed, 2);
    }
    hone__search_close(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caught),   cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_share),    cmocka_unit_test(test_stall),
        cmocka_unit_test(test_diagonal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
