/* SPDX-License-Identifier: Apache-2.0 */
/* The exported functions of cuBLAS. Each describes its call, and hands it on
 * if it was not answered. */
#include "blas/enter.h"

#include <stddef.h>

enum { NOT_INITIALIZED = 1 }; /* what a library that is not there would say */

static int32_t clip(int64_t value)
{
    return value < INT32_MIN || value > INT32_MAX ? INT32_MIN : (int32_t)value;
}

/* Other numbers are the library's to refuse. */
static uint8_t code_of(int op)
{
    return op >= 0 && op < UINT8_MAX ? (uint8_t)op : UINT8_MAX;
}

/* What all forms have; types, distances and batches follow. */
#define CALL(met_)                                                             \
    {                                                                          \
        .shape = {.m = m,                                                      \
                  .n = n,                                                      \
                  .k = k,                                                      \
                  .lda = lda,                                                  \
                  .ldb = ldb,                                                  \
                  .ldc = ldc,                                                  \
                  .batch = 1,                                                  \
                  .epilogue = HONE_LT_EPILOGUE_NONE,                           \
                  .op_a = code_of(op_a),                                       \
                  .op_b = code_of(op_b)},                                      \
        .met = HONE_MET_##met_, .handle = h, .alpha = alpha, .beta = beta      \
    }

static void set_types(hone_blas_call *call, int a, int b, int c, int compute)
{
    call->shape.a_type = (int16_t)a;
    call->shape.b_type = (int16_t)b;
    call->shape.c_type = (int16_t)c;
    call->shape.compute = clip(compute);
}

static void set_arrays(hone_blas_call *call, const void *a, const void *b,
                       void *c)
{
    call->a = a;
    call->b = b;
    call->c = c;
}

static void set_batch(hone_blas_call *call, int64_t batch, long long a,
                      long long b, long long c)
{
    call->shape.batch = batch;
    if (batch <= 1)
        return;
    call->shape.stride_a = a;
    call->shape.stride_b = b;
    call->shape.stride_c = c;
}

static void set_pointers(hone_blas_call *call, int64_t batch)
{
    call->shape.batch = batch;
    call->shape.oddity = HONE_ODDITY_ARRAYS;
}

/* The rest of a function: describe, ask, hand on. */
#define HAND_ON(id, describe, ...)                                             \
    {                                                                          \
        const hone_real *real = hone__real_blas(__builtin_return_address(0));  \
        hone_blas_result result;                                               \
                                                                               \
        if (!real || !real->id)                                                \
            return NOT_INITIALIZED;                                            \
        if (hone__blas_is_through())                                           \
            return real->id(__VA_ARGS__);                                      \
        hone_blas_call call = CALL(id);                                        \
        describe;                                                              \
        if (hone__blas_begin(&call, real))                                     \
            return 0;                                                          \
        result = real->id(__VA_ARGS__);                                        \
        hone__blas_end(&call, result);                                         \
        return result;                                                         \
    }

#define BODY_EX(id, type, computes)                                            \
    HAND_ON(id,                                                                \
            (set_types(&call, a_type, b_type, c_type, compute),                \
             set_arrays(&call, a, b, c)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,     \
            beta, c, c_type, ldc, compute, algorithm)
#define BODY_SEX(id, type, computes)                                           \
    HAND_ON(id,                                                                \
            (set_types(&call, a_type, b_type, c_type, computes),               \
             set_arrays(&call, a, b, c)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,     \
            beta, c, c_type, ldc)
#define BODY_EX_STRIDED(id, type, computes)                                    \
    HAND_ON(id,                                                                \
            (set_types(&call, a_type, b_type, c_type, compute),                \
             set_batch(&call, batch, stride_a, stride_b, stride_c),            \
             set_arrays(&call, a, b, c)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, a_type, lda, stride_a, b,        \
            b_type, ldb, stride_b, beta, c, c_type, ldc, stride_c, batch,      \
            compute, algorithm)
#define BODY_EX_BATCHED(id, type, computes)                                    \
    HAND_ON(id,                                                                \
            (set_types(&call, a_type, b_type, c_type, compute),                \
             set_pointers(&call, batch)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,     \
            beta, c, c_type, ldc, batch, compute, algorithm)
#define BODY_PLAIN(id, type, computes)                                         \
    HAND_ON(id,                                                                \
            (set_types(&call, type, type, type, computes),                     \
             set_arrays(&call, a, b, c)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define BODY_STRIDED(id, type, computes)                                       \
    HAND_ON(id,                                                                \
            (set_types(&call, type, type, type, computes),                     \
             set_batch(&call, batch, stride_a, stride_b, stride_c),            \
             set_arrays(&call, a, b, c)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, \
            beta, c, ldc, stride_c, batch)
#define BODY_BATCHED(id, type, computes)                                       \
    HAND_ON(id,                                                                \
            (set_types(&call, type, type, type, computes),                     \
             set_pointers(&call, batch)),                                      \
            h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,       \
            batch)

#define DEFINE(id, symbol, form, INT, type, compute)                           \
    hone_blas_result symbol HONE_FORM_##form(INT) BODY_##form(id, type, compute)
HONE_MET_MAP(DEFINE)
#undef DEFINE
