/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cuBLAS and cuBLASLt that are met, with the parameters that
 * cublas_api.h and cublasLt.h declare (CUDA 12 and 13); enumerations are int
 * there. */
#ifndef HONE_BLAS_FUNCTIONS_H
#define HONE_BLAS_FUNCTIONS_H

#include "runtime/vendor/vendor_api.h"

/* The parameters of each form; INT is int, or int64_t of those that end with
 * _64. */
#define HONE_FORM_EX(INT)                                                      \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *a, int a_type, INT lda, const void *b,     \
     int b_type, INT ldb, const void *beta, void *c, int c_type, INT ldc,      \
     int compute, int algorithm)
/* cublasSgemmEx: always in f32. */
#define HONE_FORM_SEX(INT)                                                     \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *a, int a_type, INT lda, const void *b,     \
     int b_type, INT ldb, const void *beta, void *c, int c_type, INT ldc)
#define HONE_FORM_EX_STRIDED(INT)                                              \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *a, int a_type, INT lda,                    \
     long long stride_a, const void *b, int b_type, INT ldb,                   \
     long long stride_b, const void *beta, void *c, int c_type, INT ldc,       \
     long long stride_c, INT batch, int compute, int algorithm)
#define HONE_FORM_EX_BATCHED(INT)                                              \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *const *a, int a_type, INT lda,             \
     const void *const *b, int b_type, INT ldb, const void *beta,              \
     void *const *c, int c_type, INT ldc, INT batch, int compute,              \
     int algorithm)
/* Of one type: S, D, H. */
#define HONE_FORM_PLAIN(INT)                                                   \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *a, INT lda, const void *b, INT ldb,        \
     const void *beta, void *c, INT ldc)
#define HONE_FORM_STRIDED(INT)                                                 \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *a, INT lda, long long stride_a,            \
     const void *b, INT ldb, long long stride_b, const void *beta, void *c,    \
     INT ldc, long long stride_c, INT batch)
#define HONE_FORM_BATCHED(INT)                                                 \
    (hone_blas_handle h, int op_a, int op_b, INT m, INT n, INT k,              \
     const void *alpha, const void *const *a, INT lda, const void *const *b,   \
     INT ldb, const void *beta, void *const *c, INT ldc, INT batch)

/* X(id, symbol, form, INT, type, compute type): the last two of those whose
 * name says them, else 0. */
#define HONE_MET_MAP(X)                                                        \
    X(gemm_ex, cublasGemmEx, EX, int, 0, 0)                                    \
    X(gemm_ex_64, cublasGemmEx_64, EX, int64_t, 0, 0)                          \
    X(sgemm_ex, cublasSgemmEx, SEX, int, 0, HONE_BLAS_COMPUTE_32F)             \
    X(sgemm_ex_64, cublasSgemmEx_64, SEX, int64_t, 0, HONE_BLAS_COMPUTE_32F)   \
    X(ex_strided, cublasGemmStridedBatchedEx, EX_STRIDED, int, 0, 0)           \
    X(ex_strided_64, cublasGemmStridedBatchedEx_64, EX_STRIDED, int64_t, 0, 0) \
    X(ex_batched, cublasGemmBatchedEx, EX_BATCHED, int, 0, 0)                  \
    X(ex_batched_64, cublasGemmBatchedEx_64, EX_BATCHED, int64_t, 0, 0)        \
    HONE_MET_PLAIN(X, s, S, _v2, HONE_CUDA_R_32F, HONE_BLAS_COMPUTE_32F)       \
    HONE_MET_PLAIN(X, d, D, _v2, HONE_CUDA_R_64F, HONE_BLAS_COMPUTE_64F)       \
    HONE_MET_PLAIN(X, h, H, , HONE_CUDA_R_16F, HONE_BLAS_COMPUTE_16F)

#define HONE_MET_PLAIN(X, id, letter, version, type, compute)                  \
    X(id##gemm, cublas##letter##gemm##version, PLAIN, int, type, compute)      \
    X(id##gemm_64, cublas##letter##gemm##version##_64, PLAIN, int64_t, type,   \
      compute)                                                                 \
    X(id##strided, cublas##letter##gemmStridedBatched, STRIDED, int, type,     \
      compute)                                                                 \
    X(id##strided_64, cublas##letter##gemmStridedBatched_64, STRIDED, int64_t, \
      type, compute)                                                           \
    X(id##batched, cublas##letter##gemmBatched, BATCHED, int, type, compute)   \
    X(id##batched_64, cublas##letter##gemmBatched_64, BATCHED, int64_t, type,  \
      compute)

enum {
    HONE_BLAS_COMPUTE_16F = 64,
    HONE_BLAS_COMPUTE_16F_PEDANTIC = 65,
    HONE_BLAS_COMPUTE_32F_PEDANTIC = 69,
    HONE_BLAS_COMPUTE_32F_FAST_16F = 74,
    HONE_BLAS_COMPUTE_32F_EMULATED = 78, /* by three numbers of bf16 */
    HONE_BLAS_COMPUTE_64F_PEDANTIC = 71,
    HONE_BLAS_COMPUTE_64F_EMULATED = 79
};

#define HONE_FORM_MATMUL                                                       \
    (hone_lt_handle h, hone_lt_desc desc, const void *alpha, const void *a,    \
     hone_lt_layout a_layout, const void *b, hone_lt_layout b_layout,          \
     const void *beta, const void *c, hone_lt_layout c_layout, void *out,      \
     hone_lt_layout out_layout, const hone_lt_algorithm *algorithm,            \
     void *workspace, size_t workspace_bytes, hone_stream stream)

/* A number for each function: what a shape was called by. */
typedef enum hone_met {
#define HONE_MET_ENUM(id, symbol, form, INT, type, compute) HONE_MET_##id,
    HONE_MET_MAP(HONE_MET_ENUM)
#undef HONE_MET_ENUM
        HONE_MET_matmul,
    HONE_N_MET
} hone_met;

#define HONE_MET_DECLARE(id, symbol, form, INT, type, compute)                 \
    HONE_API hone_blas_result symbol HONE_FORM_##form(INT);
HONE_MET_MAP(HONE_MET_DECLARE)
#undef HONE_MET_DECLARE
HONE_API hone_blas_result cublasLtMatmul HONE_FORM_MATMUL;

#endif
