/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence about many failures. */
#include "tuner/judge/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char text[512];

static const char *text_of(const hone_failures *failures)
{
    hone__failures_text(failures, text, sizeof text);
    return text;
}

static void test_none(void **state)
{
    hone_failures f = {.n_complaints = 0};

    (void)state;
    assert_string_equal(text_of(&f), "");
    hone__failures_add(&f, HONE_OUTCOME_OK, "fine", 3);
    assert_string_equal(text_of(&f), "");
}

static void test_counts(void **state)
{
    hone_failures f = {.n_complaints = 0};

    (void)state;
    hone__failures_add(&f, HONE_OUTCOME_LIMITS, "a is too large", 1);
    assert_string_equal(text_of(&f), "1 of 1: limits: a is too large");
    hone__failures_add(&f, HONE_OUTCOME_LIMITS, "a is too large", 1);
    assert_string_equal(text_of(&f),
                        "2 of 2: limits; each time: a is too large");
    hone__failures_add(&f, HONE_OUTCOME_LIMITS, "b is too large", 3);
    assert_string_equal(text_of(&f),
                        "5 of 5: limits; most often (3 times): b is too large");
    hone__failures_add(&f, HONE_OUTCOME_WRONG, "", 7);
    hone__failures_add(&f, HONE_OUTCOME_OK, "", 1);
    assert_string_equal(text_of(&f), "5 of 13: limits, 7: wrong; most often "
                                     "(3 times): b is too large");
}

static void test_the_same_words_of_two_outcomes(void **state)
{
    hone_failures f = {.n_complaints = 0};

    (void)state;
    hone__failures_add(&f, HONE_OUTCOME_FAULT, "it ended", 1);
    hone__failures_add(&f, HONE_OUTCOME_TIMEOUT, "it ended", 1);
    assert_int_equal(f.n_complaints, 2);
    assert_string_equal(text_of(&f),
                        "1 of 2: fault, 1: timeout; for example: it ended");
}

static void test_line_of_a_log(void **state)
{
    hone_failures f = {.n_complaints = 0};

    (void)state;
    hone__failures_add(&f, HONE_OUTCOME_COMPILE,
                       "a.cu(1): warning: b\na.cu(2): error: c\nmore", 1);
    assert_string_equal(text_of(&f), "1 of 1: compile: a.cu(2): error: c");
}

static void test_more_than_are_counted(void **state)
{
    hone_failures f = {.n_complaints = 0};
    char message[32];

    (void)state;
    hone__failures_add(&f, HONE_OUTCOME_WRONG, "often", 2);
    for (int i = 0; i < 2 * HONE_MOST_COMPLAINTS; ++i) {
        (void)snprintf(message, sizeof message, "element %d", i);
        hone__failures_add(&f, HONE_OUTCOME_WRONG, message, 1);
    }
    assert_int_equal(f.n_complaints, HONE_MOST_COMPLAINTS);
    assert_string_equal(text_of(&f),
                        "66 of 66: wrong; most often (2 times): often");
}

/* A quote takes three bytes; wherever it is cut, none of it is left. */
static void test_cut_characters(void **state)
{
    char message[400];

    (void)state;
    for (size_t before = 315; before < 321; ++before) {
        hone_failures f = {.n_complaints = 0};

        memset(message, 'x', sizeof message);
        memcpy(message + before, "\xe2\x80\x98", 4);
        hone__failures_add(&f, HONE_OUTCOME_COMPILE, message, 1);
        assert_int_equal(strlen(f.complaints[0].text), before <= 316
                                                           ? before + 3
                                                       : before <= 319 ? before
                                                                       : 319);
        hone__failures_text(&f, text, before);
        assert_int_equal(text[strlen(text) - 1], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_the_same_words_of_two_outcomes),
        cmocka_unit_test(test_line_of_a_log),
        cmocka_unit_test(test_more_than_are_counted),
        cmocka_unit_test(test_cut_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
