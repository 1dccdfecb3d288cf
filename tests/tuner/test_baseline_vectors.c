/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines from cuBLAS for vectors, cublas.axpy, cublas.dot and
 * cublas.nrm2, by the fake library. */
#include "tests/tuner/blas_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_axpy(void **state)
{
    const hone_resolved single = saxpy_problem(3, HONE_TYPE_F32);
    const hone_resolved twice = saxpy_problem(3, HONE_TYPE_F64);
    float alpha = 3, x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    double alpha64 = 3, x64[3] = {1, 2, 3}, y64[3] = {10, 20, 30};
    hone_cu_ptr x_at = (hone_cu_ptr)(uintptr_t)x;
    hone_cu_ptr y_at = (hone_cu_ptr)(uintptr_t)y;
    hone_cu_ptr x64_at = (hone_cu_ptr)(uintptr_t)x64;
    hone_cu_ptr y64_at = (hone_cu_ptr)(uintptr_t)y64;
    void *args[] = {&alpha, &x_at, &y_at};
    void *args64[] = {&alpha64, &x64_at, &y64_at};
    hone_baseline *baseline = blas_open("cublas.axpy", "saxpy", &single);
    hone_error err = {0};

    (void)state;
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    assert_true(y[0] == 13 && y[1] == 26 && y[2] == 39);
    blas_close(baseline);
    baseline = blas_open("cublas.axpy", "saxpy", &twice);
    assert_int_equal(enqueue_algorithm(baseline, 0, args64, NULL, &err),
                     HONE_OK);
    assert_true(y64[0] == 13 && y64[1] == 26 && y64[2] == 39);
    blas_close(baseline);
}

static void test_axpy_unfit(void **state)
{
    hone_resolved problem = saxpy_problem(3, HONE_TYPE_F32);

    (void)state;
    problem.args[0].type = HONE_TYPE_F64;
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "all of f64");
    problem = saxpy_problem(3, HONE_TYPE_F16);
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "all of f64");
    problem = saxpy_problem(INT64_C(1) << 31, HONE_TYPE_F32);
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "2^31");
    problem = saxpy_problem(3, HONE_TYPE_F32);
    problem.args[2].count = 4;
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "one length");
    problem.args[2].mode = HONE_ARG_OUT;
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED,
                 "inout array y");
    problem = sum_problem(3);
    blas_refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "scalar alpha");
}

static hone_resolved dot_problem(int64_t n)
{
    hone_resolved problem = sum_problem(n);

    problem.args[2] = problem.args[1];
    problem.args[1] = problem.args[0];
    problem.args[1].name = "y";
    problem.n_args = 3;
    return problem;
}

static void test_sums(void **state)
{
    const hone_resolved dot = dot_problem(3);
    const hone_resolved norm = sum_problem(3);
    float x[3] = {2, 3, 6}, y[3] = {10, 20, 30}, out = 0;
    hone_cu_ptr x_at = (hone_cu_ptr)(uintptr_t)x;
    hone_cu_ptr y_at = (hone_cu_ptr)(uintptr_t)y;
    hone_cu_ptr out_at = (hone_cu_ptr)(uintptr_t)&out;
    void *of_dot[] = {&x_at, &y_at, &out_at};
    void *of_norm[] = {&x_at, &out_at};
    hone_baseline *baseline = blas_open("cublas.dot", "dot", &dot);
    hone_error err = {0};

    (void)state;
    /* Twice: the library's mode is put back. */
    for (int i = 0; i < 2; i++) {
        out = 0;
        assert_int_equal(enqueue_algorithm(baseline, 0, of_dot, NULL, &err),
                         HONE_OK);
        assert_true(out == 260);
    }
    blas_close(baseline);
    baseline = blas_open("cublas.nrm2", "norm2", &norm);
    assert_int_equal(enqueue_algorithm(baseline, 0, of_norm, NULL, &err),
                     HONE_OK);
    assert_true(out == 7);
    blas_close(baseline);
}

static void test_sums_unfit(void **state)
{
    hone_resolved problem = dot_problem(3);

    (void)state;
    problem.args[1].count = 4;
    blas_refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "one length");
    problem = dot_problem(INT64_C(1) << 31);
    blas_refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "2^31");
    problem = dot_problem(3);
    problem.args[1].type = HONE_TYPE_F64;
    blas_refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "one type");
    problem.args[1].name = "z";
    blas_refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED,
                 "inputs x and y");
    problem = sum_problem(3);
    problem.args[1].count = 2;
    blas_refused("cublas.nrm2", &problem, HONE_ERR_UNSUPPORTED,
                 "of one element");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axpy),
        cmocka_unit_test(test_axpy_unfit),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_unfit),
    };

    return blas_load() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
