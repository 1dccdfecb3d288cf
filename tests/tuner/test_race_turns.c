/* SPDX-License-Identifier: Apache-2.0 */
/* The turns of a race: in which order, for how long, and who is left out. */
#include "tests/tuner/race_fixture.h"

#include <math.h>
#include <string.h>

/* ---- turns --------------------------------------------------------------
 */

static void rounds_go_there_and_back(void **state)
{
    const double ns[] = {100, 100, 100, 100, 100};
    enum { N = 6 }; /* the A/A control is one of them */
    machine m, again;
    hone_race race;
    int n_same = 0;

    (void)state;
    race_set_up(&again, &race, N - 1, ns, 0.01, 2);
    race_run(&race);
    race_set_up(&m, &race, N - 1, ns, 0.01, 1);
    race_run(&race);
    for (int pair = 0; pair < 5; ++pair) {
        const int *there = m.order + 2 * N * pair;
        int seen = 0;

        for (int k = 0; k < N; ++k) {
            seen |= 1 << there[k];
            assert_int_equal(there[k], there[2 * N - 1 - k]);
        }
        assert_int_equal(seen, (1 << N) - 1);
        n_same += memcmp(there, m.order, N * sizeof there[0]) == 0;
    }
    assert_in_range(n_same, 1, 2); /* only the first pair has its order */
    /* The order is the same in every race. */
    assert_memory_equal(m.order, again.order, sizeof m.order);
}

/* Whoever runs behind a heavy neighbour is slower there, but nobody always
 * does. */
static void neighbours_change(void **state)
{
    const double ns[] = {100, 100, 100, 100};
    int n_decided = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 4, ns, 0.001, seed);
        m.heavy = 2;
        race_run(&race);
        n_decided += race.verdict == HONE_RACE_DECIDED;
        for (int i = 0; i < 4; ++i)
            assert_true(i == 2 || race.runners[i].dropped_round == 0);
    }
    assert_int_equal(n_decided, 0);
}

static void an_error_ends_it(void **state)
{
    const double ns[] = {100, 100};
    hone_error err = {.status = HONE_OK};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 2, ns, 0.01, 1);
    m.fail_at = 20;
    assert_int_equal(hone__race_run(&race, &err), HONE_ERR_CUDA);
    assert_string_equal(err.text, "the card is gone");
    assert_int_equal(m.n_samples, 20);
}

static void the_deadline_ends_it(void **state)
{
    const double ns[] = {100, 150};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 2, ns, 0.0001, 1);
    race.deadline_s = (race_clock_s = 1000) + 0.5; /* passed at once */
    race_run(&race);
    assert_int_equal(race.n_rounds, 2); /* there and back */
    assert_int_equal(race.leader, 0);
    /* Two rounds show nothing, however far apart the times are. */
    assert_int_equal(race.verdict, HONE_RACE_TOO_NOISY);
    assert_false(hone__race_is_slower(&race, 1));
    assert_false(hone__race_is_tied(&race, 1));
}

/* ---- who runs on --------------------------------------------------------
 */

static void losers_are_left_out(void **state)
{
    double ns[32];
    machine m;
    hone_race race;

    (void)state;
    for (int i = 0; i < 32; ++i)
        ns[i] = i < 2 ? 100 : 105 + i;
    race_set_up(&m, &race, 32, ns, 0.003, 1);
    race_run(&race);
    assert_int_equal(race.verdict, HONE_RACE_TIED);
    assert_true(race.n_rounds >= HONE_RACE_ROUNDS);
    for (int i = 2; i < 32; ++i) {
        assert_int_equal(race.runners[i].dropped_round, HONE_RACE_LEAST);
        assert_int_equal(race.runners[i].n_rounds, HONE_RACE_LEAST);
        assert_int_equal(m.n_of[i], HONE_RACE_LEAST);
        assert_true(hone__race_is_slower(&race, i));
        assert_true(race.runners[i].ratio_low > 1.05);
    }
    assert_int_equal(m.n_of[0], race.n_rounds);
    assert_int_equal(m.n_of[32], race.n_rounds); /* the A/A control stays */
}

static void a_leader_may_change(void **state)
{
    /* The first of them, and so the A/A control, is slower than two others;
     * the second leads for as long as the third has bad luck. */
    const double ns[] = {106, 101, 100, 108};

    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 4, ns, 0.004, seed);
        race_run(&race);
        assert_int_equal(race.leader, 2);
        assert_true(race.runners[2].ratio == 1);
        assert_true(race.runners[0].ratio_low > 1.04);
        /* Slower, but it runs on for the control's sake. */
        assert_int_equal(race.runners[0].n_rounds, race.n_rounds);
        assert_int_equal(race.runners[0].dropped_round, 0);
        assert_true(hone__race_is_slower(&race, 0));
        assert_true(race.noise_floor < 0.02);
        assert_int_equal(race.runners[3].dropped_round, HONE_RACE_LEAST);
    }
}

/* Who was left out does not come back as the leader: what is known of it is
 * from rounds in which the new leader was slow. */
static void who_was_left_out_does_not_lead(void **state)
{
    const double ns[] = {100, 103, 92, 200};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 4, ns, 0.0005, 1);
    m.late = 2;
    race_run(&race);
    assert_int_equal(race.runners[1].dropped_round, HONE_RACE_LEAST);
    assert_int_equal(race.leader, 2);
    assert_true(race.runners[1].ratio < 1); /* of those rounds */
    assert_int_equal(race.n_rounds, 20);    /* then it had shown itself */
    assert_true(hone__race_is_slower(&race, 1));
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
}

static void those_that_are_kept_have_an_interval(void **state)
{
    /* 1: the default variant, 2 and 3: baselines. */
    const double ns[] = {100, 300, 90, 100.1};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 4, ns, 0.002, 1);
    race.runners[1].keep = 1;
    for (int i = 2; i < 4; ++i) {
        race.runners[i].contends = 0;
        race.runners[i].keep = 1;
    }
    race_run(&race);
    assert_int_equal(race.leader, 0); /* a baseline leads nothing */
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
    assert_int_equal(race.n_rounds, HONE_RACE_KEPT);
    for (int i = 1; i < 4; ++i) {
        const hone_race_runner *r = &race.runners[i];

        assert_int_equal(r->n_rounds, HONE_RACE_KEPT);
        assert_int_equal(r->dropped_round, 0);
        assert_true(fabs(r->ratio - ns[i] / 100) < 0.01);
        assert_true(r->ratio_low < r->ratio && r->ratio < r->ratio_high);
        assert_false(hone__race_is_tied(&race, i));
    }
    /* With a tie among the others, what is known rests after that. */
    race_set_up(&m, &race, 4, ns, 0.002, 1);
    m.true_ns[1] = 100;
    race.runners[2].contends = 0;
    race.runners[2].keep = 1;
    race_run(&race);
    assert_true(race.n_rounds >= HONE_RACE_ROUNDS);
    assert_int_equal(race.runners[2].n_rounds, HONE_RACE_KEPT);
}

/* Beyond HONE_RACE_ROUNDS only for those that could be out of the band. */
static void longer_only_for_what_matters(void **state)
{
    const double within[] = {100, 100.05};
    const double doubtful[] = {100, 100.6};
    machine m;
    hone_race race;
    int longer = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        race_set_up(&m, &race, 2, within, 0.001, seed);
        race_run(&race);
        assert_int_equal(race.n_rounds, HONE_RACE_ROUNDS);
        race_set_up(&m, &race, 2, doubtful, 0.006, seed);
        race_run(&race);
        longer += race.n_rounds > HONE_RACE_ROUNDS;
    }
    assert_in_range(longer, 10, 20);
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(hone__race_verdict_name(HONE_RACE_DECIDED), "decided");
    assert_string_equal(hone__race_verdict_name(HONE_RACE_TIED), "tied");
    assert_string_equal(hone__race_verdict_name(HONE_RACE_TOO_NOISY),
                        "too_noisy");
    assert_string_equal(hone__race_verdict_name(HONE_RACE_ONLY_ONE),
                        "only_one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_go_there_and_back),
        cmocka_unit_test(neighbours_change),
        cmocka_unit_test(an_error_ends_it),
        cmocka_unit_test(the_deadline_ends_it),
        cmocka_unit_test(losers_are_left_out),
        cmocka_unit_test(a_leader_may_change),
        cmocka_unit_test(who_was_left_out_does_not_lead),
        cmocka_unit_test(those_that_are_kept_have_an_interval),
        cmocka_unit_test(longer_only_for_what_matters),
        cmocka_unit_test(verdicts_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
