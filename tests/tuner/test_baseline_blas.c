/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines from cuBLAS and cuBLASLt against a library that has their
 * symbols and computes on the host, column-major: a wrong order of arguments,
 * a wrong leading dimension or a forgotten setting changes the result. */
#include "tests/tuner/blas_fixture.h"
#include "tests/tuner/fake_driver.h"
#include "tuner/judge/check_data.h"
#include "runtime/vendor/vendor.h"
#include "runtime/vendor/vendor_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 3, N = 5, K = 7 };

typedef struct gemm_case {
    uint16_t *a, *b;
    float *c;
    float alpha, beta;
    hone_cu_ptr at[3];
    void *args[5];
    double expected[M * N];
} gemm_case;

/* Row-major, in double, from integers that every type holds exactly. */
static void gemm_make(gemm_case *t, float alpha, float beta)
{
    int a[M * K], b[K * N];

    t->a = blas_array(sizeof *t->a * M * K);
    t->b = blas_array(sizeof *t->b * K * N);
    t->c = blas_array(sizeof *t->c * M * N);
    t->alpha = alpha;
    t->beta = beta;
    for (int i = 0; i < M * K; i++)
        hone__element_store(HONE_TYPE_F16, t->a, i, a[i] = (i * 5) % 9 - 4);
    for (int i = 0; i < K * N; i++)
        hone__element_store(HONE_TYPE_F16, t->b, i, b[i] = (i * 7) % 8 - 4);
    for (int i = 0; i < M * N; i++)
        t->c[i] = (float)(i - 6);
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            int sum = 0;

            for (int l = 0; l < K; l++)
                sum += a[row * K + l] * b[l * N + column];
            t->expected[row * N + column] =
                (double)alpha * sum +
                (double)beta * (double)t->c[row * N + column];
        }
    t->at[0] = (hone_cu_ptr)(uintptr_t)t->a;
    t->at[1] = (hone_cu_ptr)(uintptr_t)t->b;
    t->at[2] = (hone_cu_ptr)(uintptr_t)t->c;
    for (int i = 0; i < 3; i++)
        t->args[i] = &t->at[i];
    t->args[3] = &t->alpha;
    t->args[4] = &t->beta;
}

static void gemm_check_and_free(gemm_case *t)
{
    for (int i = 0; i < M * N; i++)
        if ((double)t->c[i] != t->expected[i])
            fail_msg("element %d is %g, not %g", i, (double)t->c[i],
                     t->expected[i]);
    free(t->a);
    free(t->b);
    free(t->c);
}

/* Every algorithm of a baseline, on two streams in turn. */
static void check_gemm(const char *name, size_t n_algorithms)
{
    static const float scalars[][2] = {{1, 0}, {2, 0}, {2, -3}};
    const hone_resolved problem = gemm_problem(M, N, K);
    hone_baseline *const baseline = blas_open(name, "gemm", &problem);
    hone_error err = {0};

    assert_int_equal(baseline->n_algorithms, n_algorithms);
    assert_int_equal(baseline->kind->computes, 1);
    assert_non_null(strstr(baseline->label, "cuBLAS"));
    for (size_t algorithm = 0; algorithm < n_algorithms; algorithm++)
        for (size_t i = 0; i < 3; i++) {
            const hone_stream stream = (hone_stream)(uintptr_t)(i * 64);
            gemm_case t;

            gemm_make(&t, scalars[i][0], scalars[i][1]);
            if (enqueue_algorithm(baseline, algorithm, t.args, stream, &err))
                fail_msg("%s", err.text);
            gemm_check_and_free(&t);
        }
    blas_close(baseline);
}

static void test_gemm(void **state)
{
    (void)state;
    check_gemm("cublas", 1);
    check_gemm("cublas.gemm", 1);
    check_gemm("cublaslt", 2); /* of four guesses, two are usable */
}

/* Arguments are found by name, not by place; without scalars C = A*B. */
static void test_gemm_other_order(void **state)
{
    static const char *const names[] = {"cublas", "cublaslt"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hone_resolved problem = gemm_problem(M, N, K);
        const hone_resolved_arg c = problem.args[2];
        hone_baseline *baseline;
        hone_error err = {0};
        gemm_case t;
        void *args[3];

        gemm_make(&t, 1, 0);
        problem.args[2] = problem.args[0];
        problem.args[0] = c;
        problem.args[0].mode = HONE_ARG_OUT;
        problem.n_args = 3;
        args[0] = t.args[2];
        args[1] = t.args[1];
        args[2] = t.args[0];
        baseline = blas_open(names[i], "matmul", &problem);
        assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err),
                         HONE_OK);
        gemm_check_and_free(&t);
        blas_close(baseline);
    }
}

static void test_gemm_unfit(void **state)
{
    static const char *const names[] = {"cublas", "cublaslt"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hone_resolved problem = gemm_problem(M, N, K);

        problem.args[1].name = "b";
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "A, B and C");
        problem = gemm_problem(M, N, K);
        problem.args[1].type = HONE_TYPE_F32;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "one type");
        problem = gemm_problem(M, N, K);
        problem.args[2].type = HONE_TYPE_F64;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "are f32");
        problem = gemm_problem(M, N, K);
        problem.args[4].type = HONE_TYPE_F64;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED,
                     "alpha and beta");
        problem = gemm_problem(M, N, K);
        problem.args[2].mode = HONE_ARG_IN;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "C[M*N]");
        problem = gemm_problem(M, N, K);
        problem.args[0].count++;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "A[M*K]");
        problem = gemm_problem(INT64_C(1) << 31, 1, 1);
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "32-bit");
        problem = gemm_problem(M, N, K);
        problem.n_dims = 2;
        blas_refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "M, N, K");
    }
}

static void test_failures(void **state)
{
    const hone_resolved problem = gemm_problem(M, N, K);
    hone_baseline *baseline;
    hone_error err = {0};
    gemm_case t;

    (void)state;
    setenv("FAKE_BLAS_FAIL", "cublasCreate", 1);
    blas_refused("cublas", &problem, HONE_ERR_CUDA, "told to fail");
    setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoGetHeuristic", 1);
    blas_refused("cublaslt", &problem, HONE_ERR_UNSUPPORTED,
                 "cublasLtMatmulAlgoGetHeuristic");
    setenv("FAKE_BLAS_FAIL", "heuristics", 1);
    blas_refused("cublaslt", &problem, HONE_ERR_UNSUPPORTED, "M=3, N=5, K=7");
    unsetenv("FAKE_BLAS_FAIL");
    fake_driver_fail_alloc = 1;
    blas_refused("cublas", &problem, HONE_ERR_NO_MEMORY, "workspace");
    blas_refused("cublaslt", &problem, HONE_ERR_NO_MEMORY, "workspace");
    fake_driver_fail_alloc = 0;

    baseline = blas_open("cublas", "gemm", &problem);
    gemm_make(&t, 1, 0);
    setenv("FAKE_BLAS_FAIL", "cublasGemmEx", 1);
    assert_int_equal(enqueue_algorithm(baseline, 0, t.args, NULL, &err),
                     HONE_ERR_CUDA);
    assert_non_null(strstr(err.text, "cublasGemmEx"));
    unsetenv("FAKE_BLAS_FAIL");
    assert_int_equal(enqueue_algorithm(baseline, 0, t.args, NULL, &err),
                     HONE_OK);
    gemm_check_and_free(&t);
    assert_int_equal(enqueue_algorithm(baseline, 1, t.args, NULL, &err),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(enqueue_algorithm(baseline, 0, NULL, NULL, &err),
                     HONE_ERR_ARGUMENT);
    blas_close(baseline);
}

/* Arrays at lesser addresses than the heuristic was told get an algorithm of
 * their own, and at none for their elements a sentence. */
static void test_lt_alignment(void **state)
{
    const hone_resolved problem = gemm_problem(M, N, K);
    hone_baseline *const baseline = blas_open("cublaslt", "gemm", &problem);
    hone_error err = {0};

    (void)state;
    for (int shift = 2; shift <= 64; shift *= 2) {
        gemm_case t;

        gemm_make(&t, 1, 0);
        memmove((char *)t.b + shift, t.b, sizeof *t.b * N * K);
        t.at[1] += (hone_cu_ptr)shift;
        if (enqueue_algorithm(baseline, 0, t.args, NULL, &err))
            fail_msg("%s", err.text);
        t.at[1]++;
        assert_int_equal(enqueue_algorithm(baseline, 0, t.args, NULL, &err),
                         HONE_ERR_ARGUMENT);
        assert_non_null(strstr(err.text, "multiple"));
        gemm_check_and_free(&t);
    }
    blas_close(baseline);
}

/* The number of the fake's algorithm that comes first for a product, of four of
 * which the second and the third are not usable; `slow`: how many of them, the
 * first, read C slowly. */
static uint64_t first_algorithm(const hone_resolved *problem, const char *slow)
{
    hone_vendor_algorithm list[HONE_VENDOR_MOST_ALGORITHMS];
    hone_vendors *vendors = NULL;
    hone_error err = {0};
    uint64_t first;
    size_t n = 0;

    (void)setenv("FAKE_BLAS_SLOW", slow, 1);
    if (hone__vendors_create(&fake_driver, &vendors, &err) ||
        hone__vendor_algorithms(vendors, "cublaslt.gemm", "gemm", problem, list,
                                HONE_VENDOR_MOST_ALGORITHMS, &n, &err))
        fail_msg("%s", err.text);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].rank, 0);
    memcpy(&first, list[0].algorithm, sizeof first);
    hone__vendors_free(vendors, 1);
    (void)unsetenv("FAKE_BLAS_SLOW");
    return first;
}

/* One that reads C slowly is first where nothing is added to C. */
static void test_lt_order(void **state)
{
    hone_resolved problem = gemm_problem(M, N, K);

    (void)state;
    assert_int_equal(first_algorithm(&problem, "0"), 100);
    assert_int_equal(first_algorithm(&problem, "1"), 103);
    assert_int_equal(first_algorithm(&problem, "4"), 100);
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoConfigGetAttribute", 1);
    assert_int_equal(first_algorithm(&problem, "1"), 100);
    (void)unsetenv("FAKE_BLAS_FAIL");
    problem.n_dims = 4;
    problem.dim_names[3] = "ADD";
    problem.dims[3] = 1;
    assert_int_equal(first_algorithm(&problem, "1"), 103);
    problem.dims[3] = 0;
    assert_int_equal(first_algorithm(&problem, "1"), 100);
    problem.n_dims = 3;
    problem.n_args = 4; /* no beta */
    assert_int_equal(first_algorithm(&problem, "1"), 100);
}

/* The numbers of the ABI: a changed one would select other arithmetic. */
static void test_constants(void **state)
{
    (void)state;
    assert_int_equal(HONE_CUDA_R_16F, 2);
    assert_int_equal(HONE_CUDA_R_16BF, 14);
    assert_int_equal(HONE_CUDA_R_32F, 0);
    assert_int_equal(HONE_CUDA_R_64F, 1);
    assert_int_equal(HONE_CUDA_R_8I, 3);
    assert_int_equal(HONE_CUDA_R_32I, 10);
    assert_int_equal(HONE_BLAS_COMPUTE_32F, 68);
    assert_int_equal(HONE_BLAS_COMPUTE_64F, 70);
    assert_int_equal(HONE_BLAS_COMPUTE_32I, 72);
    assert_int_equal(HONE_BLAS_COMPUTE_32F_FAST_TF32, 77);
    assert_int_equal(HONE_LT_PREF_MAX_WORKSPACE_BYTES, 1);
    assert_int_equal(HONE_LT_PREF_MIN_ALIGNMENT_A, 5);
    assert_int_equal(sizeof(hone_lt_algorithm), 64);
    assert_int_equal(sizeof(hone_lt_heuristic), 96);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_gemm_other_order),
        cmocka_unit_test(test_gemm_unfit),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_lt_alignment),
        cmocka_unit_test(test_lt_order),
        cmocka_unit_test(test_constants),
    };

    return blas_load() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
