/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of the baselines cublas and cublaslt in types other than
 * f16 with sums in f32, and of transposed matrices, by the fake library: a
 * wrong type or a wrong leading dimension changes the result. */
#include "tests/tuner/blas_fixture.h"
#include "tuner/judge/check_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 3, N = 5, K = 7 };

static const char *const names[] = {"cublas", "cublaslt"};

/* A, B and C: small integers, which every type holds exactly. */
typedef struct matrices {
    int type, out_type;
    void *arrays[3];
    hone_cu_ptr at[3];
} matrices;

static void make_matrices(matrices *t, hone_type type, hone_type out_type)
{
    static const int counts[] = {M * K, K * N, M * N};

    t->type = (int)type;
    t->out_type = (int)out_type;
    for (int i = 0; i < 3; i++) {
        t->arrays[i] = blas_array(8 * (size_t)counts[i]);
        t->at[i] = (hone_cu_ptr)(uintptr_t)t->arrays[i];
    }
    for (int i = 0; i < M * K; i++)
        hone__element_store(t->type, t->arrays[0], i, (i * 5) % 9 - 4);
    for (int i = 0; i < K * N; i++)
        hone__element_store(t->type, t->arrays[1], i, (i * 7) % 8 - 4);
}

static void free_matrices(matrices *t)
{
    for (int i = 0; i < 3; i++)
        free(t->arrays[i]);
}

/* C = alpha*op(A)*op(B) + beta*C, whose elements were i - 6. */
static void expect_product(const matrices *t, int trans_a, int trans_b,
                           double alpha, double beta)
{
    for (int i = 0; i < M * N; i++) {
        const int row = i / N, column = i % N;
        double sum = beta * (i - 6);

        for (int l = 0; l < K; l++)
            sum +=
                alpha *
                hone__element_load(t->type, t->arrays[0],
                                   trans_a ? l * M + row : row * K + l) *
                hone__element_load(t->type, t->arrays[1],
                                   trans_b ? column * K + l : l * N + column);
        assert_true(hone__element_load(t->out_type, t->arrays[2], i) == sum);
    }
}

/* C = op(A)*op(B) in one 16-bit type, with dimensions that say how A and B
 * are stored. */
static void check_transposed(const char *name, hone_type type, int trans_a,
                             int trans_b)
{
    hone_resolved problem = gemm_problem(M, N, K);
    matrices t;
    void *args[3] = {&t.at[0], &t.at[1], &t.at[2]};
    hone_baseline *baseline;
    hone_error err = {0};

    make_matrices(&t, type, type);
    for (int i = 0; i < 3; i++)
        problem.args[i].type = type;
    problem.n_args = 3;
    problem.n_dims = 5;
    problem.dims[3] = trans_a;
    problem.dims[4] = trans_b;
    problem.dim_names[3] = "TRANS_A";
    problem.dim_names[4] = "TRANS_B";
    baseline = blas_open(name, "a_product", &problem);
    for (size_t i = 0; i < baseline->n_algorithms; i++) {
        memset(t.arrays[2], 0xff, sizeof(uint16_t) * M * N);
        if (enqueue_algorithm(baseline, i, args, NULL, &err))
            fail_msg("%s", err.text);
        expect_product(&t, trans_a, trans_b, 1, 0);
    }
    blas_close(baseline);
    free_matrices(&t);
}

static void test_transposed(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        check_transposed(names[i & 1], i & 2 ? HONE_TYPE_BF16 : HONE_TYPE_F16,
                         i >> 2 & 1, i >> 3);
}

/* C = alpha*A*B + beta*C in f32, f64, or i8 with sums in i32. */
static void check_wide(const char *name, hone_type type)
{
    const int is_whole = type == HONE_TYPE_I8;
    const hone_type out_type = is_whole ? HONE_TYPE_I32 : type;
    const hone_type types[] = {type, type, out_type,
                               is_whole ? HONE_TYPE_I32 : HONE_TYPE_F32};
    hone_resolved problem = gemm_problem(M, N, K);
    matrices t;
    float alpha = 2.0f, beta = -3.0f;
    int32_t whole[] = {2, -3};
    void *args[5] = {&t.at[0], &t.at[1], &t.at[2],
                     is_whole ? (void *)&whole[0] : (void *)&alpha,
                     is_whole ? (void *)&whole[1] : (void *)&beta};
    hone_baseline *baseline;
    hone_error err = {0};

    make_matrices(&t, type, out_type);
    for (int i = 0; i < 5; i++)
        problem.args[i].type = types[i < 3 ? i : 3];
    for (int i = 0; i < M * N; i++)
        hone__element_store(t.out_type, t.arrays[2], i, i - 6);
    baseline = blas_open(name, "a_product", &problem);
    if (enqueue_algorithm(baseline, 0, args, NULL, &err))
        fail_msg("%s", err.text);
    expect_product(&t, 0, 0, 2, -3);
    blas_close(baseline);
    free_matrices(&t);
}

static void test_wide(void **state)
{
    static const hone_type types[] = {HONE_TYPE_F32, HONE_TYPE_F64,
                                      HONE_TYPE_I8};

    (void)state;
    for (size_t i = 0; i < 6; i++)
        check_wide(names[i % 2], types[i / 2]);
}

/* C = alpha*scales*A*B' + beta*C of 8-bit floats: B is stored N x K, its type
 * may be another, and a scale is the matrix's or its row's. Only cuBLASLt does
 * it. */
static void check_small(hone_type of_a, hone_type of_b, hone_type of_c,
                        int scales)
{
    static const float scale_a[M] = {0.5f, 2, 4}, scale_b[N] = {2, 1, 3, 5, 7};
    hone_resolved problem = gemm_problem(M, N, K);
    const hone_type types[] = {of_a,          of_b,          of_c,
                               HONE_TYPE_F32, HONE_TYPE_F32, HONE_TYPE_F32,
                               HONE_TYPE_F32};
    static const char *const named[] = {"TRANS_B", "SCALES", "FAST"};
    const int64_t dims[] = {1, scales, 1};
    matrices t;
    float alpha = 2.0f, beta = -3.0f;
    hone_cu_ptr at[] = {(hone_cu_ptr)(uintptr_t)scale_a,
                        (hone_cu_ptr)(uintptr_t)scale_b};
    void *args[7] = {&t.at[0], &t.at[1], &t.at[2], &alpha,
                     &beta,    &at[0],   &at[1]};
    hone_baseline *baseline;
    hone_error err = {0};

    make_matrices(&t, of_b, of_c);
    for (int i = 0; i < M * K; i++)
        hone__element_store((int)of_a, t.arrays[0], i, (i * 5) % 9 - 4);
    for (size_t i = 0; i < 7; i++)
        problem.args[i].type = types[i];
    for (size_t i = 5; i < 7; i++) {
        problem.args[i].name = i == 5 ? "scale_a" : "scale_b";
        problem.args[i].mode = HONE_ARG_IN;
        problem.args[i].count = scales < 2 ? 1 : i == 5 ? M : N;
    }
    problem.n_args = 7;
    problem.n_dims = 6;
    for (size_t i = 0; i < 3; i++) {
        problem.dims[3 + i] = dims[i];
        problem.dim_names[3 + i] = named[i];
    }
    baseline = blas_open("cublaslt", "a_product", &problem);
    for (int i = 0; i < M * N; i++)
        hone__element_store((int)of_c, t.arrays[2], i, i - 6);
    if (enqueue_algorithm(baseline, 0, args, NULL, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < M * N; i++) {
        const int row = i / N, column = i % N;
        uint32_t cell = 0;
        double sum = 0;

        for (int l = 0; l < K; l++)
            sum += hone__element_load((int)of_a, t.arrays[0], row * K + l) *
                   hone__element_load((int)of_b, t.arrays[1], column * K + l);
        if (scales)
            sum *= (double)scale_a[scales < 2 ? 0 : row] *
                   (double)scale_b[scales < 2 ? 0 : column];
        sum = 2 * sum - 3 * (i - 6);
        hone__element_store((int)of_c, &cell, 0, sum);
        assert_true(hone__element_load((int)of_c, t.arrays[2], i) ==
                    hone__element_load((int)of_c, &cell, 0));
    }
    blas_close(baseline);
    blas_refused("cublas", &problem, HONE_ERR_UNSUPPORTED, "8-bit floats");
    problem.args[5].count++;
    if (scales)
        blas_refused("cublaslt", &problem, HONE_ERR_UNSUPPORTED,
                     "A and B are of one type");
    free_matrices(&t);
}

static void test_small(void **state)
{
    static const hone_type types[] = {HONE_TYPE_E4M3, HONE_TYPE_E5M2};
    static const hone_type outs[] = {HONE_TYPE_F32, HONE_TYPE_F16,
                                     HONE_TYPE_BF16};

    (void)state;
    for (int i = 0; i < 27; i++) /* pairs but for two of e5m2 */
        check_small(types[i % 3 == 2], types[i % 3 == 1], outs[i / 3 % 3],
                    i / 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transposed),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_small),
    };

    return blas_load() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
