/* SPDX-License-Identifier: Apache-2.0 */
/* Making plans: see plan.h. */
#include "runtime/plan.h"

#include "runtime/base/count.h"

#include <inttypes.h>
#include <stdio.h>

/* How many dims have to be given: those behind have their defaults. */
static size_t count_least(const hone_resolved *resolved, unsigned defaults)
{
    size_t n = resolved->n_dims;

    while (n && defaults >> (n - 1) & 1)
        --n;
    return n;
}

static hone_status fill_plan(hone_plan *plan, hone_context *context,
                             const hone_answer *answer, hone_module *module,
                             hone_error *err)
{
    const hone_resolved *resolved = &answer->resolved;
    hone_plan_more *more = hone__plan_more(plan);
    hone_need *need = &more->need;
    const int has_constants = more->program.n_constants != 0;

    HONE_TRY(hone__need_of(&plan->program, has_constants ? module : NULL, need,
                           err));
    more->context = context;
    atomic_store_explicit(&plan->context_id, context->context_id,
                          memory_order_relaxed);
    plan->n_dims = (uint8_t)resolved->n_dims;
    plan->n_lines = more->program.n_lines < HONE_PLAN_LINES_MOST
                        ? more->program.n_lines & 15u
                        : HONE_PLAN_LINES_MOST;
    plan->defaults =
        hone__launch_spec_defaults(answer->row->plan->spec, resolved->dims) &
        ((1u << HONE_MAX_DIMS) - 1);
    plan->n_least = (uint8_t)count_least(resolved, plan->defaults);
    memcpy(plan->dims, resolved->dims, resolved->n_dims * sizeof plan->dims[0]);
    plan->has_memory = has_constants || need->scratch_bytes ||
                       need->zeroed_bytes ||
                       hone__lane_is_needed(&plan->program);
    return HONE_OK;
}

/* What the plan's kernels are in, or its library's handles. */
static hone_status provide_code(hone_context *context, hone_answer *answer,
                                hone_program_setup *setup, hone_module **module,
                                hone_error *err)
{
    if (answer->resolved.is_nothing)
        return HONE_OK;
    if (answer->resolved.vendor) {
        if (!context->vendors)
            HONE_TRY(
                hone__vendors_create(context->driver, &context->vendors, err));
        setup->vendors = context->vendors;
        return HONE_OK;
    }
    HONE_TRY(hone__module_get(context, answer,
                              answer->resolved.n_constants != 0, module, err));
    setup->module = (*module)->handle;
    answer->compile_ns = (*module)->compile_ns;
    return HONE_OK;
}

/* The shape whose launches the plan's are. Lock held. */
static void count_launches(hone_plan *plan, const hone_context *context,
                           const hone_answer *answer)
{
    const hone_target *target = &context->target;
    const int64_t *of_device = target->properties.value;
    hone_record *record = context->ctx->record;
    hone_plan_more *more = hone__plan_more(plan);
    hone_text dims = {0};
    char arch[16] = HONE_ARCH_CPU;

    if (!record || answer->resolved.is_nothing)
        return;
    for (size_t i = 0; i < plan->n_dims; ++i)
        hone__text_printf(&dims, "%s%" PRId64, i ? "," : "", plan->dims[i]);
    if (!target->is_host)
        (void)snprintf(arch, sizeof arch, "sm_%d",
                       (int)of_device[HONE_PROPERTY_sm]);
    if (!dims.failed)
        more->launched = hone__record_enter(
            record, &(hone_launched){
                        .op = plan->program.op,
                        .dims = hone__text_str(&dims),
                        .match = answer->match.kind,
                        .is_vendor = more->program.vendor != NULL,
                        .implementation = answer->row->implementation,
                        .arch = arch,
                        .multiprocessors = of_device[HONE_PROPERTY_sm_count],
                        .device = target->name});
    if (more->launched)
        plan->program.counter = hone__record_counter(more->launched);
    hone__text_free(&dims);
    hone__record_write_now_and_then(record);
}

hone_status hone__plan_build(hone_context *context, const char *op,
                             hone_answer *answer, hone_plan **out,
                             hone_error *err)
{
    const hone_resolved *resolved = &answer->resolved;
    hone_program_setup setup = {
        .driver = context->driver,
        .properties = &context->target.properties,
        .op = op,
        .resolved = resolved,
        .lines = &context->lines,
        .head_bytes = sizeof(hone_plan) + resolved->n_dims * sizeof(int64_t),
        .more_bytes = sizeof(hone_plan_more)};
    hone_module *module = NULL;
    hone_program *program = NULL;
    hone_status status;

    *out = NULL;
    HONE_TRY(provide_code(context, answer, &setup, &module, err));
    HONE_TRY(hone__program_create(&setup, &program, err));
    *out = (hone_plan *)(void *)program;
    status = fill_plan(*out, context, answer, module, err);
    if (program->more->vendor)
        (void)snprintf(answer->note, sizeof answer->note, "%s",
                       program->more->vendor->note);
    if (status != HONE_OK) {
        hone__program_free(program);
        *out = NULL;
        return status;
    }
    ++context->ctx->made.n_plans[answer->match.kind];
    context->ctx->made.n_vendor_plans += program->more->vendor != NULL;
    count_launches(*out, context, answer);
    return HONE_OK;
}

void hone__plan_leave(hone_plan *plan)
{
    hone_plan_more *more = hone__plan_more(plan);

    if (more->launched)
        hone__record_leave(more->context->ctx->record, more->launched);
    /* The next plan may lie where this one was, and have its banks. */
    (void)hone_plan_refresh(plan);
    hone__memory_forget(more->context, &more->need);
    hone__program_free(&plan->program);
}
