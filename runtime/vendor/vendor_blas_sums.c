/* SPDX-License-Identifier: Apache-2.0 */
/* cublas.dot (cublasDotEx) and cublas.nrm2 (cublasNrm2Ex): one number of one or
 * two vectors, written on the device. 16-bit elements are added in f32. */
#include "runtime/base/type.h"
#include "runtime/vendor/vendor_handles.h"

#include <limits.h>

typedef struct sums_state {
    hone_vendor_blas *shared;
    int n;
    int x, y, out; /* arguments; without a second vector y is -1 */
    int type;      /* cudaDataType_t of all of them */
    int sum_type;
    unsigned size_bytes;
} sums_state;

static int set_type(sums_state *state, hone_type type)
{
    static const struct {
        hone_type type;
        int code, sum_code;
    } known[] = {
        {HONE_TYPE_F32, HONE_CUDA_R_32F, HONE_CUDA_R_32F},
        {HONE_TYPE_F64, HONE_CUDA_R_64F, HONE_CUDA_R_64F},
        {HONE_TYPE_F16, HONE_CUDA_R_16F, HONE_CUDA_R_32F},
        {HONE_TYPE_BF16, HONE_CUDA_R_16BF, HONE_CUDA_R_32F},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].type == type) {
            state->type = known[i].code;
            state->sum_type = known[i].sum_code;
            state->size_bytes = (unsigned)hone__type_size_bytes(type);
            return 1;
        }
    return 0;
}

static int is_vector(const hone_resolved *problem, int arg, hone_arg_mode mode)
{
    return arg >= 0 && problem->args[arg].mode == mode;
}

static hone_status read_sums(const hone_vendor *self,
                             const hone_resolved *problem, int with_y,
                             sums_state *state, hone_error *err)
{
    const hone_resolved_arg *const args = problem->args;
    const int x = hone__vendor_find_arg(problem, "x");
    const int y = with_y ? hone__vendor_find_arg(problem, "y") : x;
    const int out = hone__vendor_find_arg(problem, "out");

    if (!is_vector(problem, x, HONE_ARG_IN) ||
        !is_vector(problem, y, HONE_ARG_IN) ||
        !is_vector(problem, out, HONE_ARG_OUT) || args[out].count != 1)
        return hone__vendor_unfit(
            self->name, self->op,
            with_y ? "it needs inputs x and y and an output of one element"
                   : "it needs an input x and an output of one element",
            err);
    if (!set_type(state, args[x].type) || args[y].type != args[x].type ||
        args[out].type != args[x].type)
        return hone__vendor_unfit(self->name, self->op,
                                  "it takes f32, f64, f16 and bf16, one type "
                                  "for all",
                                  err);
    if (args[x].count != args[y].count || args[x].count > INT_MAX ||
        args[x].count < 1)
        return hone__vendor_unfit(self->name, self->op,
                                  "it takes vectors of one length below 2^31",
                                  err);
    state->n = (int)args[x].count;
    state->x = x;
    state->y = with_y ? y : -1;
    state->out = out;
    return HONE_OK;
}

static hone_status open_sums(hone_vendor *self, const hone_resolved *problem,
                             int with_y, hone_error *err)
{
    sums_state *const state = self->state;

    HONE_TRY(read_sums(self, problem, with_y, state, err));
    HONE_TRY(hone__vendors_blas(self->vendors, &state->shared, err));
    self->version = state->shared->version;
    self->workspace_bytes = HONE_VENDOR_WORKSPACE_BYTES;
    return HONE_OK;
}

static hone_status dot_open(hone_vendor *self, const hone_resolved *problem,
                            const hone_vendor_algorithm *wanted,
                            hone_error *err)
{
    (void)wanted;
    return open_sums(self, problem, 1, err);
}

static hone_status nrm2_open(hone_vendor *self, const hone_resolved *problem,
                             const hone_vendor_algorithm *wanted,
                             hone_error *err)
{
    (void)wanted;
    return open_sums(self, problem, 0, err);
}

static void nothing_to_close(hone_vendor *self)
{
    (void)self;
}

static hone_blas_result call(const sums_state *state, void *const *args)
{
    const hone_blas *const blas = state->shared->blas;
    const hone_blas_handle h = state->shared->handle;
    void *const x = hone__vendor_pointer(args, state->x);
    void *const out = hone__vendor_pointer(args, state->out);
    const int type = state->type;

    if (state->y < 0)
        return blas->nrm2_ex(h, state->n, x, type, 1, out, type,
                             state->sum_type);
    return blas->dot_ex(h, state->n, x, type, 1,
                        hone__vendor_pointer(args, state->y), type, 1, out,
                        type, state->sum_type);
}

/* Others pass their scalars from the host: the mode is put back. `turn` held.
 */
static hone_status run(const sums_state *state, void *const *args,
                       hone_error *err)
{
    const hone_blas *const blas = state->shared->blas;
    const hone_blas_handle h = state->shared->handle;
    const char *const name = state->y < 0 ? "cublasNrm2Ex" : "cublasDotEx";
    hone_status status;

    HONE_TRY(hone__blas_check(
        blas, blas->set_pointer_mode(h, HONE_BLAS_POINTER_MODE_DEVICE),
        "cublasSetPointerMode", err));
    status = hone__blas_check(blas, call(state, args), name, err);
    if (status != HONE_OK) {
        (void)blas->set_pointer_mode(h, HONE_BLAS_POINTER_MODE_HOST);
        return status;
    }
    return hone__blas_check(
        blas, blas->set_pointer_mode(h, HONE_BLAS_POINTER_MODE_HOST),
        "cublasSetPointerMode", err);
}

static hone_status sums_enqueue(hone_vendor *self, void *const *args,
                                hone_cu_ptr workspace, hone_stream stream,
                                hone_error *err)
{
    const sums_state *const state = self->state;
    hone_vendor_blas *const shared = state->shared;
    uintptr_t addresses = hone__vendor_address(args, state->x) |
                          hone__vendor_address(args, state->out);
    hone_status status;

    if (state->y >= 0)
        addresses |= hone__vendor_address(args, state->y);
    if (addresses % state->size_bytes)
        return hone__vendor_misplaced(self, err);
    (void)pthread_mutex_lock(&shared->at.turn);
    status = hone__vendor_blas_use(shared, stream, workspace,
                                   self->workspace_bytes, err);
    if (status == HONE_OK)
        status = run(state, args, err);
    (void)pthread_mutex_unlock(&shared->at.turn);
    return status;
}

const hone_vendor_kind hone__vendor_blas_dot = {
    sizeof(sums_state), dot_open, nothing_to_close, sums_enqueue, NULL};
const hone_vendor_kind hone__vendor_blas_nrm2 = {
    sizeof(sums_state), nrm2_open, nothing_to_close, sums_enqueue, NULL};
