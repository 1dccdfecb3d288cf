/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tuner/blas_fixture.h"
#include "tests/tuner/fake_driver.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define FAKE_BLAS HONE_FAKES "/libfake_blas.so"

static int (*blas_live)(void);

int blas_load(void)
{
    void *library;

    setenv("HONE_CUBLAS_LIBRARY", FAKE_BLAS, 1);
    setenv("HONE_CUBLASLT_LIBRARY", FAKE_BLAS, 1);
    library = dlopen(FAKE_BLAS, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 0;
    *(void **)&blas_live = dlsym(library, "fake_blas_live");
    return blas_live != NULL;
}

static void expect_nothing_held(void)
{
    assert_int_equal(fake_driver_live, 0);
    assert_int_equal(blas_live(), 0);
}

hone_baseline *blas_open(const char *name, const char *op,
                         const hone_resolved *problem)
{
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    if (hone__baseline_open(name, op, problem, &fake_driver, &baseline, &err) !=
        HONE_OK)
        fail_msg("%s: %s", name, err.text);
    assert_non_null(baseline);
    return baseline;
}

void blas_close(hone_baseline *baseline)
{
    hone__baseline_close(baseline);
    expect_nothing_held();
}

void blas_refused(const char *name, const hone_resolved *problem,
                  hone_status status, const char *words)
{
    hone_baseline *baseline = NULL;
    hone_error err = {0};

    assert_int_equal(hone__baseline_open(name, "an_op", problem, &fake_driver,
                                         &baseline, &err),
                     status);
    assert_null(baseline);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    expect_nothing_held();
}

void *blas_array(size_t size_bytes)
{
    const size_t whole = (size_bytes + 255) / 256 * 256;
    void *const block = aligned_alloc(256, whole);

    assert_non_null(block);
    memset(block, 0, whole);
    return block;
}
