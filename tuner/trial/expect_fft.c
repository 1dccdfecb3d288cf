/* SPDX-License-Identifier: Apache-2.0 */
/* The check "cufft.c2c": see expect_fft.h. cuFFT's transform of absolute
 * values bounds nothing, so the magnitude of an element is not made like that
 * of other libraries: it is the 2-norm of its transform's input, as with the
 * reference cpu.fft. In double, because in f32 cuFFT errs as much as what it
 * is to judge. */
#include "tuner/trial/expect_fft.h"

#include "tuner/baselines/vendor_problem.h"

#include <stdio.h>
#include <string.h>

static const char what[] = "making a reference with cuFFT";

/* out: lanes as doubles, of the input of this pass. */
static hone_status widen(hone_problem *problem, int pass,
                         const hone_fft_problem *fft, hone_block *out,
                         hone_error *err)
{
    hone_device *const device = problem->device;
    const hone_resolved_arg *const x = &problem->resolved.args[fft->x];
    int type = hone__lane_type(x->type);
    int64_t n = hone__lane_count(x);
    hone_cu_ptr from = problem->pristine[pass][fft->x].data;
    void *params[] = {&type, &out->data, &from, &n};

    HONE_TRY(hone__block_alloc(device, (size_t)n * sizeof(double), out, err));
    return hone__device_run(device, device->kernel.to_double, n, params, what,
                            err);
}

static hone_status make_magnitude(hone_problem *problem,
                                  const hone_fft_problem *fft, hone_block *wide,
                                  hone_block *out, hone_error *err)
{
    hone_device *const device = problem->device;
    int64_t lanes = 2 * fft->n, batch = fft->batch;
    void *params[] = {&out->data, &wide->data, &lanes, &batch};

    HONE_TRY(hone__block_alloc(device, (size_t)(lanes * batch) * sizeof(double),
                               out, err));
    return hone__device_run(device, device->kernel.norms, batch, params, what,
                            err);
}

static void *pointer(const hone_block *block)
{
    return (void *)(uintptr_t)block->data;
}

static hone_status make_value(hone_problem *problem,
                              const hone_fft_problem *fft,
                              const hone_block *wide, hone_block *out,
                              hone_error *err)
{
    hone_fft_plan plan = {NULL, HONE_FFT_NO_HANDLE};
    hone_status status =
        hone__block_alloc(problem->device, wide->size_bytes, out, err);

    if (status == HONE_OK)
        status = hone__fft_plan_open(fft, HONE_FFT_Z2Z, &plan, err);
    if (status == HONE_OK)
        status = hone__fft_check(
            plan.fft->set_stream(plan.handle, problem->device->stream),
            "cufftSetStream", err);
    if (status == HONE_OK)
        status =
            hone__fft_check(plan.fft->exec_z2z(plan.handle, pointer(wide),
                                               pointer(out), fft->direction),
                            "cufftExecZ2Z", err);
    if (status == HONE_OK)
        status = hone__device_synchronize(problem->device, what, err);
    hone__fft_plan_close(&plan);
    return status;
}

static hone_status expect_pass(hone_problem *problem, int pass,
                               const hone_fft_problem *fft,
                               hone_expectation *out, hone_error *err)
{
    hone_block wide = {0, 0, 0};
    hone_status status = widen(problem, pass, fft, &wide, err);

    if (status == HONE_OK)
        status = make_magnitude(problem, fft, &wide, &out->magnitude, err);
    if (status == HONE_OK)
        status = make_value(problem, fft, &wide, &out->value, err);
    if (status == HONE_OK)
        out->count =
            hone__lane_count(&problem->resolved.args[problem->outputs[0]]);
    hone__block_free(problem->device, &wide);
    return status;
}

static void forget(hone_problem *problem, hone_check *check)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone_expectation *const e = &check->expected[pass];

        hone__block_free(problem->device, &e->value);
        hone__block_free(problem->device, &e->magnitude);
        e->count = 0;
    }
}

hone_status hone__expect_fft(hone_problem *problem, hone_check *check,
                             hone_error *err)
{
    hone_fft_problem fft;
    hone_status status;

    if (strcmp(check->name, "cufft.c2c") != 0)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: there is no check '%s'; cuFFT checks plain "
                          "transforms, 'cufft.c2c', and cpu.fft_filter "
                          "filtered ones",
                          problem->tmpl->path, check->name);
    status = hone__fft_read(check->name, problem->tmpl->op, &problem->resolved,
                            0, &fft, err);
    for (int pass = 0; status == HONE_OK && pass < HONE_N_PASSES; ++pass) {
        if (!hone__check_wants(check, pass))
            continue;
        status = expect_pass(problem, pass, &fft, &check->expected[pass], err);
    }
    if (status != HONE_ERR_UNSUPPORTED && status != HONE_ERR_NO_MEMORY)
        return status;
    forget(problem, check);
    (void)snprintf(check->skipped, sizeof check->skipped, "%.250s",
                   err ? err->text : "not on this machine");
    hone__error_clear(err);
    return HONE_OK;
}
