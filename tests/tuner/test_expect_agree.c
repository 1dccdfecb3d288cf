/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is wrong judges nobody: what it computes is compared with the
 * CPU references first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tuner/gpu_fixture.h"
#include "tuner/trial/expectations.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static hone_expectation *expected(hone_check *check)
{
    return &check->expected[HONE_PASS_EXACT];
}

static double *values(hone_check *check)
{
    return (double *)(uintptr_t)expected(check)->value.data;
}

/* A check that expects in both passes what the CPU reference does. */
static hone_check copy_of(gpu_fixture *f, const hone_check *cpu)
{
    hone_check check = *cpu;

    check.name = "cublas.axpy";
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone_expectation *e = &check.expected[pass];
        const size_t bytes = (size_t)GPU_FIXTURE_N * sizeof(double);

        assert_int_equal(e->count, GPU_FIXTURE_N);
        e->value = e->magnitude = e->index = (hone_block){0};
        assert_int_equal(hone__block_alloc(&f->device, bytes, &e->value, NULL),
                         HONE_OK);
        assert_int_equal(hone__block_copy(&f->device,
                                          &cpu->expected[pass].value, &e->value,
                                          NULL),
                         HONE_OK);
    }
    return check;
}

static void forget(gpu_fixture *f, hone_check *check)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass)
        hone__block_free(&f->device, &check->expected[pass].value);
}

static void agree(gpu_fixture *f, hone_check *check, int is_right)
{
    hone_error err = {0};

    if (hone__expectations_agree(f->problem, check, &err))
        fail_msg("%s", err.text);
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        assert_int_equal(check->expected[pass].count,
                         is_right ? GPU_FIXTURE_N : 0);
        assert_int_equal(check->expected[pass].value.base != 0, is_right);
    }
    if (is_right)
        assert_string_equal(check->skipped, "");
    else
        gpu_fixture_says(check->skipped, "another result than cpu.axpy");
    forget(f, check);
}

/* All elements are there; some of them are looked at. */
static void whole_results(void **state)
{
    gpu_fixture f;
    hone_check check;

    (void)state;
    gpu_fixture_setup(&f);
    assert_int_equal(expected(&f.problem->checks[0])->index.base, 0);
    check = copy_of(&f, &f.problem->checks[0]);
    agree(&f, &check, 1);
    check = copy_of(&f, &f.problem->checks[0]);
    for (int i = 0; i < GPU_FIXTURE_N; i += 4)
        values(&check)[i] += 1;
    agree(&f, &check, 0);
    gpu_fixture_says(check.skipped, "at 250 of 250 elements");
    check = copy_of(&f, &f.problem->checks[0]);
    values(&check)[0] = 0.0 / 0.0;
    agree(&f, &check, 0);
    gpu_fixture_close(&f);
}

/* The CPU computed two of them; their numbers say which. */
static void chosen_elements(void **state)
{
    gpu_fixture f;
    hone_check check;
    hone_expectation *cpu;
    int64_t *index;

    (void)state;
    gpu_fixture_setup(&f);
    cpu = expected(&f.problem->checks[0]);
    assert_int_equal(hone__block_alloc(f.problem->device, 2 * sizeof *index,
                                       &cpu->index, NULL),
                     HONE_OK);
    index = (int64_t *)(uintptr_t)cpu->index.data;
    index[0] = 17;
    index[1] = 990;
    for (int right = 0; right < 2; ++right) {
        check = copy_of(&f, &f.problem->checks[0]);
        values(&check)[17] = ((const double *)(uintptr_t)cpu->value.data)[0];
        values(&check)[990] =
            ((const double *)(uintptr_t)cpu->value.data)[1] + !right;
        values(&check)[3] = -1e6; /* nobody knows better */
        cpu->count = 2;
        agree(&f, &check, right);
        cpu->count = GPU_FIXTURE_N;
    }
    gpu_fixture_close(&f);
}

/* Of arrays that are too large to be copied whole each element is copied. */
static void large_results(void **state)
{
    enum { BYTES = 2 << 20 };
    gpu_fixture f;

    (void)state;
    gpu_fixture_setup(&f);
    for (int wrong = -1; wrong < GPU_FIXTURE_N; wrong += GPU_FIXTURE_N / 2) {
        hone_check check = copy_of(&f, &f.problem->checks[0]);
        hone_block *block = &expected(&check)->value;
        hone_device *const device = f.problem->device;
        hone_block small = *block;

        assert_int_equal(hone__block_alloc(device, BYTES, block, NULL),
                         HONE_OK);
        memcpy(values(&check), (const void *)(uintptr_t)small.data,
               GPU_FIXTURE_N * sizeof(double));
        hone__block_free(device, &small);
        if (wrong >= 0)
            values(&check)[wrong / 4 * 4] += 1;
        agree(&f, &check, wrong < 0);
    }
    gpu_fixture_close(&f);
}

/* Without a reference on the CPU a library is believed. */
static void nothing_to_compare(void **state)
{
    gpu_fixture f;
    hone_check check;

    (void)state;
    gpu_fixture_setup(&f);
    check = copy_of(&f, &f.problem->checks[0]);
    values(&check)[0] += 1;
    expected(&f.problem->checks[0])->count = 0;
    agree(&f, &check, 1);
    gpu_fixture_close(&f);
}

/* The values, and where magnitudes are asked for what the type does not hold.
 */
static hone_status overflow(void *user, void *const *args, hone_stream stream,
                            hone_error *err)
{
    int *const n_runs = user;
    float *const y = (float *)(uintptr_t) * (const hone_cu_ptr *)args[2];

    (void)stream;
    (void)err;
    for (int i = 0; i < GPU_FIXTURE_N; ++i)
        y[i] = *n_runs < 2 ? (float)i : (float)INFINITY;
    y[7] = NAN;
    ++*n_runs;
    return HONE_OK;
}

/* A bound that is no number would make every variant wrong. */
static void magnitudes_that_overflow(void **state)
{
    gpu_fixture f;
    hone_error err = {0};
    hone_check check;
    int n_runs = 0;
    const double *value, *magnitude;

    (void)state;
    gpu_fixture_setup(&f);
    check = f.problem->checks[0];
    memset(check.expected, 0, sizeof check.expected);
    if (hone__expectations_run(
            f.problem, &check, HONE_MAGNITUDE_TERMS,
            (hone_subject){.enqueue = overflow, .user = &n_runs}, &err))
        fail_msg("%s", err.text);
    assert_int_equal(n_runs, 3);
    value =
        (const double *)(uintptr_t)check.expected[HONE_PASS_REALS].value.data;
    magnitude = (const double *)(uintptr_t)check.expected[HONE_PASS_REALS]
                    .magnitude.data;
    assert_true(value[990] == 990 && isnan(value[7]));
    assert_true(magnitude[990] == (double)FLT_MAX && isnan(magnitude[7]));
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone__block_free(f.problem->device, &check.expected[pass].value);
        hone__block_free(f.problem->device, &check.expected[pass].magnitude);
    }
    assert_true(hone__magnitude_most(HONE_TYPE_F16) == 65504.0);
    gpu_fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_results),
        cmocka_unit_test(chosen_elements),
        cmocka_unit_test(large_results),
        cmocka_unit_test(nothing_to_compare),
        cmocka_unit_test(magnitudes_that_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
