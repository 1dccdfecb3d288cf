/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan of the `cpu` device: synchronous, on the calling thread and
 * on those that the kernels' object starts. See plan.h. */
#include "runtime/plan.h"

#include "runtime/alloc.h"

enum { UNWRITTEN = 0xff }; /* every byte of it is a NaN, or minus one */

/* Make a workspace what a run expects: zero where it is declared so. The
 * rest holds what no kernel may rely on, as on a GPU. */
static void reset_parts(const hone_workspaces *workspaces)
{
    const hone_slot *slot = &workspaces->slots[0];

    for (size_t i = 0; i < workspaces->n_parts; ++i)
        memset((void *)(uintptr_t)slot->parts[i],
               workspaces->parts[i].zero ? 0 : UNWRITTEN,
               workspaces->parts[i].size_bytes);
}

/* The one block of a plan, made at its first use. Its lock is held. */
static hone_status need_block(hone_workspaces *workspaces, hone_error *err)
{
    hone_slot *slot = &workspaces->slots[0];
    uintptr_t start;

    if (slot->base)
        return HONE_OK;
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
    return HONE_OK;
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
                              const hone_plan_launch *launch,
                              void *const *args, hone_cu_ptr *parts,
                              hone_error *err)
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

hone_status hone__host_run(hone_plan *plan, void *const *args,
                           hone_error *err)
{
    hone_workspaces *workspaces = plan->workspaces;
    hone_cu_ptr no_parts[HONE_MAX_WORKSPACES] = {0}; /* all empty */
    hone_cu_ptr *parts = workspaces ? workspaces->slots[0].parts : no_parts;
    hone_status status = HONE_OK;

    if (workspaces) {
        (void)pthread_mutex_lock(&workspaces->lock);
        status = need_block(workspaces, err);
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
