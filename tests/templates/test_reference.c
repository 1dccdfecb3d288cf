/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU references against values worked out by hand and, for f16, against
 * the formula of the format over all 65536 patterns. */
#include "templates/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* (-1)^s * 2^(e-15) * (1 + f/1024), or * 2^-24 * f for e = 0. */
static void test_f16_all_patterns(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const int exponent = (int)(bits >> 10 & 31);
        const double fraction = (double)(bits & 1023);
        const double sign = bits & 0x8000u ? -1.0 : 1.0;
        const double got = hone_reference_from_f16((uint16_t)bits);

        if (exponent == 31 && fraction != 0.0)
            assert_true(isnan(got) && !!signbit(got) == (sign < 0.0));
        else if (exponent == 31)
            assert_true(isinf(got) && !!signbit(got) == (sign < 0.0));
        else if (exponent == 0)
            assert_true(same(got, sign * ldexp(fraction, -24)));
        else
            assert_true(
                same(got, sign * ldexp(1024.0 + fraction, exponent - 25)));
    }
}

static void test_f16_known_values(void **state)
{
    (void)state;
    assert_true(same(hone_reference_from_f16(0x0000), 0.0));
    assert_true(same(hone_reference_from_f16(0x8000), -0.0));
    assert_true(same(hone_reference_from_f16(0x3c00), 1.0));
    assert_true(same(hone_reference_from_f16(0xc100), -2.5));
    assert_true(same(hone_reference_from_f16(0x7bff), 65504.0));
    assert_true(same(hone_reference_from_f16(0x0001), 0x1p-24));
    assert_true(same(hone_reference_from_f16(0x03ff), 1023.0 * 0x1p-24));
    assert_true(same(hone_reference_from_f16(0x0400), 0x1p-14));
}

static void test_saxpy_f32(void **state)
{
    const int64_t dims[] = {4, HONE_REFERENCE_F32};
    const float alpha = -2.0f;
    const float x[] = {1.0f, 2.0f, -3.0f, 0.5f};
    const float y[] = {10.0f, -20.0f, 30.0f, 1.0f};
    const void *args[] = {&alpha, x, y};
    double value[2] = {99.0, 99.0}, magnitude[2] = {99.0, 99.0};

    (void)state;
    hone_reference_saxpy(dims, args, 1, 2, value, magnitude);
    assert_true(same(value[0], -24.0));
    assert_true(same(value[1], 36.0));
    assert_true(same(magnitude[0], 24.0));
    assert_true(same(magnitude[1], 36.0));
    hone_reference_saxpy(dims, args, 3, 1, value, magnitude);
    assert_true(same(value[0], 0.0));
    assert_true(same(magnitude[0], 2.0));
    assert_true(same(value[1], 36.0)); /* past `count`: untouched */
    assert_true(same(hone_reference_saxpy_cost(dims), 2.0));
}

/* What f32 cannot hold: the products must be formed in double. */
static void test_saxpy_precision(void **state)
{
    const int64_t dims32[] = {1, HONE_REFERENCE_F32};
    const int64_t dims64[] = {1, HONE_REFERENCE_F64};
    const float alpha = 0x1.000002p0f, x = 0x1.000002p0f, y = -1.0f;
    const double wide_alpha = 3.0, wide_x = 0x1p-40, wide_y = 1.0;
    const void *args[] = {&alpha, &x, &y};
    const void *wide[] = {&wide_alpha, &wide_x, &wide_y};
    double value, magnitude;

    (void)state;
    hone_reference_saxpy(dims32, args, 0, 1, &value, &magnitude);
    assert_true(same(value, 0x1p-22 + 0x1p-46));
    hone_reference_saxpy(dims64, wide, 0, 1, &value, &magnitude);
    assert_true(same(value, 1.0 + 3.0 * 0x1p-40));
}

static void test_sum(void **state)
{
    const float x[] = {1.5f, -2.0f, 4.0f, 0.25f};
    const void *args[] = {x, NULL};
    int64_t dims[] = {4};
    double value, magnitude;

    (void)state;
    hone_reference_sum(dims, args, 0, 1, &value, &magnitude);
    assert_true(same(value, 3.75));
    assert_true(same(magnitude, 7.75));
    assert_true(same(hone_reference_sum_cost(dims), 4.0));
    dims[0] = 1;
    hone_reference_sum(dims, args, 0, 1, &value, &magnitude);
    assert_true(same(value, 1.5));
    assert_true(same(magnitude, 1.5));
}

/* A plain double sum loses the small terms here: 2^127 swallows them. */
static void test_sum_is_compensated(void **state)
{
    const float x[] = {1.0f, 0x1p127f, 1.0f, -0x1p127f};
    const float endless[] = {1.0f, INFINITY, 1.0f};
    const void *args[] = {x, NULL};
    int64_t dims[] = {4};
    double value, magnitude;

    (void)state;
    hone_reference_sum(dims, args, 0, 1, &value, &magnitude);
    assert_true(same(value, 2.0));
    args[0] = endless;
    dims[0] = 3;
    hone_reference_sum(dims, args, 0, 1, &value, &magnitude);
    assert_true(isinf(value) && value > 0.0);
}

/* Zeros in front of the signal; a filter longer than what came so far. */
static void test_conv1d(void **state)
{
    const int64_t dims[] = {4, 3};
    const float x[] = {1.0f, -2.0f, 3.0f, 0.5f};
    const float h[] = {2.0f, 10.0f, -100.0f};
    const void *args[] = {x, h, NULL};
    double value[4], magnitude[4];

    (void)state;
    hone_reference_conv1d(dims, args, 0, 4, value, magnitude);
    assert_true(same(value[0], 2.0));
    assert_true(same(value[1], 6.0));
    assert_true(same(value[2], -114.0));
    assert_true(same(value[3], 231.0));
    assert_true(same(magnitude[1], 14.0));
    assert_true(same(magnitude[2], 126.0));
    hone_reference_conv1d(dims, args, 3, 1, value, magnitude);
    assert_true(same(value[0], 231.0));
    assert_true(same(hone_reference_conv1d_cost(dims), 6.0));
}

static void test_scan(void **state)
{
    const float x[] = {1.5f, -2.0f, 4.0f};
    const uint16_t halves[] = {0x3e00, 0xc000, 0x4400}; /* the same */
    const int32_t integers[] = {INT32_MAX, 2, -1};
    const int32_t inclusive = 2, exclusive = 1; /* the lowest bit counts */
    const void *args[] = {x, NULL, &inclusive};
    int64_t dims[] = {3, HONE_REFERENCE_F32};
    double value[3], magnitude[3];

    (void)state;
    for (int half = 0; half < 2; ++half) {
        hone_reference_scan(dims, args, 0, 3, value, magnitude);
        assert_true(same(value[0], 1.5));
        assert_true(same(value[1], -0.5));
        assert_true(same(value[2], 3.5));
        assert_true(same(magnitude[2], 7.5));
        args[0] = halves;
        dims[1] = HONE_REFERENCE_F16;
    }
    args[2] = &exclusive;
    hone_reference_scan(dims, args, 1, 2, value, magnitude);
    assert_true(same(value[0], 1.5));
    assert_true(same(value[1], -0.5));
    assert_true(same(magnitude[0], 1.5));
    hone_reference_scan(dims, args, 0, 1, value, magnitude);
    assert_true(same(value[0], 0.0));
    args[0] = integers;
    args[2] = &inclusive;
    dims[1] = HONE_REFERENCE_I32;
    hone_reference_scan(dims, args, 0, 3, value, magnitude);
    assert_true(same(value[0], 2147483647.0));
    assert_true(same(value[1], -2147483647.0));
    assert_true(same(value[2], -2147483648.0));
}

enum { F16_1 = 0x3c00, F16_2 = 0x4000, F16_3 = 0x4200, F16_M4 = 0xc400 };

/* [1 2 3; -4 1 2] * [1 2; 3 -4; 2 1] = [13 -3; 3 -10] */
static const uint16_t gemm_a[] = {F16_1, F16_2, F16_3, F16_M4, F16_1, F16_2};
static const uint16_t gemm_b[] = {F16_1, F16_2, F16_3, F16_M4, F16_2, F16_1};
/* Distances of the matrices in memory, in elements. */
typedef struct layout {
    int64_t lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
    int64_t count_c;
} layout;

enum { BF16_1 = 0x3f80, F16_NAN = 0x7e00, BF16_NAN = 0x7fc0 };

/* The bits of a whole number up to 4. */
static uint16_t bits_of(int64_t type, int x)
{
    static const uint16_t f16[] = {0, F16_1, F16_2, F16_3, 0x4400};
    static const uint16_t bf16[] = {0, BF16_1, 0x4000, 0x4040, 0x4080};
    const int at = x < 0 ? -x : x;

    return (uint16_t)((type == HONE_REFERENCE_F16 ? f16[at] : bf16[at]) |
                      (x < 0 ? 0x8000 : 0));
}

/* All elements of C, by ranges that begin and end anywhere. */
static void check_ranges(const int64_t *dims, const void *const *args,
                         int64_t n, const double *want,
                         const double *want_terms)
{
    for (int64_t first = 0; first < n; ++first) {
        for (int64_t count = 0; count <= n - first; ++count) {
            double value[65], magnitude[65];

            value[count] = magnitude[count] = -1.0;
            hone_reference_gemm(dims, args, first, count, value, magnitude);
            for (int64_t i = 0; i < count; ++i) {
                assert_true(same(value[i], want[first + i]));
                assert_true(same(magnitude[i], want_terms[first + i]));
            }
            assert_true(same(value[count], -1.0));
            assert_true(same(magnitude[count], -1.0));
        }
    }
}

/* 2*op(A)*op(B) - C/2 of a 2 x 3 and a 3 x 2 matrix, with the second of two
 * products the first with A and C negated. Gaps hold NaN, those of C 3. A bias
 * of 1 and -4 where the epilogue has one. */
static void check_form(const layout *l, int64_t type, int64_t type_c,
                       int trans_a, int trans_b, int epilogue)
{
    static const int b_of_columns[2] = {1, -4};
    static const int a[2][3] = {{1, 2, 3}, {-4, 1, 2}};
    static const int b[3][2] = {{1, -2}, {3, -4}, {2, 1}};
    static const int c[2][2] = {{1, 2}, {-3, 4}};
    static const double sums[2][2] = {{25.5, -15.0}, {7.5, 10.0}};
    static const double terms[2][2] = {{26.5, 27.0}, {23.5, 30.0}};
    const int64_t dims[] = {2,           2,           3,        type,
                            type_c,      trans_a,     trans_b,  l->lda,
                            l->ldb,      l->ldc,      l->batch, l->stride_a,
                            l->stride_b, l->stride_c, 1,        epilogue};
    const float alpha = 2.0f, beta = -0.5f;
    uint16_t left[64], right[64], old[64], bias[2];
    float old_f32[64];
    const float bias_f32[2] = {1.0f, -4.0f};
    double want[64], want_terms[64];
    const void *args[] = {
        left,
        right,
        type_c == HONE_REFERENCE_F32 ? (const void *)old_f32 : old,
        &alpha,
        &beta,
        type_c == HONE_REFERENCE_F32 ? (const void *)bias_f32 : bias};

    for (int i = 0; i < 2; ++i)
        bias[i] = bits_of(type, b_of_columns[i]);
    for (int i = 0; i < 64; ++i) {
        left[i] = right[i] =
            type == HONE_REFERENCE_F16 ? (uint16_t)F16_NAN : (uint16_t)BF16_NAN;
        old[i] = bits_of(type, 3);
        old_f32[i] = 3.0f;
        want[i] = want_terms[i] = 3.0;
    }
    for (int64_t m = 0; m < l->batch; ++m) {
        const int sign = m ? -1 : 1;

        for (int i = 0; i < 6; ++i) {
            const int64_t ar = i / 3, ak = i % 3, bk = i / 2, bn = i % 2;

            left[m * l->stride_a +
                 (trans_a ? ak * l->lda + ar : ar * l->lda + ak)] =
                bits_of(type, sign * a[ar][ak]);
            right[m * l->stride_b +
                  (trans_b ? bn * l->ldb + bk : bk * l->ldb + bn)] =
                bits_of(type, b[bk][bn]);
        }
        for (int i = 0; i < 4; ++i) {
            const int64_t at = m * l->stride_c + i / 2 * l->ldc + i % 2;

            old[at] = bits_of(type, sign * c[i / 2][i % 2]);
            old_f32[at] = (float)(sign * c[i / 2][i % 2]);
            want[at] = sign * sums[i / 2][i % 2];
            want_terms[at] = terms[i / 2][i % 2];
            if (epilogue & 4) {
                want[at] += b_of_columns[i % 2];
                want_terms[at] += abs(b_of_columns[i % 2]);
            }
            if ((epilogue & 2) && want[at] < 0)
                want[at] = 0;
        }
    }
    check_ranges(dims, args, l->count_c, want, want_terms);
    assert_true(same(hone_reference_gemm_cost(dims), 9.0));
}

/* Both types, C in f32 and in these, and all four pairs of layouts; without
 * gaps, with gaps, and with the results of two products side by side. */
static void test_gemm_forms(void **state)
{
    (void)state;
    for (int which = 0; which < 16; ++which) {
        const int trans_a = which & 1, trans_b = which >> 1 & 1;
        const int64_t type =
            which & 4 ? HONE_REFERENCE_BF16 : HONE_REFERENCE_F16;
        const int64_t type_c = which & 8 ? type : HONE_REFERENCE_F32;
        const int64_t cols_a = trans_a ? 2 : 3, cols_b = trans_b ? 3 : 2;
        const layout layouts[] = {
            {cols_a, cols_b, 2, 1, 6, 6, 4, 4},
            {cols_a, cols_b, 2, 2, 6, 6, 4, 8},
            {cols_a + 1, cols_b + 2, 4, 2, 15, 17, 9, 15},
            {2 * cols_a, 2 * cols_b, 7, 2, cols_a, cols_b, 4, 13},
        };

        for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i)
            for (int epilogue = 0; epilogue <= 6; epilogue += 2)
                check_form(&layouts[i], type, type_c, trans_a, trans_b,
                           epilogue);
    }
}

/* One row each, closer to the next than LDC says, which then means nothing. */
static void test_gemm_rows(void **state)
{
    const int64_t dims[] = {
        1, 2, 1, HONE_REFERENCE_F16, HONE_REFERENCE_F32, 0, 0, 1, 2, 9, 3, 1, 2,
        3, 1, 0};
    static const uint16_t a[] = {F16_1, F16_2, F16_3};
    static const uint16_t b[] = {F16_1, F16_2, F16_1, F16_2, F16_1, F16_2};
    const float c[8] = {0, 0, 7, 0, 0, 7, 0, 0};
    const float alpha = 1.0f, beta = 0.0f;
    const void *args[] = {a, b, c, &alpha, &beta};
    const double want[] = {1, 2, 7, 2, 4, 7, 3, 6};
    double value[8], magnitude[8];

    (void)state;
    hone_reference_gemm(dims, args, 0, 8, value, magnitude);
    for (int i = 0; i < 8; ++i)
        assert_true(same(value[i], want[i]));
}

/* Some rows, of more columns than go at once, of three products: the same as
 * their elements one by one, each of which reads its own row and column. */
static void test_gemm_wide(void **state)
{
    enum { M = 9, N = 301, K = 5, BATCH = 3, COUNT = BATCH * M * N };
    static uint16_t a[BATCH * M * K], b[BATCH * K * N], c[COUNT];
    static double value[COUNT], magnitude[COUNT];
    const float alpha = 1.5f, beta = 0.0f;
    const void *args[] = {a, b, c, &alpha, &beta};

    (void)state;
    /* f16 between 1 and 4, bf16 of the same bits between 2^-67 and 1. */
    for (int i = 0; i < BATCH * M * K; ++i)
        a[i] = (uint16_t)(F16_1 + (i * 331) % 2048);
    for (int i = 0; i < BATCH * K * N; ++i)
        b[i] = (uint16_t)(F16_1 + (i * 173) % 2048);
    for (int which = 0; which < 4; ++which) {
        const int64_t type =
            which & 2 ? HONE_REFERENCE_BF16 : HONE_REFERENCE_F16;
        const int64_t trans_b = which & 1;
        const int64_t dims[] = {M,
                                N,
                                K,
                                type,
                                HONE_REFERENCE_F16,
                                0,
                                trans_b,
                                K,
                                trans_b ? K : N,
                                N,
                                BATCH,
                                M * K,
                                K * N,
                                M * N,
                                0,
                                0,
                                0};

        hone_reference_gemm(dims, args, 0, COUNT, value, magnitude);
        for (int64_t i = 0; i < COUNT; ++i) {
            double one, terms;

            hone_reference_gemm(dims, args, i, 1, &one, &terms);
            assert_true(same(value[i], one));
            assert_true(same(magnitude[i], terms));
        }
        /* Parts, as threads compute them, begin anywhere. */
        hone_reference_gemm(dims, args, 100, COUNT - 200, value, magnitude);
        for (int64_t i = 100; i < COUNT - 100; i += 97) {
            double one, terms;

            hone_reference_gemm(dims, args, i, 1, &one, &terms);
            assert_true(same(value[i - 100], one));
        }
    }
}

/* beta = 0: C may hold anything. */
static void test_gemm_ignores_c(void **state)
{
    const int64_t dims[] = {
        2, 2, 3, HONE_REFERENCE_F16, HONE_REFERENCE_F32, 0, 0, 3, 2, 2, 1, 6, 6,
        4, 0, 0};
    const float c[] = {NAN, INFINITY, NAN, NAN};
    const float alpha = 1.0f, beta = 0.0f;
    const void *args[] = {gemm_a, gemm_b, c, &alpha, &beta};
    double value[4], magnitude[4];

    (void)state;
    hone_reference_gemm(dims, args, 0, 4, value, magnitude);
    assert_true(same(value[0], 13.0));
    assert_true(same(value[3], -10.0));
    assert_true(same(magnitude[0], 13.0));
}

/* Of 1, -1, 3 and -4, by a calculator. */
static void test_gemm_gelu(void **state)
{
    const int64_t dims[] = {
        1, 4, 1, HONE_REFERENCE_F16, HONE_REFERENCE_F32, 0, 0, 1, 4, 4, 1, 1, 4,
        4, 0, 36};
    static const uint16_t a[] = {F16_1};
    static const uint16_t b[] = {F16_1, F16_1, F16_2, F16_M4};
    const float bias[] = {0, -2, 1, 0};
    const float c[4] = {0};
    const float alpha = 1.0f, beta = 0.0f;
    const void *args[] = {a, b, c, &alpha, &beta, bias};
    const double want[] = {0.8411919906082768, -0.15880800939172324,
                           2.996362607918227, -7.024594819227126e-05};
    const double want_terms[] = {1, 3, 3, 4};
    double value[4], magnitude[4];

    (void)state;
    hone_reference_gemm(dims, args, 0, 4, value, magnitude);
    for (int i = 0; i < 4; ++i) {
        assert_true(fabs(value[i] - want[i]) < 1e-14);
        assert_true(same(magnitude[i], want_terms[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f16_all_patterns),
        cmocka_unit_test(test_f16_known_values),
        cmocka_unit_test(test_saxpy_f32),
        cmocka_unit_test(test_saxpy_precision),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_sum_is_compensated),
        cmocka_unit_test(test_conv1d),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_gemm_ignores_c),
        cmocka_unit_test(test_gemm_forms),
        cmocka_unit_test(test_gemm_rows),
        cmocka_unit_test(test_gemm_wide),
        cmocka_unit_test(test_gemm_gelu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
