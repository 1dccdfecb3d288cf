/* SPDX-License-Identifier: Apache-2.0 */
/* What a run needs of its stream beside launches: memory, a lane, a bank of
 * constants; runs that take turns for them: see plan.h. */
#include "runtime/plan.h"

#include <string.h>

/* What a stream lacks of memory would come from the current context. */
static hone_status check_context(const hone_plan *plan, hone_error *err)
{
    unsigned long long id = 0;

    if (!plan->program.driver->context_id(NULL, &id) &&
        id == hone__plan_more(plan)->context->context_id)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CUDA,
                      "the plan of %s was made in another CUDA context than "
                      "the one that is current",
                      plan->program.op);
}

/* The plan's share of a stream's memory, what its lane lacks and, for a plan
 * with constants, a bank. `turn` held. */
static hone_status provide(const hone_plan *plan, hone_memory *memory,
                           hone_stream stream, hone_share *out,
                           hone_bank **out_bank, hone_error *err)
{
    *out = hone__memory_share(memory, hone__plan_need(plan));
    if (!hone__share_suffices(out, hone__plan_need(plan))) {
        HONE_TRY(check_context(plan, err));
        HONE_TRY(hone__memory_make(memory, plan->program.driver,
                                   hone__plan_need(plan), stream, out, err));
    }
    if (!hone__lane_suffices(&memory->lane, &plan->program)) {
        HONE_TRY(check_context(plan, err));
        HONE_TRY(hone__lane_make(&memory->lane, &plan->program, err));
    }
    if (!hone__plan_need(plan)->module)
        return HONE_OK;
    return hone__memory_bank(memory, hone__plan_need(plan), &plan->program,
                             out_bank, err);
}

/* The memory of the stream, which may be empty. */
static hone_status find_memory(const hone_plan *plan, hone_stream stream,
                               hone_memory **out, hone_error *err)
{
    *out = hone__memory_find(hone__plan_more(plan)->context, stream);
    if (*out)
        return HONE_OK;
    HONE_TRY(check_context(plan, err));
    return hone__memory_get(hone__plan_more(plan)->context, stream, out, err);
}

/* Where there is no memory for its workspace, a vendor's function that can do
 * without goes on like that, and does not ask again. */
static hone_status do_without(const hone_plan *plan, hone_status status,
                              hone_share *out)
{
    hone_vendor *vendor = plan->program.more->vendor;

    if (status != HONE_ERR_NO_MEMORY || !vendor || !vendor->can_do_without)
        return status;
    atomic_store_explicit(&vendor->does_without, 1, memory_order_relaxed);
    *out = (hone_share){NULL, NULL};
    return HONE_OK;
}

static int does_without(const hone_plan *plan)
{
    const hone_vendor *vendor = plan->program.more->vendor;

    return vendor &&
           atomic_load_explicit(&vendor->does_without, memory_order_relaxed);
}

/* See that the stream has the memory that a run of the plan needs. */
static hone_status prepare(const hone_plan *plan, hone_stream stream,
                           hone_error *err)
{
    hone_share share;
    hone_memory *memory = NULL;
    hone_bank *bank = NULL;
    hone_status status;

    if (does_without(plan))
        return HONE_OK;
    HONE_TRY(find_memory(plan, stream, &memory, err));
    (void)pthread_mutex_lock(&memory->turn);
    status = provide(plan, memory, stream, &share, &bank, err);
    (void)pthread_mutex_unlock(&memory->turn);
    return do_without(plan, status, &share);
}

hone_status hone_plan_prepare(hone_plan *plan, hone_stream stream)
{
    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_prepare: plan is NULL");
    if (!plan->has_memory)
        return HONE_OK;
    return prepare(plan, stream, hone__plan_error(plan));
}

hone_status hone__plan_run_in_turn(const hone_plan *plan, void *const *args,
                                   hone_stream stream)
{
    const hone_program *program = &plan->program;
    hone_error *err = hone__plan_error(plan);
    hone_cu_ptr parts[HONE_MAX_WORKSPACES];
    hone_memory *memory = NULL;
    hone_bank *bank = NULL;
    hone_share share = {NULL, NULL};
    hone_status status = HONE_OK;

    HONE_TRY(find_memory(plan, stream, &memory, err));
    (void)pthread_mutex_lock(&memory->turn);
    if (!does_without(plan))
        status = do_without(
            plan, provide(plan, memory, stream, &share, &bank, err), &share);
    if (status == HONE_OK) {
        hone__share_place(&share, program, parts);
        hone__share_follow(&share, program->driver, stream);
        status = hone__program_run(program, args, parts, bank, &memory->lane,
                                   stream, err);
        /* A run that broke off may have left anything in them. */
        if (status != HONE_OK)
            (void)hone__program_zero(program, HONE_ZERO_ONCE, parts, stream,
                                     NULL);
    }
    (void)pthread_mutex_unlock(&memory->turn);
    return status;
}

hone_status hone_plan_workspace_bytes(const hone_plan *plan, size_t *out_bytes)
{
    if (!plan || !out_bytes)
        return hone__fail(
            plan ? hone__plan_error(plan) : hone__thread_error(NULL),
            HONE_ERR_ARGUMENT, "hone_plan_workspace_bytes: %s is NULL",
            plan ? "out_bytes" : "plan");
    *out_bytes = hone__plan_need(plan)->scratch_bytes +
                 hone__plan_need(plan)->zeroed_bytes;
    return HONE_OK;
}

hone_status hone_plan_refresh(hone_plan *plan)
{
    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_refresh: plan is NULL");
    if (hone__plan_need(plan)->module)
        (void)atomic_fetch_add_explicit(
            &hone__plan_need(plan)->module->n_refreshed, 1,
            memory_order_release);
    return HONE_OK;
}

hone_status hone__plan_run_other(hone_plan *plan, void *const *args,
                                 size_t n_args, hone_stream stream)
{
    void *all[HONE_MAX_ARGS] = {NULL};

    if (plan && args && n_args >= plan->program.more->n_least &&
        n_args < plan->program.n_args) {
        memcpy(all, args, n_args * sizeof *all);
        return hone_plan_run(plan, all, plan->program.n_args, stream);
    }
    if (plan && plan->program.n_args != n_args)
        return hone__fail(hone__plan_error(plan), HONE_ERR_ARGUMENT,
                          "%s takes %u argument%s, not %zu", plan->program.op,
                          (unsigned)plan->program.n_args,
                          plan->program.n_args == 1 ? "" : "s", n_args);
    return hone__fail(plan ? hone__plan_error(plan) : hone__thread_error(NULL),
                      HONE_ERR_ARGUMENT, "hone_plan_run: %s is NULL",
                      plan ? "args" : "plan");
}
