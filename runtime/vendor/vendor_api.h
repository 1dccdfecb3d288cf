/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS, cuBLASLt and cuFFT as tables of functions, filled by dlopen.
 * Declarations follow the ABI of CUDA 12 and 13; their headers are not used.
 */
#ifndef HONE_RUNTIME_VENDOR_API_H
#define HONE_RUNTIME_VENDOR_API_H

#include "runtime/base/error.h"
#include "runtime/driver/library.h"

#include <stdint.h>

/* Fill `table` once, unless `*loaded`; its library is never unloaded: it
 * registers kernels with the driver, and loading it again costs a second.
 * HONE_ERR_UNSUPPORTED says what is missing. Thread-safe. */
hone_status hone__vendor_load(const hone_library_search *search,
                              const char *symbols, void *table, int *loaded,
                              hone_error *err);

/* ---- cuBLAS, cuBLASLt ---------------------------------------------------- */

typedef int hone_blas_result; /* cublasStatus_t; 0 is success */

enum { HONE_BLAS_ALLOC_FAILED = 3, HONE_BLAS_NOT_SUPPORTED = 15 };

/* cudaDataType_t */
enum {
    HONE_CUDA_R_32F = 0,
    HONE_CUDA_R_64F = 1,
    HONE_CUDA_R_16F = 2,
    HONE_CUDA_R_8I = 3,
    HONE_CUDA_C_32F = 4,
    HONE_CUDA_R_32I = 10,
    HONE_CUDA_R_16BF = 14,
    HONE_CUDA_R_8F_E4M3 = 28,
    HONE_CUDA_R_8F_E5M2 = 29
};

/* cublasComputeType_t */
enum {
    HONE_BLAS_COMPUTE_32F = 68,
    HONE_BLAS_COMPUTE_64F = 70,
    HONE_BLAS_COMPUTE_32I = 72,
    HONE_BLAS_COMPUTE_32F_FAST_TF32 = 77
};

enum {
    HONE_BLAS_OP_N = 0,
    HONE_BLAS_OP_T = 1,
    HONE_BLAS_OP_C = 2,
    HONE_BLAS_POINTER_MODE_HOST = 0,
    HONE_BLAS_POINTER_MODE_DEVICE = 1,
    HONE_BLAS_DEFAULT_MATH = 0, /* tensor cores wherever the types allow */
    HONE_BLAS_GEMM_DEFAULT = -1,
    HONE_LT_PREF_MAX_WORKSPACE_BYTES = 1,
    HONE_LT_PREF_MIN_ALIGNMENT_A = 5, /* then B, C, D */
    HONE_LT_LAYOUT_BATCH_COUNT = 5,
    HONE_LT_LAYOUT_BATCH_STRIDE = 6,
    HONE_LT_DESC_LEFT_OP = 3,
    HONE_LT_DESC_RIGHT_OP = 4,
    HONE_LT_DESC_EPILOGUE = 7,
    HONE_LT_DESC_BIAS = 8,        /* pointer */
    HONE_LT_DESC_LEFT_SCALE = 17, /* pointer, as the next */
    HONE_LT_DESC_RIGHT_SCALE = 18,
    HONE_LT_DESC_FAST_SUMS = 25, /* a byte */
    HONE_LT_DESC_LEFT_SCALE_MODE = 31,
    HONE_LT_DESC_RIGHT_SCALE_MODE = 32,
    HONE_LT_SCALE_LINES = 3, /* one for each row of A, column of B */
    HONE_LT_EPILOGUE_NONE = 1,
    HONE_LT_EPILOGUE_BIAS = 4 /* a bit */
};

typedef struct cublasContext *hone_blas_handle;

/* Of cublasTgemv and cublasTgemvStridedBatched, T a type. */
#define HONE_BLAS_GEMV                                                         \
    (hone_blas_handle h, int op, int m, int n, const void *alpha,              \
     const void *a, int lda, const void *x, int x_step, const void *beta,      \
     void *y, int y_step)
#define HONE_BLAS_GEMV_STRIDED                                                 \
    (hone_blas_handle h, int op, int m, int n, const void *alpha,              \
     const void *a, int lda, long long a_stride, const void *x, int x_step,    \
     long long x_stride, const void *beta, void *y, int y_step,                \
     long long y_stride, int batch)

/* X(field, symbol, return type, parameters) */
#define HONE_BLAS_MAP(X)                                                       \
    X(status_string, cublasGetStatusString, const char *,                      \
      (hone_blas_result r))                                                    \
    X(version, cublasGetVersion_v2, hone_blas_result,                          \
      (hone_blas_handle h, int *out))                                          \
    X(create, cublasCreate_v2, hone_blas_result, (hone_blas_handle * out))     \
    X(destroy, cublasDestroy_v2, hone_blas_result, (hone_blas_handle h))       \
    X(set_stream, cublasSetStream_v2, hone_blas_result,                        \
      (hone_blas_handle h, hone_stream s))                                     \
    X(set_workspace, cublasSetWorkspace_v2, hone_blas_result,                  \
      (hone_blas_handle h, void *device, size_t size_bytes))                   \
    X(set_pointer_mode, cublasSetPointerMode_v2, hone_blas_result,             \
      (hone_blas_handle h, int mode))                                          \
    X(set_math_mode, cublasSetMathMode, hone_blas_result,                      \
      (hone_blas_handle h, int mode))                                          \
    X(gemm_ex, cublasGemmEx, hone_blas_result,                                 \
      (hone_blas_handle h, int op_a, int op_b, int m, int n, int k,            \
       const void *alpha, const void *a, int a_type, int lda, const void *b,   \
       int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,    \
       int compute_type, int algorithm))                                       \
    X(gemm_strided, cublasGemmStridedBatchedEx, hone_blas_result,              \
      (hone_blas_handle h, int op_a, int op_b, int m, int n, int k,            \
       const void *alpha, const void *a, int a_type, int lda,                  \
       long long a_stride, const void *b, int b_type, int ldb,                 \
       long long b_stride, const void *beta, void *c, int c_type, int ldc,     \
       long long c_stride, int batch, int compute_type, int algorithm))        \
    X(axpy_ex, cublasAxpyEx, hone_blas_result,                                 \
      (hone_blas_handle h, int n, const void *alpha, int alpha_type,           \
       const void *x, int x_type, int x_step, void *y, int y_type, int y_step, \
       int execution_type))                                                    \
    X(dot_ex, cublasDotEx, hone_blas_result,                                   \
      (hone_blas_handle h, int n, const void *x, int x_type, int x_step,       \
       const void *y, int y_type, int y_step, void *result, int result_type,   \
       int execution_type))                                                    \
    X(nrm2_ex, cublasNrm2Ex, hone_blas_result,                                 \
      (hone_blas_handle h, int n, const void *x, int x_type, int x_step,       \
       void *result, int result_type, int execution_type))                     \
    X(gemv_f32, cublasSgemv_v2, hone_blas_result, HONE_BLAS_GEMV)              \
    X(gemv_f64, cublasDgemv_v2, hone_blas_result, HONE_BLAS_GEMV)              \
    X(gemv_f32_strided, cublasSgemvStridedBatched, hone_blas_result,           \
      HONE_BLAS_GEMV_STRIDED)                                                  \
    X(gemv_f64_strided, cublasDgemvStridedBatched, hone_blas_result,           \
      HONE_BLAS_GEMV_STRIDED)                                                  \
    X(gemv_f16_strided, cublasHSHgemvStridedBatched, hone_blas_result,         \
      HONE_BLAS_GEMV_STRIDED)                                                  \
    X(gemv_bf16_strided, cublasTSTgemvStridedBatched, hone_blas_result,        \
      HONE_BLAS_GEMV_STRIDED)

typedef struct hone_blas {
#define HONE_BLAS_FIELD(field, symbol, type, parameters)                       \
    type(*field) parameters;
    HONE_BLAS_MAP(HONE_BLAS_FIELD)
#undef HONE_BLAS_FIELD
} hone_blas;

typedef struct cublasLtContext *hone_lt_handle;
typedef struct hone_lt_desc_opaque *hone_lt_desc;       /* operation */
typedef struct hone_lt_layout_opaque *hone_lt_layout;   /* matrix */
typedef struct hone_lt_preference_opaque *hone_lt_pref; /* of the search */

/* cublasLtMatmulAlgo_t */
typedef struct hone_lt_algorithm {
    uint64_t data[8];
} hone_lt_algorithm;

/* cublasLtMatmulAlgoConfigAttributes_t, each of 32 bits */
enum {
    HONE_LT_CONFIG_ALGORITHM = 0,
    HONE_LT_CONFIG_TILE = 1, /* cublasLtMatmulTile_t */
    HONE_LT_CONFIG_SPLITS = 2,
    HONE_LT_CONFIG_CUSTOM = 5
};

/* cublasLtMatmulHeuristicResult_t */
typedef struct hone_lt_heuristic {
    hone_lt_algorithm algorithm;
    size_t workspace_bytes;
    hone_blas_result state;
    float waves;
    int reserved[4];
} hone_lt_heuristic;

_Static_assert(sizeof(hone_lt_heuristic) == 96 &&
                   offsetof(hone_lt_heuristic, workspace_bytes) == 64 &&
                   offsetof(hone_lt_heuristic, state) == 72,
               "layout of cublasLtMatmulHeuristicResult_t");

#define HONE_LT_MAP(X)                                                         \
    X(status_string, cublasLtGetStatusString, const char *,                    \
      (hone_blas_result r))                                                    \
    X(version, cublasLtGetVersion, size_t, (void))                             \
    X(create, cublasLtCreate, hone_blas_result, (hone_lt_handle * out))        \
    X(destroy, cublasLtDestroy, hone_blas_result, (hone_lt_handle h))          \
    X(desc_create, cublasLtMatmulDescCreate, hone_blas_result,                 \
      (hone_lt_desc * out, int compute_type, int scale_type))                  \
    X(desc_destroy, cublasLtMatmulDescDestroy, hone_blas_result,               \
      (hone_lt_desc d))                                                        \
    X(desc_set, cublasLtMatmulDescSetAttribute, hone_blas_result,              \
      (hone_lt_desc d, int attribute, const void *value, size_t size_bytes))   \
    X(layout_create, cublasLtMatrixLayoutCreate, hone_blas_result,             \
      (hone_lt_layout * out, int type, uint64_t rows, uint64_t columns,        \
       int64_t leading))                                                       \
    X(layout_set, cublasLtMatrixLayoutSetAttribute, hone_blas_result,          \
      (hone_lt_layout l, int attribute, const void *value, size_t size_bytes)) \
    X(layout_destroy, cublasLtMatrixLayoutDestroy, hone_blas_result,           \
      (hone_lt_layout l))                                                      \
    X(pref_create, cublasLtMatmulPreferenceCreate, hone_blas_result,           \
      (hone_lt_pref * out))                                                    \
    X(pref_destroy, cublasLtMatmulPreferenceDestroy, hone_blas_result,         \
      (hone_lt_pref p))                                                        \
    X(pref_set, cublasLtMatmulPreferenceSetAttribute, hone_blas_result,        \
      (hone_lt_pref p, int attribute, const void *value, size_t size_bytes))   \
    X(heuristics, cublasLtMatmulAlgoGetHeuristic, hone_blas_result,            \
      (hone_lt_handle h, hone_lt_desc d, hone_lt_layout a, hone_lt_layout b,   \
       hone_lt_layout c, hone_lt_layout out, hone_lt_pref p, int wanted,       \
       hone_lt_heuristic *results, int *n_results))                            \
    X(attribute, cublasLtMatmulAlgoConfigGetAttribute, hone_blas_result,       \
      (const hone_lt_algorithm *algorithm, int attribute, void *value,         \
       size_t size_bytes, size_t *n_bytes))                                    \
    X(check, cublasLtMatmulAlgoCheck, hone_blas_result,                        \
      (hone_lt_handle h, hone_lt_desc d, hone_lt_layout a, hone_lt_layout b,   \
       hone_lt_layout c, hone_lt_layout out,                                   \
       const hone_lt_algorithm *algorithm, hone_lt_heuristic *result))         \
    X(matmul, cublasLtMatmul, hone_blas_result,                                \
      (hone_lt_handle h, hone_lt_desc desc, const void *alpha, const void *a,  \
       hone_lt_layout a_layout, const void *b, hone_lt_layout b_layout,        \
       const void *beta, const void *c, hone_lt_layout c_layout, void *out,    \
       hone_lt_layout out_layout, const hone_lt_algorithm *algorithm,          \
       void *workspace, size_t workspace_bytes, hone_stream s))

typedef struct hone_lt {
#define HONE_LT_FIELD(field, symbol, type, parameters) type(*field) parameters;
    HONE_LT_MAP(HONE_LT_FIELD)
#undef HONE_LT_FIELD
} hone_lt;

/* The process-wide tables: libcublas.so and libcublasLt.so, version 13 or
 * 12, or the files that $HONE_CUBLAS_LIBRARY and $HONE_CUBLASLT_LIBRARY name.
 * Errors are those of hone__vendor_load(). */
hone_status hone__blas_get(const hone_blas **out, hone_error *err);
hone_status hone__lt_get(const hone_lt **out, hone_error *err);

/* HONE_OK for 0; HONE_ERR_UNSUPPORTED for "not supported", HONE_ERR_NO_MEMORY;
 * else HONE_ERR_CUDA: "WHAT failed: text (code)". */
hone_status hone__blas_check(const hone_blas *blas, hone_blas_result result,
                             const char *what, hone_error *err);
hone_status hone__lt_check(const hone_lt *lt, hone_blas_result result,
                           const char *what, hone_error *err);

/* ---- cuFFT --------------------------------------------------------------- */

typedef int hone_fft_result; /* cufftResult; 0 is success */
typedef int hone_fft_handle; /* cufftHandle */

enum { HONE_FFT_NO_HANDLE = -1 };

/* cufftType and directions. */
enum {
    HONE_FFT_C2C = 0x29,
    HONE_FFT_R2C = 0x2a,
    HONE_FFT_C2R = 0x2c,
    HONE_FFT_Z2Z = 0x69,
    HONE_FFT_FORWARD = -1,
    HONE_FFT_INVERSE = 1
};

enum {
    HONE_FFT_ALLOC_FAILED = 2,
    HONE_FFT_INVALID_SIZE = 8,
    HONE_FFT_NOT_IMPLEMENTED = 0xe,
    HONE_FFT_NOT_SUPPORTED = 0x10
};

/* X(field, symbol, parameters); all return hone_fft_result. The strides that
 * follow a NULL `embed` are not read: transforms stand one after another. */
#define HONE_FFT_MAP(X)                                                        \
    X(version, cufftGetVersion, (int *out))                                    \
    X(create, cufftCreate, (hone_fft_handle * out))                            \
    X(auto_allocation, cufftSetAutoAllocation, (hone_fft_handle h, int on))    \
    X(work_area, cufftSetWorkArea, (hone_fft_handle h, void *area))            \
    X(make_plan, cufftMakePlanMany64,                                          \
      (hone_fft_handle h, int rank, long long *n, long long *in_embed,         \
       long long in_stride, long long in_distance, long long *out_embed,       \
       long long out_stride, long long out_distance, int type,                 \
       long long batch, size_t *workspace_bytes))                              \
    X(set_stream, cufftSetStream, (hone_fft_handle h, hone_stream s))          \
    X(exec_c2c, cufftExecC2C,                                                  \
      (hone_fft_handle h, void *in, void *out, int direction))                 \
    X(exec_r2c, cufftExecR2C, (hone_fft_handle h, void *in, void *out))        \
    X(exec_c2r, cufftExecC2R, (hone_fft_handle h, void *in, void *out))        \
    X(exec_z2z, cufftExecZ2Z,                                                  \
      (hone_fft_handle h, void *in, void *out, int direction))                 \
    X(destroy, cufftDestroy, (hone_fft_handle h))

typedef struct hone_fft {
#define HONE_FFT_FIELD(field, symbol, parameters)                              \
    hone_fft_result(*field) parameters;
    HONE_FFT_MAP(HONE_FFT_FIELD)
#undef HONE_FFT_FIELD
} hone_fft;

/* The same for libcufft.so of version 12 or 11, or the file that
 * $HONE_CUFFT_LIBRARY names. */
hone_status hone__fft_get(const hone_fft **out, hone_error *err);

/* HONE_OK for 0; HONE_ERR_UNSUPPORTED for what cuFFT does not do,
 * HONE_ERR_NO_MEMORY, else HONE_ERR_CUDA: "WHAT failed: text (code)". */
hone_status hone__fft_check(hone_fft_result result, const char *what,
                            hone_error *err);

#endif
