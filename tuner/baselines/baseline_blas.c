/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines "cublas" (cublasGemmEx, default algorithm, tensor cores) and
 * "cublas.axpy" (cublasAxpyEx). The workspace is ours: cuBLAS would otherwise
 * allocate one per stream, which a graph capture does not allow. */
#include "tuner/baselines/baseline_kind.h"

#include "runtime/base/alloc.h"
#include "tuner/baselines/blas_api.h"

#include <limits.h>
#include <stdio.h>

typedef struct axpy {
    int n;
    int alpha, x, y; /* arguments */
    int type;        /* cudaDataType_t of all three */
} axpy;

typedef struct blas_state {
    const hone_blas *blas;
    hone_blas_handle handle;
    hone_cu_ptr workspace;
    hone_stream stream;
    int stream_set;
    hone_gemm gemm;
    axpy axpy;
} blas_state;

static hone_status open_handle(hone_baseline *self, hone_error *err)
{
    blas_state *const state = hone__alloc(sizeof *state);
    const hone_blas *blas;

    if (!state)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    self->state = state;
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
    return hone__driver_check(
        self->driver,
        self->driver->memory_alloc(&state->workspace,
                                   HONE_BASELINE_WORKSPACE_BYTES),
        "allocating the workspace of cuBLAS", err);
}

static void close_handle(hone_baseline *self)
{
    blas_state *const state = self->state;

    if (!state)
        return;
    if (state->handle)
        (void)state->blas->destroy(state->handle);
    if (state->workspace)
        (void)self->driver->memory_free(state->workspace);
    hone__free(state);
    self->state = NULL;
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
    hone_gemm gemm;

    HONE_TRY(hone__gemm_read(self->name, self->op, problem, &gemm, err));
    HONE_TRY(open_handle(self, err));
    ((blas_state *)self->state)->gemm = gemm;
    (void)snprintf(self->label, sizeof self->label,
                   "cuBLAS (cublasGemmEx, default algorithm)");
    return HONE_OK;
}

static hone_status gemm_enqueue(hone_baseline *self, size_t algorithm,
                                void *const *args, hone_stream stream,
                                hone_error *err)
{
    blas_state *const state = self->state;
    const hone_gemm *const g = &state->gemm;

    (void)algorithm;
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
static hone_status axpy_read(const hone_baseline *self,
                             const hone_resolved *problem, axpy *out,
                             hone_error *err)
{
    const hone_resolved_arg *const args = problem->args;
    axpy found;
    hone_type type;

    found.alpha = hone__baseline_find_arg(problem, "alpha");
    found.x = hone__baseline_find_arg(problem, "x");
    found.y = hone__baseline_find_arg(problem, "y");
    if (found.alpha < 0 || found.x < 0 || found.y < 0 ||
        args[found.alpha].mode != HONE_ARG_SCALAR ||
        args[found.x].mode != HONE_ARG_IN ||
        args[found.y].mode != HONE_ARG_INOUT)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "baseline '%s' cannot do operation '%s': it needs a "
                          "scalar alpha, an input x and an inout array y",
                          self->name, self->op);
    type = args[found.x].type;
    if ((type != HONE_TYPE_F32 && type != HONE_TYPE_F64) ||
        args[found.y].type != type || args[found.alpha].type != type)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "baseline '%s' cannot do operation '%s': it takes "
                          "alpha, x and y all of type f32 or all of f64",
                          self->name, self->op);
    if (args[found.x].count != args[found.y].count ||
        args[found.x].count > INT_MAX || args[found.x].count < 1)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "baseline '%s' cannot do operation '%s': it takes x "
                          "and y of one length below 2^31",
                          self->name, self->op);
    found.n = (int)args[found.x].count;
    found.type = type == HONE_TYPE_F64 ? HONE_CUDA_R_64F : HONE_CUDA_R_32F;
    *out = found;
    return HONE_OK;
}

static hone_status axpy_open(hone_baseline *self, const hone_resolved *problem,
                             hone_error *err)
{
    axpy found;

    HONE_TRY(axpy_read(self, problem, &found, err));
    HONE_TRY(open_handle(self, err));
    ((blas_state *)self->state)->axpy = found;
    (void)snprintf(self->label, sizeof self->label, "cuBLAS (cublasAxpyEx)");
    return HONE_OK;
}

static hone_status axpy_enqueue(hone_baseline *self, size_t algorithm,
                                void *const *args, hone_stream stream,
                                hone_error *err)
{
    blas_state *const state = self->state;
    const axpy *const p = &state->axpy;

    (void)algorithm;
    HONE_TRY(use_stream(state, stream, err));
    return hone__blas_check(
        state->blas,
        state->blas->axpy_ex(state->handle, p->n, args[p->alpha], p->type,
                             hone__baseline_pointer(args, p->x), p->type, 1,
                             hone__baseline_pointer(args, p->y), p->type, 1,
                             p->type),
        "cublasAxpyEx", err);
}

const hone_baseline_kind hone__baseline_cublas_gemm = {
    1, gemm_open, close_handle, gemm_enqueue};
const hone_baseline_kind hone__baseline_cublas_axpy = {
    1, axpy_open, close_handle, axpy_enqueue};
