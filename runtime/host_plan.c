/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan of the `cpu` device: synchronous, on the calling thread and
 * on those that the kernels' object starts. See plan.h. */
#include "runtime/plan_special.h"

#include "runtime/base/alloc.h"

enum { UNWRITTEN = 0xff }; /* every byte of it is a NaN, or minus one */

/* Make a workspace what a run expects: zero where it is declared so. The
 * rest holds what no kernel may rely on, as on a GPU. */
static void reset_parts(const hone_workspaces *workspaces)
{
    const hone_slot *slot = &workspaces->slots[0];

    for (size_t i = 0; i < workspaces->n_parts; ++i)
        memset((void *)(uintptr_t)slot->parts[i],
               workspaces->parts[i].zero == HONE_ZERO_ONCE ? 0 : UNWRITTEN,
               workspaces->parts[i].size_bytes);
}

/* The one block of a plan, made at its first use. Its lock is held. */
static hone_status need_block(hone_workspaces *workspaces, hone_error *err)
{
    hone_slot *slot = &workspaces->slots[0];
    uintptr_t start;

    if (slot->base) /* the bank may have found no memory then */
        return slot->bank ? HONE_OK
                          : hone__plan_bank_create(workspaces->special,
                                                   &slot->bank, err);
    slot->base = (uintptr_t)hone__alloc(workspaces->size_bytes +
                                        HONE_WORKSPACE_ALIGN_BYTES);
    if (!slot->base)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a workspace of %zu bytes",
                          workspaces->size_bytes);
    start = (uintptr_t)slot->base;
    start += HONE_WORKSPACE_ALIGN_BYTES - start % HONE_WORKSPACE_ALIGN_BYTES;
    for (size_t i = 0; i < workspaces->n_parts; ++i)
        slot->parts[i] = start + workspaces->parts[i].offset_bytes;
    reset_parts(workspaces);
    return hone__plan_bank_create(workspaces->special, &slot->bank, err);
}

hone_status hone__host_prepare(hone_plan *plan, hone_error *err)
{
    hone_status status;

    if (!plan->workspaces)
        return HONE_OK;
    (void)pthread_mutex_lock(&plan->workspaces->lock);
    status = need_block(plan->workspaces, err);
    (void)pthread_mutex_unlock(&plan->workspaces->lock);
    return status;
}

static hone_status run_launch(const hone_plan *plan,
                              const hone_plan_launch *launch, void *const *args,
                              hone_cu_ptr *parts, hone_error *err)
{
    void *params[HONE_MAX_PASSED];
    hone_host_launch call = {.kernel = launch->entry.kernel,
                             .shared_bytes = launch->shared_bytes,
                             .params = params};
    hone_host_report report = {.kind = HONE_HOST_OK};
    const int missing = hone__plan_params(launch, args, parts, params);
    int kind;

    if (missing >= 0)
        return hone__plan_argument_missing(plan, missing, err);
    memcpy(call.grid, launch->grid, sizeof call.grid);
    memcpy(call.block, launch->block, sizeof call.block);
    kind = plan->owner->module->host.run(&call, &report);
    if (kind == HONE_HOST_OK)
        return HONE_OK;
    if (!report.text[0])
        return hone__fail(err, HONE_ERR_KERNEL,
                          "kernel '%s' of %s failed with report %d",
                          call.kernel, plan->op, kind);
    return hone__fail(
        err, kind == HONE_HOST_MEMORY ? HONE_ERR_NO_MEMORY : HONE_ERR_KERNEL,
        "kernel '%s' of %s: %.*s", call.kernel, plan->op,
        (int)sizeof report.text, report.text);
}

/* What a special plan does before its launches. Its module is its own, so
 * that the lock of the workspaces also guards the constants in it. */
static hone_status begin_special(const hone_plan *plan, void *const *args,
                                 hone_error *err)
{
    const hone_special *special = plan->owner->special;
    const hone_workspaces *workspaces = plan->workspaces;
    const hone_slot *slot = &workspaces->slots[0];
    unsigned stale;

    for (size_t i = 0; i < workspaces->n_parts; ++i) {
        if (workspaces->parts[i].zero == HONE_ZERO_EACH)
            memset((void *)(uintptr_t)slot->parts[i], 0,
                   workspaces->parts[i].size_bytes);
    }
    if (!slot->bank)
        return HONE_OK;
    for (unsigned i = 0; i < special->n_constants; ++i) {
        if (!args[special->constants[i].arg])
            return hone__plan_argument_missing(plan, special->constants[i].arg,
                                               err);
    }
    stale = hone__plan_bank_stale(plan, slot->bank, args, 0);
    for (unsigned i = 0; stale >> i; ++i) {
        unsigned long ignored;

        if (stale >> i & 1)
            memcpy(plan->owner->module->host.constant(
                       special->constants[i].name, &ignored),
                   (const void *)(uintptr_t)slot->bank->from[i],
                   special->constants[i].size_bytes);
    }
    return HONE_OK;
}

hone_status hone__host_run(hone_plan *plan, void *const *args, hone_error *err)
{
    hone_workspaces *workspaces = plan->workspaces;
    hone_cu_ptr no_parts[HONE_MAX_WORKSPACES] = {0}; /* all empty */
    hone_cu_ptr *parts = workspaces ? workspaces->slots[0].parts : no_parts;
    hone_status status = HONE_OK;

    if (workspaces) {
        (void)pthread_mutex_lock(&workspaces->lock);
        status = need_block(workspaces, err);
        if (status == HONE_OK && plan->is_special)
            status = begin_special(plan, args, err);
    }
    for (size_t i = 0; status == HONE_OK && i < plan->n_launches; ++i)
        status = run_launch(plan, &plan->launches[i], args, parts, err);
    if (workspaces) {
        /* A run that broke off may not have left it zeroed. */
        if (status != HONE_OK && workspaces->slots[0].base)
            reset_parts(workspaces);
        (void)pthread_mutex_unlock(&workspaces->lock);
    }
    return status;
}
