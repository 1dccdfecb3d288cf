/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of cuBLAS and cuBLASLt (fake_blas_lt.c) that
 * computes on the host, column-major and by its own reading of the arguments.
 * It is as strict as the contract lets it be: an own workspace after every set
 * stream, the right types, non-null descriptions. $FAKE_BLAS_FAIL names a
 * function that fails; fake_blas_live() counts what was not destroyed;
 * $FAKE_BLAS_VERSION is the version. Here are its handles and products of
 * matrices, in fake_blas_vectors.c what takes vectors. */
#include "tests/tuner/fake_blas_parts.h"

#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

atomic_int fake_blas_n_made;

int fake_blas_fails(const char *function)
{
    const char *const name = getenv("FAKE_BLAS_FAIL");

    return name && !strcmp(name, function);
}

int fake_blas_number(const char *variable, int otherwise)
{
    const char *const text = getenv(variable);

    return text ? atoi(text) : otherwise;
}

int fake_blas_version(void)
{
    return fake_blas_number("FAKE_BLAS_VERSION", 130100);
}

EXPORT int fake_blas_live(void);
EXPORT int fake_blas_live(void)
{
    return fake_blas_n_made;
}

DECLARE(const char *, cublasGetStatusString, (int r))
{
    return status_text(r);
}

DECLARE(int, cublasCreate_v2, (handle * *out))
{
    if (fake_blas_fails("cublasCreate"))
        return FAILED;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return BAD;
    (*out)->pointer_mode = (*out)->math_mode = -1;
    fake_blas_n_made++;
    return 0;
}

DECLARE(int, cublasGetVersion_v2, (handle * h, int *out))
{
    *out = fake_blas_version();
    return h ? 0 : BAD;
}

DECLARE(int, cublasDestroy_v2, (handle * h))
{
    free(h);
    fake_blas_n_made--;
    return 0;
}

DECLARE(int, cublasSetStream_v2, (handle * h, void *stream))
{
    (void)stream;
    h->workspace_set = 0;
    return 0;
}

DECLARE(int, cublasSetWorkspace_v2, (handle * h, void *p, size_t size_bytes))
{
    if (fake_blas_fails("cublasSetWorkspace"))
        return FAILED;
    h->workspace_set = p && size_bytes >= (size_t)32 << 20;
    return 0;
}

DECLARE(int, cublasSetPointerMode_v2, (handle * h, int mode))
{
    if (mode && h->pointer_mode == mode)
        return BAD; /* whoever set it did not put it back */
    h->pointer_mode = mode;
    return 0;
}

DECLARE(int, cublasSetMathMode, (handle * h, int mode))
{
    h->math_mode = mode;
    return 0;
}

/* ---- products of matrices ------------------------------------------------ */

static double factor_element(const factor *x, int64_t row, int64_t column)
{
    return element(x->data, x->type,
                   x->op ? row * x->leading + column
                         : column * x->leading + row);
}

void fake_blas_multiply(int m, int n, int k, double alpha, factor a, factor b,
                        double beta, void *c, int c_type, int64_t ldc)
{
    if (is_pretended(a.data))
        return;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t at = j * ldc + i;
            double sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += factor_element(&a, i, l) * factor_element(&b, l, j);
            sum = alpha * sum + (beta != 0 ? beta * element(c, c_type, at) : 0);
            set_element(c, c_type, at, sum);
        }
}

/* op 2 is the conjugate of the transpose. */
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

DECLARE(int, cublasGemmEx,
        (handle * h, int op_a, int op_b, int m, int n, int k, const void *alpha,
         const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
         const void *beta, void *c, int c_type, int ldc, int compute_type,
         int algo))
{
    if (fake_blas_fails("cublasGemmEx"))
        return FAILED;
    if (!ready(h) || !h->workspace_set || lda < (op_a ? k : m) ||
        ldb < (op_b ? n : k) || ldc < m || algo != -1)
        return BAD;
    if (a_type == C_32F)
        return b_type != C_32F || c_type != C_32F || compute_type != COMPUTE_32F
                   ? BAD
                   : multiply_complex(m, n, k, alpha, a, op_a, lda, b, op_b,
                                      ldb, beta, c, ldc);
    if ((op_a | op_b) > 1 || !types_fit(a_type, b_type, c_type, compute_type,
                                        scale_of(compute_type)))
        return BAD;
    fake_blas_multiply(
        m, n, k, element(alpha, scale_of(compute_type), 0),
        (factor){a, a_type, op_a, lda}, (factor){b, b_type, op_b, ldb},
        element(beta, scale_of(compute_type), 0), c, c_type, ldc);
    return 0;
}

DECLARE(int, cublasGemmStridedBatchedEx,
        (handle * h, int op_a, int op_b, int m, int n, int k, const void *alpha,
         const void *a, int a_type, int lda, long long a_stride, const void *b,
         int b_type, int ldb, long long b_stride, const void *beta, void *c,
         int c_type, int ldc, long long c_stride, int batch, int compute_type,
         int algo))
{
    int status = batch > 0 ? 0 : BAD;

    for (int i = 0; i < batch && !status; i++) {
        const int64_t of_in = size_of(a_type);
        const int64_t of_out = size_of(c_type);

        status = cublasGemmEx(
            h, op_a, op_b, m, n, k, alpha,
            (const char *)a + i * a_stride * of_in, a_type, lda,
            (const char *)b + i * b_stride * of_in, b_type, ldb, beta,
            (char *)c + i * c_stride * of_out, c_type, ldc, compute_type, algo);
    }
    return status;
}
