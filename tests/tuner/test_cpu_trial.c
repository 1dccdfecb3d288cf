/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on the cpu device: what a variant damages is found, named and
 * put right, like on a GPU. The variant is a C function of this test. */
#include "tests/tuner/axpy_fixture.h"
#include "tuner/cpu/cpu_worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1000 };

typedef struct fixture {
    hone_cpu_problem problem;
    hone_template *tmpl;
    hone_text spec;
    hone_cpu_block ticket;
    long n_runs;
} fixture;

static fixture *f;

static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    float alpha;

    (void)user;
    (void)stream;
    (void)err;
    memcpy(&alpha, args[0], sizeof alpha);
    axpy_run(alpha, *(float *const *)args[1], *(float *const *)args[2],
             (int64_t *)(void *)f->ticket.data, N, ++f->n_runs);
    return HONE_OK;
}

static int open_problem(const char *check)
{
    const int64_t dims[] = {N};
    hone_properties properties;
    hone_error err = {.status = HONE_OK};
    hone_problem_setup setup = {.dims = dims,
                                .seed = 1,
                                .references = axpy_references,
                                .n_references = 1};

    f = calloc(1, sizeof *f);
    if (!f)
        return 1;
    hone__properties_of_host(&properties);
    axpy_parse(check, "1", dims, &properties, &f->tmpl, &f->spec);
    setup.tmpl = f->tmpl;
    setup.launch_spec = hone__text_str(&f->spec);
    assert_int_equal(hone__cpu_problem_open(&setup, 1, &f->problem, &err),
                     HONE_OK);
    assert_int_equal(hone__cpu_block_alloc(8, 1, &f->ticket, &err), HONE_OK);
    return 0;
}

static int setup(void **state)
{
    (void)state;
    return open_problem("check cpu.axpy tolerance(4) exact(8)");
}

static int teardown(void **state)
{
    (void)state;
    hone__cpu_problem_close(&f->problem);
    hone__cpu_block_free(&f->ticket);
    hone__template_free(f->tmpl);
    hone__text_free(&f->spec);
    free(f);
    return 0;
}

static hone_verdict verify(defect d)
{
    const hone_subject subject = {enqueue, NULL};
    hone_verdict verdict;
    hone_error err = {.status = HONE_OK};

    axpy_defect = d;
    f->n_runs = 0;
    memset(f->ticket.data, 0, 8);
    assert_int_equal(
        hone__cpu_verify(&f->problem, subject, &f->ticket, 1, &verdict, &err),
        HONE_OK);
    return verdict;
}

static void expect_wrong(defect d, const char *words, int leaving)
{
    const hone_verdict verdict = verify(d);

    assert_int_equal(verdict.outcome, HONE_OUTCOME_WRONG);
    if (!strstr(verdict.message, words))
        fail_msg("'%s' does not say '%s'", verdict.message, words);
    assert_int_equal(verdict.leaving, leaving);
}

static void expect_good(void)
{
    const hone_verdict verdict = verify(GOOD);

    if (verdict.outcome != HONE_OUTCOME_OK)
        fail_msg("%s", verdict.message);
    assert_true(verdict.error_ratio <= 1);
    assert_int_equal(verdict.leaving, 0);
}

static void test_results(void **state)
{
    (void)state;
    expect_good();
    assert_int_equal(f->n_runs, 2); /* integers, reals */
    expect_wrong(WRONG, "1 of 1000 elements differ from the exact result", 0);
    axpy_defect_from = 2;
    expect_wrong(WRONG_LATER, "cpu.axpy, reals)", 0);
    teardown(NULL);
    assert_int_equal(open_problem("check cpu.axpy tolerance(4)"), 0);
    axpy_defect_from = 2;
    expect_wrong(WRONG_LATER, "out of tolerance", 0);
    assert_int_equal(f->n_runs, 2);
    expect_good();
}

static void test_own_damage_is_put_right(void **state)
{
    (void)state;
    expect_wrong(CHANGES_INPUT, "the input array 'x' was changed", 0);
    expect_good();
    expect_wrong(WRITES_BEHIND, "1 bytes behind the array 'y'", 0);
    expect_good();
    (void)axpy_aim(f->ticket.data + 8, 1);
    expect_wrong(WRITES_ELSEWHERE, "bytes behind workspace 1", 0);
}

static void test_neighbours(void **state)
{
    hone_cpu_check *check = &f->problem.checks[0];
    char original;

    (void)state;
    original = axpy_aim(check->value[HONE_PASS_REALS].data + 16, 1);
    expect_wrong(WRITES_ELSEWHERE, "what check cpu.axpy expects on reals", 1);
    *axpy_victim = original;
    expect_good();
    original = axpy_aim(f->problem.pristine[HONE_PASS_EXACT][2].data, 2);
    expect_wrong(WRITES_ELSEWHERE, "the array 'y' with integers", 1);
    *axpy_victim = original;
    expect_good();
}

static void test_after_timing(void **state)
{
    const hone_subject subject = {enqueue, NULL};
    hone_verdict verdict;
    hone_error err = {.status = HONE_OK};

    (void)state;
    axpy_defect_from = 3;
    verdict = verify(DIRTY_WORKSPACE);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK);
    assert_int_equal(hone__cpu_verify_again(&f->problem, subject, &f->ticket, 1,
                                            0, &verdict, &err),
                     HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK); /* the third run */
    assert_int_equal(hone__cpu_verify_again(&f->problem, subject, &f->ticket, 1,
                                            0, &verdict, &err),
                     HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_WRONG);
    assert_non_null(strstr(verdict.message, "integers, after timing"));
    f->n_runs = 0;
    f->ticket.data[8] = 0; /* only its memory is looked at: no run */
    assert_int_equal(hone__cpu_verify_again(&f->problem, subject, &f->ticket, 1,
                                            1, &verdict, &err),
                     HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_WRONG);
    assert_int_equal(f->n_runs, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_results),
        TEST(test_own_damage_is_put_right),
        TEST(test_neighbours),
        TEST(test_after_timing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
