/* SPDX-License-Identifier: Apache-2.0 */
/* cublas.gemv: y = alpha*op(A)*x + beta*y by cublasSgemv and cublasDgemv, of
 * batches and of 16 bits, which are added in f32, by the functions for batches
 * at strides. A row-major matrix is the transpose of a column-major one. */
#include "runtime/vendor/vendor_handles.h"

#include <limits.h>

typedef hone_blas_result gemv_one HONE_BLAS_GEMV;
typedef hone_blas_result gemv_strided HONE_BLAS_GEMV_STRIDED;

typedef struct gemv_state {
    hone_vendor_blas *shared;
    int rows, columns, leading, batch; /* of A, column-major */
    int op;
    long long a_stride, x_stride, y_stride;
    int a, x, y, alpha, beta; /* arguments */
    hone_type type;           /* of the arrays */
    hone_type scalar_type;
    unsigned size_bytes; /* of an element */
} gemv_state;

static int is_array(const hone_resolved_arg *arg, hone_arg_mode mode,
                    hone_type type, int64_t one, int64_t stride, int64_t batch)
{
    int64_t count;

    return arg->mode == mode && arg->type == type && stride >= 0 &&
           !__builtin_mul_overflow(batch - 1, stride, &count) &&
           !__builtin_add_overflow(count, one, &count) && arg->count == count;
}

static hone_status read_types(const hone_vendor *self,
                              const hone_resolved_arg *args, gemv_state *state,
                              hone_error *err)
{
    static const struct {
        hone_type type;
        unsigned size_bytes;
    } known[] = {{HONE_TYPE_F32, 4},
                 {HONE_TYPE_F64, 8},
                 {HONE_TYPE_F16, 2},
                 {HONE_TYPE_BF16, 2}};
    const hone_resolved_arg *const alpha = &args[state->alpha];

    state->type = args[state->a].type;
    state->scalar_type = alpha->type;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].type == state->type)
            state->size_bytes = known[i].size_bytes;
    if (!state->size_bytes || alpha->mode != HONE_ARG_SCALAR ||
        args[state->beta].mode != HONE_ARG_SCALAR ||
        args[state->beta].type != alpha->type ||
        (alpha->type != HONE_TYPE_F32 && alpha->type != HONE_TYPE_F64))
        return hone__vendor_unfit(self->name, self->op,
                                  "it takes arrays of f32, f64, f16 or bf16, "
                                  "and alpha and beta both f32 or both f64",
                                  err);
    return HONE_OK;
}

/* M x N as it is stored, row-major. */
static hone_status read_shape(const hone_vendor *self,
                              const hone_resolved *problem, gemv_state *state,
                              hone_error *err)
{
    const hone_resolved_arg *const args = problem->args;
    const int64_t m = problem->dims[0], n = problem->dims[1];
    const int64_t trans = hone__vendor_dim_or(problem, "TRANS", 0);
    const int64_t batch = hone__vendor_dim_or(problem, "BATCH", 1);
    const int64_t lda = hone__vendor_dim_or(problem, "LDA", n);
    const int64_t in = trans ? m : n, out = trans ? n : m;
    const int64_t x_stride = hone__vendor_dim_or(problem, "STRIDE_X", in);
    const int64_t y_stride = hone__vendor_dim_or(problem, "STRIDE_Y", out);
    int64_t a_stride;

    if (m < 1 || n < 1 || batch < 1 || m > INT_MAX || n > INT_MAX || lda < n ||
        lda > INT_MAX || batch > INT_MAX)
        return hone__vendor_unfit(
            self->name, self->op,
            "its dimensions are 32-bit numbers of at least 1", err);
    a_stride = hone__vendor_dim_or(problem, "STRIDE_A", m * lda);
    if (!is_array(&args[state->a], HONE_ARG_IN, state->type, (m - 1) * lda + n,
                  a_stride, batch) ||
        !is_array(&args[state->x], HONE_ARG_IN, state->type, in, x_stride,
                  batch) ||
        !is_array(&args[state->y], HONE_ARG_INOUT, state->type, out, y_stride,
                  batch))
        return hone__vendor_unfit(
            self->name, self->op,
            "it needs inputs A and x and an inout y of one type, as large as "
            "its dimensions say",
            err);
    state->rows = (int)n;
    state->columns = (int)m;
    state->leading = (int)lda;
    state->batch = (int)batch;
    state->op = trans ? HONE_BLAS_OP_N : HONE_BLAS_OP_T;
    state->a_stride = a_stride;
    state->x_stride = x_stride;
    state->y_stride = y_stride;
    return HONE_OK;
}

static hone_status gemv_open(hone_vendor *self, const hone_resolved *problem,
                             const hone_vendor_algorithm *wanted,
                             hone_error *err)
{
    gemv_state *const state = self->state;

    (void)wanted;
    state->a = hone__vendor_find_arg(problem, "A");
    state->x = hone__vendor_find_arg(problem, "x");
    state->y = hone__vendor_find_arg(problem, "y");
    state->alpha = hone__vendor_find_arg(problem, "alpha");
    state->beta = hone__vendor_find_arg(problem, "beta");
    if (state->a < 0 || state->x < 0 || state->y < 0 || state->alpha < 0 ||
        state->beta < 0 || problem->n_dims < 2)
        return hone__vendor_unfit(self->name, self->op,
                                  "it needs arrays A, x and y, scalars alpha "
                                  "and beta, and dimensions that begin with "
                                  "M, N",
                                  err);
    HONE_TRY(read_types(self, problem->args, state, err));
    HONE_TRY(read_shape(self, problem, state, err));
    HONE_TRY(hone__vendors_blas(self->vendors, &state->shared, err));
    self->version = state->shared->version;
    self->workspace_bytes = HONE_VENDOR_WORKSPACE_BYTES;
    return HONE_OK;
}

static void nothing_to_close(hone_vendor *self)
{
    (void)self;
}

/* A scalar of the call as the library wants it: f64 with f64, else f32. */
typedef union scalar {
    float f32;
    double f64;
} scalar;

static scalar read_scalar(const gemv_state *state, const void *of_call)
{
    double value;
    float as_f32;

    if (state->scalar_type == HONE_TYPE_F64) {
        memcpy(&value, of_call, sizeof value);
    } else {
        memcpy(&as_f32, of_call, sizeof as_f32);
        value = (double)as_f32;
    }
    if (state->type == HONE_TYPE_F64)
        return (scalar){.f64 = value};
    return (scalar){.f32 = (float)value};
}

static hone_blas_result multiply(const gemv_state *s, void *const *args)
{
    const hone_blas *const blas = s->shared->blas;
    const hone_blas_handle h = s->shared->handle;
    const scalar alpha = read_scalar(s, args[s->alpha]);
    const scalar beta = read_scalar(s, args[s->beta]);
    const void *const a = hone__vendor_pointer(args, s->a);
    const void *const x = hone__vendor_pointer(args, s->x);
    void *const y = hone__vendor_pointer(args, s->y);
    gemv_one *const one = s->type == HONE_TYPE_F64   ? blas->gemv_f64
                          : s->type == HONE_TYPE_F32 ? blas->gemv_f32
                                                     : NULL;
    gemv_strided *const strided =
        s->type == HONE_TYPE_F64   ? blas->gemv_f64_strided
        : s->type == HONE_TYPE_F32 ? blas->gemv_f32_strided
        : s->type == HONE_TYPE_F16 ? blas->gemv_f16_strided
                                   : blas->gemv_bf16_strided;

    if (one && s->batch == 1)
        return one(h, s->op, s->rows, s->columns, &alpha, a, s->leading, x, 1,
                   &beta, y, 1);
    return strided(h, s->op, s->rows, s->columns, &alpha, a, s->leading,
                   s->a_stride, x, 1, s->x_stride, &beta, y, 1, s->y_stride,
                   s->batch);
}

static hone_status gemv_enqueue(hone_vendor *self, void *const *args,
                                hone_cu_ptr workspace, hone_stream stream,
                                hone_error *err)
{
    const gemv_state *const state = self->state;
    hone_vendor_blas *const shared = state->shared;
    hone_status status;

    if ((hone__vendor_address(args, state->a) |
         hone__vendor_address(args, state->x) |
         hone__vendor_address(args, state->y)) %
        state->size_bytes)
        return hone__vendor_misplaced(self, err);
    (void)pthread_mutex_lock(&shared->at.turn);
    status = hone__vendor_blas_use(shared, stream, workspace,
                                   self->workspace_bytes, err);
    if (status == HONE_OK)
        status = hone__blas_check(
            shared->blas, multiply(state, args),
            state->batch == 1 ? "cublasTgemv" : "cublasTgemvStridedBatched",
            err);
    (void)pthread_mutex_unlock(&shared->at.turn);
    return status;
}

const hone_vendor_kind hone__vendor_blas_gemv = {
    sizeof(gemv_state), gemv_open, nothing_to_close, gemv_enqueue, NULL};
