/* SPDX-License-Identifier: Apache-2.0 */
/* Problems as vendors' libraries want them: matrix products for cuBLAS and
 * cuBLASLt, Fourier transforms for cuFFT. Reading one, HONE_ERR_UNSUPPORTED
 * says what does not fit; `who` is the function's name, for messages. */
#ifndef HONE_RUNTIME_VENDOR_PROBLEM_H
#define HONE_RUNTIME_VENDOR_PROBLEM_H

#include "runtime/launch/launch_spec.h"
#include "runtime/vendor/vendor_api.h"

#include <string.h>

/* A factor as cuBLAS sees it: column-major, rows x columns, taken as it is or
 * transposed. */
typedef struct hone_gemm_factor {
    int rows;
    int columns;
    int leading;    /* from a column to the next */
    int64_t stride; /* from a matrix of the batch to the next */
    int op;         /* cublasOperation_t */
} hone_gemm_factor;

/* What of a problem cuBLASLt has in the description of the operation. */
enum {
    HONE_GEMM_BIAS,
    HONE_GEMM_LEFT_SCALE,
    HONE_GEMM_RIGHT_SCALE,
    HONE_GEMM_N_GIVEN
};

/* C = alpha*op(A)*op(B) + beta*C, row-major, as cuBLAS sees it: left*right,
 * N x M. */
typedef struct hone_gemm {
    int m, n, k;
    int batch;
    hone_gemm_factor left;  /* from B */
    hone_gemm_factor right; /* from A */
    hone_gemm_factor out;   /* C; its op says nothing */
    int a, b, c;            /* arguments */
    int alpha, beta;        /* arguments, or -1 for the constants 1 and 0 */
    /* Arguments that a run tells the library, or -1: none. */
    int given[HONE_GEMM_N_GIVEN];
    int epilogue;   /* cublasLtEpilogue_t */
    int left_type;  /* cudaDataType_t of B */
    int right_type; /* of A */
    int out_type;
    int is_scaled; /* 8-bit floats: 1 and SCALES */
    int fast;      /* and FAST */
    int adds;      /* beta may be other than 0: ADD */
    int in_bytes;  /* of an element */
    int out_bytes;
    int compute_type;
    int scale_type;        /* cudaDataType_t of alpha and beta as it has them */
    hone_type scalar_type; /* as callers have them */
} hone_gemm;

/* alpha or beta as the library has it. */
typedef union hone_gemm_scalar {
    float f32;
    double f64;
    int32_t i32;
    float c32[2];
} hone_gemm_scalar;

/* A problem whose arguments are called A, B, C and, maybe, alpha and beta, and
 * whose dimensions begin with M, N, K. What it has of the following, by name:
 * TRANS_A and TRANS_B, not 0 where A is stored K x M, B N x K, 2 where the
 * conjugate is taken; EPILOGUE, as templates/gemm/gemm.cuh has it; LDA, LDB and
 * LDC, elements from a row to the next; BATCH matrices, STRIDE_A, STRIDE_B and
 * STRIDE_C elements from one to the next. Without them matrices are dense and
 * one. Arrays are as large as that, and not larger; that called bias has N
 * elements of C's type. Of 8-bit floats, whose types may differ: scale_a and
 * scale_b, f32, one each, or with SCALES = 2 M and N; FAST, not 0 where sums
 * may be kept in what tensor cores add up in. */
hone_status hone__gemm_read(const char *who, const char *op,
                            const hone_resolved *problem, hone_gemm *out,
                            hone_error *err);
/* The scalars of a call: 1 and 0 where there are none. */
hone_gemm_scalar hone__gemm_alpha(const hone_gemm *gemm, void *const *args);
hone_gemm_scalar hone__gemm_beta(const hone_gemm *gemm, void *const *args);
/* What 16-byte alignment of A, B and C leaves of the alignment of all rows and
 * all matrices of the batch, bytes: a power of two. */
unsigned hone__gemm_alignment(const hone_gemm *gemm, const hone_gemm_factor *x,
                              int element_bytes);

/* Index of the argument called `name`, or -1. */
int hone__vendor_find_arg(const hone_resolved *problem, const char *name);
/* The dimension called `name`, or `otherwise` if there is none. */
int64_t hone__vendor_dim_or(const hone_resolved *problem, const char *name,
                            int64_t otherwise);
/* Fails: "'WHO' cannot do operation 'OP': WHY". */
hone_status hone__vendor_unfit(const char *who, const char *op, const char *why,
                               hone_error *err);
/* Device pointer of the array at `index` of a call's arguments. */
static inline void *hone__vendor_pointer(void *const *args, int index)
{
    uint64_t pointer;

    memcpy(&pointer, args[index], sizeof pointer);
    return (void *)(uintptr_t)pointer;
}

/* What an operation does with transforms. */
typedef enum hone_fft_form {
    HONE_FFT_FORM_C2C,
    HONE_FFT_FORM_FILTER, /* c2c there and back */
    HONE_FFT_FORM_R2C,
    HONE_FFT_FORM_C2R,
    HONE_FFT_FORM_2D /* c2c */
} hone_fft_form;

typedef struct hone_fft_problem {
    hone_fft_form form;
    int64_t rows; /* of an image; 1 if there are none */
    int64_t n;
    int64_t batch;
    int64_t stride;   /* from one number of a transform to the next */
    int64_t distance; /* from a transform to the next */
    int direction;    /* HONE_FFT_FORWARD or HONE_FFT_INVERSE */
    int x, y, h;      /* arguments; h -1 without a filter */
} hone_fft_problem;

/* A problem whose arguments are x and y, c32 of n*batch numbers, and whose
 * dimensions are n and, as far as there are any, batch and direction (2:
 * inverse). Plain transforms may have dimensions called STRIDE (1) and
 * DISTANCE (n*STRIDE): number k of transform b stands at b*DISTANCE +
 * k*STRIDE, and the arrays end with the last one. Filters have h, n numbers.
 * Of transforms from or to real numbers one array is f32, and the other has
 * n/2 + 1 numbers for each. Those of images begin with rows and columns, batch
 * and direction follow. */
hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, hone_fft_form form,
                           hone_fft_problem *out, hone_error *err);

/* One transform after the other, without gaps. */
static inline int hone__fft_is_dense(const hone_fft_problem *problem)
{
    return problem->stride == 1 &&
           problem->distance == problem->rows * problem->n;
}

typedef struct hone_fft_plan {
    const hone_fft *fft;
    hone_fft_handle handle; /* HONE_FFT_NO_HANDLE: none */
} hone_fft_plan;

/* The type of its plan, in f32. */
static inline int hone__fft_type(const hone_fft_problem *problem)
{
    return problem->form == HONE_FFT_FORM_R2C   ? HONE_FFT_R2C
           : problem->form == HONE_FFT_FORM_C2R ? HONE_FFT_C2R
                                                : HONE_FFT_C2C;
}

/* For the whole batch; `type` is that of the form, or HONE_FFT_Z2Z for c2c.
 * `out_workspace_bytes`: what the caller brings with work_area() before it
 * runs; NULL: cuFFT allocates it. */
hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, size_t *out_workspace_bytes,
                                hone_error *err);
/* Of one that was opened, or is {0}. */
void hone__fft_plan_close(hone_fft_plan *plan);

#endif
