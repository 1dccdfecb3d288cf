/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the baselines share: one record of functions per kind of
 * baseline, the opened baseline, and the reading of its problem. */
#ifndef HONE_TUNER_BASELINE_KIND_H
#define HONE_TUNER_BASELINE_KIND_H

#include "tuner/baselines/baseline.h"

typedef struct hone_baseline_kind {
    int computes; /* see hone__baseline_computes() */
    /* Fills label, state and n_algorithms; may leave things half made when it
     * fails, close() follows in any case. */
    hone_status (*open)(hone_baseline *self, const hone_resolved *problem,
                        hone_error *err);
    void (*close)(hone_baseline *self);
    hone_status (*enqueue)(hone_baseline *self, size_t algorithm,
                           void *const *args, hone_stream stream,
                           hone_error *err);
} hone_baseline_kind;

struct hone_baseline {
    const hone_baseline_kind *kind;
    const hone_driver *driver;
    const char *name; /* these two are borrowed and valid in open() only */
    const char *op;
    void *state; /* freed by close() */
    size_t n_algorithms;
    char label[160];
};

/* X(NAME, kind, what it is): what templates call them, and
 * hone__baseline_KIND. Every other name is looked for in plug-ins. Those with
 * a point in their names are functions, and serve as references too. */
#define HONE_BASELINE_MAP(X)                                                   \
    X("cublas", cublas_gemm, "cuBLAS, the same as cublas.gemm")                \
    X("cublas.gemm", cublas_gemm, "cublasGemmEx; arguments A, B, C")           \
    X("cublas.axpy", cublas_axpy,                                              \
      "cublasSaxpy or cublasDaxpy; arguments alpha, x, y")                     \
    X("cublaslt", cublaslt,                                                    \
      "cuBLASLt, the fastest of its algorithms; as cublas")                    \
    X("cufft", cufft, "cuFFT, the same as cufft.c2c")                          \
    X("cufft.c2c", cufft, "cufftExecC2C; arguments x, y of c32")               \
    X("cufft.filter", cufft_filter,                                            \
      "cuFFT forward, a multiplication by h, cuFFT back; arguments x, h, y")   \
    X("memcpy", memcpy,                                                        \
      "a copy that moves the bytes of the work line; nothing is checked")

#define HONE_BASELINE_DECLARE(name, kind, summary)                             \
    extern const hone_baseline_kind hone__baseline_##kind;
HONE_BASELINE_MAP(HONE_BASELINE_DECLARE)
HONE_BASELINE_DECLARE("", plugin, "")
#undef HONE_BASELINE_DECLARE

/* Bytes of workspace that cuBLAS and cuBLASLt get: what NVIDIA recommends for
 * compute capability 9.0, and more than it recommends for older devices. */
enum { HONE_BASELINE_WORKSPACE_BYTES = 32 * 1024 * 1024 };

/* Index of the argument called `name`, or -1. */
int hone__baseline_find_arg(const hone_resolved *problem, const char *name);

/* Device pointer of the array at `index` of a call's arguments. */
void *hone__baseline_pointer(void *const *args, int index);

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

/* Read a problem whose arguments are called A, B, C and, maybe, alpha and
 * beta, and whose first dimensions are M, N, K. Dimensions called TRANS_A and
 * TRANS_B that are not 0 say that A is K x M, B is N x K.
 * HONE_ERR_UNSUPPORTED says what does not fit. `who` is the baseline's name,
 * for messages. */
hone_status hone__gemm_read(const char *who, const char *op,
                            const hone_resolved *problem, hone_gemm *out,
                            hone_error *err);

/* Host addresses of the scalars of a call. */
const void *hone__gemm_alpha(const hone_gemm *gemm, void *const *args);
const void *hone__gemm_beta(const hone_gemm *gemm, void *const *args);

#endif
