/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives: what is read, what it is worth, and the front of several. */
#include "tuner/judge/objective.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static double value_of(const char *text)
{
    hone_facts facts = hone__facts();
    hone_objectives all;

    facts.value[HONE_FACT_time_ns] = 2000;
    facts.value[HONE_FACT_energy_uj] = 30;
    facts.value[HONE_FACT_registers] = 8;
    assert_int_equal(hone__objectives_read(text, &all, NULL), HONE_OK);
    assert_int_equal(all.n, 1);
    assert_string_equal(all.items[0].name, text);
    return hone__objective_value(&all.items[0], &facts);
}

static void values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"time", 2000},
        {"energy", 30},
        {"edp", 60000},
        {"time_ns - 3 - 4", 1993},
        {"time_ns+2*registers", 2016},
        {"(time_ns + 2) * registers", 16016},
        {"time_ns/registers/2", 125},
        {"-time_ns + 1e4", 8000},
        {"min(time_ns, registers)", 8},
        {"max(time_ns, registers)", 2000},
        {"pow(registers, 2)*sqrt(registers*2)", 256},
        {"log(time_ns)", 7.600902459542082},
        {"0.5*time_ns", 1000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if (fabs(value_of(rows[i].text) - rows[i].value) > 1e-9)
            fail_msg("%s is %g", rows[i].text, value_of(rows[i].text));
    /* What is unknown is so for whatever uses it, and what is no number too. */
    assert_true(isnan(value_of("spill_bytes + time_ns")));
    assert_true(isnan(value_of("min(time_ns, spill_bytes)")));
    assert_true(isnan(value_of("time_ns/(registers - 8)")));
    assert_true(isnan(value_of("sqrt(registers - 9)")));
}

static void mistakes(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "where a number, a fact or a parenthesis is expected"},
        {"tim", "nothing is known as 'tim' in the objective 'tim'"},
        {"time_ns*sin(registers)", "where min, max, pow, sqrt or log"},
        {"time_ns*", "has '' where a number"},
        {"time_ns registers", "has 'registers' where an operator"},
        {"(time_ns", "has '' where a closing parenthesis"},
        {"min(time_ns)", "has ')' where a comma"},
        {"1.5", "is the same for every trial"},
        {"time,time_ns", "the objective 'time_ns' is there twice"},
        {"time,", "where a number"},
        {"time,energy,edp,registers,flops", "more than 4 objectives"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_objectives all;
        hone_error err = {0};

        assert_int_equal(hone__objectives_read(rows[i].text, &all, &err),
                         HONE_ERR_ARGUMENT);
        if (!strstr(err.text, rows[i].says))
            fail_msg("'%s': %s", rows[i].text, err.text);
    }
}

static void several(void **state)
{
    hone_objectives all;

    (void)state;
    assert_int_equal(
        hone__objectives_read("energy,max(time_ns,registers),edp", &all, NULL),
        HONE_OK);
    assert_int_equal(all.n, 3);
    assert_string_equal(all.items[1].name, "max(time_ns,registers)");
    assert_true(hone__objectives_use(&all, HONE_FACT_energy_uj));
    assert_false(hone__objective_uses(&all.items[1], HONE_FACT_energy_uj));
    /* The first that a trial tells; the time is what a search looks for
     * anyway. */
    assert_ptr_equal(hone__objectives_searched(&all), &all.items[1]);
    assert_int_equal(hone__objectives_read("time,registers", &all, NULL),
                     HONE_OK);
    assert_null(hone__objectives_searched(&all));
    assert_false(hone__objectives_use(&all, HONE_FACT_energy_uj));
    assert_null(hone__objectives_searched(NULL));
}

static void front(void **state)
{
    /* time, energy */
    static const double rows[][2] = {{1, 9}, {2, 5}, {2, 6},   {3, 5},
                                     {4, 1}, {1, 9}, {NAN, 0}, {0.5, NAN}};
    static const int wanted[] = {1, 1, 0, 0, 1, 1, 0, 0};
    int is_on_front[8];

    (void)state;
    hone__pareto_front(rows[0], 8, 2, is_on_front);
    for (int i = 0; i < 8; ++i)
        if (is_on_front[i] != wanted[i])
            fail_msg("row %d", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values), cmocka_unit_test(mistakes),
        cmocka_unit_test(several), cmocka_unit_test(front)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
