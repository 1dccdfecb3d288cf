/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a function for matrix products, whatever function it is:
 * C = alpha*op(A)*op(B) + beta*C as cuBLAS has it, column-major. */
#ifndef HONE_BLAS_CALL_H
#define HONE_BLAS_CALL_H

#include "blas/functions.h"

/* What of a call no product of hone's has. X(NAME, text). */
#define HONE_ODDITY_MAP(X)                                                     \
    X(NONE, "")                                                                \
    X(ARRAYS, "matrices as an array of pointers")                              \
    X(SCALARS, "alpha and beta are in device memory")                          \
    X(EPILOGUE, "an epilogue that gemm does not have")                         \
    X(LAYOUT, "a layout that is not column-major")                             \
    X(APART, "the result is not where it adds to")                             \
    X(DESCRIPTION, "a description that hone does not know")                    \
    X(CONJUGATE, "a conjugate of real numbers, which cuBLASLt refuses")

typedef enum hone_oddity {
#define HONE_ODDITY_ENUM(name, text) HONE_ODDITY_##name,
    HONE_ODDITY_MAP(HONE_ODDITY_ENUM)
#undef HONE_ODDITY_ENUM
} hone_oddity;

/* What calls with the same counters have in common. Compared by its bytes. */
typedef struct hone_blas_shape {
    int64_t m, n, k;
    int64_t lda, ldb, ldc;
    int64_t batch;
    int64_t stride_a, stride_b, stride_c; /* 0 where there is one product */
    int32_t compute;                      /* cublasComputeType_t; the handle's
                                             math mode is counted in */
    int32_t epilogue;                     /* of cuBLASLt; else 1, none */
    int16_t a_type, b_type, c_type;       /* cudaDataType_t */
    int16_t oddity;                       /* hone_oddity */
    uint8_t op_a, op_b; /* 0: as it is, 1: transposed, 2: and conjugated */
    uint8_t adds;       /* beta is not 0, or nobody here knows it */
    uint8_t zero;
    int16_t device; /* -1: there is no driver */
    int16_t zero_2;
} hone_blas_shape;
_Static_assert(sizeof(hone_blas_shape) == 104, "no bytes between its members");

/* The type of alpha and beta (cudaDataType_t) that goes with a
 * cublasComputeType_t for real numbers. */
static inline int hone__scalar_type(int compute)
{
    return compute == HONE_BLAS_COMPUTE_16F   ? HONE_CUDA_R_16F
           : compute == HONE_BLAS_COMPUTE_64F ? HONE_CUDA_R_64F
                                              : HONE_CUDA_R_32F;
}

typedef struct hone_blas_call {
    hone_blas_shape shape;
    hone_met met;
    const void *alpha, *beta; /* in the type of hone__scalar_type() */
    const void *a, *b;
    void *c;
    const void *bias;        /* of shape.epilogue, where that has one */
    hone_blas_handle handle; /* NULL: of cuBLASLt */
    hone_stream stream;
    /* Of enter.c. */
    struct hone_entry *entry; /* NULL: the call is nobody's business */
    struct hone_sample *sample;
    struct hone_check *check;
} hone_blas_call;

#endif
