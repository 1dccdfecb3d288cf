/* SPDX-License-Identifier: Apache-2.0 */
/* Another template as reference on the cpu device: see expect_template.h. */
#include "tuner/trial/expect_template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

hone_status hone__cpu_reference_template_load(
    const hone_cpu_problem *problem, const hone_reference_templates *others,
    const char *name, hone_cpu_variant *out, char out_why[256], hone_error *err)
{
    const hone_reference_template *other =
        hone__reference_template_find(others, name);
    int64_t dims[HONE_MAX_DIMS];
    hone_status status;

    memset(out, 0, sizeof *out);
    out->fd = -1;
    out_why[0] = '\0';
    if (!other || other->why[0]) {
        (void)snprintf(out_why, 256, "%.250s",
                       other ? other->why : "it was not compiled");
        return HONE_OK;
    }
    hone__reference_template_dims(other, problem->resolved.dims, dims);
    status = hone__cpu_variant_load_at(
        problem, dims, other->tmpl->n_dims, hone__text_str(&other->spec),
        other->code.data, other->code.length, out, err);
    if (status == HONE_OK)
        return hone__reference_template_fits(others, other, &problem->resolved,
                                             &out->resolved, err);
    if (status == HONE_ERR_NO_MEMORY)
        return status;
    (void)snprintf(out_why, 256, "%.250s",
                   err ? err->text : "it cannot be loaded");
    hone__error_clear(err);
    return HONE_OK;
}

/* ---- one run ------------------------------------------------------------
 */

/* Copies of the arguments of one pass, which may be written to. */
typedef struct copies {
    hone_cpu_block block[HONE_MAX_ARGS];
    hone_scalar scalar[HONE_MAX_ARGS];
    void *pointer[HONE_MAX_ARGS];
    void *args[HONE_MAX_ARGS];
} copies;

static void make_absolute(hone_type type, int64_t n, void *values)
{
    const int lane = hone__lane_type(type);

    for (int64_t i = 0; i < n; ++i)
        hone__element_store(lane, values, i,
                            fabs(hone__element_load(lane, values, i)));
}

static hone_status copy_args(const hone_cpu_problem *problem, int pass,
                             int absolute, copies *out, hone_error *err)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_cpu_block *from = &problem->pristine[pass][i];

        out->args[i] = &out->scalar[i];
        if (arg->mode == HONE_ARG_SCALAR) {
            out->scalar[i] = problem->scalar[pass][i];
            if (absolute)
                make_absolute(arg->type, hone__lane_count(arg),
                              &out->scalar[i]);
            continue;
        }
        /* Of an output there is nothing to copy: it stays NaN. */
        HONE_TRY(hone__cpu_block_alloc((size_t)arg->size_bytes,
                                       problem->guarded, &out->block[i], err));
        out->pointer[i] = out->block[i].data;
        out->args[i] = &out->pointer[i];
        if (!from->base)
            continue;
        memcpy(out->block[i].data, from->data, from->size_bytes);
        if (absolute)
            make_absolute(arg->type, hone__lane_count(arg), out->block[i].data);
    }
    return HONE_OK;
}

/* Its output as doubles. Between runs the arrays may get the same address
 * with other values, so that constants have to be filled again. */
static hone_status run(const hone_cpu_problem *problem, int pass, int absolute,
                       hone_cpu_variant *variant, hone_cpu_block *out,
                       hone_error *err)
{
    const hone_resolved_arg *output = &problem->resolved.args[problem->output];
    const hone_subject subject = hone__cpu_variant_subject(variant);
    const int type = hone__lane_type(output->type);
    const int64_t n = hone__lane_count(output);
    copies copy;
    hone_status status;

    memset(&copy, 0, sizeof copy);
    memset(variant->filled, 0, sizeof variant->filled);
    status = copy_args(problem, pass, absolute, &copy, err);
    if (status == HONE_OK)
        status = subject.enqueue(subject.user, copy.args, NULL, err);
    if (status == HONE_OK)
        status = hone__cpu_block_alloc((size_t)n * sizeof(double),
                                       problem->guarded, out, err);
    for (int64_t i = 0; status == HONE_OK && i < n; ++i)
        ((double *)(void *)out->data)[i] =
            hone__element_load(type, copy.block[problem->output].data, i);
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__cpu_block_free(&copy.block[i]);
    return status;
}

static hone_status run_passes(hone_cpu_problem *problem, hone_cpu_check *check,
                              hone_cpu_variant *variant, hone_error *err)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        if (pass == HONE_PASS_EXACT && !check->exact)
            continue;
        HONE_TRY(run(problem, pass, 0, variant, &check->value[pass], err));
        HONE_TRY(run(problem, pass, 1, variant, &check->magnitude[pass], err));
        check->count[pass] =
            hone__lane_count(&problem->resolved.args[problem->output]);
    }
    return HONE_OK;
}

hone_status hone__cpu_expect_template(hone_cpu_problem *problem,
                                      hone_cpu_check *check,
                                      const hone_problem_setup *setup,
                                      hone_error *err)
{
    hone_cpu_variant variant;
    hone_status status = hone__cpu_reference_template_load(
        problem, setup->reference_templates, check->name, &variant,
        check->skipped, err);

    if (status == HONE_OK && !check->skipped[0])
        status = hone__expect_template_failed(
            check->name, run_passes(problem, check, &variant, err), err);
    hone__cpu_variant_unload(&variant);
    return status;
}
