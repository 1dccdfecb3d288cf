/* SPDX-License-Identifier: Apache-2.0 */
/* The race on made-up runners: what it finds, what it calls a tie, when it
 * says that the machine is too noisy, and how little it runs. Claims about
 * chance count seeds, which are fixed. */
#include "tuner/race.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_SEEDS = 200 };

/* A machine: what each runner really takes, and what disturbs it. */
typedef struct machine {
    uint64_t state;
    double true_ns[HONE_RACE_RUNNERS];
    double noise;    /* relative, of every sample */
    double drift;    /* relative, common to all, per sample taken */
    double outliers; /* part of the samples that take half as long again */
    int n_samples;
    int n_of[HONE_RACE_RUNNERS];
    int order[64]; /* of the first samples */
    int fail_at;   /* sample that fails; 0: none */
    int last;      /* runner that was timed before */
    int heavy;     /* runner that slows the next by 2 %; 0: none */
    int wild;      /* runner with a tenth of noise; 0: none */
    int late;      /* runner that swings for 8 rounds, then is fast */
} machine;

static double uniform(machine *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(machine *m)
{
    const double radius = sqrt(-2 * log(1 - uniform(m)));

    return radius * cos(6.283185307179586 * uniform(m));
}

static hone_status sample(void *user, int runner, double *out_ns,
                          hone_error *err)
{
    machine *m = user;
    const double noise = m->wild && m->wild == runner ? 0.1 : m->noise;
    double ns = m->true_ns[runner] * exp(noise * normal(m));

    if (m->heavy && m->last == m->heavy)
        ns *= 1.02;
    m->last = runner;
    if (m->late && m->late == runner)
        ns *= m->n_of[runner] < 8 && m->n_of[runner] % 2 ? 1.3 : 1;
    if (m->n_samples < 64)
        m->order[m->n_samples] = runner;
    ++m->n_of[runner];
    ns *= 1 + m->drift * m->n_samples;
    ++m->n_samples;
    if (m->n_samples == m->fail_at)
        return hone__fail(err, HONE_ERR_CUDA, "the card is gone");
    *out_ns = uniform(m) < m->outliers ? 1.5 * ns : ns;
    return HONE_OK;
}

static double clock_s; /* moves on by a second whenever it is asked */

static double now_s(void)
{
    return clock_s += 1;
}

/* `n` runners that contend and, last, the twin of runner 0. */
static void set_up(machine *m, hone_race *race, int n, const double *true_ns,
                   double noise, uint64_t seed)
{
    *m = (machine){.state = seed * 7919, .noise = noise};
    memset(race, 0, sizeof *race);
    for (int i = 0; i < n; ++i) {
        m->true_ns[i] = true_ns[i];
        race->runners[i].contends = 1;
    }
    m->true_ns[n] = true_ns[0];
    race->n = n + 1;
    race->twin = n;
    race->sample = sample;
    race->user = m;
    race->now_s = now_s;
}

static void run(hone_race *race)
{
    hone_error err = {.status = HONE_OK};

    assert_int_equal(hone__race_run(race, &err), HONE_OK);
    assert_in_range(race->n_rounds, 0, HONE_RACE_MOST);
}

/* ---- turns --------------------------------------------------------------
 */

static void rounds_go_there_and_back(void **state)
{
    const double ns[] = {100, 100, 100, 100, 100};
    enum { N = 6 }; /* the twin is one of them */
    machine m, again;
    hone_race race;
    int n_same = 0;

    (void)state;
    set_up(&again, &race, N - 1, ns, 0.01, 2);
    run(&race);
    set_up(&m, &race, N - 1, ns, 0.01, 1);
    run(&race);
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

        set_up(&m, &race, 4, ns, 0.001, seed);
        m.heavy = 2;
        run(&race);
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
    set_up(&m, &race, 2, ns, 0.01, 1);
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
    set_up(&m, &race, 2, ns, 0.0001, 1);
    race.deadline_s = (clock_s = 1000) + 0.5; /* passed at once */
    run(&race);
    assert_int_equal(race.n_rounds, 2); /* there and back */
    assert_int_equal(race.leader, 0);
    /* Two rounds show nothing, however far apart the times are. */
    assert_int_equal(race.verdict, HONE_RACE_TOO_NOISY);
    assert_false(hone__race_is_slower(&race, 1));
    assert_false(hone__race_is_tied(&race, 1));
}

/* ---- what it finds ------------------------------------------------------
 */

static void one_percent_is_found(void **state)
{
    /* The fastest is neither first nor last, and the twin is not its own. */
    const double ns[] = {101, 102, 100, 101.5, 103};
    int n_right = 0;
    int n_rounds = 0;
    int worst = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_SEEDS; ++seed) {
        machine m;
        hone_race race;

        set_up(&m, &race, 5, ns, 0.004, seed);
        run(&race);
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

            set_up(&m, &race, 3, ns, noises[k], seed);
            run(&race);
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

            set_up(&m, &race, 2, ns, noises[k], seed);
            run(&race);
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

        set_up(&m, &race, 5, ns, 0.002, seed);
        m.drift = 0.002; /* doubles within 500 samples */
        run(&race);
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

        set_up(&m, &race, 3, ns, 0.002, seed);
        m.outliers = 0.08;
        run(&race);
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
        machine m = {
            .state = seed * 31, .noise = 0.01, .true_ns = {100, 101}};

        for (int i = 0; i < 16; ++i) {
            (void)sample(&m, 1, &a[i], NULL);
            (void)sample(&m, 0, &b[i], NULL);
        }
        hone__race_compare(a, b, 16, &ratio, &low, &high);
        assert_true(low <= ratio && ratio <= high);
        n_held += low <= ns[1] / ns[0] && ns[1] / ns[0] <= high;
    }
    assert_in_range(n_held, 190, N_SEEDS - 1);
}

/* ---- the noise floor ----------------------------------------------------
 */

static void the_twin_measures_the_noise(void **state)
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

            set_up(&m, &race, 2, ns, noises[k], seed);
            run(&race);
            assert_true(race.noise_floor >= fabs(race.noise_bias));
            assert_true(race.noise_floor >= race.noise_half_width);
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

/* A twin that differs from its original (it lies worse in memory) is noise
 * too: a difference as large as that decides nothing. */
static void a_bias_of_the_twin_is_noise(void **state)
{
    const double ns[] = {100, 101};
    machine m;
    hone_race race;

    (void)state;
    set_up(&m, &race, 2, ns, 0.0005, 3);
    m.true_ns[2] = 101.5;
    run(&race);
    assert_true(race.noise_floor >= 0.0145);
    assert_true(fabs(race.noise_bias - 0.015) < 0.001);
    assert_int_equal(race.verdict, HONE_RACE_TIED);
    set_up(&m, &race, 2, ns, 0.0005, 3);
    run(&race);
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
    set_up(&m, &race, 2, ns, 0.0005, 3);
    m.true_ns[2] = 103;
    run(&race);
    assert_int_equal(race.verdict, HONE_RACE_TOO_NOISY);
}

static void a_wild_rival_of_the_leader_is_noise(void **state)
{
    const double ns[] = {100, 101, 103};
    machine m;
    hone_race race;

    (void)state;
    set_up(&m, &race, 3, ns, 0.0005, 5);
    m.wild = 1;
    run(&race);
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

        set_up(&m, &race, 3, near, 0.1, seed);
        run(&race);
        n_noisy += race.verdict == HONE_RACE_TOO_NOISY;
        assert_int_not_equal(race.verdict, HONE_RACE_DECIDED);
        /* Twice the time shows through any such noise. */
        set_up(&m, &race, 3, far, 0.1, seed);
        run(&race);
        assert_int_equal(race.verdict, HONE_RACE_DECIDED);
        assert_int_equal(race.leader, 0);
    }
    assert_in_range(n_noisy, 190, N_SEEDS);
}

static void one_runner_and_its_twin(void **state)
{
    const double ns[] = {100};
    machine m;
    hone_race race;

    (void)state;
    set_up(&m, &race, 1, ns, 0.01, 1);
    run(&race);
    assert_int_equal(race.verdict, HONE_RACE_ONLY_ONE);
    assert_int_equal(race.n_rounds, HONE_RACE_LEAST);
    assert_true(race.noise_floor > 0.002);
    assert_true(race.runners[0].ratio == 1);
}

static void without_a_twin_the_noise_is_unknown(void **state)
{
    const double ns[] = {100, 103};
    machine m;
    hone_race race;

    (void)state;
    set_up(&m, &race, 2, ns, 0.003, 1);
    race.n = 2;
    race.twin = -1;
    run(&race);
    assert_true(race.noise_floor < 0);
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
    race.runners[0].contends = race.runners[1].contends = 0;
    run(&race);
    assert_int_equal(race.leader, -1);
    assert_int_equal(race.verdict, HONE_RACE_ONLY_ONE);
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
    set_up(&m, &race, 32, ns, 0.003, 1);
    run(&race);
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
    assert_int_equal(m.n_of[32], race.n_rounds); /* the twin stays */
}

static void a_leader_may_change(void **state)
{
    /* The first of them, and so the twin, is slower than two others; the
     * second leads for as long as the third has bad luck. */
    const double ns[] = {106, 101, 100, 108};

    (void)state;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        machine m;
        hone_race race;

        set_up(&m, &race, 4, ns, 0.004, seed);
        run(&race);
        assert_int_equal(race.leader, 2);
        assert_true(race.runners[2].ratio == 1);
        assert_true(race.runners[0].ratio_low > 1.04);
        /* Slower, but it runs on for the twin's sake. */
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
    set_up(&m, &race, 4, ns, 0.0005, 1);
    m.late = 2;
    run(&race);
    assert_int_equal(race.runners[1].dropped_round, HONE_RACE_LEAST);
    assert_int_equal(race.leader, 2);
    assert_true(race.runners[1].ratio < 1); /* of those rounds */
    assert_int_equal(race.n_rounds, 20);    /* then it had shown itself */
    assert_true(hone__race_is_slower(&race, 1));
    assert_int_equal(race.verdict, HONE_RACE_DECIDED);
}

static void those_that_are_kept_have_an_interval(void **state)
{
    /* 1: the default variant, 2 and 3: rivals. */
    const double ns[] = {100, 300, 90, 100.1};
    machine m;
    hone_race race;

    (void)state;
    set_up(&m, &race, 4, ns, 0.002, 1);
    race.runners[1].keep = 1;
    for (int i = 2; i < 4; ++i) {
        race.runners[i].contends = 0;
        race.runners[i].keep = 1;
    }
    run(&race);
    assert_int_equal(race.leader, 0); /* a rival leads nothing */
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
    set_up(&m, &race, 4, ns, 0.002, 1);
    m.true_ns[1] = 100;
    race.runners[2].contends = 0;
    race.runners[2].keep = 1;
    run(&race);
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
        set_up(&m, &race, 2, within, 0.001, seed);
        run(&race);
        assert_int_equal(race.n_rounds, HONE_RACE_ROUNDS);
        set_up(&m, &race, 2, doubtful, 0.006, seed);
        run(&race);
        longer += race.n_rounds > HONE_RACE_ROUNDS;
    }
    assert_in_range(longer, 10, 20);
}

static void verdicts_have_names(void **state)
{
    (void)state;
    assert_string_equal(hone__race_verdict_name(HONE_RACE_DECIDED),
                        "decided");
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
        cmocka_unit_test(one_percent_is_found),
        cmocka_unit_test(a_tenth_of_a_percent_is_a_tie),
        cmocka_unit_test(equals_are_never_decided),
        cmocka_unit_test(drift_of_all_changes_nothing),
        cmocka_unit_test(outliers_change_nothing),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(the_twin_measures_the_noise),
        cmocka_unit_test(a_bias_of_the_twin_is_noise),
        cmocka_unit_test(a_wild_rival_of_the_leader_is_noise),
        cmocka_unit_test(a_noisy_machine_says_so),
        cmocka_unit_test(one_runner_and_its_twin),
        cmocka_unit_test(without_a_twin_the_noise_is_unknown),
        cmocka_unit_test(losers_are_left_out),
        cmocka_unit_test(a_leader_may_change),
        cmocka_unit_test(who_was_left_out_does_not_lead),
        cmocka_unit_test(those_that_are_kept_have_an_interval),
        cmocka_unit_test(longer_only_for_what_matters),
        cmocka_unit_test(verdicts_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
