/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines: vendor implementations of an operation, enqueued with the same
 * arguments as our kernels, so that they are timed and checked by the same
 * code in the same run. Runs in the device's worker, in its current context. */
#ifndef HONE_TUNER_BASELINE_H
#define HONE_TUNER_BASELINE_H

#include "runtime/driver/driver.h"
#include "runtime/launch/launch_spec.h"

typedef struct hone_baseline hone_baseline;

/* One kind of baseline. */
typedef struct hone_baseline_kind {
    /* 0: it only moves as many bytes as the operation declares (a memory
     * copy): time it, but do not check its result; it leaves the arguments
     * alone. */
    int computes;
    size_t state_bytes; /* of self->state, zeroed before open() */
    /* Fills label, state and n_algorithms; may leave things half made when it
     * fails, close() follows in any case. */
    hone_status (*open)(hone_baseline *self, const hone_resolved *problem,
                        hone_error *err);
    void (*close)(hone_baseline *self);
    /* See hone__baseline_enqueue(). */
    hone_status (*enqueue)(hone_baseline *self, void *const *args,
                           hone_stream stream, hone_error *err);
} hone_baseline_kind;

struct hone_baseline {
    const hone_baseline_kind *kind;
    const hone_driver *driver;
    const char *name; /* these two are borrowed and valid in open() only */
    const char *op;
    void *state;
    /* Some propose several algorithms (cuBLASLt): at least 1. The caller
     * times each and keeps the best. */
    size_t n_algorithms;
    size_t algorithm; /* the one that is enqueued */
    char label[160];  /* for tables: "cuBLAS (cublasGemmEx)" */
};

/* X(NAME, kind, what it is): what templates call them, and
 * hone__baseline_KIND. Every other name is looked for in plug-ins. Those with
 * a point in their names are functions, and serve as references too. */
#define HONE_BASELINE_MAP(X)                                                   \
    X("cublas", vendor, "cuBLAS, the same as cublas.gemm")                     \
    X("cublas.gemm", vendor, "cublasGemmEx; arguments A, B, C")                \
    X("cublas.axpy", vendor, "cublasAxpyEx; arguments alpha, x, y")            \
    X("cublas.dot", vendor, "cublasDotEx; arguments x, y, out")                \
    X("cublas.nrm2", vendor, "cublasNrm2Ex; arguments x, out")                 \
    X("cublas.gemv", vendor,                                                   \
      "cublasSgemv and its like; arguments A, x, y, alpha, beta")              \
    X("cublaslt", vendor,                                                      \
      "cuBLASLt, the fastest of its algorithms; as cublas")                    \
    X("cufft", vendor, "cuFFT, the same as cufft.c2c")                         \
    X("cufft.c2c", vendor, "cufftExecC2C; arguments x, y of c32")              \
    X("cufft.c2c_2d", vendor, "cufftExecC2C of images; arguments x, y of c32") \
    X("cufft.r2c", vendor, "cufftExecR2C; arguments x of f32, y of c32")       \
    X("cufft.c2r", vendor, "cufftExecC2R; arguments x of c32, y of f32")       \
    X("cufft.filter", vendor,                                                  \
      "cuFFT forward, a multiplication by h, cuFFT back; arguments x, h, y")   \
    X("memcpy", memcpy,                                                        \
      "a copy that moves the bytes of the work line; nothing is checked")

#define HONE_BASELINE_DECLARE(name, kind, summary)                             \
    extern const hone_baseline_kind hone__baseline_##kind;
HONE_BASELINE_MAP(HONE_BASELINE_DECLARE)
HONE_BASELINE_DECLARE("", plugin, "")
#undef HONE_BASELINE_DECLARE

/* Name of number `i`, from 0, and what it is, a sentence; returns 0 after the
 * last. Plug-ins are not among them. */
int hone__baseline_about(size_t i, const char **out_name,
                         const char **out_summary);

/* Open the baseline NAME ("cublas", "cublaslt", "memcpy", "cub.sum", ..) for
 * one problem. Handles, workspaces and plans are made here, nothing later.
 * HONE_ERR_NOT_FOUND: unknown name; HONE_ERR_UNSUPPORTED: known, but its
 * library is not on this machine or it cannot do this problem; the sentence
 * says which. */
hone_status hone__baseline_open(const char *name, const char *op,
                                const hone_resolved *problem,
                                const hone_driver *driver, hone_baseline **out,
                                hone_error *err);
void hone__baseline_close(hone_baseline *baseline);

/* Enqueue one execution of a hone_baseline; `args` as for hone_plan_run().
 * Capturable into a graph once the algorithm has run outside one: vendor
 * libraries load their kernels at the first run. */
hone_status hone__baseline_enqueue(void *baseline, void *const *args,
                                   hone_stream stream, hone_error *err);

#endif
