/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU reference of products of 8-bit floats: every pattern of both formats,
 * and what scales, layouts, batches and gaps do. */
#include "templates/reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { E4M3 = HONE_REFERENCE_E4M3, E5M2 = HONE_REFERENCE_E5M2 };
enum { E4M3_1 = 0x38, E5M2_1 = 0x3c }; /* 1 */

/* 1 * a pattern, by the value that f16 has where the bits of an 8-bit float are
 * moved to their places in it. */
static void test_every_pattern(void **state)
{
    const int64_t dims[] = {1, 256, 1, E4M3, E4M3, HONE_REFERENCE_F32,
                            0, 0,   1, 256,  256,  1,
                            0, 0,   0};
    const float alpha = 1, beta = 0, c[256] = {0};
    uint8_t patterns[256];
    const uint8_t one = E4M3_1;
    const void *args[] = {&one, patterns, c, &alpha, &beta, NULL, NULL};

    (void)state;
    for (int i = 0; i < 256; ++i)
        patterns[i] = (uint8_t)i;
    for (int type = E4M3; type <= E5M2; ++type) {
        double value[256], magnitude[256];
        int64_t own[15];

        memcpy(own, dims, sizeof own);
        own[4] = type;
        hone_reference_gemm_f8(own, args, 0, 256, value, magnitude);
        for (int i = 0; i < 256; ++i) {
            const uint16_t sign = (uint16_t)(i >> 7 << 15);
            const double want =
                type == E5M2 ? hone_reference_from_f16((uint16_t)(i << 8))
                : (i & 0x7f) == 0x7f
                    ? (double)NAN
                    : 256 * hone_reference_from_f16(
                                (uint16_t)(sign | (i & 0x7f) << 7));

            assert_true(isnan(want) ? isnan(value[i]) : value[i] == want);
            assert_true(isnan(want) || magnitude[i] == fabs(want));
        }
    }
}

/* Of whole numbers up to 2. */
static uint8_t bits_of(int64_t type, int x)
{
    static const uint8_t e4m3[] = {0, E4M3_1, 0x40}, e5m2[] = {0, E5M2_1, 0x40};
    const int at = x < 0 ? -x : x;

    return (uint8_t)((type == E4M3 ? e4m3[at] : e5m2[at]) | (x < 0 ? 0x80 : 0));
}

/* Two products of 2 x 2 and 2 x 3, A and B with a gap in each row, C with one
 * that holds 9: 2*scales*op(A)*op(B) - C. */
static void check_form(int scales, int trans_a, int trans_b, int64_t type_a,
                       int64_t type_b)
{
    static const int a[2][2][2] = {{{1, 2}, {-1, 0}}, {{0, 1}, {2, 2}}};
    static const int b[2][2][3] = {{{1, 0, 2}, {-2, 1, 1}},
                                   {{2, 2, -1}, {0, 1, 2}}};
    const int64_t lda = 3, ldb = trans_b ? 3 : 4, ldc = 4;
    const int64_t dims[] = {
        2,       3,       2,   type_a, type_b, HONE_REFERENCE_F32,
        trans_a, trans_b, lda, ldb,    ldc,    2,
        scales,  0,       1};
    const float scale_a[] = {0.5f, 4}, scale_b[] = {2, 0.25f, 8};
    const float alpha = 2, beta = -1;
    uint8_t left[12] = {0}, right[24] = {0};
    float old[15];
    double value[15], magnitude[15];
    const void *args[] = {left, right, old, &alpha, &beta, scale_a, scale_b};

    for (int i = 0; i < 15; ++i)
        old[i] = i % 4 == 3 ? 9.0f : (float)(i - 5);
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 4; ++i)
            left[m * 2 * lda +
                 (trans_a ? i % 2 * lda + i / 2 : i / 2 * lda + i % 2)] =
                bits_of(type_a, a[m][i / 2][i % 2]);
        for (int i = 0; i < 6; ++i)
            right[m * (trans_b ? 3 : 2) * ldb +
                  (trans_b ? i % 3 * ldb + i / 3 : i / 3 * ldb + i % 3)] =
                bits_of(type_b, b[m][i / 3][i % 3]);
    }
    hone_reference_gemm_f8(dims, args, 0, 15, value, magnitude);
    for (int i = 0; i < 15; ++i) {
        const int m = i / 8, row = i / 4 % 2, col = i % 4;
        double sum = 0, terms = 0, scale = 2;

        if (col == 3) {
            assert_true(value[i] == 9.0);
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            sum += a[m][row][k] * b[m][k][col];
            terms += fabs((double)(a[m][row][k] * b[m][k][col]));
        }
        if (scales)
            scale *= (double)scale_a[scales == 2 ? row : 0] *
                     (double)scale_b[scales == 2 ? col : 0];
        assert_true(value[i] == scale * sum - (i - 5));
        assert_true(magnitude[i] == scale * terms + fabs((double)(i - 5)));
    }
}

static void test_forms(void **state)
{
    (void)state;
    for (int which = 0; which < 48; ++which)
        check_form(which % 3, which / 3 % 2, which / 6 % 2,
                   which / 12 % 2 ? E4M3 : E5M2, which / 24 ? E4M3 : E5M2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_pattern),
        cmocka_unit_test(test_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
