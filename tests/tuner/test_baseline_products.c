/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines cublas.gemv, and cublas.gemm of complex numbers, against a
 * library that has their symbols and computes on the host, column-major. */
#include "tests/tuner/blas_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void refused(const hone_resolved *problem, const char *words)
{
    blas_refused("cublas.gemv", problem, HONE_ERR_UNSUPPORTED, words);
}

enum { GEMV_LDA = 4, GEMV_BATCH = 2 }; /* of matrices of 2 x 3 */

/* Of integers that the type holds: A is 1, 2, .., its gaps are 100, x is 1 to
 * 3, y is 10 and alpha and beta are 2 and -1. */
static void check_gemv(hone_type type, int trans, int batch)
{
    const hone_resolved problem =
        gemv_problem(2, 3, type, trans, GEMV_LDA, batch);
    const int n_x = trans ? 2 : 3, n_y = trans ? 3 : 2;
    double alpha = 2, beta = -1;
    float a[16], x[6], y[6];
    double a64[16], x64[6], y64[6];
    const int is_f64 = type == HONE_TYPE_F64;
    hone_cu_ptr at[3] = {(hone_cu_ptr)(is_f64 ? (uintptr_t)a64 : (uintptr_t)a),
                         (hone_cu_ptr)(is_f64 ? (uintptr_t)x64 : (uintptr_t)x),
                         (hone_cu_ptr)(is_f64 ? (uintptr_t)y64 : (uintptr_t)y)};
    void *args[] = {&at[0], &at[1], &at[2], &alpha, &beta};
    hone_baseline *const baseline = blas_open("cublas.gemv", "gemv", &problem);
    hone_error err = {0};

    for (int i = 0; i < 16; i++)
        a64[i] = i % GEMV_LDA < 3 ? i / GEMV_LDA * 3 + i % GEMV_LDA + 1 : 100;
    for (int i = 0; i < 6; i++) {
        x64[i] = i % n_x + 1;
        y64[i] = 10;
    }
    for (int i = 0; i < 16; i++)
        a[i] = (float)a64[i];
    for (int i = 0; i < 6; i++) {
        x[i] = (float)x64[i];
        y[i] = 10;
    }
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    blas_close(baseline);
    for (int i = 0; i < 6; i++) {
        double sum = 0;

        for (int k = 0; k < n_x; k++) {
            const int row = trans ? k : i % n_y, column = trans ? i % n_y : k;

            sum += x64[k] * (i / n_y * 6 + row * 3 + column + 1);
        }
        sum = i < batch * n_y ? 2 * sum - 10 : 10;
        if ((is_f64 ? y64[i] : (double)y[i]) != sum)
            fail_msg("element %d is %g, not %g", i,
                     is_f64 ? y64[i] : (double)y[i], sum);
    }
}

static void test_gemv(void **state)
{
    (void)state;
    for (int trans = 0; trans < 2; trans++)
        for (int batch = 1; batch <= GEMV_BATCH; batch++) {
            check_gemv(HONE_TYPE_F32, trans, batch);
            check_gemv(HONE_TYPE_F64, trans, batch);
        }
}

/* 16 bits, and alpha and beta of f32. */
static void test_gemv_halves(void **state)
{
    static const hone_type types[] = {HONE_TYPE_F16, HONE_TYPE_BF16};
    static const uint16_t one[] = {0x3c00, 0x3f80}, two[] = {0x4000, 0x4000};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hone_resolved problem = gemv_problem(1, 2, types[i], 0, 2, 1);
        const uint16_t a[] = {one[i], two[i]}, x[] = {one[i], two[i]};
        uint16_t y = one[i];
        float alpha = 1, beta = -3;
        hone_cu_ptr at[3] = {(hone_cu_ptr)(uintptr_t)a,
                             (hone_cu_ptr)(uintptr_t)x,
                             (hone_cu_ptr)(uintptr_t)&y};
        void *args[] = {&at[0], &at[1], &at[2], &alpha, &beta};
        hone_baseline *baseline;
        hone_error err = {0};

        problem.args[3].type = problem.args[4].type = HONE_TYPE_F32;
        baseline = blas_open("cublas.gemv", "gemv", &problem);
        assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err),
                         HONE_OK);
        assert_int_equal(y, two[i]);
        blas_close(baseline);
    }
}

static void test_gemv_unfit(void **state)
{
    hone_resolved problem = gemv_problem(2, 3, HONE_TYPE_F32, 0, 4, 2);

    (void)state;
    problem.args[1].count = 5;
    refused(&problem, "as large as");
    problem = gemv_problem(2, 3, HONE_TYPE_F32, 0, 2, 2);
    refused(&problem, "32-bit numbers");
    problem = gemv_problem(0, 3, HONE_TYPE_F32, 0, 3, 1);
    refused(&problem, "at least 1");
    problem = gemv_problem(2, 3, HONE_TYPE_I32, 0, 3, 1);
    refused(&problem, "f16 or bf16");
    problem = gemv_problem(2, 3, HONE_TYPE_F32, 0, 3, 1);
    problem.args[3].type = HONE_TYPE_F32;
    refused(&problem, "both f64");
    problem.args[3].name = "a";
    refused(&problem, "scalars alpha");
}

/* 1 x 2 by 2 x 1, two of them: the conjugates of what is stored, or not. */
static void check_complex(int trans, float expected_re, float expected_im)
{
    static const char *const names[] = {"M",       "N",       "K",
                                        "TRANS_A", "TRANS_B", "BATCH"};
    const int64_t dims[] = {1, 1, 2, trans, 0, 2};
    const float a[] = {1, 2, 0, -1, 1, 2, 0, -1};
    const float b[] = {3, 1, 2, 2, 3, 1, 2, 2};
    float c[] = {10, 20, 10, 20}, alpha[] = {0, 1}, beta[] = {2, 0};
    hone_cu_ptr at[3] = {(hone_cu_ptr)(uintptr_t)a, (hone_cu_ptr)(uintptr_t)b,
                         (hone_cu_ptr)(uintptr_t)c};
    void *args[] = {&at[0], &at[1], &at[2], alpha, beta};
    hone_resolved problem;
    hone_baseline *baseline;
    hone_error err = {0};

    memset(&problem, 0, sizeof problem);
    problem.n_dims = 6;
    for (size_t i = 0; i < 6; i++) {
        problem.dims[i] = dims[i];
        problem.dim_names[i] = names[i];
    }
    problem_arg(&problem, "A", HONE_ARG_IN, HONE_TYPE_C32, 4);
    problem_arg(&problem, "B", HONE_ARG_IN, HONE_TYPE_C32, 4);
    problem_arg(&problem, "C", HONE_ARG_INOUT, HONE_TYPE_C32, 2);
    problem_arg(&problem, "alpha", HONE_ARG_SCALAR, HONE_TYPE_C32, 1);
    problem_arg(&problem, "beta", HONE_ARG_SCALAR, HONE_TYPE_C32, 1);
    baseline = blas_open("cublas", "gemm_complex", &problem);
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    blas_close(baseline);
    for (int i = 0; i < 4; i++)
        assert_true(c[i] == (i % 2 ? expected_im : expected_re));
}

static void test_complex(void **state)
{
    (void)state;
    /* (1 + 2i)(3 + i) - i(2 + 2i) = 3 + 5i, times i, and 2(10 + 20i) */
    check_complex(0, 15, 43);
    check_complex(1, 15, 43);
    /* (1 - 2i)(3 + i) + i(2 + 2i) = 3 - 3i */
    check_complex(2, 23, 43);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemv),
        cmocka_unit_test(test_gemv_halves),
        cmocka_unit_test(test_gemv_unfit),
        cmocka_unit_test(test_complex),
    };

    return blas_load() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
