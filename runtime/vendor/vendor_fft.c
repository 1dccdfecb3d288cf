/* SPDX-License-Identifier: Apache-2.0 */
/* cufft.c2c, cufft.c2c_2d (cufftExecC2C), cufft.r2c, cufft.c2r, and
 * cufft.filter: cuFFT forward, a kernel of ours that multiplies by the filter,
 * cuFFT back, as a program without a fused kernel does it. Nothing is
 * scaled. */
#include "runtime/vendor/vendor_handles.h"

enum { FILTER_BLOCK = 256, FILTER_NUMBERS = 2 /* of a thread */ };

typedef struct fft_state {
    hone_fft_problem problem;
    hone_vendor_fft *shared;
    hone_cu_function filter; /* NULL: none */
} fft_state;

static hone_status open_plan(hone_vendor *self, const hone_resolved *problem,
                             hone_fft_form form, hone_error *err)
{
    fft_state *const state = self->state;

    HONE_TRY(hone__fft_read(self->name, self->op, problem, form,
                            &state->problem, err));
    HONE_TRY(
        hone__vendors_fft(self->vendors, &state->problem, &state->shared, err));
    self->version = state->shared->version;
    self->workspace_bytes = state->shared->workspace_bytes;
    return HONE_OK;
}

static void fft_close(hone_vendor *self)
{
    const fft_state *const state = self->state;

    if (state->shared)
        hone__vendors_fft_leave(self->vendors, state->shared);
}

/* From the first run on that is captured, a graph may use the plan. */
static void follow(const hone_vendor *self, hone_vendor_fft *shared,
                   hone_stream stream)
{
    int status = HONE_CU_CAPTURE_NONE;
    uint64_t id = 0;

    if (self->is_rehearsed ||
        atomic_load_explicit(&shared->was_captured, memory_order_relaxed))
        return;
    if (hone__vendors_driver(self->vendors)
            ->capture_info(stream, &status, &id) ||
        status != HONE_CU_CAPTURE_NONE)
        atomic_store_explicit(&shared->was_captured, 1, memory_order_relaxed);
}

static int is_misplaced(const fft_state *state, void *const *args)
{
    const hone_fft_problem *const p = &state->problem;
    uintptr_t bits =
        hone__vendor_address(args, p->x) | hone__vendor_address(args, p->y);

    if (p->h >= 0)
        bits |= hone__vendor_address(args, p->h);
    return bits % sizeof(float[2]) != 0;
}

/* `turn` held. */
static hone_status use_stream(hone_vendor_fft *shared, hone_stream stream,
                              hone_cu_ptr workspace, hone_error *err)
{
    const hone_fft *const fft = shared->plan.fft;
    hone_vendor_turn *const at = &shared->at;

    if (at->is_set && at->stream == stream && at->workspace == workspace)
        return HONE_OK;
    at->is_set = 0;
    HONE_TRY(hone__fft_check(fft->set_stream(shared->plan.handle, stream),
                             "cufftSetStream", err));
    if (workspace)
        HONE_TRY(hone__fft_check(
            fft->work_area(shared->plan.handle, (void *)(uintptr_t)workspace),
            "cufftSetWorkArea", err));
    at->stream = stream;
    at->workspace = workspace;
    at->is_set = 1;
    return HONE_OK;
}

static hone_status transform(const fft_state *state, void *from, void *to,
                             int direction, hone_error *err)
{
    const hone_fft_plan *const plan = &state->shared->plan;

    if (state->problem.form == HONE_FFT_FORM_R2C)
        return hone__fft_check(plan->fft->exec_r2c(plan->handle, from, to),
                               "cufftExecR2C", err);
    if (state->problem.form == HONE_FFT_FORM_C2R)
        return hone__fft_check(plan->fft->exec_c2r(plan->handle, from, to),
                               "cufftExecC2R", err);
    return hone__fft_check(
        plan->fft->exec_c2c(plan->handle, from, to, direction), "cufftExecC2C",
        err);
}

/* ---- a transform --------------------------------------------------------- */

#define OPEN(name, form)                                                       \
    static hone_status name##_open(                                            \
        hone_vendor *self, const hone_resolved *problem,                       \
        const hone_vendor_algorithm *wanted, hone_error *err)                  \
    {                                                                          \
        (void)wanted;                                                          \
        return open_plan(self, problem, form, err);                            \
    }
OPEN(c2c, HONE_FFT_FORM_C2C)
OPEN(r2c, HONE_FFT_FORM_R2C)
OPEN(c2r, HONE_FFT_FORM_C2R)
OPEN(images, HONE_FFT_FORM_2D)

static hone_status plain_enqueue(hone_vendor *self, void *const *args,
                                 hone_cu_ptr workspace, hone_stream stream,
                                 hone_error *err)
{
    const fft_state *const state = self->state;
    const hone_fft_problem *const p = &state->problem;
    hone_status status;

    if (is_misplaced(state, args))
        return hone__vendor_misplaced(self, err);
    follow(self, state->shared, stream);
    (void)pthread_mutex_lock(&state->shared->at.turn);
    status = use_stream(state->shared, stream, workspace, err);
    if (status == HONE_OK)
        status = transform(state, hone__vendor_pointer(args, p->x),
                           hone__vendor_pointer(args, p->y), p->direction, err);
    (void)pthread_mutex_unlock(&state->shared->at.turn);
    return status;
}

/* ---- forward, filter, back ----------------------------------------------- */

static hone_status filter_open(hone_vendor *self, const hone_resolved *problem,
                               const hone_vendor_algorithm *wanted,
                               hone_error *err)
{
    fft_state *const state = self->state;

    (void)wanted;
    HONE_TRY(open_plan(self, problem, HONE_FFT_FORM_FILTER, err));
    return hone__vendors_filter(self->vendors, &state->filter, err);
}

static hone_status multiply(const hone_vendor *self, void *const *args,
                            hone_stream stream, hone_error *err)
{
    const hone_driver *const driver = hone__vendors_driver(self->vendors);
    const fft_state *const state = self->state;
    const hone_fft_problem *const p = &state->problem;
    const long long of_block = FILTER_BLOCK * FILTER_NUMBERS;
    hone_cu_ptr y = (uintptr_t)hone__vendor_pointer(args, p->y);
    hone_cu_ptr h = (uintptr_t)hone__vendor_pointer(args, p->h);
    long long n = p->n, total = p->n * p->batch;
    void *params[] = {&y, &h, &n, &total};

    return hone__driver_check(
        driver,
        driver->launch(state->filter,
                       (unsigned)((total + of_block - 1) / of_block), 1, 1,
                       FILTER_BLOCK, 1, 1, 0, stream, params, NULL),
        "launching the filter kernel of cufft.filter", err);
}

static hone_status forward_and_back(const hone_vendor *self, void *const *args,
                                    hone_cu_ptr workspace, hone_stream stream,
                                    hone_error *err)
{
    const fft_state *const state = self->state;
    void *const x = hone__vendor_pointer(args, state->problem.x);
    void *const y = hone__vendor_pointer(args, state->problem.y);

    HONE_TRY(use_stream(state->shared, stream, workspace, err));
    HONE_TRY(transform(state, x, y, HONE_FFT_FORWARD, err));
    HONE_TRY(multiply(self, args, stream, err));
    return transform(state, y, y, HONE_FFT_INVERSE, err);
}

static hone_status filter_enqueue(hone_vendor *self, void *const *args,
                                  hone_cu_ptr workspace, hone_stream stream,
                                  hone_error *err)
{
    const fft_state *const state = self->state;
    hone_status status;

    if (is_misplaced(state, args))
        return hone__vendor_misplaced(self, err);
    follow(self, state->shared, stream);
    (void)pthread_mutex_lock(&state->shared->at.turn);
    status = forward_and_back(self, args, workspace, stream, err);
    (void)pthread_mutex_unlock(&state->shared->at.turn);
    return status;
}

const hone_vendor_kind hone__vendor_fft_c2c = {sizeof(fft_state), c2c_open,
                                               fft_close, plain_enqueue, NULL};
const hone_vendor_kind hone__vendor_fft_r2c = {sizeof(fft_state), r2c_open,
                                               fft_close, plain_enqueue, NULL};
const hone_vendor_kind hone__vendor_fft_c2r = {sizeof(fft_state), c2r_open,
                                               fft_close, plain_enqueue, NULL};
const hone_vendor_kind hone__vendor_fft_images = {
    sizeof(fft_state), images_open, fft_close, plain_enqueue, NULL};
const hone_vendor_kind hone__vendor_fft_filter = {
    sizeof(fft_state), filter_open, fft_close, filter_enqueue, NULL};
