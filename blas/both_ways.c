/* SPDX-License-Identifier: Apache-2.0 */
/* Two right results differ by their roundings, which the size of the terms
 * bounds, and these are not known from the results. So a first look takes them
 * to be as large as the largest results allow; the element that is furthest
 * off then, if one is too far, is computed from its row and column in f64, and
 * ours is wrong if it is out of what gemm promises (templates/gemm/gemm.cuh).
 */
#include "blas/both_ways.h"

#include "blas/answer.h"
#include "blas/blas_device.h"
#include "blas/gemm.h"
#include "blas/mode.h"
#include "blas/number.h"
#include "runtime/base/alloc.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define BYTES_MOST ((int64_t)1 << 31)

struct hone_check {
    const hone_driver *driver;
    hone_cu_ptr ours; /* C as it was, until ours is launched */
    int64_t c_bytes;
    void *before; /* the same on the host, where it is added to; else NULL */
};

/* Where two results are furthest apart. */
typedef struct worst {
    double excess; /* over what a first look allows */
    int64_t row, column, product;
    double ours, library;
} worst;

static _Atomic uint64_t n_checks, n_wrong;

uint64_t hone__check_count(uint64_t *out_wrong)
{
    *out_wrong = atomic_load(&n_wrong);
    return atomic_load(&n_checks);
}

/* From the first to the last element. */
static int64_t extent(int64_t rows, int64_t columns, int64_t leading,
                      int64_t batch, int64_t stride)
{
    return (batch - 1) * stride + (columns - 1) * leading + rows;
}

static void *host_copy(const hone_driver *driver, const void *device,
                       int64_t bytes)
{
    void *host = bytes <= BYTES_MOST ? hone__alloc((size_t)bytes) : NULL;

    if (host && driver->copy_to_host(host, (hone_cu_ptr)(uintptr_t)device,
                                     (size_t)bytes)) {
        hone__free(host);
        return NULL;
    }
    return host;
}

hone_check *hone__check_begin(const hone_blas_call *call)
{
    const hone_blas_shape *s = &call->shape;
    const hone_driver *driver = hone__blas_driver();
    const int64_t bytes = extent(s->m, s->n, s->ldc, s->batch, s->stride_c) *
                          hone__cuda_type_bytes(s->c_type);
    hone_check *check = hone__alloc(sizeof *check);
    int saved;

    if (!check)
        return NULL;
    hone__blas_relax(&saved);
    *check = (hone_check){.driver = driver, .c_bytes = bytes};
    if (bytes > BYTES_MOST ||
        driver->memory_alloc(&check->ours, (size_t)bytes)) {
        hone__free(check);
        check = NULL;
    } else if (driver->copy_async(check->ours, (hone_cu_ptr)(uintptr_t)call->c,
                                  (size_t)bytes, call->stream)) {
        (void)driver->memory_free(check->ours);
        hone__free(check);
        check = NULL;
    }
    hone__blas_unrelax(&saved);
    return check;
}

static double largest(const hone_blas_shape *s, const void *c)
{
    double most = 0;

    for (int64_t p = 0; p < s->batch; ++p)
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t i = 0; i < s->m; ++i) {
                const double v = fabs(hone__number_at(
                    s->c_type, c, p * s->stride_c + j * s->ldc + i));

                if (isfinite(v) && v > most)
                    most = v;
            }
    return most;
}

/* NaN and infinities have to be the same. */
static double distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
}

static double largest_of(int type)
{
    return type == HONE_CUDA_R_16F   ? 65504
           : type == HONE_CUDA_R_64F ? DBL_MAX
                                     : (double)FLT_MAX;
}

/* The same, and at the edge of what the type holds infinite or its largest
 * number: roundings of one sum. */
static double apart(int type, double a, double b)
{
    const double most = largest_of(type);

    if (isinf(a) && isfinite(b))
        a = copysign(most, a);
    if (isinf(b) && isfinite(a))
        b = copysign(most, b);
    return distance(a, b);
}

/* So many of a sum in a row; of tf32, what the contract lets go of its factors,
 * too. */
static double roundings(const hone_blas_shape *s)
{
    return (double)s->k + 4 + (hone__gemm_is_tf32(s) ? 33000 : 0);
}

static worst compare(const hone_blas_shape *s, const void *ours,
                     const void *library)
{
    const double unit = hone__number_unit(s->c_type);
    const double sums = hone__number_unit(
        s->a_type == HONE_CUDA_R_64F ? HONE_CUDA_R_64F : HONE_CUDA_R_32F);
    const double slack = 8 * roundings(s) * sums * largest(s, library) + 1e-30;
    worst w = {.excess = 0};

    for (int64_t p = 0; p < s->batch; ++p)
        for (int64_t j = 0; j < s->n; ++j)
            for (int64_t i = 0; i < s->m; ++i) {
                const int64_t at = p * s->stride_c + j * s->ldc + i;
                const double a = hone__number_at(s->c_type, ours, at);
                const double b = hone__number_at(s->c_type, library, at);
                const double d = apart(s->c_type, a, b);
                const double excess = isfinite(d)
                                          ? d / (2 * unit * fabs(b) + slack)
                                          : (double)INFINITY;

                if (excess > w.excess)
                    w = (worst){excess, i, j, p, a, b};
            }
    return w;
}

/* The sum of the element in f64, and that of the sizes of its terms. 0: the
 * factors cannot be copied. */
static int add_up(const hone_check *check, const hone_blas_call *call,
                  const worst *w, double *out_sum, double *out_size)
{
    const hone_blas_shape *s = &call->shape;
    const int64_t bytes = hone__cuda_type_bytes(s->a_type);
    const int64_t a_rows = s->op_a == HONE_BLAS_OP_N ? s->m : s->k;
    const int64_t b_rows = s->op_b == HONE_BLAS_OP_N ? s->k : s->n;
    void *a = host_copy(check->driver, call->a,
                        bytes * extent(a_rows, s->m + s->k - a_rows, s->lda,
                                       s->batch, s->stride_a));
    void *b = host_copy(check->driver, call->b,
                        bytes * extent(b_rows, s->n + s->k - b_rows, s->ldb,
                                       s->batch, s->stride_b));
    const int is_known = a && b;
    double sum = 0, size = 0;

    for (int64_t l = 0; is_known && l < s->k; ++l) {
        const int64_t at_a = s->op_a == HONE_BLAS_OP_N ? l * s->lda + w->row
                                                       : w->row * s->lda + l;
        const int64_t at_b = s->op_b == HONE_BLAS_OP_N ? w->column * s->ldb + l
                                                       : l * s->ldb + w->column;
        const double term =
            hone__number_at(s->a_type, a, w->product * s->stride_a + at_a) *
            hone__number_at(s->b_type, b, w->product * s->stride_b + at_b);

        sum += term;
        size += fabs(term);
    }
    hone__free(a);
    hone__free(b);
    *out_sum = sum;
    *out_size = size;
    return is_known;
}

static double number_of_device(const hone_driver *driver, int type,
                               const void *array, int64_t at)
{
    const int64_t bytes = hone__cuda_type_bytes(type);
    uint64_t bits = 0;

    if (driver->copy_to_host(
            &bits, (hone_cu_ptr)((uintptr_t)array + (uintptr_t)(at * bytes)),
            (size_t)bytes))
        return (double)NAN;
    return hone__number_at(type, &bits, 0);
}

/* What cuBLASLt's epilogue makes of a sum, without its bias. */
static double activate(int epilogue, double s)
{
    enum { RELU = 2, GELU = 32 };

    if (epilogue & RELU)
        return s < 0 ? 0 : s;
    if (epilogue & GELU)
        return s / 2 *
               (1 + tanh(0.79788456080286536 * (s + 0.044715 * s * s * s)));
    return s;
}

/* What rounds to infinity, at the edge of what the type holds. */
static int is_infinite_rightly(int type, double ours, double sum,
                               double allowed)
{
    return isinf(ours) && fabs(sum) + allowed >= largest_of(type) &&
           signbit(ours) == signbit(sum);
}

static void judge(const hone_check *check, const hone_blas_call *call,
                  const worst *w)
{
    const hone_blas_shape *s = &call->shape;
    const int type =
        s->a_type == HONE_CUDA_R_64F ? HONE_CUDA_R_64F : HONE_CUDA_R_32F;
    const int scalar = hone__scalar_type(s->compute);
    const double alpha = hone__number_at(scalar, call->alpha, 0);
    const double beta = hone__number_at(scalar, call->beta, 0);
    const double bias = call->bias ? number_of_device(check->driver, s->c_type,
                                                      call->bias, w->row)
                                   : 0;
    const int is_linear =
        !(s->epilogue & ~(HONE_LT_EPILOGUE_NONE | HONE_LT_EPILOGUE_BIAS));
    double sum = 0, size = 0, added = 0, allowed, off;

    if ((beta != 0 && !check->before) || !add_up(check, call, w, &sum, &size))
        return;
    if (beta != 0)
        added = beta * hone__number_at(s->c_type, check->before,
                                       w->product * s->stride_c +
                                           w->column * s->ldc + w->row);
    sum = activate(s->epilogue, alpha * sum + added + bias);
    /* An activation costs some roundings and is steeper than 1 by a little. */
    allowed =
        (is_linear ? 1 : 2) *
            ((roundings(s) + (is_linear ? 1 : 20)) * hone__number_unit(type) *
             (fabs(alpha) * size + fabs(added) + fabs(bias) + fabs(sum))) +
        2 * hone__number_unit(s->c_type) * fabs(sum) + 6e-8;
    off = distance(w->ours, sum);
    /* Of what is infinite so is what is allowed. */
    if (off == 0 || (isfinite(sum) &&
                     (off <= allowed ||
                      is_infinite_rightly(s->c_type, w->ours, sum, allowed))))
        return;
    atomic_fetch_add(&n_wrong, 1);
    call->entry->deal->is_off = 1;
    hone__blas_say(0,
                   "WRONG: a tuned product of %" PRId64 " x %" PRId64
                   " x %" PRId64 " has %g in row %" PRId64 ", column %" PRId64
                   ", where %g is right (the library: %g): its shape is left "
                   "to the library from now on",
                   s->m, s->n, s->k, w->ours, w->row, w->column, sum,
                   w->library);
}

/* Ours into the copy of C. 1: it is done. */
static int compute_ours(hone_check *check, const hone_blas_call *call)
{
    const hone_driver *driver = check->driver;
    void *const copy = (void *)(uintptr_t)check->ours;
    hone_error err = {0};

    if (call->shape.adds && !driver->stream_synchronize(call->stream))
        check->before = host_copy(driver, copy, check->c_bytes);
    if (hone__answer_into(call, copy, &err) != HONE_OK) {
        hone__answer_failed(call, &err);
        return 0;
    }
    return !driver->stream_synchronize(call->stream);
}

void hone__check_end(hone_check *check, const hone_blas_call *call, int is_done)
{
    const hone_driver *driver = check->driver;
    void *ours = NULL, *library = NULL;
    int saved;

    hone__blas_relax(&saved);
    if (is_done && compute_ours(check, call)) {
        ours =
            host_copy(driver, (void *)(uintptr_t)check->ours, check->c_bytes);
        library = host_copy(driver, call->c, check->c_bytes);
    }
    if (ours && library) {
        const worst w = compare(&call->shape, ours, library);

        atomic_fetch_add(&n_checks, 1);
        if (w.excess > 1)
            judge(check, call, &w);
    }
    hone__free(ours);
    hone__free(library);
    hone__free(check->before);
    (void)driver->memory_free(check->ours);
    hone__free(check);
    hone__blas_unrelax(&saved);
}
