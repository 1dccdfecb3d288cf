/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vendors' libraries as implementations of operations: found by
 * name, opened for one problem, enqueued with the arguments of the operation.
 * A launch plan names one in place of launches; the tuner's baselines are the
 * same functions.
 *
 * All slow work, also loading the library's kernels (hone__vendor_warm()), is
 * done when one is opened, in the context that is current then. Enqueueing is
 * thread-safe and takes a lock only where the library's handle asks for one. */
#ifndef HONE_RUNTIME_VENDOR_H
#define HONE_RUNTIME_VENDOR_H

#include "runtime/base/text.h"
#include "runtime/driver/driver.h"

#include <stdatomic.h>

enum {
    /* What cuBLAS and cuBLASLt get at most: NVIDIA's recommendation for
     * compute capability 9.0, and more than for older devices. */
    HONE_VENDOR_WORKSPACE_BYTES = 32 * 1024 * 1024,
    HONE_VENDOR_MOST_ALGORITHMS = 32, /* that a library is asked for */
    /* Arrays are taken to lie at such addresses; where they do not, the
     * library is asked for another algorithm. */
    HONE_VENDOR_ALIGN_BYTES = 16
};

/* The libraries' handles in one CUDA context: made when they are needed, kept
 * until it is closed, for captured graphs may use what is theirs. */
typedef struct hone_vendors hone_vendors;
hone_status hone__vendors_create(const hone_driver *driver, hone_vendors **out,
                                 hone_error *err);
/* The context is current, or `alive` 0 if it is gone: handles are left alone
 * then. NULL is a no-op. */
void hone__vendors_free(hone_vendors *vendors, int alive);

typedef struct hone_vendor hone_vendor;

/* How one function works. */
typedef struct hone_vendor_kind {
    size_t state_bytes; /* of self->state, zeroed before open() */
    /* Fills state, version, workspace_bytes and can_do_without; may leave
     * things half made when it fails, close() follows in any case. */
    hone_status (*open)(hone_vendor *self, const hone_resolved *problem,
                        const hone_vendor_algorithm *wanted, hone_error *err);
    void (*close)(hone_vendor *self);
    /* See hone__vendor_enqueue(). */
    hone_status (*enqueue)(hone_vendor *self, void *const *args,
                           hone_cu_ptr workspace, hone_stream stream,
                           hone_error *err);
    /* What the library proposes, in the order of ranks; all but `function`.
     * NULL: it has one algorithm alone. */
    hone_status (*algorithms)(hone_vendor *self, const hone_resolved *problem,
                              hone_vendor_algorithm *list, size_t most,
                              size_t *out_n, hone_error *err);
} hone_vendor_kind;

struct hone_vendor {
    const hone_vendor_kind *kind;
    hone_vendors *vendors;
    const char *name; /* of the table */
    const char *op;   /* borrowed, and valid in open() only */
    const char *library;
    void *state;
    size_t workspace_bytes; /* that a run is to bring */
    int can_do_without;     /* it runs without, too, by another algorithm */
    /* There was no memory for the workspace, and there is none asked for any
     * more. */
    _Atomic int does_without;
    int is_rehearsed; /* right now: what is captured goes */
    int64_t version;
    char note[160]; /* what is not as it was stored; "": nothing */
};

/* X(NAME, kind, library, what it is): what launch plans and templates call
 * them, and hone__vendor_KIND. */
#define HONE_VENDOR_MAP(X)                                                     \
    X("cublaslt.gemm", lt_gemm, "cuBLASLt",                                    \
      "cublasLtMatmul; arguments A, B, C, alpha, beta")                        \
    X("cublas.gemm", blas_gemm, "cuBLAS",                                      \
      "cublasGemmEx; arguments A, B, C, alpha, beta")                          \
    X("cublas.axpy", blas_axpy, "cuBLAS",                                      \
      "cublasAxpyEx; arguments alpha, x, y")                                   \
    X("cublas.dot", blas_dot, "cuBLAS", "cublasDotEx; arguments x, y, out")    \
    X("cublas.nrm2", blas_nrm2, "cuBLAS", "cublasNrm2Ex; arguments x, out")    \
    X("cublas.gemv", blas_gemv, "cuBLAS",                                      \
      "cublasSgemv and its like; arguments A, x, y, alpha, beta")              \
    X("cufft.c2c", fft_c2c, "cuFFT", "cufftExecC2C; arguments x, y of c32")    \
    X("cufft.c2c_2d", fft_images, "cuFFT",                                     \
      "cufftExecC2C of images; arguments x, y of c32")                         \
    X("cufft.r2c", fft_r2c, "cuFFT",                                           \
      "cufftExecR2C; arguments x of f32, y of c32")                            \
    X("cufft.c2r", fft_c2r, "cuFFT",                                           \
      "cufftExecC2R; arguments x of c32, y of f32")                            \
    X("cufft.filter", fft_filter, "cuFFT",                                     \
      "cuFFT forward, a multiplication by h, cuFFT back; arguments x, h, y")

#define HONE_VENDOR_DECLARE(name, kind, library, summary)                      \
    extern const hone_vendor_kind hone__vendor_##kind;
HONE_VENDOR_MAP(HONE_VENDOR_DECLARE)
#undef HONE_VENDOR_DECLARE

/* Open wanted->function for a problem of `op`. Its algorithm is taken where
 * the library has the version that proposed it, and may say no to it; else
 * the library is asked for the one at `rank`, or the first where it proposes
 * fewer, and `note` says what differs. HONE_ERR_NOT_FOUND: no such function;
 * HONE_ERR_UNSUPPORTED: its library is not on this machine, or it cannot do
 * this problem; HONE_ERR_NO_MEMORY, HONE_ERR_CUDA. `problem` is not kept. */
hone_status hone__vendor_open(hone_vendors *vendors, const char *op,
                              const hone_resolved *problem,
                              const hone_vendor_algorithm *wanted,
                              hone_vendor **out, hone_error *err);
void hone__vendor_close(hone_vendor *vendor); /* NULL is a no-op */

/* Have the library load its kernels now, which it otherwise does at the first
 * run, and which a stream that is captured may not allow: it is captured on a
 * stream of our own, and the graph thrown away. HONE_ERR_UNSUPPORTED: the
 * function refuses the problem after all; whatever else goes wrong is left to
 * the first run. */
hone_status hone__vendor_warm(hone_vendor *vendor, const hone_resolved *problem,
                              hone_error *err);

/* Enqueue one execution; `args` as for hone_plan_run(), no null pointer among
 * them, `workspace` of workspace_bytes; 0 if it can do without. */
static inline hone_status
hone__vendor_enqueue(hone_vendor *vendor, void *const *args,
                     hone_cu_ptr workspace, hone_stream stream, hone_error *err)
{
    return vendor->kind->enqueue(vendor, args, workspace, stream, err);
}

/* What the library proposes for a problem, in the order of ranks: the
 * library's, but for hone__lt_order(). At most `most` of
 * `list` are filled. Errors are those of hone__vendor_open(); there is at
 * least one otherwise. The lines of a launch plan for one of them. */
hone_status hone__vendor_algorithms(hone_vendors *vendors, const char *function,
                                    const char *op,
                                    const hone_resolved *problem,
                                    hone_vendor_algorithm *list, size_t most,
                                    size_t *out_n, hone_error *err);
void hone__vendor_lines(const hone_vendor_algorithm *wanted, hone_text *out);

/* The most algorithms that a library proposes for a function; 0: there is no
 * such function. */
int hone__vendor_n_algorithms(const char *function);

/* Name of number `i`, from 0, and what it is, a sentence; returns 0 after the
 * last. */
int hone__vendor_about(size_t i, const char **out_name,
                       const char **out_summary);

#endif
