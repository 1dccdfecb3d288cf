/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a problem in device memory. Most are made there; what ascends, or
 * comes from a file, is made on the host and copied. */
#include "tuner/trial/problem.h"

#include "runtime/base/alloc.h"
#include "tuner/trial/expectations.h"

#include <string.h>

/* Beside the template, unless the name says where. */
static hone_status read_file(const hone_problem *problem, size_t arg,
                             const char *name, void *array, hone_error *err)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    const hone_template_draw *draw = &problem->tmpl->args[arg].draw;
    const char *by = problem->tmpl->path;
    const char *slash = *name == '/' ? NULL : strrchr(by, '/');
    hone_error found = {.status = HONE_OK};
    hone_text path = {0};
    hone_status status;

    hone__text_printf(&path, "%.*s%s", slash ? (int)(slash - by) + 1 : 0, by,
                      name);
    status = hone__text_check(&path, err);
    if (status == HONE_OK && hone__npy_read(hone__text_str(&path), a->type,
                                            a->count, array, &found) != HONE_OK)
        status = hone__fail(err, HONE_ERR_INPUT, "%s:%d:%d: %s: %.600s",
                            HONE_PLACE(problem->tmpl, draw->line), draw->column,
                            a->name, found.text);
    hone__text_free(&path);
    return status;
}

static hone_status fill_on_host(hone_problem *problem, int pass, size_t arg,
                                uint64_t seed, hone_error *err)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    const hone_drawn *drawn = &problem->drawn[pass][arg];
    const hone_block *block = &problem->pristine[pass][arg];
    const hone_driver *driver = problem->device->driver;
    void *array = hone__alloc((size_t)a->size_bytes + 1);
    hone_status status = HONE_OK;

    if (!array)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of host memory for the inputs '%s'", a->name);
    if (drawn->file)
        status = read_file(problem, arg, drawn->file, array, err);
    else
        hone__inputs_ascending(drawn, hone__lane_type(a->type), seed, array,
                               hone__lane_count(a));
    if (status == HONE_OK)
        status = hone__driver_check(
            driver,
            driver->copy_to_device(block->data, array, block->size_bytes),
            "copying inputs", err);
    if (status == HONE_OK)
        status = hone__block_lend(problem->device, block, err);
    hone__free(array);
    return status;
}

hone_status hone__problem_fill(hone_problem *problem, int pass, size_t arg,
                               hone_error *err)
{
    hone_device *device = problem->device;
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    hone_drawn *drawn = &problem->drawn[pass][arg];
    int type = hone__lane_type(a->type);
    int64_t n = hone__lane_count(a);
    uint64_t seed = hone__inputs_seed(problem->setup.seed, arg, pass);
    void *params[] = {&type, &problem->pristine[pass][arg].data, &n, &seed,
                      &drawn->draw};

    if (problem->by_template[arg] || a->is_absent)
        return HONE_OK;
    if (drawn->is_sorted || drawn->is_offsets || drawn->file)
        return fill_on_host(problem, pass, arg, seed, err);
    HONE_TRY(hone__device_run(device, device->kernel.fill, n, params,
                              "making inputs", err));
    return hone__block_lend(device, &problem->pristine[pass][arg], err);
}

/* A scalar is the first element of what it is drawn from. */
static void make_scalar(hone_problem *problem, int pass, size_t arg)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    const uint64_t seed = hone__inputs_seed(problem->setup.seed, arg, pass);
    hone_scalar *out = &problem->scalar[pass][arg];

    if (!problem->tmpl->args[arg].draw.line) {
        hone__inputs_scalar(a->type, problem->setup.seed, arg, pass,
                            problem->amplitude[pass], out);
        return;
    }
    for (int64_t i = 0; i < hone__lane_count(a); ++i)
        hone__element_store(hone__lane_type(a->type), out, i,
                            hone__inputs_value(&problem->drawn[pass][arg].draw,
                                               seed, (uint64_t)i));
}

int hone__problem_may_change(const hone_problem *problem, size_t arg)
{
    return (!problem->tmpl->args[arg].draw.line &&
            !problem->by_template[arg]) ||
           !hone__type_is_integer(problem->resolved.args[arg].type);
}

static hone_status make_pass(hone_problem *problem, int pass, size_t arg,
                             const hone_check_slots *slots, hone_error *err)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    const hone_draw_request request = {
        problem->tmpl,       arg,          hone__lane_type(a->type),
        hone__lane_count(a), slots->value, problem->amplitude[pass]};

    if (a->is_absent)
        return HONE_OK;
    HONE_TRY(hone__draw_resolve(&request, &problem->drawn[pass][arg], err));
    if (a->mode == HONE_ARG_SCALAR) {
        make_scalar(problem, pass, arg);
        return HONE_OK;
    }
    HONE_TRY(hone__block_alloc_in(
        problem->device, hone__problem_kind(problem, arg),
        (size_t)a->size_bytes, &problem->pristine[pass][arg], err));
    return hone__problem_fill(problem, pass, arg, err);
}

/* ---- by another template ------------------------------------------------- */

/* Nobody else is blamed for what it writes elsewhere. */
static hone_status check_guards(hone_problem *problem, int pass,
                                hone_error *err)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_block *blocks[] = {&problem->pristine[pass][i],
                                      &problem->work[i]};

        for (int k = 0; k < 2; ++k) {
            hone_audit_row row = hone__audit_row_of(blocks[k]);

            if (!row.base)
                continue;
            HONE_TRY(hone__audit(problem->device, &row, 1, err));
            if (row.n_before || row.n_behind)
                return hone__fail(
                    err, HONE_ERR_INPUT,
                    "%s:%d: %s writes outside the array '%s'",
                    HONE_PLACE(problem->tmpl, problem->tmpl->inputs_line),
                    problem->tmpl->inputs, problem->resolved.args[i].name);
        }
    }
    return HONE_OK;
}

/* Run it on what is drawn so far; it overwrites what it declares `out`. */
static hone_status run_template(hone_problem *problem, hone_variant *variant,
                                int pass, hone_error *err)
{
    const hone_subject subject = hone__variant_subject(variant);
    hone_cu_ptr pointers[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        pointers[i] = problem->pristine[pass][i].base
                          ? problem->pristine[pass][i].data
                          : problem->work[i].data;
        args[i] = problem->resolved.args[i].mode == HONE_ARG_SCALAR
                      ? (void *)&problem->scalar[pass][i]
                      : (void *)&pointers[i];
    }
    hone__bank_forget(&variant->bank);
    HONE_TRY(subject.enqueue(subject.user, args, problem->device->stream, err));
    HONE_TRY(hone__device_synchronize(problem->device, "writing inputs", err));
    for (size_t i = 0; i < problem->resolved.n_args; ++i)
        HONE_TRY(hone__block_lend(problem->device, &problem->pristine[pass][i],
                                  err));
    return check_guards(problem, pass, err);
}

static hone_status write_inputs(hone_problem *problem, hone_error *err)
{
    const hone_template *tmpl = problem->tmpl;
    const hone_reference_template *other = hone__reference_template_find(
        problem->setup.reference_templates, tmpl->inputs);
    hone_variant variant;
    char why[256];
    hone_status status = hone__reference_template_load(problem, tmpl->inputs,
                                                       &variant, why, err);

    if (status == HONE_OK && why[0])
        status =
            hone__fail(err, HONE_ERR_CONSTRAINT, "%s:%d: %s: %s",
                       HONE_PLACE(tmpl, tmpl->inputs_line), tmpl->inputs, why);
    for (int pass = 0; status == HONE_OK && pass < HONE_N_PASSES; ++pass)
        status = run_template(problem, &variant, pass, err);
    for (size_t i = 0; status == HONE_OK && i < tmpl->n_args; ++i)
        problem->by_template[i] =
            hone__template_writes_input(tmpl, other->tmpl, i) != 0;
    if (status == HONE_OK || !err || err->domain != HONE_DOMAIN_CUDA)
        hone__variant_unload(&variant);
    return status;
}

hone_status hone__problem_inputs(hone_problem *problem, hone_error *err)
{
    hone_check_slots slots;

    HONE_TRY(hone__check_slots(problem->tmpl, problem->resolved.dims,
                               &problem->device->properties, &slots, err));
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];

        for (int pass = 0; pass < HONE_N_PASSES && arg->mode != HONE_ARG_OUT;
             ++pass)
            HONE_TRY(make_pass(problem, pass, i, &slots, err));
        if (hone__arg_is_written(arg))
            HONE_TRY(hone__block_alloc_in(
                problem->device, hone__problem_kind(problem, i),
                (size_t)arg->size_bytes, &problem->work[i], err));
    }
    return problem->tmpl->inputs[0] ? write_inputs(problem, err) : HONE_OK;
}
