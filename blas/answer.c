/* SPDX-License-Identifier: Apache-2.0 */
/* A shape is decided once, under a lock: is it a problem of gemm, may it be
 * answered, does the database promise a gain, is that winner what the runtime
 * launches here? A call of it is answered if it fits in what only the call
 * knows: arrays at multiples of 16 bytes, alpha and beta as gemm takes them,
 * alpha not 0 (the library reads no factors then), and while its stream is
 * captured no workspace, which such graphs would share with all that runs on
 * the stream later. */
#include "blas/answer.h"

#include "blas/both_ways.h"
#include "blas/blas_device.h"
#include "blas/mode.h"
#include "blas/number.h"
#include "blas/only.h"
#include "blas/sample.h"
#include "runtime/base/alloc.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_MOST = 3, N_ARGS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hone_ctx *ctx;
static int is_opened, is_open; /* it was tried; it worked */

/* ---- deciding ------------------------------------------------------------ */

/* Lock held. */
static const char *open_hone(void)
{
    if (!is_opened) {
        is_opened = 1;
        is_open = hone_open(NULL, &ctx) == HONE_OK;
        if (!is_open)
            hone__blas_say(0, "nothing is answered: %s", hone_error_text(ctx));
    }
    return is_open ? NULL : "hone finds no database";
}

/* Is what the runtime launches the winner that was promised? */
static const char *look_at_plan(hone_deal *deal)
{
    hone_plan *plan = NULL;
    hone_match match;
    const char *why = open_hone();

    if (why)
        return why;
    if (hone_plan_create(ctx, "gemm", deal->dims, deal->promise.n_dims, &plan,
                         &match) != HONE_OK) {
        hone__blas_say(0, "not answered: %s", hone_error_text(ctx));
        return "the winner cannot be loaded";
    }
    if (match.kind != HONE_MATCH_EXACT ||
        strcmp(match.implementation, deal->promise.implementation) != 0)
        why = "the winner cannot be used here";
    else if (strcmp(match.config, deal->promise.config) != 0)
        why = "another winner comes first in the search path";
    else if (hone_plan_workspace_bytes(plan, &deal->workspace_bytes))
        why = "the winner does not say what memory it needs";
    else if (!hone__promise_pays(&deal->promise, deal->workspace_bytes))
        why = "the winner saves less than its launches cost";
    hone_plan_destroy(plan);
    return why;
}

static const char *decide(const hone_entry *entry, hone_deal *deal)
{
    int64_t wanted[HONE_GEMM_DIMS];
    const char *why = hone__gemm_of(&entry->shape, wanted);

    if (why)
        return why;
    if (entry->shape.device < 0)
        return "there is no device";
    memcpy(deal->dims, wanted, sizeof wanted);
    hone__promise_find(entry->shape.device, deal->dims, &deal->promise);
    if (!hone__only_has(wanted))
        return "HONE_BLAS_ONLY does not name it";
    if (!deal->promise.is_kept)
        return deal->promise.why;
    /* Who only counts loads nothing. */
    return hone__blas_settings()->mode == HONE_BLAS_ON ? look_at_plan(deal)
                                                       : NULL;
}

const hone_deal *hone__answer_deal(hone_entry *entry)
{
    hone_deal *deal = atomic_load_explicit(&entry->deal, memory_order_acquire);
    int saved;

    if (deal)
        return deal;
    hone__blas_relax(&saved);
    (void)pthread_mutex_lock(&lock);
    deal = atomic_load_explicit(&entry->deal, memory_order_relaxed);
    if (!deal)
        deal = hone__alloc(sizeof *deal);
    if (deal && !atomic_load_explicit(&entry->deal, memory_order_relaxed)) {
        const char *why = decide(entry, deal);

        deal->answers = !why;
        (void)snprintf(deal->why, sizeof deal->why, "%s", why ? why : "");
        atomic_store_explicit(&entry->deal, deal, memory_order_release);
    }
    (void)pthread_mutex_unlock(&lock);
    hone__blas_unrelax(&saved);
    return deal;
}

/* ---- answering ----------------------------------------------------------- */

static int lies_well(const hone_blas_call *call)
{
    const int has_bias = call->shape.epilogue & HONE_LT_EPILOGUE_BIAS;

    return !(((uintptr_t)call->a | (uintptr_t)call->b | (uintptr_t)call->c |
              (uintptr_t)call->bias) &
             15) &&
           call->a && call->b && call->c && (!has_bias || call->bias);
}

/* alpha and beta as gemm takes them: f32. */
static int read_scalars(const hone_blas_call *call, float *alpha, float *beta)
{
    const int type = hone__scalar_type(call->shape.compute);
    double a, b;

    if (!call->alpha || !call->beta)
        return 0;
    a = hone__number_at(type, call->alpha, 0);
    b = hone__number_at(type, call->beta, 0);
    *alpha = (float)a;
    *beta = (float)b;
    return a != 0 && (double)*alpha == a && (double)*beta == b;
}

hone_status hone__answer_into(const hone_blas_call *call, void *c,
                              hone_error *err)
{
    const hone_deal *deal = call->entry->deal;
    void *a = (void *)(uintptr_t)call->b;
    void *b = (void *)(uintptr_t)call->a;
    void *bias = (void *)(uintptr_t)call->bias;
    float alpha, beta;
    void *args[N_ARGS] = {&a, &b, &c, &alpha, &beta, &bias};
    const size_t n_args = N_ARGS - !bias; /* it is the last */
    hone_status status;
    int saved;

    if (!read_scalars(call, &alpha, &beta))
        return HONE_ERR_ARGUMENT;
    if (deal->workspace_bytes)
        hone__blas_relax(&saved);
    status = hone_launch(ctx, "gemm", deal->dims, deal->promise.n_dims, args,
                         n_args, call->stream);
    if (deal->workspace_bytes)
        hone__blas_unrelax(&saved);
    if (status != HONE_OK)
        (void)hone__fail(err, status, "%s", hone_error_text(ctx));
    return status;
}

void hone__answer_failed(const hone_blas_call *call, const hone_error *err)
{
    hone_deal *deal = call->entry->deal;

    if (atomic_fetch_add(&deal->n_failed, 1) + 1 < FAILURES_MOST)
        return;
    if (!atomic_exchange(&deal->is_off, 1))
        hone__blas_say(0, "a shape is left to the library from now on: %s",
                       err->text);
}

static int launch(hone_blas_call *call, uint64_t number)
{
    hone_error err = {0};
    hone_sample *sample = NULL;
    hone_status status;

    if (hone__sample_is_due(number))
        sample = hone__sample_begin(call->entry, number, call->stream);
    status = hone__answer_into(call, call->c, &err);
    if (status != HONE_OK) {
        if (sample)
            hone__sample_drop(sample);
        hone__answer_failed(call, &err);
        return 0;
    }
    if (sample)
        hone__sample_end(sample, call->stream, 1);
    atomic_fetch_add_explicit(&call->entry->n_answered, 1,
                              memory_order_relaxed);
    return 1;
}

int hone__answer(hone_blas_call *call, uint64_t number)
{
    hone_deal *deal =
        atomic_load_explicit(&call->entry->deal, memory_order_acquire);
    const uint64_t every = hone__blas_settings()->check_every;
    float alpha, beta;

    /* Code is loaded, memory allocated: not while something is captured. */
    if (!deal && !hone__blas_is_captured(call->stream)) {
        (void)hone__answer_deal(call->entry);
        deal = atomic_load_explicit(&call->entry->deal, memory_order_acquire);
    }
    if (!deal || !deal->answers ||
        atomic_load_explicit(&deal->is_off, memory_order_relaxed) ||
        !lies_well(call) || !read_scalars(call, &alpha, &beta))
        return 0;
    if (deal->workspace_bytes && hone__blas_is_captured(call->stream))
        return 0;
    if (every && number % every == 0 && !hone__blas_is_captured(call->stream)) {
        call->check = hone__check_begin(call);
        return 0; /* the program has the library's result */
    }
    return launch(call, number);
}

void hone__answer_forget(void)
{
    (void)pthread_mutex_init(&lock, NULL); /* it may have been held */
    hone__promise_forget();
}
