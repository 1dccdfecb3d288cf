/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines without a GPU: what is refused and how, a missing library, the
 * memory copy, and plug-ins, on a driver of host memory. */
#include "runtime/base/alloc.h"
#include "tests/tuner/baseline_fixture.h"
#include "tests/tuner/fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define FAKE(name) HONE_FAKES "/" name

static hone_status open_baseline(const char *name, const char *op,
                                 const hone_resolved *problem,
                                 hone_baseline **out, hone_error *err)
{
    hone__error_clear(err);
    return hone__baseline_open(name, op, problem, &fake_driver, out, err);
}

/* Expect a refusal whose sentence has `words` in it, and nothing left. */
static void refused(const char *name, const char *op,
                    const hone_resolved *problem, hone_status status,
                    const char *words)
{
    hone_baseline *baseline = NULL;
    hone_error err;

    assert_int_equal(open_baseline(name, op, problem, &baseline, &err), status);
    assert_null(baseline);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(fake_driver_live, 0);
}

static void test_misuse(void **state)
{
    const hone_resolved problem = sum_problem(4);
    hone_baseline *baseline = NULL;
    hone_error err;

    (void)state;
    refused(NULL, "sum", &problem, HONE_ERR_ARGUMENT, "name");
    refused("memcpy", NULL, &problem, HONE_ERR_ARGUMENT, "operation");
    refused("memcpy", "sum", NULL, HONE_ERR_ARGUMENT, "problem");
    assert_int_equal(
        hone__baseline_open("memcpy", "sum", &problem, NULL, &baseline, &err),
        HONE_ERR_ARGUMENT);
    assert_int_equal(hone__baseline_open("memcpy", "sum", &problem,
                                         &fake_driver, NULL, &err),
                     HONE_ERR_ARGUMENT);
    hone__baseline_close(NULL);
}

/* Before any library is loaded: these tests stand first. */
static void test_missing_library(void **state)
{
    const hone_resolved gemm = gemm_problem(4, 4, 4);
    const hone_resolved saxpy = saxpy_problem(4, HONE_TYPE_F32);
    const hone_resolved sum = sum_problem(4);

    (void)state;
    setenv("HONE_CUBLAS_LIBRARY", "/nonexistent/libcublas.so", 1);
    setenv("HONE_CUBLASLT_LIBRARY", "/nonexistent/libcublasLt.so", 1);
    setenv("HONE_BASELINES", "/nonexistent/libhone_baselines.so", 1);
    refused("cublas", "gemm", &gemm, HONE_ERR_UNSUPPORTED,
            "HONE_CUBLAS_LIBRARY");
    refused("cublas.axpy", "saxpy", &saxpy, HONE_ERR_UNSUPPORTED,
            "/nonexistent/libcublas.so");
    refused("cublaslt", "gemm", &gemm, HONE_ERR_UNSUPPORTED,
            "/nonexistent/libcublasLt.so");
    refused("cub.sum", "sum", &sum, HONE_ERR_UNSUPPORTED,
            "/nonexistent/libhone_baselines.so");
    refused("cub.row_sums", "row_sums", &sum, HONE_ERR_UNSUPPORTED,
            "baseline 'cub.row_sums' is missing");
    refused("cufft.image_pipeline", "image_pipeline", &sum,
            HONE_ERR_UNSUPPORTED, "baseline 'cufft.image_pipeline' is missing");
    refused("cublass", "gemm", &gemm, HONE_ERR_NOT_FOUND,
            "no baseline 'cublass'");
    refused("", "gemm", &gemm, HONE_ERR_NOT_FOUND, "cublaslt");
}

/* Libraries that load but are not what they should be. */
static void test_wrong_library(void **state)
{
    const hone_resolved gemm = gemm_problem(4, 4, 4);
    const hone_resolved sum = sum_problem(4);

    (void)state;
    setenv("HONE_CUBLAS_LIBRARY", FAKE("libfake_nvml.so"), 1);
    setenv("HONE_CUBLASLT_LIBRARY", FAKE("libfake_nvml.so"), 1);
    setenv("HONE_BASELINES", FAKE("libfake_nvml.so"), 1);
    refused("cublas", "gemm", &gemm, HONE_ERR_UNSUPPORTED,
            "cublasGetStatusString");
    refused("cublaslt", "gemm", &gemm, HONE_ERR_UNSUPPORTED,
            "cublasLtGetStatusString");
    refused("cub.sum", "sum", &sum, HONE_ERR_UNSUPPORTED, "hone_baselines_v1");
}

static void test_plugin(void **state)
{
    float input[3] = {1, 2, 3};
    float output[3] = {0, 0, 0};
    float k = 0;
    float *in = input, *out = output;
    void *args[] = {&in, &out, &k};
    hone_resolved problem = sum_problem(3);
    hone_baseline *baseline = NULL;
    hone_error err;

    (void)state;
    setenv("HONE_BASELINES", FAKE("libfake_baselines.so"), 1);
    problem_arg(&problem, "k", HONE_ARG_SCALAR, HONE_TYPE_F32, 1);
    assert_int_equal(
        open_baseline("test.copy", "sum", &problem, &baseline, &err), HONE_OK);
    assert_int_equal(baseline->n_algorithms, 2);
    assert_int_equal(baseline->kind->computes, 1);
    assert_string_equal(baseline->label, "a copy");
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    assert_memory_equal(input, output, sizeof input);
    assert_int_equal(enqueue_algorithm(baseline, 1, args, NULL, &err),
                     HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "algorithm one is broken"));
    assert_int_equal(enqueue_algorithm(baseline, 2, args, NULL, &err),
                     HONE_ERR_ARGUMENT);
    hone__baseline_close(baseline);

    problem.n_args--;
    refused("test.copy", "sum", &problem, HONE_ERR_UNSUPPORTED, "not for sum");
    refused("test.unfit", "sum", &problem, HONE_ERR_UNSUPPORTED,
            "does not say why");
    refused("test.broken", "sum", &problem, HONE_ERR_CUDA, "no kernel image");
    refused("test.none", "sum", &problem, HONE_ERR_NOT_FOUND, "test.none");
    refused("cub.sum", "sum", &problem, HONE_ERR_NOT_FOUND, "cub.sum");
}

static void run_copy(hone_baseline *baseline, void *const *args)
{
    hone_error err;

    fake_driver_copy_bytes = 0;
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    assert_in_range(fake_driver_copy_from ^ fake_driver_copy_to, 1,
                    UINTPTR_MAX);
}

/* Same arguments: same buffers. Other arguments: through a ring of 3x L2. */
static void test_copy_ring(void **state)
{
    float alpha = 2, x[2] = {1, 2}, y[2] = {3, 4};
    hone_cu_ptr x_at[2] = {(hone_cu_ptr)(uintptr_t)&x[0],
                           (hone_cu_ptr)(uintptr_t)&x[1]};
    hone_cu_ptr y_at = (hone_cu_ptr)(uintptr_t)y;
    void *args[] = {&alpha, &x_at[0], &y_at};
    const hone_resolved problem = saxpy_problem(1000, HONE_TYPE_F32);
    hone_baseline *baseline = NULL;
    hone_cu_ptr first;
    hone_error err;

    (void)state;
    fake_driver_l2_bytes = 50000; /* 12000 bytes of traffic: 13 slots */
    assert_int_equal(
        open_baseline("memcpy", "saxpy", &problem, &baseline, &err), HONE_OK);
    assert_int_equal(baseline->n_algorithms, 1);
    assert_int_equal(baseline->kind->computes, 0);
    run_copy(baseline, args);
    assert_int_equal(2 * fake_driver_copy_bytes, 12000);
    first = fake_driver_copy_from;
    run_copy(baseline, args);
    assert_int_equal(fake_driver_copy_from, first);
    for (int i = 1; i <= 13; i++) {
        args[1] = &x_at[i % 2];
        run_copy(baseline, args);
        if (i < 13)
            assert_int_not_equal(fake_driver_copy_from, first);
    }
    assert_int_equal(fake_driver_copy_from, first);
    hone__baseline_close(baseline);
    assert_int_equal(fake_driver_live, 0);
    assert_true(y[0] == 3 && y[1] == 4 && x[0] == 1 && x[1] == 2);
}

static void test_copy_sizes(void **state)
{
    static const int64_t bytes[] = {1, 2, 31, 32, 33, 4000000};
    float x = 0;
    hone_cu_ptr at = (hone_cu_ptr)(uintptr_t)&x;
    void *args[] = {&at, &at};
    hone_resolved problem = sum_problem(1);
    hone_baseline *baseline = NULL;
    hone_error err;

    (void)state;
    fake_driver_l2_bytes = 0;
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        problem.bytes = bytes[i];
        assert_int_equal(
            open_baseline("memcpy", "sum", &problem, &baseline, &err), HONE_OK);
        run_copy(baseline, args);
        assert_in_range(2 * fake_driver_copy_bytes, (size_t)bytes[i],
                        (size_t)bytes[i] + 31);
        hone__baseline_close(baseline);
    }
    problem.bytes = 0;
    refused("memcpy", "sum", &problem, HONE_ERR_UNSUPPORTED, "bytes(..)");
    problem.bytes = 4;
    fake_driver_fail_alloc = 1;
    refused("memcpy", "sum", &problem, HONE_ERR_NO_MEMORY, "memcpy");
    fake_driver_fail_alloc = 0;
}

static void test_out_of_host_memory(void **state)
{
    static const char *const names[] = {"memcpy", "test.copy", "cublas",
                                        "cublaslt"};
    const hone_resolved gemm = gemm_problem(4, 4, 4);

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (long n = 0; n < 2; n++) {
            hone_baseline *baseline = NULL;
            hone_error err;
            hone_status status;

            hone__alloc_fail_after(n);
            status = open_baseline(names[i], "gemm", &gemm, &baseline, &err);
            hone__alloc_fail_after(-1);
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
            assert_null(baseline);
            assert_int_equal(fake_driver_live, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_missing_library),
        cmocka_unit_test(test_wrong_library),
        cmocka_unit_test(test_plugin),
        cmocka_unit_test(test_copy_ring),
        cmocka_unit_test(test_copy_sizes),
        cmocka_unit_test(test_out_of_host_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
