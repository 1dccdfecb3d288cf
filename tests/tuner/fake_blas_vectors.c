/* SPDX-License-Identifier: Apache-2.0 */
/* The fake cuBLAS: sums of vectors, products of two, and of a matrix and one.
 */
#include "tests/tuner/fake_blas_parts.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

DECLARE(int, cublasAxpyEx,
        (handle * h, int n, const void *alpha, int alpha_type, const void *x,
         int x_type, int x_step, void *y, int y_type, int y_step,
         int execution_type))
{
    if (!ready(h) || alpha_type != x_type || x_type != y_type ||
        execution_type != x_type || x_step != 1 || y_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        if (x_type == R_64F)
            ((double *)y)[i] += *(const double *)alpha * ((const double *)x)[i];
        else
            ((float *)y)[i] += *(const float *)alpha * ((const float *)x)[i];
    return 0;
}

/* What is written to the device is written by a caller that says so. */
static int store_sum(const handle *h, int type, double sum, void *result)
{
    if (h->pointer_mode != 1 || (type != R_32F && type != R_64F))
        return BAD;
    if (type == R_64F)
        *(double *)result = sum;
    else
        *(float *)result = (float)sum;
    return 0;
}

DECLARE(int, cublasDotEx,
        (handle * h, int n, const void *x, int x_type, int x_step,
         const void *y, int y_type, int y_step, void *result, int result_type,
         int execution_type))
{
    double sum = 0;

    if (x_type != y_type || result_type != x_type || execution_type != x_type ||
        x_step != 1 || y_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        sum += element(x, x_type, i) * element(y, x_type, i);
    return store_sum(h, x_type, sum, result);
}

DECLARE(int, cublasNrm2Ex,
        (handle * h, int n, const void *x, int x_type, int x_step, void *result,
         int result_type, int execution_type))
{
    double sum = 0;

    if (result_type != x_type || execution_type != x_type || x_step != 1)
        return BAD;
    for (int i = 0; i < n; i++)
        sum += element(x, x_type, i) * element(x, x_type, i);
    return store_sum(h, x_type, sqrt(sum), result);
}

/* Column-major op(A)*x of any type, A m x n. */
static int multiply_vector(const handle *h, int type, int op, int m, int n,
                           const void *alpha, const void *a, int lda,
                           const void *x, const void *beta, void *y)
{
    const int is_f64 = type == R_64F;
    const double of_sum =
        is_f64 ? *(const double *)alpha : (double)*(const float *)alpha;
    const double of_old =
        is_f64 ? *(const double *)beta : (double)*(const float *)beta;

    if (!ready(h) || !h->workspace_set || op > 1 || m < 1 || n < 1 || lda < m)
        return BAD;
    if (is_pretended(a))
        return 0;
    for (int64_t i = 0; i < (op ? n : m); i++) {
        double sum = 0;

        for (int64_t k = 0; k < (op ? m : n); k++)
            sum += element(a, type, op ? i * lda + k : k * lda + i) *
                   element(x, type, k);
        sum = of_sum * sum + of_old * element(y, type, i);
        if (is_f64)
            ((double *)y)[i] = sum;
        else
            set_element(y, type, i, (float)sum);
    }
    return 0;
}

#define GEMV(name, type)                                                       \
    DECLARE(int, name,                                                         \
            (handle * h, int op, int m, int n, const void *alpha,              \
             const void *a, int lda, const void *x, int x_step,                \
             const void *beta, void *y, int y_step))                           \
    {                                                                          \
        return x_step != 1 || y_step != 1                                      \
                   ? BAD                                                       \
                   : multiply_vector(h, type, op, m, n, alpha, a, lda, x,      \
                                     beta, y);                                 \
    }
GEMV(cublasSgemv_v2, R_32F)
GEMV(cublasDgemv_v2, R_64F)

#define GEMV_STRIDED(name, type, size)                                         \
    DECLARE(int, name,                                                         \
            (handle * h, int op, int m, int n, const void *alpha,              \
             const void *a, int lda, long long a_stride, const void *x,        \
             int x_step, long long x_stride, const void *beta, void *y,        \
             int y_step, long long y_stride, int batch))                       \
    {                                                                          \
        int status = x_step == 1 && y_step == 1 && batch > 0 ? 0 : BAD;        \
        for (int i = 0; i < batch && !status; i++)                             \
            status =                                                           \
                multiply_vector(h, type, op, m, n, alpha,                      \
                                (const char *)a + i * a_stride * (size), lda,  \
                                (const char *)x + i * x_stride * (size), beta, \
                                (char *)y + i * y_stride * (size));            \
        return status;                                                         \
    }
GEMV_STRIDED(cublasSgemvStridedBatched, R_32F, 4)
GEMV_STRIDED(cublasDgemvStridedBatched, R_64F, 8)
GEMV_STRIDED(cublasHSHgemvStridedBatched, R_16F, 2)
GEMV_STRIDED(cublasTSTgemvStridedBatched, R_16BF, 2)
