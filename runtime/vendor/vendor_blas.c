/* SPDX-License-Identifier: Apache-2.0 */
/* cublas.gemm (cublasGemmEx and cublasGemmStridedBatchedEx, default algorithm,
 * tensor cores) and cublas.axpy (cublasAxpyEx). One handle for all, as setting
 * its stream is cheaper than a handle with memory of its own for each. The
 * workspace is the caller's: cuBLAS would otherwise allocate one per stream,
 * which a graph capture does not allow. */
#include "runtime/vendor/vendor_handles.h"

#include <limits.h>

typedef struct gemm_state {
    hone_vendor_blas *shared;
    hone_gemm gemm;
} gemm_state;

typedef struct axpy_state {
    hone_vendor_blas *shared;
    int n;
    int alpha, x, y; /* arguments */
    int type;        /* cudaDataType_t of all three */
} axpy_state;

static void nothing_to_close(hone_vendor *self)
{
    (void)self;
}

/* ---- matrix products ----------------------------------------------------- */

static hone_status gemm_open(hone_vendor *self, const hone_resolved *problem,
                             const hone_vendor_algorithm *wanted,
                             hone_error *err)
{
    gemm_state *const state = self->state;

    (void)wanted;
    HONE_TRY(hone__gemm_read(self->name, self->op, problem, &state->gemm, err));
    if (state->gemm.epilogue != HONE_LT_EPILOGUE_NONE || state->gemm.is_scaled)
        return hone__vendor_unfit(
            self->name, self->op,
            "nothing follows its products, and none is of 8-bit floats", err);
    HONE_TRY(hone__vendors_blas(self->vendors, &state->shared, err));
    self->version = state->shared->version;
    self->workspace_bytes = HONE_VENDOR_WORKSPACE_BYTES;
    return HONE_OK;
}

static hone_blas_result multiply(const gemm_state *state, void *const *args)
{
    const hone_vendor_blas *const shared = state->shared;
    const hone_gemm *const g = &state->gemm;
    const hone_gemm_factor *const l = &g->left;
    const hone_gemm_factor *const r = &g->right;
    const hone_gemm_scalar alpha = hone__gemm_alpha(g, args);
    const hone_gemm_scalar beta = hone__gemm_beta(g, args);
    void *const a = hone__vendor_pointer(args, g->a);
    void *const b = hone__vendor_pointer(args, g->b);
    void *const c = hone__vendor_pointer(args, g->c);

    if (g->batch == 1)
        return shared->blas->gemm_ex(shared->handle, l->op, r->op, g->n, g->m,
                                     g->k, &alpha, b, g->left_type, l->leading,
                                     a, g->right_type, r->leading, &beta, c,
                                     g->out_type, g->out.leading,
                                     g->compute_type, HONE_BLAS_GEMM_DEFAULT);
    return shared->blas->gemm_strided(
        shared->handle, l->op, r->op, g->n, g->m, g->k, &alpha, b, g->left_type,
        l->leading, l->stride, a, g->right_type, r->leading, r->stride, &beta,
        c, g->out_type, g->out.leading, g->out.stride, g->batch,
        g->compute_type, HONE_BLAS_GEMM_DEFAULT);
}

static hone_status gemm_enqueue(hone_vendor *self, void *const *args,
                                hone_cu_ptr workspace, hone_stream stream,
                                hone_error *err)
{
    const gemm_state *const state = self->state;
    hone_vendor_blas *const shared = state->shared;
    const hone_gemm *const g = &state->gemm;
    const uintptr_t in =
        hone__vendor_address(args, g->a) | hone__vendor_address(args, g->b);
    hone_status status;

    if (in % (unsigned)g->in_bytes ||
        hone__vendor_address(args, g->c) % (unsigned)g->out_bytes)
        return hone__vendor_misplaced(self, err);
    (void)pthread_mutex_lock(&shared->at.turn);
    status = hone__vendor_blas_use(shared, stream, workspace,
                                   self->workspace_bytes, err);
    if (status == HONE_OK)
        status = hone__blas_check(shared->blas, multiply(state, args),
                                  state->gemm.batch == 1
                                      ? "cublasGemmEx"
                                      : "cublasGemmStridedBatchedEx",
                                  err);
    (void)pthread_mutex_unlock(&shared->at.turn);
    return status;
}

/* ---- y = alpha*x + y of one type, f32 or f64 ----------------------------- */

static hone_status axpy_read(const hone_vendor *self,
                             const hone_resolved *problem, axpy_state *state,
                             hone_error *err)
{
    const int alpha = hone__vendor_find_arg(problem, "alpha");
    const int x = hone__vendor_find_arg(problem, "x");
    const int y = hone__vendor_find_arg(problem, "y");
    const hone_resolved_arg *const args = problem->args;
    hone_type type;

    if (alpha < 0 || x < 0 || y < 0 || args[alpha].mode != HONE_ARG_SCALAR ||
        args[x].mode != HONE_ARG_IN || args[y].mode != HONE_ARG_INOUT)
        return hone__vendor_unfit(
            self->name, self->op,
            "it needs a scalar alpha, an input x and an inout array y", err);
    type = args[x].type;
    if ((type != HONE_TYPE_F32 && type != HONE_TYPE_F64) ||
        args[y].type != type || args[alpha].type != type)
        return hone__vendor_unfit(
            self->name, self->op,
            "it takes alpha, x and y all of type f32 or all of f64", err);
    if (args[x].count != args[y].count || args[x].count > INT_MAX ||
        args[x].count < 1)
        return hone__vendor_unfit(self->name, self->op,
                                  "it takes x and y of one length below 2^31",
                                  err);
    state->n = (int)args[x].count;
    state->alpha = alpha;
    state->x = x;
    state->y = y;
    state->type = type == HONE_TYPE_F64 ? HONE_CUDA_R_64F : HONE_CUDA_R_32F;
    return HONE_OK;
}

static hone_status axpy_open(hone_vendor *self, const hone_resolved *problem,
                             const hone_vendor_algorithm *wanted,
                             hone_error *err)
{
    axpy_state *const state = self->state;

    (void)wanted;
    HONE_TRY(axpy_read(self, problem, state, err));
    HONE_TRY(hone__vendors_blas(self->vendors, &state->shared, err));
    self->version = state->shared->version;
    return HONE_OK;
}

static hone_status axpy_enqueue(hone_vendor *self, void *const *args,
                                hone_cu_ptr workspace, hone_stream stream,
                                hone_error *err)
{
    const axpy_state *const state = self->state;
    hone_vendor_blas *const shared = state->shared;
    const int type = state->type;
    const unsigned size_bytes = type == HONE_CUDA_R_64F ? 8 : 4;
    hone_status status;

    if ((hone__vendor_address(args, state->x) |
         hone__vendor_address(args, state->y)) %
        size_bytes)
        return hone__vendor_misplaced(self, err);
    (void)pthread_mutex_lock(&shared->at.turn);
    status = hone__vendor_blas_use(shared, stream, workspace, 0, err);
    if (status == HONE_OK)
        status = hone__blas_check(
            shared->blas,
            shared->blas->axpy_ex(shared->handle, state->n, args[state->alpha],
                                  type, hone__vendor_pointer(args, state->x),
                                  type, 1, hone__vendor_pointer(args, state->y),
                                  type, 1, type),
            "cublasAxpyEx", err);
    (void)pthread_mutex_unlock(&shared->at.turn);
    return status;
}

const hone_vendor_kind hone__vendor_blas_gemm = {
    sizeof(gemm_state), gemm_open, nothing_to_close, gemm_enqueue, NULL};
const hone_vendor_kind hone__vendor_blas_axpy = {
    sizeof(axpy_state), axpy_open, nothing_to_close, axpy_enqueue, NULL};
