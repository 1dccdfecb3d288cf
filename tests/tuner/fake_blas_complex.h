/* SPDX-License-Identifier: Apache-2.0 */
/* A part of fake_blas.c: products of complex matrices, column-major. op 2 is
 * the conjugate of the transpose. */
#ifndef HONE_TESTS_FAKE_BLAS_COMPLEX_H
#define HONE_TESTS_FAKE_BLAS_COMPLEX_H

#include <complex.h>

static float complex complex_element(const void *x, int op, int64_t leading,
                                     int64_t row, int64_t column)
{
    const float complex v =
        ((const float complex *)
             x)[op ? row * leading + column : column * leading + row];

    return op == 2 ? conjf(v) : v;
}

static int multiply_complex(int m, int n, int k, const void *alpha,
                            const void *a, int op_a, int lda, const void *b,
                            int op_b, int ldb, const void *beta, void *c,
                            int ldc)
{
    const float complex of_sum = *(const float complex *)alpha;
    const float complex of_old = *(const float complex *)beta;
    float complex *const out = c;

    if (op_a > 2 || op_b > 2)
        return BAD;
    if (is_pretended(a))
        return 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            float complex sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += complex_element(a, op_a, lda, i, l) *
                       complex_element(b, op_b, ldb, l, j);
            out[j * ldc + i] = of_sum * sum + of_old * out[j * ldc + i];
        }
    return 0;
}

#endif
