/* SPDX-License-Identifier: Apache-2.0 */
/* The tie rule, row by row: see tuner/judge/race.h. */
#include "tuner/judge/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void rules_apply_in_their_order(void **state)
{
    /* Each differs from the one before in what the rule names; what stands
     * behind it speaks for the other. */
    static const struct {
        hone_tie_features first, second;
        hone_tie_rule rule;
    } rows[] = {
        {{40, 9000, 9, 90}, {41, 100, 1, 1}, HONE_TIE_REGISTERS},
        {{40, 100, 9, 90}, {40, 101, 1, 1}, HONE_TIE_SHARED},
        {{40, 100, 1, 90}, {40, 100, 2, 1}, HONE_TIE_CHANGED},
        {{40, 100, 1, 1}, {40, 100, 1, 2}, HONE_TIE_ORDER},
        {{40, 100, 1, 1}, {-1, 0, 0, 0}, HONE_TIE_REGISTERS},
        {{-1, 100, 9, 9}, {-1, -1, 1, 1}, HONE_TIE_SHARED},
        {{-1, -1, 0, 9}, {-1, -1, 1, 1}, HONE_TIE_CHANGED},
    };
    const hone_tie_features same = {40, 100, 1, 1};
    hone_tie_rule rule;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        assert_true(hone__tie_compare(&rows[i].first, &rows[i].second, &rule) <
                    0);
        assert_int_equal(rule, rows[i].rule);
        assert_true(hone__tie_compare(&rows[i].second, &rows[i].first, &rule) >
                    0);
        assert_int_equal(rule, rows[i].rule);
    }
    assert_int_equal(hone__tie_compare(&same, &same, &rule), 0);
    assert_int_equal(rule, HONE_TIE_NONE);
}

static void only_the_tied_are_chosen_from(void **state)
{
    const hone_tie_features features[] = {
        {20, 0, 0, 0}, {64, 512, 3, 7}, {64, 512, 2, 9}, {96, 0, 0, 1}};
    const int all_but_the_first[] = {0, 1, 1, 1};
    const int one[] = {0, 0, 0, 1};
    const int two[] = {0, 1, 0, 1};
    const int none[] = {0, 0, 0, 0};
    hone_tie_rule rule;

    (void)state;
    assert_int_equal(hone__tie_choose(features, all_but_the_first, 4, &rule),
                     2);
    /* Against 3 the registers were enough, against 1 they were not. */
    assert_int_equal(rule, HONE_TIE_CHANGED);
    assert_int_equal(hone__tie_choose(features, two, 4, &rule), 1);
    assert_int_equal(rule, HONE_TIE_REGISTERS);
    assert_int_equal(hone__tie_choose(features, one, 4, &rule), 3);
    assert_int_equal(rule, HONE_TIE_NONE);
    assert_int_equal(hone__tie_choose(features, none, 4, &rule), -1);
}

/* Whatever order they come in. */
static void the_order_of_entry_is_nothing(void **state)
{
    const hone_tie_features one[] = {
        {32, 64, 2, 5}, {32, 64, 2, 3}, {32, 64, 4, 1}};
    const hone_tie_features other[] = {
        {32, 64, 4, 1}, {32, 64, 2, 3}, {32, 64, 2, 5}};
    const int all[] = {1, 1, 1};
    hone_tie_rule rule;

    (void)state;
    assert_int_equal(one[hone__tie_choose(one, all, 3, &rule)].index, 3);
    assert_int_equal(rule, HONE_TIE_ORDER);
    assert_int_equal(other[hone__tie_choose(other, all, 3, &rule)].index, 3);
    assert_string_equal(hone__tie_rule_name(rule), "first in the space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_apply_in_their_order),
        cmocka_unit_test(only_the_tied_are_chosen_from),
        cmocka_unit_test(the_order_of_entry_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
