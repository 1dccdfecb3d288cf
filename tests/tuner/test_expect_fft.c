/* SPDX-License-Identifier: Apache-2.0 */
/* The check "cufft.c2c" on the fake GPU, against a library with cuFFT's
 * symbols. */
#include "gen/space.h"
#include "tests/tuner/fake_driver.h"
#include "tests/tuner/fake_gpu.h"
#include "tuner/compile/host_unit.h"
#include "tuner/trial/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 8, BATCH = 3, LANES = 2 * N * BATCH };

typedef struct fixture {
    hone_device device;
    hone_template *tmpl;
    hone_launch_spec *spec;
    hone_problem *problem;
    int64_t dims[3];
} fixture;

static hone_status open_fixture(fixture *f, const char *check,
                                int64_t direction, hone_error *err)
{
    hone_problem_setup setup;
    hone_diagnostics diagnostics = {0};
    hone_space *space = NULL;
    int64_t index = 0;
    char text[1024];

    memset(f, 0, sizeof *f);
    f->dims[0] = N;
    f->dims[1] = BATCH;
    f->dims[2] = direction;
    (void)snprintf(text, sizeof text,
                   "#pragma hone op fft(n, batch, direction)\n"
                   "#pragma hone arg x: in c32[n*batch], y: out c32[n*batch]\n"
                   "#pragma hone param P in {1, 2}\n"
                   "#pragma hone launch fft args(x, y)\n"
                   "#pragma hone check %s\n"
                   "extern \"C\" __global__ void fft(float2 *, float2 *) {}\n",
                   check);
    fake_gpu_reset();
    fake_gpu_open(&f->device, 20000);
    if (hone__template_read("fft.cu", "", text, strlen(text), &f->tmpl,
                            &diagnostics, err) ||
        hone__space_create(f->tmpl, f->dims, &f->device.properties, &space,
                           err) ||
        hone__default_plan(f->tmpl, space, &index, &f->spec, err))
        fail_msg("%s", err->text);
    hone__space_free(space);
    f->problem = calloc(1, sizeof *f->problem);
    setup = (hone_problem_setup){.tmpl = f->tmpl,
                                 .spec = f->spec,
                                 .dims = f->dims,
                                 .mode = HONE_MODE_COLD,
                                 .rotation = HONE_ROTATION_NONE,
                                 .seed = 1};
    return hone__problem_open(&f->device, &setup, f->problem, err);
}

static void close_fixture(fixture *f)
{
    if (f->problem->device)
        hone__problem_close(f->problem);
    free(f->problem);
    hone__device_close(&f->device);
    hone__launch_spec_free(f->spec);
    hone__template_free(f->tmpl);
    assert_int_equal(fake_gpu_live_bytes, 0);
}

static void must_skip(const char *words)
{
    fixture f;
    hone_error err = {0};

    if (open_fixture(&f, "cufft.c2c tolerance(3)", 1, &err))
        fail_msg("%s", err.text);
    assert_int_equal(err.status, HONE_OK);
    assert_int_equal(f.problem->n_checks, 1);
    assert_int_equal(f.problem->checks[0].expected[HONE_PASS_REALS].count, 0);
    if (!strstr(f.problem->checks[0].skipped, words))
        fail_msg("'%s' does not say '%s'", f.problem->checks[0].skipped, words);
    close_fixture(&f);
}

/* Before the library is loaded: this test stands first. */
static void test_missing(void **state)
{
    (void)state;
    setenv("HONE_CUFFT_LIBRARY", "/nonexistent/libcufft.so", 1);
    must_skip("HONE_CUFFT_LIBRARY");
    setenv("HONE_CUFFT_LIBRARY", HONE_FAKES "/libfake_fft.so", 1);
}

/* Lane `lane` of the transforms of `x`, by definition. */
static double wanted(const float *x, int lane, int sign)
{
    const int b = lane / (2 * N), k = lane / 2 % N;
    double re = 0, im = 0;

    for (int j = 0; j < N; j++) {
        const double angle = sign * 6.283185307179586 * (j * k % N) / N;
        const double a = (double)x[2 * (b * N + j)];
        const double c = (double)x[2 * (b * N + j) + 1];

        re += a * cos(angle) - c * sin(angle);
        im += a * sin(angle) + c * cos(angle);
    }
    return lane % 2 ? im : re;
}

static void check_direction(int64_t direction)
{
    fixture f;
    hone_error err = {0};

    if (open_fixture(&f, "cufft.c2c tolerance(3) exact(2)", direction, &err))
        fail_msg("%s", err.text);
    for (int pass = 0; pass < HONE_N_PASSES; pass++) {
        const hone_expectation *const e = &f.problem->checks[0].expected[pass];
        const float *const x =
            (const float *)(uintptr_t)f.problem->pristine[pass][0].data;
        const double *const value = (const double *)(uintptr_t)e->value.data;
        const double *const magnitude =
            (const double *)(uintptr_t)e->magnitude.data;

        assert_int_equal(e->count, LANES);
        assert_int_equal(e->index.base, 0);
        for (int i = 0; i < LANES; i++) {
            const int first = i / (2 * N) * 2 * N;
            double squares = 0;

            for (int j = first; j < first + 2 * N; j++)
                squares += (double)x[j] * (double)x[j];
            assert_true(fabs(value[i] - wanted(x, i, direction == 2 ? 1 : -1)) <
                        1e-12);
            assert_true(fabs(magnitude[i] - sqrt(squares)) < 1e-12);
        }
    }
    assert_string_equal(f.problem->checks[0].skipped, "");
    close_fixture(&f);
}

static void test_values(void **state)
{
    (void)state;
    check_direction(1);
    check_direction(2);
}

static void test_unsupported_is_skipped(void **state)
{
    (void)state;
    setenv("FAKE_FFT_FAIL", "cufftExecZ2Z", 1);
    setenv("FAKE_FFT_CODE", "16", 1);
    must_skip("not supported (code 16)");
    setenv("FAKE_FFT_CODE", "2", 1);
    must_skip("allocation failed");
    unsetenv("FAKE_FFT_FAIL");
}

static void test_failure(void **state)
{
    fixture f;
    hone_error err = {0};

    (void)state;
    setenv("FAKE_FFT_FAIL", "cufftExecZ2Z", 1);
    setenv("FAKE_FFT_CODE", "6", 1);
    assert_int_equal(open_fixture(&f, "cufft.c2c tolerance(3)", 1, &err),
                     HONE_ERR_CUDA);
    unsetenv("FAKE_FFT_FAIL");
    assert_non_null(strstr(err.text, "cufftExecZ2Z failed"));
    close_fixture(&f);
}

static void test_unknown(void **state)
{
    fixture f;
    hone_error err = {0};

    (void)state;
    assert_int_equal(open_fixture(&f, "cufft.filter tolerance(3)", 1, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "cpu.fft_filter"));
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_unsupported_is_skipped),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
