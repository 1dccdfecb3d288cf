/* SPDX-License-Identifier: Apache-2.0 */
#include "blas/enter.h"

#include "blas/answer.h"
#include "blas/both_ways.h"
#include "blas/blas_device.h"
#include "blas/mode.h"
#include "blas/blas_report.h"
#include "blas/number.h"
#include "blas/sample.h"

#include <pthread.h>

/* The thread is in a call: what the library calls on its way is no call of the
 * program's. */
static _Thread_local int is_within;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void)
{
    hone__blas_device_forget();
    hone__entries_forget();
    hone__sample_forget();
    hone__answer_forget();
    hone__report_forget();
    is_within = 0;
}

static void start(void)
{
    hone__report_start();
    (void)pthread_atfork(NULL, NULL, in_child);
}

int hone__blas_is_through(void)
{
    return is_within || hone__blas_settings()->mode == HONE_BLAS_OFF;
}

/* The stream and the modes of a handle of cuBLAS. 0: it does not say. */
static int ask_handle(hone_blas_call *call, const hone_real *real)
{
    hone_blas_shape *shape = &call->shape;
    int pointer_mode = 0, math = 0;

    if (!real->get_stream || !real->get_pointer_mode || !real->get_math_mode ||
        real->get_stream(call->handle, &call->stream) ||
        real->get_pointer_mode(call->handle, &pointer_mode) ||
        real->get_math_mode(call->handle, &math))
        return 0;
    if (pointer_mode != HONE_BLAS_POINTER_MODE_HOST &&
        shape->oddity == HONE_ODDITY_NONE)
        shape->oddity = HONE_ODDITY_SCALARS;
    shape->compute = hone__gemm_compute(shape->compute, shape->a_type, math);
    return 1;
}

static int is_empty(const hone_blas_shape *shape)
{
    return shape->m <= 0 || shape->n <= 0 || shape->k <= 0 || shape->batch <= 0;
}

/* What means the same is the same: of real numbers the conjugate. */
static void tidy(hone_blas_shape *shape)
{
    if (shape->a_type == HONE_CUDA_C_32F)
        return;
    shape->op_a = shape->op_a != HONE_BLAS_OP_N;
    shape->op_b = shape->op_b != HONE_BLAS_OP_N;
}

/* Does it add to what its result held? Where the scalars cannot be looked at,
 * or are of another kind than gemm's, it may. */
static int adds(const hone_blas_call *call)
{
    const hone_blas_shape *s = &call->shape;

    return s->oddity != HONE_ODDITY_NONE || !call->beta ||
           (s->compute != HONE_BLAS_COMPUTE_16F &&
            s->compute != HONE_BLAS_COMPUTE_32F &&
            s->compute != HONE_BLAS_COMPUTE_32F_FAST_TF32 &&
            s->compute != HONE_BLAS_COMPUTE_64F) ||
           hone__number_at(hone__scalar_type(s->compute), call->beta, 0) != 0;
}

int hone__blas_begin(hone_blas_call *call, const hone_real *real)
{
    uint64_t number;
    unsigned bits;

    if (hone__blas_is_through() || is_empty(&call->shape))
        return 0;
    (void)pthread_once(&once, start);
    if (real && !ask_handle(call, real))
        return 0; /* no handle: the library says so */
    if (call->shape.op_a > HONE_BLAS_OP_C || call->shape.op_b > HONE_BLAS_OP_C)
        return 0; /* nor such an operation */
    if (call->shape.compute == HONE_BLAS_COMPUTE_32F_FAST_TF32 &&
        hone__blas_settings()->has_no_tf32)
        call->shape.compute = HONE_BLAS_COMPUTE_32F;
    tidy(&call->shape);
    call->shape.adds = (uint8_t)adds(call);
    call->shape.device = (int16_t)hone__blas_device();
    call->entry = hone__entry_of(&call->shape, call->met);
    if (!call->entry)
        return 0;
    number = 1 + atomic_fetch_add_explicit(&call->entry->n_calls, 1,
                                           memory_order_relaxed);
    bits = (unsigned)((uintptr_t)call->a | (uintptr_t)call->b |
                      (uintptr_t)call->c);
    if (bits &
        ~atomic_load_explicit(&call->entry->addresses, memory_order_relaxed))
        atomic_fetch_or_explicit(&call->entry->addresses, bits,
                                 memory_order_relaxed);
    is_within = 1;
    if (hone__blas_settings()->mode == HONE_BLAS_ON &&
        hone__answer(call, number)) {
        is_within = 0;
        return 1;
    }
    if (hone__sample_is_due(number)) {
        hone__report_now_and_then(); /* takes a while, not the product's */
        call->sample = hone__sample_begin(call->entry, number, call->stream);
    }
    return 0;
}

void hone__blas_end(hone_blas_call *call, hone_blas_result result)
{
    if (!call->entry)
        return;
    if (call->sample)
        hone__sample_end(call->sample, call->stream, 0);
    if (call->check)
        hone__check_end(call->check, call, result == 0);
    is_within = 0;
}
