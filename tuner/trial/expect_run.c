/* SPDX-License-Identifier: Apache-2.0 */
/* A reference that runs on the device: what it gives on copies of the inputs,
 * and how large rounding errors may be; and another template as one. */
#include "tuner/trial/expectations.h"
#include "tuner/device/machine_fault.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char what[] = "making a reference";

/* How the inputs of a run differ from those of its pass. */
typedef struct change {
    enum { AS_THEY_ARE, ABSOLUTE, MOVED } kind;
    int gives_magnitudes; /* what it writes are not values */
    double step;          /* of what is moved */
    uint64_t run;
} change;

/* Copies of the arguments of one pass that may be written to. */
typedef struct device_args {
    hone_block block[HONE_MAX_ARGS];
    hone_cu_ptr pointer[HONE_MAX_ARGS];
    hone_scalar scalar[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
} device_args;

/* Of one argument in one run. */
static uint64_t seed_of(const hone_problem *problem, int pass, size_t arg,
                        const change *how)
{
    return hone__inputs_mix(hone__inputs_seed(problem->setup.seed, arg, pass) +
                            how->run + 1);
}

static void copy_scalar(const hone_problem *problem, int pass, size_t arg,
                        const change *how, hone_scalar *out)
{
    const hone_type type = problem->resolved.args[arg].type;
    const int lane = hone__lane_type(type);

    *out = problem->scalar[pass][arg];
    if (!hone__type_is_real(lane) || how->kind == AS_THEY_ARE)
        return;
    for (int i = 0; i < (lane == (int)type ? 1 : 2); ++i) {
        const double v = hone__element_load(lane, out, i);

        hone__element_store(
            lane, out, i,
            how->kind == ABSOLUTE
                ? fabs(v)
                : hone__magnitude_perturbed(v, seed_of(problem, pass, arg, how),
                                            (uint64_t)i, how->step));
    }
}

static hone_status copy_array(hone_problem *problem, int pass, size_t arg,
                              const change *how, const hone_block *to,
                              hone_error *err)
{
    hone_device *device = problem->device;
    const hone_block *from = &problem->pristine[pass][arg];
    int type = hone__lane_type(problem->resolved.args[arg].type);
    int64_t n = hone__lane_count(&problem->resolved.args[arg]);
    hone_cu_ptr source = from->data, target = to->data;
    uint64_t seed = seed_of(problem, pass, arg, how);
    double step = how->step;
    void *params[] = {&type, &target, &source, &n, &seed, &step};

    if (!from->base) /* an output: nothing there to copy */
        return HONE_OK;
    if (how->kind == ABSOLUTE && hone__problem_may_change(problem, arg))
        return hone__device_run(device, device->kernel.absolute, n, params,
                                what, err);
    if (how->kind == MOVED && hone__type_is_real(type))
        return hone__device_run(device, device->kernel.perturb, n, params, what,
                                err);
    return hone__block_copy(device, from, to, err);
}

static hone_status copy_args(hone_problem *problem, int pass, const change *how,
                             device_args *copy, hone_error *err)
{
    memset(copy, 0, sizeof *copy);
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];

        copy->args[i] = &copy->scalar[i];
        if (arg->mode == HONE_ARG_SCALAR) {
            copy_scalar(problem, pass, i, how, &copy->scalar[i]);
            continue;
        }
        if (!arg->is_absent)
            HONE_TRY(hone__block_alloc_in(
                problem->device,
                arg->is_host ? HONE_BLOCK_PINNED : HONE_BLOCK_DEVICE,
                (size_t)arg->size_bytes, &copy->block[i], err));
        copy->pointer[i] = copy->block[i].data;
        copy->args[i] = &copy->pointer[i];
        HONE_TRY(copy_array(problem, pass, i, how, &copy->block[i], err));
    }
    return HONE_OK;
}

/* An output as it is compared: doubles, but 64-bit integers as they are. A
 * magnitude may be more than the type holds though no value is (a sum of
 * 100,000 products in f16): the largest number of the type bounds errors then,
 * more strictly. */
static hone_status keep_output(hone_problem *problem, int output,
                               hone_cu_ptr from, int is_magnitude,
                               hone_block *out, hone_error *err)
{
    hone_device *device = problem->device;
    const hone_resolved_arg *arg = &problem->resolved.args[output];
    int type = hone__lane_type(arg->type);
    int64_t n = hone__lane_count(arg);
    double most = is_magnitude ? hone__magnitude_most(type) : INFINITY;
    void *params[] = {&type, &out->data, &from, &n, &most};

    HONE_TRY(hone__block_alloc(device, (size_t)n * sizeof(double), out, err));
    if (!is_magnitude && hone__type_is_long(type))
        return hone__block_copy(device,
                                &(hone_block){.base = from,
                                              .data = from,
                                              .size_bytes = out->size_bytes},
                                out, err);
    return hone__device_run(device, device->kernel.to_double, n, params, what,
                            err);
}

/* What a run that was moved says about an output's magnitude. */
static hone_status add_square(hone_problem *problem, const hone_check *check,
                              hone_expectation *e, hone_cu_ptr moved,
                              const change *how, hone_error *err)
{
    hone_device *device = problem->device;
    const hone_resolved_arg *arg = &problem->resolved.args[check->output];
    int type = hone__lane_type(arg->type);
    int64_t n = hone__lane_count(arg);
    double step = how->step;
    void *params[] = {&type, &e->magnitude.data, &e->value.data, &moved, &n,
                      &step};

    if (!hone__type_is_real(type))
        return HONE_OK;
    return hone__device_run(device, device->kernel.spread, n, params, what,
                            err);
}

/* Run the subject once; keep what it wrote as values, as magnitudes, or how far
 * it is from the values. */
static hone_status run_subject(hone_problem *problem, int pass,
                               const change *how, hone_subject subject,
                               hone_check *checks, hone_error *err)
{
    hone_device *device = problem->device;
    device_args copy;
    hone_status status = copy_args(problem, pass, how, &copy, err);

    if (status == HONE_OK)
        status = subject.enqueue(subject.user, copy.args, device->stream, err);
    for (size_t i = 0; status == HONE_OK && i < problem->n_outputs; ++i) {
        hone_expectation *e = &checks[i].expected[pass];
        const hone_cu_ptr wrote = copy.pointer[checks[i].output];

        if (!hone__check_wants(&checks[i], pass))
            continue;
        status =
            how->kind == MOVED
                ? add_square(problem, &checks[i], e, wrote, how, err)
                : keep_output(
                      problem, checks[i].output, wrote, how->gives_magnitudes,
                      how->gives_magnitudes ? &e->magnitude : &e->value, err);
    }
    if (status == HONE_OK)
        status = hone__device_synchronize(device, what, err);
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__block_free(device, &copy.block[i]);
    return status;
}

/* ---- magnitudes ---------------------------------------------------------- */

/* Of a problem: no input or no output in floating point, no step. */
static double step_of(const hone_problem *problem)
{
    double step = 0;
    int n_in = 0, n_out = 0;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const double its = hone__magnitude_step(hone__lane_type(arg->type));

        n_out += its > 0 && hone__arg_is_written(arg);
        n_in += its > 0 && arg->mode != HONE_ARG_OUT;
        step = fmax(step, its);
    }
    return n_in && n_out ? step : 0;
}

static hone_status start_squares(hone_problem *problem, hone_check *check,
                                 hone_error *err)
{
    hone_block *out = &check->expected[HONE_PASS_REALS].magnitude;
    const int64_t n = hone__lane_count(&problem->resolved.args[check->output]);

    HONE_TRY(hone__block_alloc(problem->device, (size_t)n * sizeof(double), out,
                               err));
    return hone__block_fill(problem->device, out, 0, err);
}

static hone_status end_squares(hone_problem *problem, const hone_check *check,
                               hone_error *err)
{
    hone_device *device = problem->device;
    const hone_expectation *e = &check->expected[HONE_PASS_REALS];
    const hone_resolved_arg *arg = &problem->resolved.args[check->output];
    int64_t n = hone__lane_count(arg);
    double factor = hone__magnitude_factor();
    hone_cu_ptr magnitude = e->magnitude.data, value = e->value.data;
    void *params[] = {&magnitude, &value, &n, &factor};

    if (!hone__type_is_real(hone__lane_type(arg->type)))
        return HONE_OK;
    return hone__device_run(device, device->kernel.magnitude, n, params, what,
                            err);
}

static hone_status measure_magnitudes(hone_problem *problem,
                                      hone_subject subject, hone_check *checks,
                                      hone_error *err)
{
    change how = {MOVED, 0, step_of(problem), 0};

    for (size_t i = 0; i < problem->n_outputs; ++i)
        HONE_TRY(start_squares(problem, &checks[i], err));
    for (; how.step > 0 && how.run < HONE_MAGNITUDE_RUNS; ++how.run)
        HONE_TRY(
            run_subject(problem, HONE_PASS_REALS, &how, subject, checks, err));
    for (size_t i = 0; i < problem->n_outputs; ++i)
        HONE_TRY(end_squares(problem, &checks[i], err));
    return hone__device_synchronize(problem->device, what, err);
}

hone_status hone__expectations_run(hone_problem *problem, hone_check *checks,
                                   hone_magnitude_source source,
                                   hone_subject subject, hone_error *err)
{
    static const change none = {AS_THEY_ARE, 0, 0, 0};
    static const change absolute = {ABSOLUTE, 1, 0, 0};

    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        int wanted = 0;

        for (size_t i = 0; i < problem->n_outputs; ++i)
            wanted |= hone__check_wants(&checks[i], pass);
        if (!wanted)
            continue;
        HONE_TRY(run_subject(problem, pass, &none, subject, checks, err));
        /* Integers are compared bit for bit: there is no bound. */
        if (pass == HONE_PASS_REALS && source == HONE_MAGNITUDE_TERMS)
            HONE_TRY(
                run_subject(problem, pass, &absolute, subject, checks, err));
        if (pass == HONE_PASS_REALS && source == HONE_MAGNITUDE_SPREAD)
            HONE_TRY(measure_magnitudes(problem, subject, checks, err));
        for (size_t i = 0; i < problem->n_outputs; ++i)
            if (hone__check_wants(&checks[i], pass))
                checks[i].expected[pass].count =
                    hone__lane_count(&problem->resolved.args[checks[i].output]);
    }
    return HONE_OK;
}

/* ---- another template ---------------------------------------------------- */

static void refuse(const char *text, char out_why[256], hone_error *err)
{
    (void)snprintf(out_why, 256, "%.250s", text);
    hone__error_clear(err);
}

hone_status hone__reference_template_load(const hone_problem *problem,
                                          const char *name, hone_variant *out,
                                          char out_why[256], hone_error *err)
{
    const hone_reference_template *other =
        hone__reference_template_find(problem->setup.reference_templates, name);
    int64_t dims[HONE_MAX_DIMS];
    hone_status status;

    memset(out, 0, sizeof *out);
    out_why[0] = '\0';
    if (!other || other->why[0]) {
        refuse(other ? other->why : "it was not compiled", out_why, NULL);
        return HONE_OK;
    }
    hone__reference_template_dims(other, problem->resolved.dims, dims);
    status = hone__variant_load(problem->device, other->spec, other->code.data,
                                other->code.length, dims, other->tmpl->n_dims,
                                out, err);
    if (status == HONE_OK)
        return hone__reference_template_fits(other, &problem->resolved,
                                             &out->resolved, err);
    if (status == HONE_ERR_NO_MEMORY ||
        (err && (hone__outcome_of(err) == HONE_OUTCOME_FAULT ||
                 hone__machine_fault(err))))
        return status;
    refuse(err ? err->text : "it cannot be loaded", out_why, err);
    return HONE_OK;
}

/* "check NAME: " in front of what went wrong while it ran. */
static hone_status failed(const char *name, hone_status status, hone_error *err)
{
    char text[640];

    if (status == HONE_OK || !err || status == HONE_ERR_NO_MEMORY)
        return status;
    (void)snprintf(text, sizeof text, "%.630s", err->text);
    return hone__fail_native(err, status, err->domain, err->native,
                             "check %s: %s", name, text);
}

/* Constants are filled when the pointer changes. Between runs the arrays are
 * freed and made again, perhaps at the same address, with other values. */
static hone_status enqueue(void *user, void *const *args, hone_stream stream,
                           hone_error *err)
{
    hone_variant *variant = user;
    const hone_subject subject = hone__variant_subject(variant);

    hone__bank_forget(&variant->bank);
    return subject.enqueue(subject.user, args, stream, err);
}

/* Run one of the two templates of a check: the reference, or the one that
 * computes the magnitudes. */
static hone_status run_template(hone_problem *problem, hone_check *checks,
                                int magnitude, hone_error *err)
{
    static const change given = {AS_THEY_ARE, 1, 0, 0};
    const char *name = magnitude ? checks->magnitude : checks->name;
    hone_variant variant;
    const hone_subject subject = {.enqueue = enqueue, .user = &variant};
    hone_status status = hone__reference_template_load(problem, name, &variant,
                                                       checks->skipped, err);

    if (status == HONE_OK && !checks->skipped[0])
        status =
            failed(name,
                   magnitude ? run_subject(problem, HONE_PASS_REALS, &given,
                                           subject, checks, err)
                             : hone__expectations_run(
                                   problem, checks,
                                   checks->magnitude ? HONE_MAGNITUDE_GIVEN
                                                     : HONE_MAGNITUDE_SPREAD,
                                   subject, err),
                   err);
    /* A context that is lost could hang in it. */
    if (status == HONE_OK || !err || err->domain != HONE_DOMAIN_CUDA)
        hone__variant_unload(&variant);
    return status;
}

/* The magnitudes first: where there are none, there is nothing to compare. */
hone_status hone__expect_template(hone_problem *problem, hone_check *checks,
                                  hone_error *err)
{
    if (checks->magnitude)
        HONE_TRY(run_template(problem, checks, 1, err));
    return checks->skipped[0] ? HONE_OK : run_template(problem, checks, 0, err);
}
