/* SPDX-License-Identifier: Apache-2.0 */
/* The course of a final: who is in it, who wins, what is said of the others.
 */
#include "tests/tuner/final_fixture.h"
#include "tuner/judge/rest.h"

#include <math.h>
#include <string.h>

static void run(void)
{
    hone_error err = {.status = HONE_OK};

    assert_int_equal(
        hone__final_run(&final_ops, &scene, &request, &report, &err), HONE_OK);
}

/* ---- the course ----------------------------------------------------------
 */

static void the_fastest_wins(void **state)
{
    const double ns[] = {103, 100, 106, 250, 95, 120};
    const hone_finalist *items = report.items;

    (void)state;
    final_set_up(4, 2, ns);
    request.entries[3].keep = request.entries[3].wants_series = 1;
    scene.runners[3].alone = 0.8; /* its own series says so, no ratio */
    run();
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.fastest, 1);
    assert_int_equal(report.verdict, HONE_RACE_DECIDED);
    assert_int_equal(report.n, 6);
    assert_int_equal(report.n_raced, 4);
    assert_int_equal(report.n_tied, 1);
    assert_int_equal(scene.first_opened, 0);
    assert_int_equal(scene.control_of, 0);
    assert_int_equal(scene.n_controls, 1);
    assert_int_equal(scene.n_entered, 6);
    assert_int_equal(scene.n_rechecked, 1);
    assert_int_equal(items[0].id, 100);
    assert_int_equal(items[4].id, -1);
    assert_int_equal(items[5].id, -2);
    assert_true(report.noise_floor > 0 && report.noise_floor < 0.002);
    /* A series for the winner, the default and the baselines: nobody else. */
    assert_int_equal(scene.n_series, 4);
    for (int i = 0; i < 6; ++i) {
        const int has_series = i == 1 || i >= 3;

        assert_int_equal(items[i].n_series,
                         has_series ? HONE_SERIES_SAMPLES : 0);
        assert_true(fabs(items[i].time_ns - scene.runners[i].alone * ns[i]) <
                    0.3);
        assert_true(items[i].ci_low_ns <= items[i].time_ns &&
                    items[i].time_ns <= items[i].ci_high_ns);
        assert_true(items[i].spread_ns > 0);
        assert_true(fabs(items[i].ratio - ns[i] / 100) < 0.003);
        assert_int_equal(items[i].is_tied, i == 1);
    }
    assert_int_equal(items[2].dropped_round, HONE_RACE_LEAST);
    assert_true(items[2].is_slower);
    assert_int_equal(items[3].n_samples, HONE_RACE_KEPT);
    assert_int_equal(items[3].dropped_round, 0);
}

static void the_tie_rule_decides_among_equals(void **state)
{
    const double ns[] = {100, 100.01, 99.99, 104};
    double ratio, low, high;
    char text[400];

    (void)state;
    final_set_up(4, 0, ns);
    scene.runners[1].registers = 40;
    scene.runners[3].registers = 20; /* but it is slower */
    run();
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.verdict, HONE_RACE_TIED);
    assert_int_equal(report.n_tied, 3);
    assert_int_equal(report.rule, HONE_TIE_REGISTERS);
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "tied: 3 of 4 finalists"));
    assert_non_null(strstr(text, "fewest registers"));
    assert_true(strlen(text) < 160);
    assert_string_equal(hone__final_reason(&report, 0, text, sizeof text),
                        "tied");
    assert_string_equal(hone__final_reason(&report, 3, text, sizeof text),
                        "dropped");
    assert_non_null(strstr(text, "left out after 8 rounds: 1.0"));
    /* Those without a series: by their ratio to the winner, not to the
     * fastest. */
    hone__race_compare(report.items[3].rounds_ns, report.items[1].rounds_ns,
                       report.items[3].n_samples, &ratio, &low, &high);
    assert_true(ratio != report.items[3].ratio);
    assert_true(report.items[3].time_ns == ratio * report.items[1].time_ns);
}

static void the_wrong_do_not_race(void **state)
{
    const double ns[] = {90, 100, 120, 95};
    char text[400];

    (void)state;
    final_set_up(4, 0, ns);
    scene.runners[0].wrong = 1;
    scene.runners[3].no_room = 1;
    run();
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.n_raced, 2);
    assert_int_equal(scene.first_opened, 1);
    assert_int_equal(scene.control_of, 1);
    assert_true(report.items[0].time_ns == 0);
    assert_true(report.items[0].ratio == 0);
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_WRONG);
    assert_string_equal(hone__final_reason(&report, 0, text, sizeof text),
                        "refuted");
    assert_string_equal(text, "wrong in the final: at N=1: wrong");
    /* No room is no refutation. */
    assert_int_equal(report.items[3].outcome, HONE_OUTCOME_OK);
    assert_string_equal(hone__final_reason(&report, 3, text, sizeof text),
                        "dropped");
    assert_non_null(strstr(text, "not raced"));
}

/* The winner is wrong when it is looked at again: the others race again, also
 * those that it had beaten. */
static void a_winner_that_is_refuted(void **state)
{
    const double ns[] = {80, 100, 100, 103};

    (void)state;
    final_set_up(4, 0, ns);
    scene.runners[0].wrong_later = 1;
    scene.runners[2].registers = 32;
    run();
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_WRONG);
    assert_int_equal(report.winner, 2);
    assert_int_equal(report.verdict, HONE_RACE_TIED);
    assert_int_equal(report.n_raced, 3);
    assert_int_equal(scene.n_controls, 2); /* its A/A control is no more use */
    assert_int_equal(scene.control_of, 1);
    assert_true(report.items[3].ratio < 1.05);
    assert_int_equal(scene.n_rechecked, 2);
    assert_int_equal(scene.n_series, 1);
    final_set_up(4, 0, ns);
    scene.runners[0].ns = 104; /* not the winner: its A/A control serves on */
    scene.runners[1].ns = 90;
    scene.runners[1].wrong_later = 1;
    run();
    assert_int_equal(report.winner, 2);
    assert_int_equal(scene.n_controls, 1);
}

static void nobody_is_right(void **state)
{
    const double ns[] = {80, 100, 90};
    char text[400] = "x";

    (void)state;
    final_set_up(2, 1, ns);
    scene.runners[0].wrong = scene.runners[1].wrong_later = 1;
    run();
    assert_int_equal(report.winner, -1);
    assert_int_equal(report.fastest, -1);
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_WRONG);
    hone__final_sentence(&report, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(scene.n_series, 1); /* the baseline's */
    assert_true(report.items[2].time_ns > 0);
}

static void one_finalist(void **state)
{
    const double ns[] = {80};
    char text[400];

    (void)state;
    final_set_up(1, 0, ns);
    run();
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.verdict, HONE_RACE_ONLY_ONE);
    assert_true(report.noise_floor > 0);
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "the only finalist; noise floor 0."));
}

/* The others had a trial, too, and somebody has to be told. */
static void one_is_left(void **state)
{
    const double ns[] = {80, 70, 60};
    char text[400];

    (void)state;
    final_set_up(3, 0, ns);
    scene.runners[1].wrong = 1;
    scene.runners[2].no_room = 1;
    run();
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.verdict, HONE_RACE_ONLY_ONE);
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "the only one left of 3 finalists; noise "));
}

static void a_noisy_final_says_so(void **state)
{
    const double ns[] = {100, 101, 102, 99};
    char text[400];

    (void)state;
    final_set_up(4, 0, ns);
    scene.noise = 0.3;
    run();
    assert_int_equal(report.verdict, HONE_RACE_TOO_NOISY);
    assert_true(report.winner >= 0);
    assert_true(report.noise_floor > HONE_RACE_NOISE_LIMIT);
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "too noisy to decide between 4 finalists"));
    assert_non_null(strstr(text, "idle machine"));
    assert_true(strlen(text) < 160);
}

static void sentences_fit(void **state)
{
    const double ns[] = {100, 102};
    char text[400];

    (void)state;
    final_set_up(2, 0, ns);
    run();
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "decided: the next of 2 finalists takes "));
    assert_non_null(strstr(text, " % longer; "));
    report.items[1].ratio = 2.5;
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "takes 2.5 times as long; "));
    report.n_raced = 34;
    report.noise_floor = 1234.5;
    for (int verdict = 0; verdict < HONE_N_VERDICTS; ++verdict) {
        for (int n_tied = 1; n_tied < 35; n_tied += 33) {
            report.verdict = (hone_race_verdict)verdict;
            report.n_tied = n_tied;
            report.rule = HONE_TIE_CHANGED;
            hone__final_sentence(&report, text, sizeof text);
            assert_in_range(strlen(text), 10, 159);
        }
    }
    report.noise_floor = -1;
    hone__final_sentence(&report, text, sizeof text);
    assert_non_null(strstr(text, "unknown"));
}

/* ---- who takes part ------------------------------------------------------
 */

static void finalists_are_those_near_the_best(void **state)
{
    double ns[40];

    (void)state;
    for (int i = 0; i < 40; ++i)
        ns[i] = 100 + i;                               /* 1 % apart */
    assert_int_equal(hone__final_count(ns, 40, 0), 8); /* the least */
    assert_int_equal(hone__final_count(ns, 5, 0), 5);
    assert_int_equal(hone__final_count(ns, 0, 0), 0);
    assert_int_equal(hone__final_count(ns, 40, 0.03), 13); /* within 12 % */
    assert_int_equal(hone__final_count(ns, 40, 0.2), 32);  /* the most */
    for (int i = 0; i < 40; ++i)
        ns[i] = i < 11 ? 102 : 103;
    ns[0] = 100;
    assert_int_equal(hone__final_count(ns, 40, 0.001), 11); /* within 2 % */
}

/* A power limit lowers the clock of what ran for a while. */
static void a_time_may_follow_the_load(void **state)
{
    (void)state;
    assert_true(hone__time_follows_load(25020, 27800));
    assert_false(
        hone__time_follows_load(25020, 25400)); /* times differ by it */
    assert_true(hone__time_follows_load(250200, 254000));
    assert_false(hone__time_follows_load(250200, 252000));
    assert_false(hone__time_follows_load(27800, 25020));
    assert_false(hone__time_follows_load(0, 27800)); /* nobody knows */
    assert_false(hone__time_follows_load(-1, 27800));
    assert_false(hone__time_follows_load(25020, 0));
}

/* Finalist i: `alone_ns` by its trial, `loaded_ns` in three rounds; 0: none. */
static void was_at(int i, double alone_ns, double loaded_ns)
{
    request.entries[i].time_ns = alone_ns;
    request.entries[i].is_trial = alone_ns > 0;
    report.items[i].n_samples = loaded_ns > 0 ? 3 : 0;
    for (int k = 0; k < 3; ++k)
        report.items[i].rounds_ns[k] = loaded_ns;
}

static void series_rest_where_the_clock_follows(void **state)
{
    const double ns[] = {1, 1, 1};

    (void)state;
    final_set_up(3, 0, ns);
    memset(&report, 0, sizeof report);
    assert_int_equal(hone__rest_choose(&request, &report), HONE_REST_UNKNOWN);
    was_at(0, 25000, 27800);
    was_at(1, 25100, 27700);
    was_at(2, 0, 27000); /* no trial of its own */
    assert_int_equal(hone__rest_choose(&request, &report), HONE_REST_LONG);
    /* The fastest of many trials was lucky; the others are as they were. */
    was_at(0, 25000, 25600);
    was_at(1, 25500, 25600);
    was_at(2, 25600, 25600);
    assert_int_equal(hone__rest_choose(&request, &report), HONE_REST_SHORT);
    /* Times that are stored may be such under load: that none is faster alone
     * says nothing then. */
    for (int i = 0; i < 3; ++i)
        request.entries[i].is_trial = 0;
    assert_int_equal(hone__rest_choose(&request, &report), HONE_REST_UNKNOWN);
    was_at(0, 25000, 27800);
    was_at(1, 25100, 27700);
    for (int i = 0; i < 3; ++i)
        request.entries[i].is_trial = 0;
    assert_int_equal(hone__rest_choose(&request, &report), HONE_REST_LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_wins),
        cmocka_unit_test(the_tie_rule_decides_among_equals),
        cmocka_unit_test(the_wrong_do_not_race),
        cmocka_unit_test(a_winner_that_is_refuted),
        cmocka_unit_test(nobody_is_right),
        cmocka_unit_test(one_finalist),
        cmocka_unit_test(one_is_left),
        cmocka_unit_test(a_noisy_final_says_so),
        cmocka_unit_test(sentences_fit),
        cmocka_unit_test(finalists_are_those_near_the_best),
        cmocka_unit_test(a_time_may_follow_the_load),
        cmocka_unit_test(series_rest_where_the_clock_follows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
