/* SPDX-License-Identifier: Apache-2.0 */
/* A libcublas.so.13 that computes on the host, with every function that
 * libhone_blas meets. As NVIDIA's does, it leaves some of its work to
 * cublasLtMatmul(), by its name: products with one distance between matrices
 * and single precision go there. With FAKE_CUBLAS_12 it is a libcublas.so.12.
 */
#include "blas/functions.h"
#include "tests/blas/fake_parts.h"

#include <stdlib.h>

struct cublasContext {
    hone_stream stream;
    int pointer_mode, math_mode;
};

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(type, name, parameters)                                        \
    EXPORT type name parameters;                                               \
    type name parameters

DECLARE(int, cublasCreate_v2, (hone_blas_handle * out))
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : 3;
}

DECLARE(int, cublasDestroy_v2, (hone_blas_handle h))
{
    free(h);
    return 0;
}

DECLARE(int, cublasSetStream_v2, (hone_blas_handle h, hone_stream s))
{
    h->stream = s;
    return 0;
}

DECLARE(int, cublasGetStream_v2, (hone_blas_handle h, hone_stream *out))
{
    if (!h)
        return 1;
    *out = h->stream;
    return 0;
}

DECLARE(int, cublasSetPointerMode_v2, (hone_blas_handle h, int mode))
{
    h->pointer_mode = mode;
    return 0;
}

DECLARE(int, cublasGetPointerMode_v2, (hone_blas_handle h, int *out))
{
    *out = h->pointer_mode;
    return 0;
}

DECLARE(int, cublasSetMathMode, (hone_blas_handle h, int mode))
{
    h->math_mode = mode;
    return 0;
}

DECLARE(int, cublasGetMathMode, (hone_blas_handle h, int *out))
{
    *out = h->math_mode;
    return 0;
}

/* Through cuBLASLt, as the library does with some. */
static int by_lt(const fake_product *p)
{
    hone_lt_desc desc;
    hone_lt_layout a, b, c;
    const int t_a = p->op_a != 0, t_b = p->op_b != 0;
    const int32_t batch = (int32_t)p->batch;
    int result;

    (void)cublasLtMatmulDescCreate(&desc, p->compute, R_32F);
    (void)cublasLtMatmulDescSetAttribute(desc, 3, &t_a, 4);
    (void)cublasLtMatmulDescSetAttribute(desc, 4, &t_b, 4);
    (void)cublasLtMatrixLayoutCreate(&a, p->a_type,
                                     (uint64_t)(t_a ? p->k : p->m),
                                     (uint64_t)(t_a ? p->m : p->k), p->lda);
    (void)cublasLtMatrixLayoutCreate(&b, p->b_type,
                                     (uint64_t)(t_b ? p->n : p->k),
                                     (uint64_t)(t_b ? p->k : p->n), p->ldb);
    (void)cublasLtMatrixLayoutCreate(&c, p->c_type, (uint64_t)p->m,
                                     (uint64_t)p->n, p->ldc);
    for (int i = 0; i < 3; ++i) {
        const hone_lt_layout l = i == 0 ? a : i == 1 ? b : c;
        const int64_t stride = i == 0   ? p->stride_a
                               : i == 1 ? p->stride_b
                                        : p->stride_c;

        (void)cublasLtMatrixLayoutSetAttribute(l, 5, &batch, 4);
        (void)cublasLtMatrixLayoutSetAttribute(l, 6, &stride, 8);
    }
    result =
        cublasLtMatmul((hone_lt_handle)(uintptr_t)8, desc, p->alpha, p->a, a,
                       p->b, b, p->beta, p->c, c, p->c, c, NULL, NULL, 0, NULL);
    (void)cublasLtMatrixLayoutDestroy(a);
    (void)cublasLtMatrixLayoutDestroy(b);
    (void)cublasLtMatrixLayoutDestroy(c);
    (void)cublasLtMatmulDescDestroy(desc);
    return result;
}

static int multiply(hone_blas_handle h, fake_product *p)
{
    if (!h)
        return 1;
#ifdef FAKE_CUBLAS_12 /* another version, which can be told by its results */
    if (!p->as) {
        (void)by_lt;
        (void)fake_multiply(p);
        set_element(p->c, p->c_type, 0, element(p->c, p->c_type, 0) + 12);
        return 0;
    }
#endif
    if (fake_fails())
        return 13; /* as for the execution that failed */
    if (p->batch > 1 && p->compute == COMPUTE_32F && !p->as && !h->pointer_mode)
        return by_lt(p);
    return fake_multiply(p);
}

#define PRODUCT(...)                                                           \
    fake_product p = {.op_a = op_a,                                            \
                      .op_b = op_b,                                            \
                      .m = m,                                                  \
                      .n = n,                                                  \
                      .k = k,                                                  \
                      .alpha = alpha,                                          \
                      .beta = beta,                                            \
                      .lda = lda,                                              \
                      .ldb = ldb,                                              \
                      .ldc = ldc,                                              \
                      .batch = 1};                                             \
    __VA_ARGS__;                                                               \
    return multiply(h, &p)
#define TYPES(a, b, c, computes)                                               \
    (p.a_type = (a), p.b_type = (b), p.c_type = (c), p.compute = (computes))
#define ONE (p.a = a, p.b = b, p.c = c)
#define STRIDED                                                                \
    (p.batch = batch, p.stride_a = stride_a, p.stride_b = stride_b,            \
     p.stride_c = stride_c, p.a = a, p.b = b, p.c = c)
#define ARRAYS (p.batch = batch, p.as = a, p.bs = b, p.cs = c)

#define BODY_EX(type, computes)                                                \
    {                                                                          \
        (void)algorithm;                                                       \
        PRODUCT(TYPES(a_type, b_type, c_type, compute), ONE);                  \
    }
#define BODY_SEX(type, computes)                                               \
    {                                                                          \
        PRODUCT(TYPES(a_type, b_type, c_type, computes), ONE);                 \
    }
#define BODY_EX_STRIDED(type, computes)                                        \
    {                                                                          \
        (void)algorithm;                                                       \
        PRODUCT(TYPES(a_type, b_type, c_type, compute), STRIDED);              \
    }
#define BODY_EX_BATCHED(type, computes)                                        \
    {                                                                          \
        (void)algorithm;                                                       \
        PRODUCT(TYPES(a_type, b_type, c_type, compute), ARRAYS);               \
    }
#define BODY_PLAIN(type, computes)                                             \
    {                                                                          \
        PRODUCT(TYPES(type, type, type, computes), ONE);                       \
    }
#define BODY_STRIDED(type, computes)                                           \
    {                                                                          \
        PRODUCT(TYPES(type, type, type, computes), STRIDED);                   \
    }
#define BODY_BATCHED(type, computes)                                           \
    {                                                                          \
        PRODUCT(TYPES(type, type, type, computes), ARRAYS);                    \
    }

#define DEFINE(id, symbol, form, INT, type, compute)                           \
    hone_blas_result symbol HONE_FORM_##form(INT) BODY_##form(type, compute)
HONE_MET_MAP(DEFINE)
