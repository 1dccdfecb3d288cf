/* SPDX-License-Identifier: Apache-2.0 */
/* Problems and plans of cuFFT: see fft_problem.h. */
#include "tuner/baselines/fft_problem.h"

#include "tuner/baselines/baseline_kind.h"

static hone_status unfit(const char *who, const char *op, const char *why,
                         hone_error *err)
{
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "baseline '%s' cannot do operation '%s': %s", who, op,
                      why);
}

static int is_array(const hone_resolved *problem, int index, hone_arg_mode mode,
                    int64_t count)
{
    const hone_resolved_arg *arg;

    if (index < 0)
        return 0;
    arg = &problem->args[index];
    return arg->mode == mode && arg->type == HONE_TYPE_C32 &&
           arg->count == count;
}

hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, int is_filter,
                           hone_fft_problem *out, hone_error *err)
{
    const size_t n_dims = problem->n_dims;
    hone_fft_problem p = {.direction = HONE_FFT_FORWARD, .batch = 1, .h = -1};

    if (n_dims < 1)
        return unfit(who, op, "it has no dimension n", err);
    p.n = problem->dims[0];
    if (n_dims > 1)
        p.batch = problem->dims[1];
    if (n_dims > 2 && problem->dims[2] == 2)
        p.direction = HONE_FFT_INVERSE;
    p.x = hone__baseline_find_arg(problem, "x");
    p.y = hone__baseline_find_arg(problem, "y");
    if (p.n < 1 || p.batch < 1 || p.n > INT64_MAX / p.batch)
        return unfit(who, op, "n and batch are at least 1", err);
    if (!is_array(problem, p.x, HONE_ARG_IN, p.n * p.batch) ||
        !is_array(problem, p.y, HONE_ARG_OUT, p.n * p.batch))
        return unfit(who, op,
                     "it needs an input x and an output y, both c32 of "
                     "n*batch numbers, n and batch being its first "
                     "dimensions",
                     err);
    if (is_filter) {
        p.h = hone__baseline_find_arg(problem, "h");
        if (!is_array(problem, p.h, HONE_ARG_IN, p.n))
            return unfit(who, op,
                         "it needs a filter h, an input of n c32 numbers", err);
    }
    *out = p;
    return HONE_OK;
}

hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, hone_error *err)
{
    long long n = problem->n;
    size_t workspace_bytes = 0;

    out->handle = HONE_FFT_NO_HANDLE;
    HONE_TRY(hone__fft_get(&out->fft, err));
    HONE_TRY(
        hone__fft_check(out->fft->create(&out->handle), "cufftCreate", err));
    return hone__fft_check(out->fft->make_plan(out->handle, 1, &n, NULL, 1, n,
                                               NULL, 1, n, type, problem->batch,
                                               &workspace_bytes),
                           "cufftMakePlanMany64", err);
}

void hone__fft_plan_close(hone_fft_plan *plan)
{
    if (plan->fft && plan->handle != HONE_FFT_NO_HANDLE)
        (void)plan->fft->destroy(plan->handle);
    plan->handle = HONE_FFT_NO_HANDLE;
}
