/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms as cuFFT wants them, and its plans: see
 * vendor_problem.h. */
#include "runtime/vendor/vendor_problem.h"

static int is_array(const hone_resolved *problem, int index, hone_arg_mode mode,
                    hone_type type, int64_t count)
{
    return index >= 0 && problem->args[index].mode == mode &&
           problem->args[index].type == type &&
           problem->args[index].count == count;
}

/* Numbers from the first to the last of the batch, transforms being `distance`
 * apart and a transform `extent` long; -1: too many. */
static int64_t count_numbers(int64_t batch, int64_t distance, int64_t extent)
{
    int64_t count;

    if (__builtin_mul_overflow(batch - 1, distance, &count) ||
        __builtin_add_overflow(count, extent, &count))
        return -1;
    return count;
}

static int product(int64_t a, int64_t b, int64_t *out)
{
    return a >= 1 && b >= 1 && !__builtin_mul_overflow(a, b, out);
}

/* Fills all but the arguments. */
static hone_status read_fft_dims(const char *who, const char *op,
                                 const hone_resolved *problem,
                                 hone_fft_problem *p, hone_error *err)
{
    const size_t first = p->form == HONE_FFT_FORM_2D; /* place of n */
    const size_t n_dims = problem->n_dims;
    int64_t of_one;

    if (n_dims < first + 1)
        return hone__vendor_unfit(who, op,
                                  first
                                      ? "it has no dimensions rows and columns"
                                      : "it has no dimension n",
                                  err);
    p->rows = first ? problem->dims[0] : 1;
    p->n = problem->dims[first];
    p->batch = n_dims > first + 1 ? problem->dims[first + 1] : 1;
    p->direction = n_dims > first + 2 && problem->dims[first + 2] == 2
                       ? HONE_FFT_INVERSE
                       : HONE_FFT_FORWARD;
    p->stride = p->form == HONE_FFT_FORM_C2C
                    ? hone__vendor_dim_or(problem, "STRIDE", 1)
                    : 1;
    if (p->batch < 1 || !product(p->rows, p->n, &of_one) ||
        !product(of_one, p->stride, &of_one))
        return hone__vendor_unfit(who, op, "n, batch and STRIDE are at least 1",
                                  err);
    p->distance = p->form == HONE_FFT_FORM_C2C
                      ? hone__vendor_dim_or(problem, "DISTANCE", of_one)
                      : of_one;
    if (p->distance < 1)
        return hone__vendor_unfit(who, op, "DISTANCE is at least 1", err);
    return HONE_OK;
}

/* Whether x and y are what the dimensions say. */
static int has_fft_arrays(const hone_resolved *problem,
                          const hone_fft_problem *p)
{
    const int from_real = p->form == HONE_FFT_FORM_R2C;
    const int to_real = p->form == HONE_FFT_FORM_C2R;
    const int64_t extent =
        p->rows * p->n + (p->n - 1) * (p->stride - 1); /* cannot overflow */
    const int64_t count = count_numbers(p->batch, p->distance, extent);
    const int64_t half = count_numbers(p->batch, p->n / 2 + 1, p->n / 2 + 1);
    const hone_type x_type = from_real ? HONE_TYPE_F32 : HONE_TYPE_C32;
    const hone_type y_type = to_real ? HONE_TYPE_F32 : HONE_TYPE_C32;
    const int64_t y_count = from_real ? half : count;

    return is_array(problem, p->x, HONE_ARG_IN, x_type,
                    to_real ? half : count) &&
           (is_array(problem, p->y, HONE_ARG_OUT, y_type, y_count) ||
            (p->form == HONE_FFT_FORM_C2C &&
             is_array(problem, p->y, HONE_ARG_INOUT, y_type, y_count)));
}

hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, hone_fft_form form,
                           hone_fft_problem *out, hone_error *err)
{
    hone_fft_problem p = {.form = form, .h = -1};

    HONE_TRY(read_fft_dims(who, op, problem, &p, err));
    p.x = hone__vendor_find_arg(problem, "x");
    p.y = hone__vendor_find_arg(problem, "y");
    if (!has_fft_arrays(problem, &p))
        return hone__vendor_unfit(
            who, op,
            "it needs an input x and an output y, c32, or n f32 and n/2 + 1 "
            "c32, as many as its dimensions say",
            err);
    if (form == HONE_FFT_FORM_FILTER) {
        p.h = hone__vendor_find_arg(problem, "h");
        if (!is_array(problem, p.h, HONE_ARG_IN, HONE_TYPE_C32, p.n))
            return hone__vendor_unfit(
                who, op, "it needs a filter h, an input of n c32 numbers", err);
    }
    *out = p;
    return HONE_OK;
}

hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, size_t *out_workspace_bytes,
                                hone_error *err)
{
    const int rank = problem->form == HONE_FFT_FORM_2D ? 2 : 1;
    long long n[] = {problem->rows, problem->n};
    long long *const lengths = n + 2 - rank;
    /* What it says of one dimension is not read, but that it is there. */
    long long *const embed = hone__fft_is_dense(problem) ? NULL : lengths;
    size_t workspace_bytes = 0;

    out->handle = HONE_FFT_NO_HANDLE;
    HONE_TRY(hone__fft_get(&out->fft, err));
    HONE_TRY(
        hone__fft_check(out->fft->create(&out->handle), "cufftCreate", err));
    if (out_workspace_bytes)
        HONE_TRY(hone__fft_check(out->fft->auto_allocation(out->handle, 0),
                                 "cufftSetAutoAllocation", err));
    HONE_TRY(hone__fft_check(
        out->fft->make_plan(out->handle, rank, lengths, embed, problem->stride,
                            problem->distance, embed, problem->stride,
                            problem->distance, type, problem->batch,
                            &workspace_bytes),
        "cufftMakePlanMany64", err));
    if (out_workspace_bytes)
        *out_workspace_bytes = workspace_bytes;
    return HONE_OK;
}

void hone__fft_plan_close(hone_fft_plan *plan)
{
    if (plan->fft && plan->handle != HONE_FFT_NO_HANDLE)
        (void)plan->fft->destroy(plan->handle);
    plan->handle = HONE_FFT_NO_HANDLE;
}
