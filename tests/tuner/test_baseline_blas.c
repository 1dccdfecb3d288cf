/* SPDX-License-Identifier: Apache-2.0 */
/* The baselines from cuBLAS and cuBLASLt against a library that has their
 * symbols and computes on the host, column-major: a wrong order of arguments,
 * a wrong leading dimension or a forgotten setting changes the result. */
#include "tests/tuner/baseline_fixture.h"
#include "tests/tuner/fake_driver.h"
#include "tuner/judge/check_data.h"
#include "runtime/vendor/vendor_api.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define FAKE_BLAS HONE_FAKES "/libfake_blas.so"

enum { M = 3, N = 5, K = 7 };

static int (*blas_live)(void);

/* Half-precision bits of the integers -4..4. */
static uint16_t half_of(int value)
{
    static const uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};

    return (uint16_t)(value < 0 ? bits[-value] | 0x8000 : bits[value]);
}

static void *device_array(size_t size_bytes)
{
    void *const block = aligned_alloc(256, (size_bytes + 255) / 256 * 256);

    assert_non_null(block);
    memset(block, 0, (size_bytes + 255) / 256 * 256);
    return block;
}

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

    t->a = device_array(sizeof *t->a * M * K);
    t->b = device_array(sizeof *t->b * K * N);
    t->c = device_array(sizeof *t->c * M * N);
    t->alpha = alpha;
    t->beta = beta;
    for (int i = 0; i < M * K; i++)
        t->a[i] = half_of(a[i] = (i * 5) % 9 - 4);
    for (int i = 0; i < K * N; i++)
        t->b[i] = half_of(b[i] = (i * 7) % 8 - 4);
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

static hone_baseline *open_baseline(const char *name, const char *op,
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

static void refused(const char *name, const hone_resolved *problem,
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
    assert_int_equal(fake_driver_live, 0);
    assert_int_equal(blas_live(), 0);
}

static void close_baseline(hone_baseline *baseline)
{
    hone__baseline_close(baseline);
    assert_int_equal(fake_driver_live, 0);
    assert_int_equal(blas_live(), 0);
}

/* Every algorithm of a baseline, on two streams in turn. */
static void check_gemm(const char *name, size_t n_algorithms)
{
    static const float scalars[][2] = {{1, 0}, {2, 0}, {2, -3}};
    const hone_resolved problem = gemm_problem(M, N, K);
    hone_baseline *const baseline = open_baseline(name, "gemm", &problem);
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
    close_baseline(baseline);
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
        baseline = open_baseline(names[i], "matmul", &problem);
        assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err),
                         HONE_OK);
        gemm_check_and_free(&t);
        close_baseline(baseline);
    }
}

/* bf16 bits of a small integer. */
static uint16_t bf16_of(int value)
{
    const float number = (float)value;
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return (uint16_t)(bits >> 16);
}

/* A number that half precision has, from its bits. */
static int from_bits(hone_type type, uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float number;

    memcpy(&number, &wide, sizeof number);
    if (type == HONE_TYPE_F16)
        number = (bits & 0x8000 ? -1.0f : 1.0f) *
                 (float)((bits & 1023) | (bits & 0x7c00 ? 1024 : 0)) /
                 (float)(1 << 25) * (float)(1 << (bits >> 10 & 31));
    return (int)number;
}

/* C = op(A)*op(B) in one 16-bit type, with dimensions that say how A and B
 * are stored. */
static void check_transposed(const char *name, hone_type type, int trans_a,
                             int trans_b)
{
    hone_resolved problem = gemm_problem(M, N, K);
    uint16_t *const a = device_array(sizeof *a * M * K);
    uint16_t *const b = device_array(sizeof *b * K * N);
    uint16_t *const c = device_array(sizeof *c * M * N);
    hone_cu_ptr at[3] = {(hone_cu_ptr)(uintptr_t)a, (hone_cu_ptr)(uintptr_t)b,
                         (hone_cu_ptr)(uintptr_t)c};
    void *args[3] = {&at[0], &at[1], &at[2]};
    hone_baseline *baseline;
    hone_error err = {0};

    for (int i = 0; i < 3; i++)
        problem.args[i].type = type;
    problem.n_args = 3;
    problem.n_dims = 5;
    problem.dims[3] = trans_a;
    problem.dims[4] = trans_b;
    problem.dim_names[3] = "TRANS_A";
    problem.dim_names[4] = "TRANS_B";
    for (int i = 0; i < M * K + K * N; i++)
        *(i < M * K ? a + i : b + (i - M * K)) = type == HONE_TYPE_F16
                                                     ? half_of((i * 5) % 9 - 4)
                                                     : bf16_of((i * 5) % 9 - 4);
    baseline = open_baseline(name, "a_product", &problem);
    for (size_t i = 0; i < baseline->n_algorithms; i++) {
        memset(c, 0xff, sizeof *c * M * N);
        if (enqueue_algorithm(baseline, i, args, NULL, &err))
            fail_msg("%s", err.text);
        for (int row = 0; row < M; row++)
            for (int column = 0; column < N; column++) {
                int sum = 0;

                for (int l = 0; l < K; l++)
                    sum +=
                        from_bits(type,
                                  a[trans_a ? l * M + row : row * K + l]) *
                        from_bits(type,
                                  b[trans_b ? column * K + l : l * N + column]);
                assert_int_equal(from_bits(type, c[row * N + column]), sum);
            }
    }
    close_baseline(baseline);
    free(a);
    free(b);
    free(c);
}

static void test_gemm_transposed(void **state)
{
    static const char *const names[] = {"cublas", "cublaslt"};

    (void)state;
    for (int i = 0; i < 16; i++)
        check_transposed(names[i & 1], i & 2 ? HONE_TYPE_BF16 : HONE_TYPE_F16,
                         i >> 2 & 1, i >> 3);
}

/* C = alpha*A*B + beta*C in f32, f64, or i8 with sums in i32. */
static void check_wide(const char *name, hone_type type)
{
    const hone_type types[] = {
        type, type, type == HONE_TYPE_I8 ? HONE_TYPE_I32 : type,
        type == HONE_TYPE_I8 ? HONE_TYPE_I32 : HONE_TYPE_F32};
    hone_resolved problem = gemm_problem(M, N, K);
    void *const arrays[] = {device_array(8 * M * K), device_array(8 * K * N),
                            device_array(8 * M * N)};
    hone_cu_ptr at[3];
    float alpha = 2.0f, beta = -3.0f;
    int32_t whole[] = {2, -3};
    const int is_whole = type == HONE_TYPE_I8;
    const int factor_type = (int)type, sum_type = (int)types[2];
    void *args[5] = {&at[0], &at[1], &at[2],
                     is_whole ? (void *)&whole[0] : (void *)&alpha,
                     is_whole ? (void *)&whole[1] : (void *)&beta};
    hone_baseline *baseline;
    hone_error err = {0};

    for (int i = 0; i < 5; i++)
        problem.args[i].type = types[i < 3 ? i : 3];
    for (int i = 0; i < 3; i++)
        at[i] = (hone_cu_ptr)(uintptr_t)arrays[i];
    for (int i = 0; i < M * K; i++)
        hone__element_store(factor_type, arrays[0], i, (i * 5) % 9 - 4);
    for (int i = 0; i < K * N; i++)
        hone__element_store(factor_type, arrays[1], i, (i * 7) % 8 - 4);
    baseline = open_baseline(name, "a_product", &problem);
    for (int i = 0; i < M * N; i++)
        hone__element_store(sum_type, arrays[2], i, i - 6);
    if (enqueue_algorithm(baseline, 0, args, NULL, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < M * N; i++) {
        double sum = -3.0 * (i - 6);

        for (int l = 0; l < K; l++)
            sum += 2.0 *
                   hone__element_load(factor_type, arrays[0], i / N * K + l) *
                   hone__element_load(factor_type, arrays[1], l * N + i % N);
        assert_true(hone__element_load(sum_type, arrays[2], i) == sum);
    }
    close_baseline(baseline);
    for (int i = 0; i < 3; i++)
        free(arrays[i]);
}

static void test_gemm_wide(void **state)
{
    static const hone_type types[] = {HONE_TYPE_F32, HONE_TYPE_F64,
                                      HONE_TYPE_I8};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        check_wide("cublas", types[i]);
        check_wide("cublaslt", types[i]);
    }
}

static void test_gemm_unfit(void **state)
{
    static const char *const names[] = {"cublas", "cublaslt"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        hone_resolved problem = gemm_problem(M, N, K);

        problem.args[1].name = "b";
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "A, B and C");
        problem = gemm_problem(M, N, K);
        problem.args[1].type = HONE_TYPE_F32;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "one type");
        problem = gemm_problem(M, N, K);
        problem.args[2].type = HONE_TYPE_F64;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "type f32");
        problem = gemm_problem(M, N, K);
        problem.args[4].type = HONE_TYPE_F64;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "alpha and beta");
        problem = gemm_problem(M, N, K);
        problem.args[2].mode = HONE_ARG_IN;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "C[M*N]");
        problem = gemm_problem(M, N, K);
        problem.args[0].count++;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "A[M*K]");
        problem = gemm_problem(INT64_C(1) << 31, 1, 1);
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "32-bit");
        problem = gemm_problem(M, N, K);
        problem.n_dims = 2;
        refused(names[i], &problem, HONE_ERR_UNSUPPORTED, "M, N, K");
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
    refused("cublas", &problem, HONE_ERR_CUDA, "told to fail");
    setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoGetHeuristic", 1);
    refused("cublaslt", &problem, HONE_ERR_UNSUPPORTED,
            "cublasLtMatmulAlgoGetHeuristic");
    setenv("FAKE_BLAS_FAIL", "heuristics", 1);
    refused("cublaslt", &problem, HONE_ERR_UNSUPPORTED, "M=3, N=5, K=7");
    unsetenv("FAKE_BLAS_FAIL");
    fake_driver_fail_alloc = 1;
    refused("cublas", &problem, HONE_ERR_NO_MEMORY, "workspace");
    refused("cublaslt", &problem, HONE_ERR_NO_MEMORY, "workspace");
    fake_driver_fail_alloc = 0;

    baseline = open_baseline("cublas", "gemm", &problem);
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
    close_baseline(baseline);
}

/* Arrays at lesser addresses than the heuristic was told get an algorithm of
 * their own, and at none for their elements a sentence. */
static void test_lt_alignment(void **state)
{
    const hone_resolved problem = gemm_problem(M, N, K);
    hone_baseline *const baseline = open_baseline("cublaslt", "gemm", &problem);
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
    close_baseline(baseline);
}

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
    hone_baseline *baseline = open_baseline("cublas.axpy", "saxpy", &single);
    hone_error err = {0};

    (void)state;
    assert_int_equal(enqueue_algorithm(baseline, 0, args, NULL, &err), HONE_OK);
    assert_true(y[0] == 13 && y[1] == 26 && y[2] == 39);
    close_baseline(baseline);
    baseline = open_baseline("cublas.axpy", "saxpy", &twice);
    assert_int_equal(enqueue_algorithm(baseline, 0, args64, NULL, &err),
                     HONE_OK);
    assert_true(y64[0] == 13 && y64[1] == 26 && y64[2] == 39);
    close_baseline(baseline);
}

static void test_axpy_unfit(void **state)
{
    hone_resolved problem = saxpy_problem(3, HONE_TYPE_F32);

    (void)state;
    problem.args[0].type = HONE_TYPE_F64;
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "all of f64");
    problem = saxpy_problem(3, HONE_TYPE_F16);
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "all of f64");
    problem = saxpy_problem(INT64_C(1) << 31, HONE_TYPE_F32);
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "2^31");
    problem = saxpy_problem(3, HONE_TYPE_F32);
    problem.args[2].count = 4;
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "one length");
    problem.args[2].mode = HONE_ARG_OUT;
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "inout array y");
    problem = sum_problem(3);
    refused("cublas.axpy", &problem, HONE_ERR_UNSUPPORTED, "scalar alpha");
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
    hone_baseline *baseline = open_baseline("cublas.dot", "dot", &dot);
    hone_error err = {0};

    (void)state;
    /* Twice: the library's mode is put back. */
    for (int i = 0; i < 2; i++) {
        out = 0;
        assert_int_equal(enqueue_algorithm(baseline, 0, of_dot, NULL, &err),
                         HONE_OK);
        assert_true(out == 260);
    }
    close_baseline(baseline);
    baseline = open_baseline("cublas.nrm2", "norm2", &norm);
    assert_int_equal(enqueue_algorithm(baseline, 0, of_norm, NULL, &err),
                     HONE_OK);
    assert_true(out == 7);
    close_baseline(baseline);
}

static void test_sums_unfit(void **state)
{
    hone_resolved problem = dot_problem(3);

    (void)state;
    problem.args[1].count = 4;
    refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "one length");
    problem = dot_problem(INT64_C(1) << 31);
    refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "2^31");
    problem = dot_problem(3);
    problem.args[1].type = HONE_TYPE_F64;
    refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "one type");
    problem.args[1].name = "z";
    refused("cublas.dot", &problem, HONE_ERR_UNSUPPORTED, "inputs x and y");
    problem = sum_problem(3);
    problem.args[1].count = 2;
    refused("cublas.nrm2", &problem, HONE_ERR_UNSUPPORTED, "of one element");
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
        cmocka_unit_test(test_gemm_transposed),
        cmocka_unit_test(test_gemm_wide),
        cmocka_unit_test(test_gemm_unfit),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_lt_alignment),
        cmocka_unit_test(test_axpy),
        cmocka_unit_test(test_axpy_unfit),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_sums_unfit),
        cmocka_unit_test(test_constants),
    };
    void *library;

    setenv("HONE_CUBLAS_LIBRARY", FAKE_BLAS, 1);
    setenv("HONE_CUBLASLT_LIBRARY", FAKE_BLAS, 1);
    library = dlopen(FAKE_BLAS, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return 1;
    *(void **)&blas_live = dlsym(library, "fake_blas_live");
    return blas_live ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
