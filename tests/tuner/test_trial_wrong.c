/* SPDX-License-Identifier: Apache-2.0 */
/* Bad variants on the fake GPU: each is found, and the next one finds the
 * problem as it was. */
#include "tests/tuner/gpu_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define REALS "check cpu.axpy tolerance(4)"

static gpu_fixture f;

static int setup(void **state)
{
    (void)state;
    gpu_fixture_setup(&f);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_fixture_close(&f);
    return 0;
}

/* A bad variant with these words; whether the worker can go on. */
static void expect_wrong(defect d, const char *words, int leaving)
{
    const hone_trial_report report = gpu_fixture_try(&f, d);

    if (report.outcome != HONE_OUTCOME_WRONG)
        fail_msg("outcome %s, not wrong: %s",
                 hone__outcome_name(report.outcome), report.message);
    gpu_fixture_says(report.message, words);
    assert_int_equal(report.leaving, leaving);
}

static void expect_good(void)
{
    const hone_trial_report report = gpu_fixture_try(&f, GOOD);

    if (report.outcome != HONE_OUTCOME_OK)
        fail_msg("outcome %s: %s", hone__outcome_name(report.outcome),
                 report.message);
    assert_int_equal(report.leaving, 0);
}

/* ---- wrong results ------------------------------------------------------
 */

static void test_wrong(void **state)
{
    (void)state;
    expect_wrong(WRONG,
                 "1 of 1000 elements differ from the exact result "
                 "(first: element 500; cpu.axpy, integers)",
                 0);
    expect_good();
}

/* Runs before timing: integers, reals. Later ones only contenders have. */
static void test_wrong_on_the_second_run(void **state)
{
    (void)state;
    axpy_defect_from = 2;
    expect_wrong(WRONG_LATER, "cpu.axpy, reals)", 0);
    axpy_defect_from = 3;
    expect_wrong(WRONG_LATER, "integers, after timing", 0);
}

static void test_wrong_without_exact_check(void **state)
{
    hone_error err = {.status = HONE_OK};

    (void)state;
    gpu_fixture_close(&f);
    assert_int_equal(gpu_fixture_open(&f, REALS, "1", 20000, &err), HONE_OK);
    expect_good();
    axpy_defect_from = 2;
    expect_wrong(WRONG_LATER, "out of tolerance", 0);
    assert_int_equal(f.kernel->n_runs, 2 + 2); /* is it so each time? */
}

/* ---- results that change ------------------------------------------------- */

static void expect_unstable(defect d, const char *words)
{
    const hone_trial_report report = gpu_fixture_try(&f, d);

    if (report.outcome != HONE_OUTCOME_UNSTABLE)
        fail_msg("outcome %s, not unstable: %s",
                 hone__outcome_name(report.outcome), report.message);
    gpu_fixture_says(report.message, "first: element 500; cpu.axpy, ");
    gpu_fixture_says(report.message, words);
    assert_true(report.error_ratio > 1);
    assert_int_equal(report.leaving, 0);
}

/* A bit of a right result that memory lost: in each of the runs there are. */
static void test_flipped_bit(void **state)
{
    static const char words[] = "right in 2 of 3 such runs";

    (void)state;
    for (long run = 1; run <= 2; ++run) {
        axpy_defect_from = run;
        expect_unstable(FLIPPED, words);
        assert_int_equal(f.kernel->n_runs, run + 2);
    }
    /* The last run is the one after timing. */
    axpy_defect_from = 0;
    assert_int_equal(gpu_fixture_try(&f, FLIPPED).outcome, HONE_OUTCOME_OK);
    axpy_defect_from = f.kernel->n_runs;
    expect_unstable(FLIPPED, words);
    expect_good();
}

/* The same of an input: it is put right, and the run after it is clean. */
static void test_flipped_input(void **state)
{
    hone_trial_report report;

    (void)state;
    for (long run = 1; run <= 2; ++run) {
        axpy_defect_from = run;
        report = gpu_fixture_try(&f, FLIPPED_INPUT);
        assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
        gpu_fixture_says(report.message, "the input array 'x' was changed");
        gpu_fixture_says(report.message, "right in 1 of 2 such runs");
        assert_int_equal(f.kernel->n_runs, run + 1);
        expect_good();
    }
}

static void test_race(void **state)
{
    (void)state;
    expect_unstable(RACES, "right in 1 of 3 such runs: its threads race");
    expect_good();
}

/* A second and a third run might take more than the time that there is. */
static void test_slow_ones_run_once(void **state)
{
    (void)state;
    f.kernel->cost_ns = 3e8;
    axpy_defect_from = 1;
    expect_wrong(FLIPPED, "cpu.axpy, integers)", 0);
    assert_int_equal(f.kernel->n_runs, 1);
}

/* What shared memory happens to hold is no zero in any run before timing. */
static void test_shared_memory(void **state)
{
    hone_trial_report report;

    (void)state;
    expect_wrong(READS_SHARED, "NaN", 0);
    assert_int_equal(fake_gpu_find("hone_poison")->n_runs, 3);
    assert_int_equal(fake_gpu_find("hone_poison")->grid, 132);
    report = gpu_fixture_try(&f, GOOD);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK);
    /* Integers, reals, integers after timing: and none while it is timed. */
    assert_int_equal(fake_gpu_find("hone_poison")->n_runs, 3 + 3);
    assert_int_equal(fake_gpu_shared, 0xff7f7f7f);
}

/* The second run of a workspace that is not cleared is fine, the hundredth is
 * not: only contenders run so often. */
static void test_workspace_that_fills(void **state)
{
    hone_trial_report report;

    (void)state;
    axpy_defect_from = 1;
    expect_wrong(DIRTY_WORKSPACE, "cpu.axpy, reals)", 0);
    axpy_defect_from = 100;
    expect_wrong(DIRTY_WORKSPACE, "integers, after timing", 0);
    f.job.incumbent_ns = 1000;
    report = gpu_fixture_try(&f, DIRTY_WORKSPACE);
    assert_int_equal(report.outcome, HONE_OUTCOME_OK); /* and dropped */
    assert_int_equal(report.screened, 1);
}

/* ---- damage -------------------------------------------------------------
 */

static void test_changed_input(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        expect_wrong(CHANGES_INPUT, "the input array 'x' was changed", 0);
        expect_good();
    }
}

static void test_guards(void **state)
{
    (void)state;
    expect_wrong(WRITES_BEHIND, "1 bytes behind the array 'y' were written", 0);
    expect_good();
}

/* Guards of the variant's own memory are made anew, too, before it is looked
 * whether that is damaged each time. */
static void test_flipped_guard(void **state)
{
    hone_trial_report report;

    (void)state;
    for (long run = 1; run <= 2; ++run) {
        axpy_defect_from = run;
        report = gpu_fixture_try(&f, FLIPPED_GUARD);
        gpu_fixture_says(report.message, "1 bytes before workspace 1 were "
                                         "written");
        gpu_fixture_says(report.message, "right in 1 of 2 such runs");
        assert_int_equal(report.outcome, HONE_OUTCOME_UNSTABLE);
        assert_int_equal(report.leaving, 0);
        expect_good();
    }
}

static void test_neighbours(void **state)
{
    const hone_problem *p = f.problem;
    const hone_expectation *e = &p->checks[0].expected[HONE_PASS_REALS];
    const struct {
        hone_cu_ptr victim;
        const char *words;
    } rows[] = {
        {e->value.data + 80, "what check cpu.axpy expects on reals"},
        {e->magnitude.base + 1, "what check cpu.axpy expects on reals"},
        {p->pristine[HONE_PASS_EXACT][2].data, "the array 'y' with integers"},
        {p->pristine[HONE_PASS_REALS][2].data, "the array 'y' with reals"},
        {p->extra[2][1].data + 4, "copy 2 of the array 'x'"},
        {p->extra[1][2].data - 1, "copy 1 of the array 'y'"},
    };

    (void)state;
    assert_true(p->n_sets > 2);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const char original = axpy_aim((char *)(uintptr_t)rows[i].victim, 1);

        expect_wrong(WRITES_ELSEWHERE, rows[i].words, 1);
        /* The worker would leave; here the byte is put back. */
        *axpy_victim = original;
        expect_good();
    }
}

/* Inputs of another run are found by that run, and can be put right. */
static void test_inputs_of_the_next_run(void **state)
{
    (void)state;
    (void)axpy_aim(
        (char *)(uintptr_t)f.problem->pristine[HONE_PASS_REALS][1].data, 1);
    expect_wrong(WRITES_ELSEWHERE, "the input array 'x' was changed", 0);
    expect_good();
}

/* Only timed executions do it: a variant that is dropped, and a contender. */
static void test_damage_while_timed(void **state)
{
    const hone_expectation *e = &f.problem->checks[0].expected[HONE_PASS_REALS];
    char original;

    (void)state;
    original = axpy_aim((char *)(uintptr_t)e->value.data, 40);
    f.job.incumbent_ns = 1000;
    expect_wrong(WRITES_ELSEWHERE, "it wrote outside its arrays", 1);
    *axpy_victim = original;
    f.job.incumbent_ns = 0;
    expect_wrong(WRITES_ELSEWHERE, "it wrote outside its arrays", 1);
    *axpy_victim = original;
    expect_good();
    /* A copy that the timed executions were given is put right. */
    (void)axpy_aim((char *)(uintptr_t)f.problem->extra[1][1].data, 40);
    expect_wrong(WRITES_ELSEWHERE, "the input array 'x' was changed", 0);
    expect_good();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_wrong),
        TEST(test_wrong_on_the_second_run),
        TEST(test_wrong_without_exact_check),
        TEST(test_flipped_bit),
        TEST(test_flipped_input),
        TEST(test_race),
        TEST(test_slow_ones_run_once),
        TEST(test_shared_memory),
        TEST(test_workspace_that_fills),
        TEST(test_changed_input),
        TEST(test_guards),
        TEST(test_flipped_guard),
        TEST(test_neighbours),
        TEST(test_inputs_of_the_next_run),
        TEST(test_damage_while_timed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
