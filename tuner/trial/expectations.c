/* SPDX-License-Identifier: Apache-2.0 */
/* What the output of a problem must be: by a CPU reference in double
 * ("cpu.NAME"), or on the device by a vendor library ("cublas.gemm") or
 * another template ("template.NAME", expect_template.c). The magnitude of an
 * element is the operation on the absolute values of its inputs: rounding
 * errors are bounded in proportion to it. */
#include "runtime/base/alloc.h"
#include "tuner/baselines/baseline.h"
#include "tuner/judge/check_data.h"
#include "tuner/trial/expect_fft.h"
#include "tuner/trial/expect_template.h"
#include "tuner/trial/problem.h"

#include <stdio.h>
#include <string.h>

static hone_status upload(hone_gpu *device, const void *from, size_t size_bytes,
                          hone_block *to, hone_error *err)
{
    HONE_TRY(hone__block_alloc(device, size_bytes, to, err));
    /* The copy below is on another stream than the fill of the guards. */
    HONE_TRY(hone__device_synchronize(device, "allocating", err));
    return hone__driver_check(
        device->driver,
        device->driver->copy_to_device(to->data, from, size_bytes),
        "copying to the device", err);
}

/* ---- CPU references -----------------------------------------------------
 */

/* Host copies of all arguments of one pass. */
typedef struct host_args {
    void *array[HONE_MAX_ARGS];
    const void *pointer[HONE_MAX_ARGS];
} host_args;

static void free_host_args(host_args *host)
{
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__free(host->array[i]);
}

static hone_status download_args(hone_problem *problem, int pass,
                                 host_args *host, hone_error *err)
{
    const hone_driver *driver = problem->device->driver;

    memset(host, 0, sizeof *host);
    HONE_TRY(hone__device_synchronize(problem->device, "making inputs", err));
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_block *block = &problem->pristine[pass][i];

        host->pointer[i] = &problem->scalar[pass][i];
        if (problem->resolved.args[i].mode == HONE_ARG_SCALAR)
            continue;
        if (!block->base) { /* an output: nothing there to read */
            host->pointer[i] = NULL;
            continue;
        }
        host->array[i] = hone__alloc(block->size_bytes);
        if (!host->array[i])
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of host memory for a reference");
        HONE_TRY(
            hone__driver_check(driver,
                               driver->copy_to_host(host->array[i], block->data,
                                                    block->size_bytes),
                               "copying inputs to the host", err));
        host->pointer[i] = host->array[i];
    }
    return HONE_OK;
}

static hone_status run_cpu_reference(hone_problem *problem, int pass,
                                     const hone_reference *reference,
                                     hone_expectation *out, hone_error *err)
{
    const hone_resolved_arg *output = &problem->resolved.args[problem->output];
    const int64_t *dims = problem->resolved.dims;
    const int64_t n_lanes = hone__lane_count(output);
    int64_t index[HONE_N_SAMPLES];
    const int64_t n_chosen =
        hone__inputs_elements(n_lanes, reference->cost(dims), index);
    const int64_t count = n_chosen ? n_chosen : n_lanes;
    double *value = hone__alloc((size_t)count * sizeof *value);
    double *magnitude = hone__alloc((size_t)count * sizeof *magnitude);
    host_args host = {{0}, {0}};
    hone_status status = HONE_OK;

    if (!value || !magnitude)
        status = hone__fail(err, HONE_ERR_NO_MEMORY,
                            "out of host memory for a reference");
    if (status == HONE_OK)
        status = download_args(problem, pass, &host, err);
    if (status == HONE_OK && !n_chosen)
        reference->compute(dims, host.pointer, 0, count, value, magnitude);
    for (int64_t i = 0; status == HONE_OK && i < n_chosen; ++i)
        reference->compute(dims, host.pointer, index[i], 1, &value[i],
                           &magnitude[i]);
    if (status == HONE_OK && n_chosen)
        status = upload(problem->device, index, (size_t)count * sizeof index[0],
                        &out->index, err);
    if (status == HONE_OK)
        status = upload(problem->device, value, (size_t)count * sizeof *value,
                        &out->value, err);
    if (status == HONE_OK)
        status =
            upload(problem->device, magnitude,
                   (size_t)count * sizeof *magnitude, &out->magnitude, err);
    out->count = status == HONE_OK ? count : 0;
    free_host_args(&host);
    hone__free(value);
    hone__free(magnitude);
    return status;
}

/* ---- what runs on the device --------------------------------------------
 */

/* Absolute value of a scalar: clear the sign of what it holds. */
static void absolute_scalar(hone_type type, void *value)
{
    if (type == HONE_TYPE_F64) {
        double v;

        memcpy(&v, value, sizeof v);
        v = v < 0 ? -v : v;
        memcpy(value, &v, sizeof v);
    } else if (type == HONE_TYPE_F32 || type == HONE_TYPE_TF32) {
        float v;

        memcpy(&v, value, sizeof v);
        v = v < 0 ? -v : v;
        memcpy(value, &v, sizeof v);
    }
}

/* Copies of the arguments of one pass that may be written to. */
typedef struct device_args {
    hone_block block[HONE_MAX_ARGS];
    hone_cu_ptr pointer[HONE_MAX_ARGS];
    hone_scalar scalar[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
} device_args;

static void free_device_args(hone_gpu *device, device_args *copy)
{
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__block_free(device, &copy->block[i]);
}

static hone_status copy_args(hone_problem *problem, int pass, int absolute,
                             device_args *copy, hone_error *err)
{
    hone_gpu *device = problem->device;

    memset(copy, 0, sizeof *copy);
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_block *from = &problem->pristine[pass][i];
        int type = hone__lane_type(arg->type);
        int64_t n = hone__lane_count(arg);
        hone_cu_ptr source = from->data;

        copy->args[i] = &copy->scalar[i];
        if (arg->mode == HONE_ARG_SCALAR) {
            memcpy(&copy->scalar[i], &problem->scalar[pass][i],
                   sizeof copy->scalar[i]);
            if (absolute)
                absolute_scalar(arg->type, &copy->scalar[i]);
            continue;
        }
        HONE_TRY(hone__block_alloc(device, (size_t)arg->size_bytes,
                                   &copy->block[i], err));
        copy->pointer[i] = copy->block[i].data;
        copy->args[i] = &copy->pointer[i];
        if (!from->base)
            continue;
        if (absolute) {
            void *params[] = {&type, &copy->pointer[i], &source, &n};

            HONE_TRY(hone__device_run(device, device->kernel.absolute, n,
                                      params, "making a reference", err));
        } else {
            HONE_TRY(hone__driver_check(
                device->driver,
                device->driver->copy_async(copy->pointer[i], source,
                                           from->size_bytes, device->stream),
                "making a reference", err));
        }
    }
    return HONE_OK;
}

static hone_status run_subject(hone_problem *problem, int pass, int absolute,
                               hone_subject subject, hone_block *out,
                               hone_error *err)
{
    hone_gpu *device = problem->device;
    const hone_resolved_arg *output = &problem->resolved.args[problem->output];
    int type = hone__lane_type(output->type);
    int64_t n = hone__lane_count(output);
    device_args copy;
    hone_status status = copy_args(problem, pass, absolute, &copy, err);

    if (status == HONE_OK)
        status = subject.enqueue(subject.user, copy.args, device->stream, err);
    if (status == HONE_OK)
        status =
            hone__block_alloc(device, (size_t)n * sizeof(double), out, err);
    if (status == HONE_OK) {
        void *params[] = {&type, &out->data, &copy.pointer[problem->output],
                          &n};

        status = hone__device_run(device, device->kernel.to_double, n, params,
                                  "making a reference", err);
    }
    if (status == HONE_OK)
        status = hone__device_synchronize(device, "making a reference", err);
    free_device_args(device, &copy);
    return status;
}

hone_status hone__expectations_run(hone_problem *problem, hone_check *check,
                                   hone_subject subject, hone_error *err)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone_expectation *e = &check->expected[pass];

        if (pass == HONE_PASS_EXACT && !check->exact)
            continue;
        HONE_TRY(run_subject(problem, pass, 0, subject, &e->value, err));
        HONE_TRY(run_subject(problem, pass, 1, subject, &e->magnitude, err));
        e->count = hone__lane_count(&problem->resolved.args[problem->output]);
    }
    return HONE_OK;
}

static hone_status enqueue_baseline(void *user, void *const *args,
                                    hone_stream stream, hone_error *err)
{
    return hone__baseline_enqueue(user, 0, args, stream, err);
}

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

    if (status == HONE_ERR_UNSUPPORTED) { /* not here: say so, go on */
        (void)snprintf(check->skipped, sizeof check->skipped, "%.250s",
                       err ? err->text : "not on this machine");
        hone__error_clear(err);
        return HONE_OK;
    }
    if (status == HONE_OK)
        status = hone__expectations_run(
            problem, check, (hone_subject){enqueue_baseline, baseline}, err);
    hone__baseline_close(baseline);
    return status;
}

static hone_status expect_cpu(hone_problem *problem, hone_check *check,
                              const hone_problem_setup *setup, hone_error *err)
{
    const hone_reference *reference = NULL;

    HONE_TRY(hone__reference_find(problem->tmpl, check->name, setup->references,
                                  setup->n_references, &reference, err));
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        if (pass == HONE_PASS_EXACT && !check->exact)
            continue;
        HONE_TRY(run_cpu_reference(problem, pass, reference,
                                   &check->expected[pass], err));
    }
    return HONE_OK;
}

hone_status hone__expectations_make(hone_problem *problem,
                                    const hone_problem_setup *setup,
                                    hone_error *err)
{
    for (size_t i = 0; i < problem->n_checks; ++i) {
        hone_check *check = &problem->checks[i];

        if (strncmp(check->name, "cpu.", 4) == 0)
            HONE_TRY(expect_cpu(problem, check, setup, err));
        else if (strncmp(check->name, "cufft", 5) == 0)
            HONE_TRY(hone__expect_fft(problem, check, err));
        else if (hone__reference_template_is(check->name))
            HONE_TRY(hone__expect_template(problem, check, setup, err));
        else
            HONE_TRY(expect_baseline(problem, check, err));
    }
    return HONE_OK;
}
