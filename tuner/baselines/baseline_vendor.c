/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines that are functions of vendors' libraries (runtime/vendor), each
 * of what the library proposes as one algorithm. One workspace serves all. */
#include "tuner/baselines/baseline.h"

#include "runtime/vendor/vendor.h"

#include <stdio.h>
#include <string.h>

/* What templates call them; a NULL label has the number of algorithms. */
static const struct row {
    const char *name;
    const char *function;
    const char *label;
} rows[] = {
    {"cublas", "cublas.gemm", "cuBLAS (cublasGemmEx, default algorithm)"},
    {"cublas.gemm", "cublas.gemm", "cuBLAS (cublasGemmEx, default algorithm)"},
    {"cublas.axpy", "cublas.axpy", "cuBLAS (cublasAxpyEx)"},
    {"cublas.dot", "cublas.dot", "cuBLAS (cublasDotEx)"},
    {"cublas.nrm2", "cublas.nrm2", "cuBLAS (cublasNrm2Ex)"},
    {"cublas.gemv", "cublas.gemv", "cuBLAS (cublasSgemv and its like)"},
    {"cublaslt", "cublaslt.gemm", NULL},
    {"cufft", "cufft.c2c", "cuFFT (cufftExecC2C)"},
    {"cufft.c2c", "cufft.c2c", "cuFFT (cufftExecC2C)"},
    {"cufft.c2c_2d", "cufft.c2c_2d", "cuFFT (cufftExecC2C)"},
    {"cufft.r2c", "cufft.r2c", "cuFFT (cufftExecR2C)"},
    {"cufft.c2r", "cufft.c2r", "cuFFT (cufftExecC2R)"},
    {"cufft.filter", "cufft.filter",
     "cuFFT, a filter kernel, cuFFT (cufftExecC2C)"},
};

typedef struct vendor_state {
    hone_vendors *vendors;
    hone_vendor *opened[HONE_VENDOR_MOST_ALGORITHMS];
    size_t n_opened;
    hone_cu_ptr workspace;
} vendor_state;

static const struct row *row_of(const char *name)
{
    size_t i = 0;

    while (i + 1 < sizeof rows / sizeof rows[0] && strcmp(rows[i].name, name))
        i++;
    return &rows[i];
}

static hone_status open_algorithms(hone_baseline *self,
                                   const hone_resolved *problem,
                                   const char *function, hone_error *err)
{
    hone_vendor_algorithm proposed[HONE_VENDOR_MOST_ALGORITHMS];
    vendor_state *const state = self->state;
    size_t n = 0;

    HONE_TRY(hone__vendor_algorithms(state->vendors, function, self->op,
                                     problem, proposed,
                                     HONE_VENDOR_MOST_ALGORITHMS, &n, err));
    for (size_t i = 0; i < n; i++) {
        HONE_TRY(hone__vendor_open(state->vendors, self->op, problem,
                                   &proposed[i], &state->opened[i], err));
        state->n_opened++;
    }
    self->n_algorithms = n;
    return HONE_OK;
}

static hone_status vendor_open(hone_baseline *self,
                               const hone_resolved *problem, hone_error *err)
{
    vendor_state *const state = self->state;
    const struct row *const row = row_of(self->name);
    size_t workspace_bytes = 0;
    char what[64];

    HONE_TRY(hone__vendors_create(self->driver, &state->vendors, err));
    HONE_TRY(open_algorithms(self, problem, row->function, err));
    for (size_t i = 0; i < state->n_opened; i++)
        if (state->opened[i]->workspace_bytes > workspace_bytes)
            workspace_bytes = state->opened[i]->workspace_bytes;
    if (row->label)
        (void)snprintf(self->label, sizeof self->label, "%s", row->label);
    else
        (void)snprintf(self->label, sizeof self->label,
                       "cuBLASLt (best of %zu heuristics)", self->n_algorithms);
    if (!workspace_bytes)
        return HONE_OK;
    (void)snprintf(what, sizeof what, "allocating the workspace of %s",
                   state->opened[0]->library);
    return hone__driver_check(
        self->driver,
        self->driver->memory_alloc(&state->workspace, workspace_bytes), what,
        err);
}

static void vendor_close(hone_baseline *self)
{
    vendor_state *const state = self->state;

    for (size_t i = 0; i < state->n_opened; i++)
        hone__vendor_close(state->opened[i]);
    hone__vendors_free(state->vendors, 1);
    if (state->workspace)
        (void)self->driver->memory_free(state->workspace);
}

static hone_status vendor_enqueue(hone_baseline *self, void *const *args,
                                  hone_stream stream, hone_error *err)
{
    const vendor_state *const state = self->state;

    return hone__vendor_enqueue(state->opened[self->algorithm], args,
                                state->workspace, stream, err);
}

const hone_baseline_kind hone__baseline_vendor = {
    1, sizeof(vendor_state), vendor_open, vendor_close, vendor_enqueue};
