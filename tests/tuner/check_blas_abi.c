/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled only, and only where cuBLAS's headers are: our declarations of its
 * ABI against the originals. */
#include "runtime/vendor/vendor_api.h"

#include <cublasLt.h>
#include <cublas_v2.h>

#define SAME(ours, theirs)                                                     \
    _Static_assert((long long)(ours) == (long long)(theirs), #theirs)

SAME(HONE_BLAS_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(HONE_BLAS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
SAME(0, CUBLAS_STATUS_SUCCESS);
SAME(HONE_CUDA_R_16F, CUDA_R_16F);
SAME(HONE_CUDA_R_16BF, CUDA_R_16BF);
SAME(HONE_CUDA_R_32F, CUDA_R_32F);
SAME(HONE_CUDA_R_64F, CUDA_R_64F);
SAME(HONE_CUDA_R_8I, CUDA_R_8I);
SAME(HONE_CUDA_R_32I, CUDA_R_32I);
SAME(HONE_BLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F);
SAME(HONE_BLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F);
SAME(HONE_BLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I);
SAME(HONE_BLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(HONE_BLAS_OP_N, CUBLAS_OP_N);
SAME(HONE_BLAS_OP_T, CUBLAS_OP_T);
SAME(HONE_BLAS_OP_C, CUBLAS_OP_C);
SAME(HONE_CUDA_C_32F, CUDA_C_32F);
SAME(HONE_LT_DESC_LEFT_OP, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(HONE_LT_DESC_RIGHT_OP, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(HONE_BLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_HOST);
SAME(HONE_BLAS_POINTER_MODE_DEVICE, CUBLAS_POINTER_MODE_DEVICE);
SAME(HONE_BLAS_DEFAULT_MATH, CUBLAS_DEFAULT_MATH);
SAME(HONE_BLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT);
SAME(HONE_LT_PREF_MAX_WORKSPACE_BYTES,
     CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(HONE_LT_PREF_MIN_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(HONE_LT_PREF_MIN_ALIGNMENT_A + 1,
     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(HONE_LT_PREF_MIN_ALIGNMENT_A + 2,
     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(HONE_LT_PREF_MIN_ALIGNMENT_A + 3,
     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(HONE_LT_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(HONE_LT_LAYOUT_BATCH_STRIDE, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(sizeof(int), sizeof(cublasStatus_t));
SAME(sizeof(int), sizeof(cublasComputeType_t));
SAME(sizeof(int), sizeof(cudaDataType));
SAME(sizeof(int), sizeof(cublasOperation_t));
SAME(sizeof(int), sizeof(cublasGemmAlgo_t));
SAME(sizeof(hone_lt_algorithm), sizeof(cublasLtMatmulAlgo_t));
SAME(sizeof(hone_lt_heuristic), sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(hone_lt_heuristic, workspace_bytes),
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME(offsetof(hone_lt_heuristic, state),
     offsetof(cublasLtMatmulHeuristicResult_t, state));
SAME(offsetof(hone_lt_heuristic, waves),
     offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));
