/* SPDX-License-Identifier: Apache-2.0 */
/* What a race finds, what it calls a tie, and when it says that the machine
 * is too noisy. Claims about chance count seeds, which are fixed. */
#include "tests/tuner/race_fixture.h"

#include <math.h>

enum { N_SEEDS = 200 };

/* ---- what it finds ------------------------------------------------------
 */

static void one_percent_is_found(void **state)
{
    /* The fastest is neither first nor last, and the A/A control is not its
     * own. */
    const double ns[] = {101, 102, 100, 101.5, 103};
    int n_right = 0;
    int n_rounds = 0;
    int worst = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 5, ns, 0.004, seed);
        race_run(&race);
        n_right += race.verdict == HONE_RACE_DECIDED && race.leader == 2;
        worst += race.leader != 2;
        n_rounds += race.n_rounds;
    }
    assert_in_range(n_right, 190, N_SEEDS);
    assert_int_equal(worst, 0);
    assert_in_range(n_rounds / N_SEEDS, 8, 48); /* most end before 64 */
}

static void a_tenth_of_a_percent_is_a_tie(void **state)
{
    const double ns[] = {100, 100.1, 100.05};
    const double noises[] = {0, 0.0001, 0.002};

    (void)state;
    for (int k = 0; k < 3; ++k) {
        int n_tied = 0;

        for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
            machine m;
            hone_race race;

            race_set_up(&m, &race, 3, ns, noises[k], seed);
            race_run(&race);
            n_tied += race.verdict == HONE_RACE_TIED &&
                      hone__race_is_tied(&race, 0) &&
                      hone__race_is_tied(&race, 1) &&
                      hone__race_is_tied(&race, 2);
        }
        assert_in_range(n_tied, 180, N_SEEDS);
    }
}

static void equals_are_never_decided(void **state)
{
    const double ns[] = {100, 100};
    const double noises[] = {0.0005, 0.003, 0.01};
    int n_decided = 0;

    (void)state;
    for (int k = 0; k < 3; ++k) {
        for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
            machine m;
            hone_race race;

            race_set_up(&m, &race, 2, ns, noises[k], seed);
            race_run(&race);
            n_decided += race.verdict == HONE_RACE_DECIDED;
        }
    }
    assert_in_range(n_decided, 0, 3 * N_SEEDS / 50); /* 2 % */
}

static void drift_of_all_changes_nothing(void **state)
{
    const double ns[] = {100, 101.5, 102, 103, 104};

    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 5, ns, 0.002, seed);
        m.drift = 0.002; /* doubles within 500 samples */
        race_run(&race);
        assert_int_equal(race.verdict, HONE_RACE_DECIDED);
        assert_int_equal(race.leader, 0);
        assert_true(fabs(race.runners[4].ratio - 1.04) < 0.012);
    }
}

static void outliers_change_nothing(void **state)
{
    const double ns[] = {100, 102, 103};
    int n_right = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 3, ns, 0.002, seed);
        m.outliers = 0.08;
        race_run(&race);
        n_right += race.verdict == HONE_RACE_DECIDED && race.leader == 0;
    }
    assert_in_range(n_right, 190, N_SEEDS);
}

/* Of what is true of two runners, 95 % of the intervals know it. */
static void intervals_hold_the_truth(void **state)
{
    const double ns[] = {100, 101};
    int n_held = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
        double a[16], b[16];
        double ratio, low, high;
        machine m = {.state = seed * 31, .noise = 0.01, .true_ns = {100, 101}};

        for (int i = 0; i < 16; ++i) {
            (void)race_sample(&m, 1, &a[i], NULL);
            (void)race_sample(&m, 0, &b[i], NULL);
        }
        hone__race_compare(a, b, 16, &ratio, &low, &high);
        assert_true(low <= ratio && ratio <= high);
        n_held += low <= ns[1] / ns[0] && ns[1] / ns[0] <= high;
    }
    assert_in_range(n_held, 190, N_SEEDS - 1);
}

/* ---- the noise floor ----------------------------------------------------
 */

static void the_control_measures_the_noise(void **state)
{
    const double ns[] = {100, 110};
    const double noises[] = {0, 0.002, 0.02};
    double last = -1;

    (void)state;
    for (int k = 0; k < 3; ++k) {
        double floor = 0;

        for (uint64_t seed = 1; seed <= 50; ++seed) {
            machine m;
            hone_race race;

            race_set_up(&m, &race, 2, ns, noises[k], seed);
            race_run(&race);
            assert_true(race.noise_floor >= fabs(race.noise_bias));
            assert_true(race.margin >= HONE_RACE_LEAST_MARGIN);
            assert_true(race.margin >= race.noise_floor);
            floor += race.noise_floor / 50;
        }
        /* Between one and three deviations of a sample. */
        assert_true(floor >= noises[k] && floor <= 3 * noises[k]);
        assert_true(floor > last);
        last = floor;
    }
}

/* A A/A control that differs from its original (it lies worse in memory) is
 * noise too: a difference as large as that decides nothing. */
static void a_bias_of_the_control_is_noise(void **state)
{
    const double ns[] = {100, 101};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 2, ns, 0.0005, 3);
    m.true_ns[2] = 101.5;
    race_run(&race);
    assert_true(race.noise_floor >= 0.0145);
    assert_true(fabs(race.noise_bias - 0.015) < 0.001);
    assert_int_equal(race.verdict, HONE_RACE_TIED);
    race_set_up(&m, &race, 2, ns, 0.0005, 3);
    race_run(&race);
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
    race_set_up(&m, &race, 2, ns, 0.0005, 3);
    m.true_ns[2] = 103;
    race_run(&race);
    assert_int_equal(race.verdict, HONE_RACE_TOO_NOISY);
}

static void a_wild_baseline_of_the_leader_is_noise(void **state)
{
    const double ns[] = {100, 101, 103};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 3, ns, 0.0005, 5);
    m.wild = 1;
    race_run(&race);
    assert_true(race.noise_floor < 0.002);
    assert_int_equal(race.verdict, HONE_RACE_TOO_NOISY);
    assert_true(hone__race_is_slower(&race, 2));
}

static void a_noisy_machine_says_so(void **state)
{
    const double near[] = {100, 101, 102};
    const double far[] = {100, 200, 300};
    int n_noisy = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
        machine m;
        hone_race race;

        race_set_up(&m, &race, 3, near, 0.1, seed);
        race_run(&race);
        n_noisy += race.verdict == HONE_RACE_TOO_NOISY;
        assert_int_not_equal(race.verdict, HONE_RACE_DECIDED);
        /* Twice the time shows through any such noise. */
        race_set_up(&m, &race, 3, far, 0.1, seed);
        race_run(&race);
        assert_int_equal(race.verdict, HONE_RACE_DECIDED);
        assert_int_equal(race.leader, 0);
    }
    assert_in_range(n_noisy, 190, N_SEEDS);
}

static void one_runner_and_its_control(void **state)
{
    const double ns[] = {100};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 1, ns, 0.01, 1);
    race_run(&race);
    assert_int_equal(race.verdict, HONE_RACE_ONLY_ONE);
    assert_int_equal(race.n_rounds, HONE_RACE_LEAST);
    assert_true(race.noise_floor > 0.002);
    assert_true(race.runners[0].ratio == 1);
}

static void without_a_control_the_noise_is_unknown(void **state)
{
    const double ns[] = {100, 103};
    machine m;
    hone_race race;

    (void)state;
    race_set_up(&m, &race, 2, ns, 0.003, 1);
    race.n = 2;
    race.control = -1;
    race_run(&race);
    assert_true(race.noise_floor < 0);
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
    race.runners[0].contends = race.runners[1].contends = 0;
    race_run(&race);
    assert_int_equal(race.leader, -1);
    assert_int_equal(race.verdict, HONE_RACE_ONLY_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_percent_is_found),
        cmocka_unit_test(a_tenth_of_a_percent_is_a_tie),
        cmocka_unit_test(equals_are_never_decided),
        cmocka_unit_test(drift_of_all_changes_nothing),
        cmocka_unit_test(outliers_change_nothing),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(the_control_measures_the_noise),
        cmocka_unit_test(a_bias_of_the_control_is_noise),
        cmocka_unit_test(a_wild_baseline_of_the_leader_is_noise),
        cmocka_unit_test(a_noisy_machine_says_so),
        cmocka_unit_test(one_runner_and_its_control),
        cmocka_unit_test(without_a_control_the_noise_is_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
