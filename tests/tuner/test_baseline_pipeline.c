/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline cufft.image_pipeline of the library that nvcc builds: what it
 * refuses, and that a plan which fails leaves nothing behind. No CUDA is
 * called so far; tuning image_pipeline on a GPU judges its results. Skipped
 * where the library was not built. */
#include "tuner/baselines/baseline_plugin.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 64, COLUMNS = 128, BATCH = 3, PIXELS = ROWS * COLUMNS * BATCH };
enum { F32 = 4, F64 = 5 };

static const hone_baseline_v1 *baseline;

/* As image_pipeline has it but for its number `at`, a dimension from 0 or an
 * argument's type from 4 (none: -1). */
static int opened(int at, int64_t value, const char *expected)
{
    int64_t dims[] = {ROWS, COLUMNS, BATCH, 32};
    hone_baseline_arg_v1 args[] = {{"x", HONE_BASELINE_IN, F32, PIXELS},
                                   {"threshold", HONE_BASELINE_SCALAR, F32, 1},
                                   {"eps", HONE_BASELINE_SCALAR, F32, 1},
                                   {"y", HONE_BASELINE_OUT, F32, PIXELS}};
    const hone_baseline_problem_v1 problem = {"image_pipeline", 4, dims, 4,
                                              args};
    char text[512] = "";
    hone_baseline_message_v1 message = {text, sizeof text};
    void *state = NULL;
    size_t n_algorithms = 0;
    int result;

    if (at >= 4)
        args[at - 4].type = (int32_t)value;
    else if (at >= 0)
        dims[at] = value;
    result = baseline->open(&problem, &state, &n_algorithms, &message);
    assert_null(state);
    if (!strstr(text, expected))
        fail_msg("'%s' does not say '%s'", text, expected);
    return result;
}

static void test_unfit(void **state)
{
    (void)state;
    for (int at = 0; at < 2; at++) {
        assert_int_equal(opened(at, 100, "rows"), HONE_BASELINE_UNFIT);
        assert_int_equal(opened(at, 8192, "rows"), HONE_BASELINE_UNFIT);
    }
    assert_int_equal(opened(2, 0, "batch"), HONE_BASELINE_UNFIT);
    assert_int_equal(opened(2, BATCH + 1, "batch"), HONE_BASELINE_UNFIT);
    assert_int_equal(opened(3, 0, "cutoff"), HONE_BASELINE_UNFIT);
    for (int at = 4; at < 8; at++)
        assert_int_equal(opened(at, F64, "f32"), HONE_BASELINE_UNFIT);
}

static void test_no_cufft(void **state)
{
    (void)state;
    setenv("HONE_CUFFT_LIBRARY", "/nonexistent/libcufft.so", 1);
    assert_int_equal(opened(-1, 0, "HONE_CUFFT_LIBRARY"), HONE_BASELINE_UNFIT);
    setenv("HONE_CUFFT_LIBRARY", HONE_FAKES "/libfake_nvml.so", 1);
    assert_int_equal(opened(-1, 0, "HONE_CUFFT_LIBRARY"), HONE_BASELINE_UNFIT);
}

static void test_failing_plan(void **state)
{
    void *fft = dlopen(HONE_FAKES "/libfake_fft.so", RTLD_NOW);
    int (*live)(void);

    (void)state;
    assert_non_null(fft);
    *(void **)&live = dlsym(fft, "fake_fft_live");
    assert_non_null(live);
    setenv("HONE_CUFFT_LIBRARY", HONE_FAKES "/libfake_fft.so", 1);
    setenv("FAKE_FFT_FAIL", "cufftCreate", 1);
    assert_int_equal(opened(-1, 0, "cufftCreate failed"), HONE_BASELINE_FAILED);
    setenv("FAKE_FFT_FAIL", "cufftMakePlanMany64", 1);
    assert_int_equal(opened(-1, 0, "cufftMakePlanMany64 failed"),
                     HONE_BASELINE_FAILED);
    unsetenv("FAKE_FFT_FAIL");
    assert_int_equal(live(), 0);
}

static void find_baseline(void)
{
    hone_baselines_v1_function baselines = NULL;
    const hone_baseline_v1 *all;
    void *library;
    size_t n = 0;

    if (access(HONE_PLUGIN, R_OK) != 0)
        return;
    library = dlopen(HONE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&baselines = dlsym(library, "hone_baselines_v1");
    if (!baselines)
        return;
    all = baselines(&n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, "cufft.image_pipeline"))
            baseline = &all[i];
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unfit),
                                       cmocka_unit_test(test_no_cufft),
                                       cmocka_unit_test(test_failing_plan)};

    find_baseline();
    if (!baseline) {
        (void)puts("skipped: nvcc built no baselines here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
