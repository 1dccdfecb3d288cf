/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake cuBLAS and cuBLASLt of these tests share. */
#ifndef HONE_TESTS_BLAS_FAKE_PARTS_H
#define HONE_TESTS_BLAS_FAKE_PARTS_H

#include "blas/functions.h"
#include "tests/tuner/fake_blas_types.h"

#include <math.h>
#include <stdlib.h>

typedef struct fake_product {
    int op_a, op_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    const void *a, *b;
    void *c;
    const void *const *as, *const *bs; /* arrays of pointers, or NULL */
    void *const *cs;
    int a_type, b_type, c_type, compute;
    int64_t lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
    int epilogue; /* of cuBLASLt: 2 relu, 4 a bias, 32 gelu, and sums of these
                   */
    const void *bias; /* of the result's type, for each row of it */
} fake_product;

static inline double fake_finish(const fake_product *p, double sum, int64_t row)
{
    if (p->epilogue & 4)
        sum += element(p->bias, p->c_type, row);
    if (p->epilogue & 2)
        sum = sum < 0 ? 0 : sum;
    if (p->epilogue & 32)
        sum = (double)(float)(0.5 * sum *
                              (1 + tanh(0.79788456080286535588 *
                                        (sum + 0.044715 * sum * sum * sum))));
    return sum;
}

static inline int scalar_type(int compute)
{
    return compute == 64 ? R_16F : compute == 70 ? R_64F : R_32F;
}

static inline double fake_element(const void *x, int type, int op, int64_t ld,
                                  int64_t row, int64_t column)
{
    return element(x, type, op ? row * ld + column : column * ld + row);
}

static inline void fake_one(const fake_product *p, const void *a, const void *b,
                            void *c)
{
    const int type = scalar_type(p->compute);
    const double alpha = element(p->alpha, type, 0);
    const double beta = element(p->beta, type, 0);

    for (int64_t j = 0; j < p->n; ++j)
        for (int64_t i = 0; i < p->m; ++i) {
            double sum = 0;

            for (int64_t l = 0; l < p->k; ++l) {
                sum += fake_element(a, p->a_type, p->op_a, p->lda, i, l) *
                       fake_element(b, p->b_type, p->op_b, p->ldb, l, j);
                if (type == R_16F && l % 32 == 31) /* as it may be summed */
                    sum = (double)half_value((uint16_t)half_bits((float)sum));
            }
            sum *= alpha;
            if (beta != 0)
                sum += beta * element(c, p->c_type, j * p->ldc + i);
            set_element(c, p->c_type, j * p->ldc + i, fake_finish(p, sum, i));
        }
}

/* Every $FAKE_BLAS_FAILS-th product fails, and writes nothing. */
static inline int fake_fails(void)
{
    static _Atomic unsigned n;
    const char *text = getenv("FAKE_BLAS_FAILS");

    return text && ++n % (unsigned)atoi(text) == 0;
}

static inline int fake_multiply(const fake_product *p)
{
    for (int64_t i = 0; i < p->batch; ++i) {
        if (p->as)
            fake_one(p, p->as[i], p->bs[i], p->cs[i]);
        else
            fake_one(p,
                     (const char *)p->a + i * p->stride_a * size_of(p->a_type),
                     (const char *)p->b + i * p->stride_b * size_of(p->b_type),
                     (char *)p->c + i * p->stride_c * size_of(p->c_type));
    }
    return 0;
}

/* Of the fake cuBLASLt. */
HONE_API int cublasLtCreate(hone_lt_handle *out);
HONE_API int cublasLtMatmulDescCreate(hone_lt_desc *out, int compute,
                                      int scale);
HONE_API int cublasLtMatmulDescDestroy(hone_lt_desc desc);
HONE_API int cublasLtMatmulDescSetAttribute(hone_lt_desc desc, int attribute,
                                            const void *value, size_t bytes);
HONE_API int cublasLtMatmulDescGetAttribute(hone_lt_desc desc, int attribute,
                                            void *value, size_t bytes,
                                            size_t *written);
HONE_API int cublasLtMatrixLayoutCreate(hone_lt_layout *out, int type,
                                        uint64_t rows, uint64_t columns,
                                        int64_t leading);
HONE_API int cublasLtMatrixLayoutDestroy(hone_lt_layout l);
HONE_API int cublasLtMatrixLayoutSetAttribute(hone_lt_layout l, int attribute,
                                              const void *value, size_t bytes);
HONE_API int cublasLtMatrixLayoutGetAttribute(hone_lt_layout l, int attribute,
                                              void *value, size_t bytes,
                                              size_t *written);
HONE_API size_t cublasLtGetVersion(void);

#endif
