/* SPDX-License-Identifier: Apache-2.0 */
/* Verification on the cpu device: what a variant damages is found, named and
 * put right, like on a GPU. The variant is a C function of this test. */
#include "tests/tuner/axpy_fixture.h"

#include "runtime/base/alloc.h"
#include "tuner/cpu/cpu_device.h"
#include "tuner/trial/problem.h"
#include "tuner/trial/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 1000 };

typedef struct fixture {
    hone_device device;
    hone_problem problem;
    hone_template *tmpl;
    hone_text text;
    hone_launch_spec *spec;
    hone_block ticket;
    long n_runs;
} fixture;

static fixture *f;

static void *at(hone_cu_ptr address)
{
    return (void *)(uintptr_t)address;
}

static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    float alpha;

    (void)user;
    (void)stream;
    (void)err;
    memcpy(&alpha, args[0], sizeof alpha);
    axpy_run(alpha, *(float *const *)args[1], *(float *const *)args[2],
             (int64_t *)at(f->ticket.data), N, ++f->n_runs);
    return HONE_OK;
}

static int open_problem(const char *check)
{
    const int64_t dims[] = {N};
    hone_error err = {.status = HONE_OK};
    hone_problem_setup setup = {.dims = dims,
                                .seed = 1,
                                .references = axpy_references,
                                .n_references = 1};

    f = calloc(1, sizeof *f);
    if (!f)
        return 1;
    assert_int_equal(
        hone__device_open(&hone__cpu_device, 0, NULL, &f->device, &err),
        HONE_OK);
    axpy_parse(check, "1", dims, &f->device.properties, &f->tmpl, &f->text,
               &f->spec);
    setup.tmpl = f->tmpl;
    setup.spec = f->spec;
    assert_int_equal(hone__problem_open(&f->device, &setup, &f->problem, &err),
                     HONE_OK);
    assert_int_equal(hone__block_alloc(&f->device, 8, &f->ticket, &err),
                     HONE_OK);
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
    hone__problem_close(&f->problem);
    hone__block_free(&f->device, &f->ticket);
    hone__device_close(&f->device);
    hone__template_free(f->tmpl);
    hone__text_free(&f->text);
    hone__launch_spec_free(f->spec);
    free(f);
    return 0;
}

static hone_verdict verify(defect d)
{
    const hone_subject subject = {
        .enqueue = enqueue, .blocks = &f->ticket, .n_blocks = 1};
    hone_verdict verdict;
    hone_error err = {.status = HONE_OK};

    axpy_defect = d;
    f->n_runs = 0;
    memset(at(f->ticket.data), 0, 8);
    assert_int_equal(
        hone__verify(&f->problem, subject, HONE_VERIFY_FIRST, &verdict, &err),
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
    assert_int_equal(f->n_runs, 2 + 2);
    expect_good();
}

static void test_own_damage_is_put_right(void **state)
{
    (void)state;
    expect_wrong(CHANGES_INPUT, "the input array 'x' was changed", 0);
    expect_good();
    expect_wrong(WRITES_BEHIND, "1 bytes behind the array 'y'", 0);
    expect_good();
    (void)axpy_aim(at(f->ticket.data + 8), 1);
    expect_wrong(WRITES_ELSEWHERE, "bytes behind workspace 1", 0);
}

static void test_neighbours(void **state)
{
    hone_check *check = &f->problem.checks[0];
    char original;

    (void)state;
    original =
        axpy_aim(at(check->expected[HONE_PASS_REALS].value.data + 16), 1);
    expect_wrong(WRITES_ELSEWHERE, "what check cpu.axpy expects on reals", 1);
    *axpy_victim = original;
    expect_good();
    original = axpy_aim(at(f->problem.pristine[HONE_PASS_EXACT][2].data), 2);
    expect_wrong(WRITES_ELSEWHERE, "the array 'y' with integers", 1);
    *axpy_victim = original;
    expect_good();
}

static void test_after_timing(void **state)
{
    const hone_subject subject = {
        .enqueue = enqueue, .blocks = &f->ticket, .n_blocks = 1};
    hone_verdict verdict;
    hone_error err = {.status = HONE_OK};

    (void)state;
    axpy_defect_from = 3;
    verdict = verify(DIRTY_WORKSPACE);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK);
    assert_int_equal(
        hone__verify(&f->problem, subject, HONE_VERIFY_AGAIN, &verdict, &err),
        HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_OK); /* the third run */
    assert_int_equal(
        hone__verify(&f->problem, subject, HONE_VERIFY_AGAIN, &verdict, &err),
        HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_WRONG);
    assert_non_null(strstr(verdict.message, "integers, after timing"));
    f->n_runs = 0;
    ((unsigned char *)at(f->ticket.data))[8] =
        0; /* only its memory is looked at: no run */
    assert_int_equal(
        hone__verify(&f->problem, subject, HONE_VERIFY_MEMORY, &verdict, &err),
        HONE_OK);
    assert_int_equal(verdict.outcome, HONE_OUTCOME_WRONG);
    assert_int_equal(f->n_runs, 0);
}

static hone_status download(const hone_block *block, void **out)
{
    hone_error err = {.status = HONE_OK};

    return hone__problem_download(&f->problem, block, "a test", "copying", out,
                                  &err);
}

/* An array so large that several threads enter its pages, and its last page is
 * not whole; then the next one into the same memory. */
static void test_download(void **state)
{
    enum { BYTES = (20 << 20) + 5, STEP = 4093 };
    unsigned char *const bytes = malloc(BYTES);
    const hone_block none = {.base = 0};
    hone_block block = {.base = 0};
    hone_error err = {.status = HONE_OK};
    void *out = NULL, *first;

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(download(&none, &out), HONE_OK);
    assert_null(out);
    for (size_t i = 0; i < BYTES; ++i)
        bytes[i] = (unsigned char)(i * i >> 7);
    assert_int_equal(hone__block_upload(&f->device, bytes, BYTES, &block, &err),
                     HONE_OK);
    assert_int_equal(download(&block, &out), HONE_OK);
    assert_memory_equal(out, bytes, BYTES);
    for (size_t i = 0; i < BYTES; i += STEP)
        ((unsigned char *)at(block.data))[i] = bytes[i] ^= 0xff;
    first = out;
    assert_int_equal(download(&block, &out), HONE_OK);
    assert_ptr_equal(out, first);
    assert_memory_equal(out, bytes, BYTES);
    hone__free(out);
    hone__block_free(&f->device, &block);
    free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_results),    TEST(test_own_damage_is_put_right),
        TEST(test_neighbours), TEST(test_after_timing),
        TEST(test_download),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
