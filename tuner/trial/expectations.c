/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs of a problem must be: by a CPU reference in double
 * ("cpu.NAME", expect_cpu.c), or on the device by a vendor library
 * ("cublas.gemm") or another template ("template.NAME", expect_template.c).
 * The magnitude of an element is the operation on the absolute values of its
 * inputs: rounding errors are bounded in proportion to it. */
#include "tuner/baselines/baseline.h"
#include "tuner/judge/check_data.h"
#include "tuner/trial/expect_cpu.h"
#include "tuner/trial/expect_fft.h"
#include "tuner/trial/expect_template.h"
#include "tuner/trial/problem.h"

#include <stdio.h>
#include <string.h>

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

static void free_device_args(hone_device *device, device_args *copy)
{
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__block_free(device, &copy->block[i]);
}

static hone_status copy_args(hone_problem *problem, int pass, int absolute,
                             device_args *copy, hone_error *err)
{
    hone_device *device = problem->device;

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
            HONE_TRY(hone__block_copy(device, from, &copy->block[i], err));
        }
    }
    return HONE_OK;
}

/* An output as it is compared: doubles, but 64-bit integers as they are. */
static hone_status keep_output(hone_problem *problem, int output,
                               hone_cu_ptr from, int as_double, hone_block *out,
                               hone_error *err)
{
    hone_device *device = problem->device;
    const hone_resolved_arg *arg = &problem->resolved.args[output];
    int type = hone__lane_type(arg->type);
    int64_t n = hone__lane_count(arg);
    void *params[] = {&type, &out->data, &from, &n};

    HONE_TRY(hone__block_alloc(device, (size_t)n * sizeof(double), out, err));
    if (!as_double && hone__type_is_long(type))
        return hone__block_copy(
            device, &(hone_block){from, from, out->size_bytes}, out, err);
    return hone__device_run(device, device->kernel.to_double, n, params,
                            "making a reference", err);
}

/* Run the subject once; keep what it wrote as values, or as magnitudes if it
 * ran on absolute values. */
static hone_status run_subject(hone_problem *problem, int pass, int absolute,
                               hone_subject subject, hone_check *checks,
                               hone_error *err)
{
    hone_device *device = problem->device;
    device_args copy;
    hone_status status = copy_args(problem, pass, absolute, &copy, err);

    if (status == HONE_OK)
        status = subject.enqueue(subject.user, copy.args, device->stream, err);
    for (size_t i = 0; status == HONE_OK && i < problem->n_outputs; ++i) {
        hone_expectation *e = &checks[i].expected[pass];

        if (hone__check_wants(&checks[i], pass))
            status = keep_output(problem, checks[i].output,
                                 copy.pointer[checks[i].output], absolute,
                                 absolute ? &e->magnitude : &e->value, err);
    }
    if (status == HONE_OK)
        status = hone__device_synchronize(device, "making a reference", err);
    free_device_args(device, &copy);
    return status;
}

hone_status hone__expectations_run(hone_problem *problem, hone_check *checks,
                                   hone_subject subject, hone_error *err)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        int wanted = 0;

        for (size_t i = 0; i < problem->n_outputs; ++i)
            wanted |= hone__check_wants(&checks[i], pass);
        if (!wanted)
            continue;
        HONE_TRY(run_subject(problem, pass, 0, subject, checks, err));
        HONE_TRY(run_subject(problem, pass, 1, subject, checks, err));
        for (size_t i = 0; i < problem->n_outputs; ++i)
            checks[i].expected[pass].count =
                hone__check_wants(&checks[i], pass)
                    ? hone__lane_count(
                          &problem->resolved.args[checks[i].output])
                    : 0;
    }
    return HONE_OK;
}

int hone__check_wants(const hone_check *check, int pass)
{
    return pass != HONE_PASS_EXACT || check->exact > 0;
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

static void skip(const hone_problem *problem, hone_check *checks,
                 const char *why)
{
    for (size_t i = 0; i < problem->n_outputs; ++i)
        (void)snprintf(checks[i].skipped, sizeof checks[i].skipped, "%.250s",
                       why);
}

static hone_status expect_baseline(hone_problem *problem, hone_check *checks,
                                   hone_error *err)
{
    hone_baseline *baseline = NULL;
    hone_status status = open_baseline(problem, checks->name, &baseline, err);

    if (status == HONE_ERR_UNSUPPORTED) { /* not here: say so, go on */
        skip(problem, checks, err ? err->text : "not on this machine");
        hone__error_clear(err);
        return HONE_OK;
    }
    if (status == HONE_OK)
        status = hone__expectations_run(
            problem, checks, (hone_subject){enqueue_baseline, baseline}, err);
    hone__baseline_close(baseline);
    return status;
}

/* Vendors' libraries write one array. */
static hone_status expect_vendor(hone_problem *problem, hone_check *checks,
                                 hone_error *err)
{
    if (problem->n_outputs != 1)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: the check %s gives one array, and %zu are "
                          "written; check them with cpu.NAME or template.NAME",
                          problem->tmpl->path, checks->name,
                          problem->n_outputs);
    if (!problem->device->kind->has_vendors) {
        skip(problem, checks, "a vendor library of the GPU");
        return HONE_OK;
    }
    return strncmp(checks->name, "cufft", 5) == 0
               ? hone__expect_fft(problem, checks, err)
               : expect_baseline(problem, checks, err);
}

hone_status hone__expectations_make(hone_problem *problem,
                                    const hone_problem_setup *setup,
                                    hone_error *err)
{
    for (size_t i = 0; i < problem->n_checks; i += problem->n_outputs) {
        hone_check *checks = &problem->checks[i];

        if (strncmp(checks->name, "cpu.", 4) == 0)
            HONE_TRY(hone__expect_cpu(problem, checks, setup, err));
        else if (hone__reference_template_is(checks->name))
            HONE_TRY(hone__expect_template(problem, checks, setup, err));
        else
            HONE_TRY(expect_vendor(problem, checks, err));
    }
    return HONE_OK;
}
