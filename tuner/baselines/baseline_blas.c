/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines "cublas" (cublasGemmEx, default algorithm, tensor cores) and
 * "cublas.axpy" (cublasAxpyEx). The workspace is ours: cuBLAS would otherwise
 * allocate one per stream, which a graph capture does not allow. */
#include "tuner/baselines/baseline.h"

#include "tuner/baselines/vendor_problem.h"

#include <limits.h>
#include <stdio.h>

typedef struct blas_state {
    const hone_blas *blas;
    hone_blas_handle handle;
    hone_cu_ptr workspace;
    hone_stream stream;
    int stream_set;
    hone_gemm gemm;
    struct {
        int n;
        int alpha, x, y; /* arguments */
        int type;        /* cudaDataType_t of all three */
    } axpy;
} blas_state;

static hone_status open_handle(hone_baseline *self, const char *label,
                               hone_error *err)
{
    blas_state *const state = self->state;
    const hone_blas *blas;

    HONE_TRY(hone__blas_get(&state->blas, err));
    blas = state->blas;
    HONE_TRY(hone__blas_check(blas, blas->create(&state->handle),
                              "cublasCreate", err));
    HONE_TRY(hone__blas_check(
        blas,
        blas->set_pointer_mode(state->handle, HONE_BLAS_POINTER_MODE_HOST),
        "cublasSetPointerMode", err));
    HONE_TRY(hone__blas_check(
        blas, blas->set_math_mode(state->handle, HONE_BLAS_DEFAULT_MATH),
        "cublasSetMathMode", err));
    (void)snprintf(self->label, sizeof self->label, "%s", label);
    return hone__driver_check(
        self->driver,
        self->driver->memory_alloc(&state->workspace,
                                   HONE_BASELINE_WORKSPACE_BYTES),
        "allocating the workspace of cuBLAS", err);
}

static void close_handle(hone_baseline *self)
{
    const blas_state *const state = self->state;

    if (state->handle)
        (void)state->blas->destroy(state->handle);
    if (state->workspace)
        (void)self->driver->memory_free(state->workspace);
}

/* Setting a stream puts cuBLAS's own workspace back, so ours follows. */
static hone_status use_stream(blas_state *state, hone_stream stream,
                              hone_error *err)
{
    const hone_blas *const blas = state->blas;

    if (state->stream_set && state->stream == stream)
        return HONE_OK;
    state->stream_set = 0;
    HONE_TRY(hone__blas_check(blas, blas->set_stream(state->handle, stream),
                              "cublasSetStream", err));
    HONE_TRY(hone__blas_check(
        blas,
        blas->set_workspace(state->handle, (void *)(uintptr_t)state->workspace,
                            HONE_BASELINE_WORKSPACE_BYTES),
        "cublasSetWorkspace", err));
    state->stream = stream;
    state->stream_set = 1;
    return HONE_OK;
}

static hone_status gemm_open(hone_baseline *self, const hone_resolved *problem,
                             hone_error *err)
{
    blas_state *const state = self->state;

    HONE_TRY(hone__gemm_read(self->name, self->op, problem, &state->gemm, err));
    return open_handle(self, "cuBLAS (cublasGemmEx, default algorithm)", err);
}

static hone_status gemm_enqueue(hone_baseline *self, void *const *args,
                                hone_stream stream, hone_error *err)
{
    blas_state *const state = self->state;
    const hone_gemm *const g = &state->gemm;

    HONE_TRY(use_stream(state, stream, err));
    return hone__blas_check(
        state->blas,
        state->blas->gemm_ex(
            state->handle, g->left.op, g->right.op, g->n, g->m, g->k,
            hone__gemm_alpha(g, args), hone__baseline_pointer(args, g->b),
            g->in_type, g->left.rows, hone__baseline_pointer(args, g->a),
            g->in_type, g->right.rows, hone__gemm_beta(g, args),
            hone__baseline_pointer(args, g->c), g->out_type, g->n,
            g->compute_type, HONE_BLAS_GEMM_DEFAULT),
        "cublasGemmEx", err);
}

/* y = alpha*x + y of one type, f32 or f64. */
static hone_status axpy_open(hone_baseline *self, const hone_resolved *problem,
                             hone_error *err)
{
    blas_state *const state = self->state;
    const int alpha = hone__baseline_find_arg(problem, "alpha");
    const int x = hone__baseline_find_arg(problem, "x");
    const int y = hone__baseline_find_arg(problem, "y");
    const hone_resolved_arg *const args = problem->args;
    hone_type type;

    if (alpha < 0 || x < 0 || y < 0 || args[alpha].mode != HONE_ARG_SCALAR ||
        args[x].mode != HONE_ARG_IN || args[y].mode != HONE_ARG_INOUT)
        return hone__baseline_unfit(
            self->name, self->op,
            "it needs a scalar alpha, an input x and an inout array y", err);
    type = args[x].type;
    if ((type != HONE_TYPE_F32 && type != HONE_TYPE_F64) ||
        args[y].type != type || args[alpha].type != type)
        return hone__baseline_unfit(
            self->name, self->op,
            "it takes alpha, x and y all of type f32 or all of f64", err);
    if (args[x].count != args[y].count || args[x].count > INT_MAX ||
        args[x].count < 1)
        return hone__baseline_unfit(self->name, self->op,
                                    "it takes x and y of one length below 2^31",
                                    err);
    state->axpy.n = (int)args[x].count;
    state->axpy.alpha = alpha;
    state->axpy.x = x;
    state->axpy.y = y;
    state->axpy.type =
        type == HONE_TYPE_F64 ? HONE_CUDA_R_64F : HONE_CUDA_R_32F;
    return open_handle(self, "cuBLAS (cublasAxpyEx)", err);
}

static hone_status axpy_enqueue(hone_baseline *self, void *const *args,
                                hone_stream stream, hone_error *err)
{
    blas_state *const state = self->state;
    const int n = state->axpy.n;
    const int type = state->axpy.type;

    HONE_TRY(use_stream(state, stream, err));
    return hone__blas_check(
        state->blas,
        state->blas->axpy_ex(state->handle, n, args[state->axpy.alpha], type,
                             hone__baseline_pointer(args, state->axpy.x), type,
                             1, hone__baseline_pointer(args, state->axpy.y),
                             type, 1, type),
        "cublasAxpyEx", err);
}

const hone_baseline_kind hone__baseline_cublas_gemm = {
    1, sizeof(blas_state), gemm_open, close_handle, gemm_enqueue};
const hone_baseline_kind hone__baseline_cublas_axpy = {
    1, sizeof(blas_state), axpy_open, close_handle, axpy_enqueue};
