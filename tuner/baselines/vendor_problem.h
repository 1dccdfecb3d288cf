/* SPDX-License-Identifier: Apache-2.0 */
/* Problems as vendors' libraries want them: matrix products for cuBLAS and
 * cuBLASLt, Fourier transforms for cuFFT. Reading one, HONE_ERR_UNSUPPORTED
 * says what does not fit; `who` is the baseline's name, for messages. */
#ifndef HONE_TUNER_VENDOR_PROBLEM_H
#define HONE_TUNER_VENDOR_PROBLEM_H

#include "runtime/launch/launch_spec.h"
#include "tuner/baselines/vendor_api.h"

/* Bytes of workspace that cuBLAS and cuBLASLt get: what NVIDIA recommends for
 * compute capability 9.0, and more than it recommends for older devices. */
enum { HONE_BASELINE_WORKSPACE_BYTES = 32 * 1024 * 1024 };

/* A factor as cuBLAS sees it: column-major, rows x columns, taken as it is or
 * transposed. */
typedef struct hone_gemm_factor {
    int rows; /* also the distance of its columns */
    int columns;
    int op; /* cublasOperation_t */
} hone_gemm_factor;

/* C = alpha*op(A)*op(B) + beta*C, row-major, as cuBLAS sees it: left*right,
 * N x M. */
typedef struct hone_gemm {
    int m, n, k;
    hone_gemm_factor left;  /* from B */
    hone_gemm_factor right; /* from A */
    int a, b, c;            /* arguments */
    int alpha, beta;        /* arguments, or -1 for the constants 1 and 0 */
    int in_type;            /* cudaDataType_t of A and B */
    int out_type;
    int compute_type;
} hone_gemm;

/* A problem whose arguments are called A, B, C and, maybe, alpha and beta, and
 * whose first dimensions are M, N, K. Dimensions called TRANS_A and TRANS_B
 * that are not 0 say that A is K x M, B is N x K. */
hone_status hone__gemm_read(const char *who, const char *op,
                            const hone_resolved *problem, hone_gemm *out,
                            hone_error *err);
/* Host addresses of the scalars of a call. */
const void *hone__gemm_alpha(const hone_gemm *gemm, void *const *args);
const void *hone__gemm_beta(const hone_gemm *gemm, void *const *args);

typedef struct hone_fft_problem {
    int64_t n;
    int64_t batch;
    int direction; /* HONE_FFT_FORWARD or HONE_FFT_INVERSE */
    int x, y, h;   /* arguments; h -1 without a filter */
} hone_fft_problem;

/* A problem whose arguments are x and y, c32 of n*batch numbers (and h, n
 * numbers, with `is_filter`), and whose dimensions are n and, as far as there
 * are any, batch and direction (2: inverse). */
hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, int is_filter,
                           hone_fft_problem *out, hone_error *err);

typedef struct hone_fft_plan {
    const hone_fft *fft;
    hone_fft_handle handle; /* HONE_FFT_NO_HANDLE: none */
} hone_fft_plan;

/* For the whole batch, one transform after the other; `type` is
 * HONE_FFT_C2C or HONE_FFT_Z2Z. */
hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, hone_error *err);
/* Of one that was opened, or is {0}. */
void hone__fft_plan_close(hone_fft_plan *plan);

#endif
