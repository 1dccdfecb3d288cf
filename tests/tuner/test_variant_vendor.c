/* SPDX-License-Identifier: Apache-2.0 */
/* A variant that is a function of a vendor's library, as a device's worker
 * loads and runs it: what the library proposes, the lines of a plan, the
 * workspace between guard bands, and nothing left. */
#include "tests/tuner/fake_driver.h"
#include "tuner/trial/variant.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 8, GUARD = 4096 };

static const char head[] = "hone-launch 4\n"
                           "op gemm\n"
                           "dim M int\n"
                           "dim N int\n"
                           "dim K int\n"
                           "arg A in 4 M*K\n"
                           "arg B in 4 K*N\n"
                           "arg C out 4 M*N\n";

static int (*blas_live)(void);

static hone_cu_result fill8(hone_cu_ptr to, unsigned char value, size_t count,
                            hone_stream s)
{
    (void)s;
    memset((void *)(uintptr_t)to, value, count);
    return 0;
}

static hone_launch_spec *parse(const char *lines)
{
    hone_launch_spec *spec = NULL;
    hone_error error = {0};
    hone_text text = {0};

    hone__text_printf(&text, "%s%s", head, lines);
    if (hone__launch_spec_parse(text.data, &spec, &error))
        fail_msg("%s", error.text);
    hone__text_free(&text);
    return spec;
}

/* As a worker asks for them. */
static size_t ask(hone_device *device, const char *function,
                  hone_vendor_algorithm *list)
{
    static const int64_t dims[] = {N, N, N};
    hone_launch_spec *spec = parse("vendor any\n");
    hone_vendors *vendors = NULL;
    hone_resolved problem;
    hone_error error = {0};
    size_t n = 0;

    assert_int_equal(
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 3, &device->properties}, &problem,
            &error),
        HONE_OK);
    assert_int_equal(hone__device_vendors(device, &vendors, &error), HONE_OK);
    if (hone__vendor_algorithms(vendors, function, "gemm", &problem, list,
                                HONE_VENDOR_MOST_ALGORITHMS, &n, &error))
        fail_msg("%s", error.text);
    hone__launch_spec_free(spec);
    return n;
}

static void run(hone_device *device, const hone_vendor_algorithm *wanted)
{
    static const int64_t dims[] = {N, N, N};
    _Alignas(16) float a[N * N], b[N * N], c[N * N];
    hone_cu_ptr at[] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)c};
    void *args[] = {&at[0], &at[1], &at[2]};
    hone_text lines = {0};
    hone_launch_spec *spec;
    hone_variant variant;
    hone_subject subject;
    hone_error error = {0};

    hone__vendor_lines(wanted, &lines);
    spec = parse(lines.data);
    if (hone__variant_load(device, spec, NULL, 0, dims, 3, &variant, &error))
        fail_msg("%s", error.text);
    assert_int_equal(hone__variant_spread(&variant, HONE_PLACES, &error),
                     HONE_OK);
    subject = hone__variant_subject(&variant);
    assert_int_equal(subject.n_blocks, 1);
    assert_int_equal(subject.blocks[0].size_bytes, wanted->workspace_bytes);
    assert_int_equal(subject.blocks[0].data - subject.blocks[0].base, GUARD);
    for (int i = 0; i < N * N; i++) {
        a[i] = 1;
        b[i] = 2;
        c[i] = -1;
    }
    if (subject.enqueue(subject.user, args, NULL, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < N * N; i++)
        assert_true(c[i] - 2 * N == 0);
    hone__variant_unload(&variant);
    hone__launch_spec_free(spec);
    hone__text_free(&lines);
}

static void test_algorithms_run(void **state)
{
    static const char *const functions[] = {"cublaslt.gemm", "cublas.gemm"};
    hone_vendor_algorithm list[HONE_VENDOR_MOST_ALGORITHMS];
    hone_driver driver = fake_driver;
    hone_device device = {.driver = &driver, .guard_bytes = GUARD};

    (void)state;
    driver.fill8_async = fill8;
    for (size_t i = 0; i < 2; i++) {
        const size_t n = ask(&device, functions[i], list);

        assert_int_equal(n, 2 - i);
        for (size_t k = 0; k < n; k++)
            run(&device, &list[k]);
    }
    hone__vendors_free(device.vendors, 1);
    assert_int_equal(fake_driver_live, 0);
    assert_int_equal(blas_live(), 0);
}

/* An algorithm that is refused is told by what the library says. */
static void test_refused(void **state)
{
    static const int64_t dims[] = {N, N, N};
    hone_driver driver = fake_driver;
    hone_device device = {.driver = &driver, .guard_bytes = GUARD};
    hone_launch_spec *spec = parse("vendor cublaslt.gemm\n"
                                   "vendor-version 130100\n"
                                   "vendor-algorithm 00\n");
    hone_variant variant;
    hone_error error = {0};

    (void)state;
    assert_int_equal(
        hone__variant_load(&device, spec, NULL, 0, dims, 3, &variant, &error),
        HONE_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "the launch plan's has 1"));
    hone__launch_spec_free(spec);
    hone__vendors_free(device.vendors, 1);
    assert_int_equal(blas_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_algorithms_run),
        cmocka_unit_test(test_refused),
    };
    void *library;

    setenv("HONE_CUBLAS_LIBRARY", HONE_FAKES "/libfake_blas.so", 1);
    setenv("HONE_CUBLASLT_LIBRARY", HONE_FAKES "/libfake_blas.so", 1);
    library = dlopen(HONE_FAKES "/libfake_blas.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 1;
    *(void **)&blas_live = dlsym(library, "fake_blas_live");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
