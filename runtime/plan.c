/* SPDX-License-Identifier: Apache-2.0 */
/* Making and running plans: see plan.h. */
#include "runtime/plan.h"

#include <stdio.h>

/* ---- making -------------------------------------------------------------- */

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
    const hone_driver_kind *kind = context->driver->kind;
    hone_plan_more *more = hone__plan_more(plan);
    hone_need *need = &more->need;
    const int has_constants = more->program.n_constants != 0;

    HONE_TRY(hone__need_of(&plan->program, has_constants ? module : NULL, need,
                           err));
    more->context = context;
    plan->context_id = context->context_id;
    plan->n_dims = (uint8_t)resolved->n_dims;
    plan->n_lines = more->program.n_lines < HONE_PLAN_LINES_MOST
                        ? (uint8_t)more->program.n_lines
                        : HONE_PLAN_LINES_MOST;
    plan->defaults = (uint16_t)hone__launch_spec_defaults(
        answer->row->plan->spec, resolved->dims);
    plan->n_least = (uint8_t)count_least(resolved, plan->defaults);
    memcpy(plan->dims, resolved->dims, resolved->n_dims * sizeof plan->dims[0]);
    plan->has_memory = has_constants || need->scratch_bytes ||
                       need->zeroed_bytes ||
                       hone__lane_is_needed(&plan->program);
    /* A run with copies is many calls, between which no other may come. */
    plan->takes_turns = has_constants || more->program.pipeline ||
                        (plan->has_memory && kind && kind->is_synchronous);
    return HONE_OK;
}

/* What the plan's kernels are in, or its library's handles. */
static hone_status provide_code(hone_context *context,
                                const hone_answer *answer,
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
    return HONE_OK;
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
    }
    return status;
}

void hone__plan_leave(hone_plan *plan)
{
    hone__memory_forget(hone__plan_more(plan)->context,
                        &hone__plan_more(plan)->need);
    hone__program_free(&plan->program);
}

/* ---- running ------------------------------------------------------------- */

static hone_error *error_of(const hone_plan *plan)
{
    return hone__thread_error(hone__plan_more(plan)->context->ctx);
}

static const hone_need *needs(const hone_plan *plan)
{
    return &hone__plan_more(plan)->need;
}

/* What a stream lacks of memory would come from the current context. */
static hone_status check_context(const hone_plan *plan, hone_error *err)
{
    unsigned long long id = 0;

    if (!plan->program.driver->context_id(NULL, &id) && id == plan->context_id)
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
    *out = hone__memory_share(memory, needs(plan));
    if (!hone__share_suffices(out, needs(plan))) {
        HONE_TRY(check_context(plan, err));
        HONE_TRY(hone__memory_make(memory, plan->program.driver, needs(plan),
                                   stream, out, err));
    }
    if (!hone__lane_suffices(&memory->lane, &plan->program)) {
        HONE_TRY(check_context(plan, err));
        HONE_TRY(hone__lane_make(&memory->lane, &plan->program, err));
    }
    if (!needs(plan)->module)
        return HONE_OK;
    return hone__memory_bank(memory, needs(plan), &plan->program, out_bank,
                             err);
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

static hone_status prepare(const hone_plan *plan, hone_stream stream,
                           hone_share *out, hone_error *err)
{
    hone_memory *memory = NULL;
    hone_bank *bank = NULL;
    hone_status status;

    *out = (hone_share){NULL, NULL};
    if (does_without(plan))
        return HONE_OK;
    HONE_TRY(find_memory(plan, stream, &memory, err));
    (void)pthread_mutex_lock(&memory->turn);
    status = provide(plan, memory, stream, out, &bank, err);
    (void)pthread_mutex_unlock(&memory->turn);
    return do_without(plan, status, out);
}

hone_status hone_plan_prepare(hone_plan *plan, hone_stream stream)
{
    hone_share share;

    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_prepare: plan is NULL");
    if (!plan->has_memory)
        return HONE_OK;
    return prepare(plan, stream, &share, error_of(plan));
}

/* Alone on the stream's memory, from filling constants to the last launch;
 * where a launch is over when it returns, until the run is. */
static hone_status run_in_turn(const hone_plan *plan, void *const *args,
                               hone_stream stream)
{
    const hone_program *program = &plan->program;
    hone_error *err = error_of(plan);
    hone_cu_ptr parts[HONE_MAX_WORKSPACES];
    hone_memory *memory = NULL;
    hone_bank *bank = NULL;
    hone_share share;
    hone_status status;

    HONE_TRY(find_memory(plan, stream, &memory, err));
    (void)pthread_mutex_lock(&memory->turn);
    status = provide(plan, memory, stream, &share, &bank, err);
    if (status == HONE_OK) {
        hone__share_place(&share, program, parts);
        hone__share_follow(&share, program->driver, stream);
        status = hone__program_run(program, args, parts, bank, &memory->lane,
                                   stream, err);
        /* A run that broke off may have left anything in them. */
        if (status != HONE_OK && program->driver->kind)
            (void)hone__program_zero(program, HONE_ZERO_ONCE, parts, stream,
                                     NULL);
    }
    (void)pthread_mutex_unlock(&memory->turn);
    return status;
}

/* Without constant memory. The error record is looked for where it is needed:
 * this is the hot path. */
static inline hone_status run_alone(const hone_plan *plan, void *const *args,
                                    hone_cu_ptr *parts, hone_stream stream)
{
    const hone_program *program = &plan->program;
    hone_program_fault fault;

    if (program->is_special)
        return hone__program_run(program, args, parts, NULL, NULL, stream,
                                 error_of(plan));
    if (hone__program_enqueue(program, args, parts, stream, &fault))
        return HONE_OK;
    return hone__program_explain(program, &fault, error_of(plan));
}

/* Runs on one stream follow each other on the device. */
static hone_status run_in_memory(hone_plan *plan, void *const *args,
                                 hone_stream stream)
{
    const hone_program *program = &plan->program;
    const hone_memory *memory;
    hone_share share = {NULL, NULL};
    hone_cu_ptr parts[HONE_MAX_WORKSPACES];

    hone__plan_prefetch_more(plan);
    memory = hone__memory_find(hone__plan_more(plan)->context, stream);
    if (memory)
        share = hone__memory_share(memory, needs(plan));
    if (!hone__share_suffices(&share, needs(plan)))
        HONE_TRY(prepare(plan, stream, &share, error_of(plan)));
    hone__share_place(&share, program, parts);
    hone__share_follow(&share, program->driver, stream);
    return run_alone(plan, args, parts, stream);
}

static hone_status refuse_run(const hone_plan *plan, size_t n_args)
{
    if (plan && plan->program.n_args != n_args)
        return hone__fail(error_of(plan), HONE_ERR_ARGUMENT,
                          "%s takes %u argument%s, not %zu", plan->program.op,
                          (unsigned)plan->program.n_args,
                          plan->program.n_args == 1 ? "" : "s", n_args);
    return hone__fail(plan ? error_of(plan) : hone__thread_error(NULL),
                      HONE_ERR_ARGUMENT, "hone_plan_run: %s is NULL",
                      plan ? "args" : "plan");
}

hone_status hone_plan_run(hone_plan *plan, void *const *args, size_t n_args,
                          hone_stream stream)
{
    static hone_cu_ptr no_parts[HONE_MAX_WORKSPACES]; /* all empty */

    if (!plan)
        return refuse_run(plan, n_args);
    hone__plan_prefetch(plan);
    if (plan->program.n_args != n_args || (n_args && !args))
        return refuse_run(plan, n_args);
    hone__plan_prefetch_rest(plan);
    if (plan->takes_turns)
        return run_in_turn(plan, args, stream);
    if (plan->has_memory)
        return run_in_memory(plan, args, stream);
    return run_alone(plan, args, no_parts, stream);
}

hone_status hone_plan_workspace_bytes(const hone_plan *plan, size_t *out_bytes)
{
    if (!plan || !out_bytes)
        return hone__fail(plan ? error_of(plan) : hone__thread_error(NULL),
                          HONE_ERR_ARGUMENT,
                          "hone_plan_workspace_bytes: %s is NULL",
                          plan ? "out_bytes" : "plan");
    *out_bytes = needs(plan)->scratch_bytes + needs(plan)->zeroed_bytes;
    return HONE_OK;
}

hone_status hone_plan_refresh(hone_plan *plan)
{
    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_refresh: plan is NULL");
    if (needs(plan)->module)
        (void)atomic_fetch_add_explicit(&needs(plan)->module->n_refreshed, 1,
                                        memory_order_release);
    return HONE_OK;
}
