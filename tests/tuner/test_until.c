/* SPDX-License-Identifier: Apache-2.0 */
/* When another gain is unlikely. */
#include "tuner/session/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The same answer again and again until the rule is reached; -1: not within
 * 10,000. Returns how many answers there were in all. */
static int64_t reach(hone_until *until, double time_ns)
{
    while (!hone__until_is_reached(until)) {
        if (until->n_told >= 10000)
            return -1;
        hone__until_add(until, time_ns);
    }
    return until->n_told;
}

static void add(hone_until *until, int n, double time_ns)
{
    for (int i = 0; i < n; ++i)
        hone__until_add(until, time_ns);
}

static void test_waits_long_enough(void **state)
{
    hone_until at_once = {.gain = 0.01};
    hone_until late = {.gain = 0.01};

    (void)state;
    assert_int_equal(reach(&at_once, 100), 301);
    add(&late, 499, 100);
    assert_true(hone__until_is_reached(&late));
    hone__until_add(&late, 50); /* it was wrong */
    assert_false(hone__until_is_reached(&late));
    assert_int_equal(reach(&late, 60), 1500); /* two thirds of all */
}

static void test_small_gains_add_up(void **state)
{
    hone_until until = {.gain = 0.01};
    double time_ns = 1000;

    (void)state;
    add(&until, 1, time_ns);
    add(&until, 200, 995); /* half a percent: none yet */
    assert_int_equal(until.last_gain, 1);
    add(&until, 1, 989); /* together they are */
    assert_int_equal(until.last_gain, 202);
    /* A gain of 0.2 % every ten answers never ends. */
    for (int i = 0; i < 300; ++i) {
        time_ns *= 0.998;
        add(&until, 10, time_ns);
        assert_false(hone__until_is_reached(&until));
    }
}

static void test_failures_count_as_answers(void **state)
{
    hone_until until = {.gain = 0.05};

    (void)state;
    assert_int_equal(reach(&until, 0), -1); /* nothing valid: nothing known */
    hone__until_add(&until, 7);
    assert_false(hone__until_is_reached(&until));
    assert_int_equal(until.last_gain, 10001);
    add(&until, 20001, 0);
    assert_false(hone__until_is_reached(&until));
    add(&until, 1, 0);
    assert_true(hone__until_is_reached(&until));
}

static void test_not_asked_for(void **state)
{
    hone_until until = {.gain = 0};

    (void)state;
    assert_int_equal(reach(&until, 100), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_long_enough),
        cmocka_unit_test(test_small_gains_add_up),
        cmocka_unit_test(test_failures_count_as_answers),
        cmocka_unit_test(test_not_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
