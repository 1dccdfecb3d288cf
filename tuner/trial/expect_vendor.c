/* SPDX-License-Identifier: Apache-2.0 */
/* What an output must be by a vendor's library. cuFFT's transform of absolute
 * values bounds nothing, so the magnitude of an element is not made like that
 * of other libraries: it is the 2-norm of its transform's input, as with the
 * reference cpu.fft. In double, because in f32 cuFFT errs as much as what it
 * is to judge. */
#include "tuner/trial/expectations.h"

#include "tuner/baselines/baseline.h"
#include "runtime/vendor/vendor_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "cublas.gemm" is the baseline "cublas"; "cub.sum" is "cub.sum". */
static hone_status open_baseline(hone_problem *problem, const char *name,
                                 hone_baseline **out, hone_error *err)
{
    char family[64];
    const hone_status status =
        hone__baseline_open(name, problem->tmpl->op, &problem->resolved,
                            problem->device->driver, out, err);

    if (status != HONE_ERR_NOT_FOUND)
        return status;
    (void)snprintf(family, sizeof family, "%.*s", (int)strcspn(name, "."),
                   name);
    return hone__baseline_open(family, problem->tmpl->op, &problem->resolved,
                               problem->device->driver, out, err);
}

static hone_status expect_baseline(hone_problem *problem, hone_check *check,
                                   hone_error *err)
{
    hone_baseline *baseline = NULL;
    hone_status status = open_baseline(problem, check->name, &baseline, err);
    const hone_subject subject = {.enqueue = hone__baseline_enqueue,
                                  .user = baseline};

    if (status == HONE_ERR_UNSUPPORTED)
        return hone__expectations_skip(problem, check, err);
    if (status == HONE_OK)
        status = hone__expectations_run(problem, check, HONE_MAGNITUDE_TERMS,
                                        subject, err);
    if (status == HONE_OK)
        status = hone__expectations_agree(problem, check, err);
    hone__baseline_close(baseline);
    return status;
}

/* ---- cuFFT --------------------------------------------------------------- */

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
    double most = INFINITY;
    void *params[] = {&type, &out->data, &from, &n, &most};

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

static hone_status transform(hone_device *device, const hone_fft_problem *fft,
                             hone_fft_plan *plan, const hone_block *from,
                             const hone_block *to, hone_error *err)
{
    HONE_TRY(hone__fft_plan_open(fft, HONE_FFT_Z2Z, plan, NULL, err));
    HONE_TRY(
        hone__fft_check(plan->fft->set_stream(plan->handle, device->stream),
                        "cufftSetStream", err));
    HONE_TRY(hone__fft_check(
        plan->fft->exec_z2z(plan->handle, (void *)(uintptr_t)from->data,
                            (void *)(uintptr_t)to->data, fft->direction),
        "cufftExecZ2Z", err));
    return hone__device_synchronize(device, what, err);
}

static hone_status make_value(hone_problem *problem,
                              const hone_fft_problem *fft,
                              const hone_block *wide, hone_block *out,
                              hone_error *err)
{
    hone_fft_plan plan = {0};
    hone_status status;

    HONE_TRY(hone__block_alloc(problem->device, wide->size_bytes, out, err));
    status = transform(problem->device, fft, &plan, wide, out, err);
    hone__fft_plan_close(&plan);
    return status;
}

static hone_status expect_pass(hone_problem *problem, int pass,
                               const hone_fft_problem *fft,
                               hone_expectation *out, hone_error *err)
{
    hone_block wide = {.base = 0};
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

/* Skipped where cuFFT, or the memory for three times the output in double, is
 * not there. */
static hone_status expect_fft(hone_problem *problem, hone_check *check,
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
                            HONE_FFT_FORM_C2C, &fft, err);
    if (status == HONE_OK && !hone__fft_is_dense(&fft))
        status = hone__vendor_unfit(
            check->name, problem->tmpl->op,
            "it checks transforms that lie one after another", err);
    for (int pass = 0; status == HONE_OK && pass < HONE_N_PASSES; ++pass)
        if (hone__check_wants(check, pass))
            status =
                expect_pass(problem, pass, &fft, &check->expected[pass], err);
    if (status != HONE_ERR_UNSUPPORTED && status != HONE_ERR_NO_MEMORY)
        return status;
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone__block_free(problem->device, &check->expected[pass].value);
        hone__block_free(problem->device, &check->expected[pass].magnitude);
        check->expected[pass].count = 0;
    }
    return hone__expectations_skip(problem, check, err);
}

/* Vendors' libraries write one array. */
hone_status hone__expect_vendor(hone_problem *problem, hone_check *checks,
                                hone_error *err)
{
    if (problem->n_outputs != 1)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: the check %s gives one array, and %zu are "
                          "written; check them with cpu.NAME or template.NAME",
                          problem->tmpl->path, checks->name,
                          problem->n_outputs);
    if (!problem->device->kind->has_vendors) {
        (void)snprintf(checks->skipped, sizeof checks->skipped,
                       "a vendor library of the GPU");
        return HONE_OK;
    }
    return strncmp(checks->name, "cufft", 5) == 0
               ? expect_fft(problem, checks, err)
               : expect_baseline(problem, checks, err);
}
