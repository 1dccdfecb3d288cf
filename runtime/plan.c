/* SPDX-License-Identifier: Apache-2.0 */
/* Making, running and freeing plans: see plan.h. */
#include "runtime/plan_special.h"

#include <stdio.h>

/* The next `size_bytes` of the plan's block, a multiple of 8. */
static void *take(char **block, size_t size_bytes)
{
    char *const taken = *block;

    *block += size_bytes;
    return taken;
}

static size_t text_bytes(const char *text)
{
    return (strlen(text) + 8) / 8 * 8;
}

static const char *take_text(char **block, const char *text)
{
    return memcpy(take(block, text_bytes(text)), text, strlen(text));
}

/* An empty plan with room for everything. Kernels of the cpu device are
 * called by their names. */
static hone_plan *new_plan(const hone_resolved *resolved,
                           const hone_plan_key *key, int is_host)
{
    const size_t dims_bytes = key->n_dims * sizeof(int64_t);
    const size_t launches_bytes =
        resolved->n_launches * sizeof(hone_plan_launch);
    size_t params_bytes = 0;
    size_t names_bytes = text_bytes(key->op);
    hone_plan *plan;
    char *next;
    void *block;

    for (size_t i = 0; i < resolved->n_launches; ++i) {
        params_bytes +=
            resolved->launches[i].n_passed * sizeof(hone_plan_param);
        names_bytes += is_host ? text_bytes(resolved->launches[i].kernel) : 0;
    }
    block = hone__alloc(HONE_LINE_BYTES + sizeof *plan + launches_bytes +
                        dims_bytes + params_bytes + names_bytes +
                        sizeof *plan->owner);
    if (!block)
        return NULL;
    next =
        (char *)block + (HONE_LINE_BYTES - (uintptr_t)block % HONE_LINE_BYTES);
    plan = take(&next, sizeof *plan);
    plan->launches = take(&next, launches_bytes);
    plan->dims = take(&next, dims_bytes);
    for (size_t i = 0; i < resolved->n_launches; ++i)
        plan->launches[i].params = take(&next, resolved->launches[i].n_passed *
                                                   sizeof(hone_plan_param));
    plan->op = take_text(&next, key->op);
    for (size_t i = 0; is_host && i < resolved->n_launches; ++i)
        plan->launches[i].entry.kernel =
            take_text(&next, resolved->launches[i].kernel);
    plan->owner = take(&next, sizeof *plan->owner);
    plan->owner->block = block;
    return plan;
}

static hone_status prepare_launch(hone_plan *plan,
                                  const hone_resolved_launch *from,
                                  hone_plan_launch *to, hone_error *err)
{
    const hone_cu_shape shape = hone__launch_shape(from);

    for (size_t i = 0; i < from->n_passed; ++i) {
        const hone_pass *pass = &from->passed[i];

        to->params[i].kind = pass->kind;
        if (pass->kind == HONE_PASS_I32)
            to->params[i].of.i32 = (int32_t)pass->value;
        else if (pass->kind == HONE_PASS_I64)
            to->params[i].of.i64 = pass->value;
        else
            to->params[i].of.index = pass->index;
    }
    memcpy(to->grid, from->grid, sizeof to->grid);
    memcpy(to->block, from->block, sizeof to->block);
    to->shared_bytes = from->shared_bytes;
    to->n_params = (unsigned)from->n_passed;
    if (!plan->driver)
        return HONE_OK;
    HONE_TRY(hone__driver_kernel(plan->driver, plan->owner->module->handle,
                                 from->kernel, 0, &to->entry.function, err));
    return hone__driver_prepare(plan->driver, to->entry.function, from->kernel,
                                &shape, &plan->owner->device->target.properties,
                                err);
}

static hone_status fill_plan(hone_plan *plan, const hone_answer *answer,
                             const hone_plan_key *key, hone_error *err)
{
    const hone_resolved *resolved = &answer->resolved;

    const int is_host = !plan->owner->device->driver;

    /* On a GPU each stream loads another one for its constants. */
    HONE_TRY(hone__module_acquire(plan->owner->ctx, plan->owner->device,
                                  answer->row, is_host && resolved->n_constants,
                                  &plan->owner->module, err));
    HONE_TRY(hone__workspaces_create(resolved, &plan->workspaces, err));
    plan->driver = plan->owner->device->driver;
    plan->owner->hash = hone__plan_hash(key);
    plan->context_id = key->context_id;
    plan->n_dims = (uint16_t)key->n_dims;
    for (size_t i = 0; i < key->n_dims; ++i)
        plan->dims[i] = key->dims[i];
    plan->n_args = (uint16_t)resolved->n_args;
    for (size_t i = 0; i < resolved->n_launches; ++i) {
        HONE_TRY(prepare_launch(plan, &resolved->launches[i],
                                &plan->launches[i], err));
        ++plan->n_launches;
    }
    if (!hone__special_needed(resolved))
        return HONE_OK;
    plan->is_special = 1;
    HONE_TRY(hone__special_create(plan, resolved, answer->row,
                                  &plan->owner->special, err));
    if (plan->workspaces)
        plan->workspaces->special = plan->owner->special;
    return HONE_OK;
}

hone_status hone__plan_build(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out,
                             hone_match *out_match, hone_error *err)
{
    hone_plan_key key = {0, op, dims, n_dims};
    hone_device *device = NULL;
    hone_answer answer;
    hone_status status;
    hone_plan *plan;

    *out = NULL;
    if (!ctx->store)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "no database is open: hone_open() had failed");
    HONE_TRY(hone__device_current(ctx, &device, err));
    HONE_TRY(hone__match_find(ctx->store, &device->target, op, dims, n_dims,
                              &answer, err));
    key.context_id = device->context_id;
    plan = new_plan(&answer.resolved, &key, !device->driver);
    if (!plan)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a plan");
    plan->owner->ctx = ctx;
    plan->owner->device = device;
    status = fill_plan(plan, &answer, &key, err);
    if (status != HONE_OK) {
        hone__plan_free(plan);
        return status;
    }
    if (out_match)
        *out_match = answer.match;
    *out = plan;
    return HONE_OK;
}

void hone__plan_free(hone_plan *plan)
{
    if (!plan)
        return;
    if (plan->workspaces) {
        const int alive = hone__device_enter(plan->owner->device);

        hone__workspaces_free(plan->workspaces,
                              alive ? plan->owner->device : NULL);
        if (alive)
            hone__device_leave(plan->owner->device);
    }
    hone__special_free(plan->owner->special);
    hone__module_release(plan->owner->module);
    hone__free(plan->owner->block);
}

hone_status hone_plan_create(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out_plan,
                             hone_match *out_match)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status;

    if (out_plan)
        *out_plan = NULL;
    if (!ctx || !op || (n_dims && !dims) || !out_plan)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_plan_create: %s is NULL",
                          !ctx        ? "ctx"
                          : !op       ? "op"
                          : !out_plan ? "out_plan"
                                      : "dims");
    (void)pthread_mutex_lock(&ctx->lock);
    status = hone__plan_build(ctx, op, dims, n_dims, out_plan, out_match, err);
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

void hone_plan_destroy(hone_plan *plan)
{
    hone_ctx *ctx = plan ? plan->owner->ctx : NULL;

    if (!plan)
        return;
    (void)pthread_mutex_lock(&ctx->lock);
    hone__plan_free(plan);
    (void)pthread_mutex_unlock(&ctx->lock);
}

static hone_status make_slot(hone_plan *plan, hone_stream stream,
                             hone_slot **out)
{
    hone_error *err = hone__thread_error(plan->owner->ctx);
    unsigned long long id = 0;

    if (plan->driver->context_id(NULL, &id) || id != plan->context_id)
        return hone__fail(err, HONE_ERR_CUDA,
                          "the plan of %s was made in another CUDA context "
                          "than the one that is current",
                          plan->op);
    return hone__workspaces_get(plan->workspaces, plan->driver, stream, out,
                                err);
}

hone_status hone__plan_slot(hone_plan *plan, hone_stream stream,
                            hone_slot **out)
{
    *out = hone__workspaces_find(plan->workspaces, stream);
    return *out ? HONE_OK : make_slot(plan, stream, out);
}

hone_status hone_plan_prepare(hone_plan *plan, hone_stream stream)
{
    hone_slot *slot = NULL;

    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_prepare: plan is NULL");
    if (!plan->driver)
        return hone__host_prepare(plan, hone__thread_error(plan->owner->ctx));
    return plan->workspaces ? hone__plan_slot(plan, stream, &slot) : HONE_OK;
}

static hone_status launch_failed(const hone_plan *plan, hone_cu_result result)
{
    char what[128];

    (void)snprintf(what, sizeof what, "launching %.80s (cuLaunchKernel)",
                   plan->op);
    return hone__driver_check(plan->driver, result, what,
                              hone__thread_error(plan->owner->ctx));
}

hone_status hone__plan_argument_missing(const hone_plan *plan, int index,
                                        hone_error *err)
{
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "args[%d] of %s is NULL; each of its %d args points "
                      "to a %s pointer or to a scalar's value",
                      index, plan->op, plan->n_args,
                      plan->driver ? "device" : "host");
}

hone_status hone_plan_run(hone_plan *plan, void *const *args,
                          hone_stream stream)
{
    static hone_cu_ptr no_parts[HONE_MAX_WORKSPACES]; /* all empty */
    hone_cu_ptr *parts = no_parts;

    if (!plan || (plan->n_args && !args))
        return hone__fail(hone__thread_error(plan ? plan->owner->ctx : NULL),
                          HONE_ERR_ARGUMENT, "hone_plan_run: %s is NULL",
                          plan ? "args" : "plan");
    hone__plan_prefetch(plan);
    if (!plan->driver)
        return hone__host_run(plan, args, hone__thread_error(plan->owner->ctx));
    if (plan->is_special)
        return hone__special_run(plan, args, stream);
    if (plan->workspaces) {
        hone_slot *slot = NULL;

        HONE_TRY(hone__plan_slot(plan, stream, &slot));
        parts = slot->parts;
    }
    for (size_t i = 0; i < plan->n_launches; ++i) {
        const hone_plan_launch *launch = &plan->launches[i];
        void *params[HONE_MAX_PASSED];
        const int missing = hone__plan_params(launch, args, parts, params);
        hone_cu_result result;

        if (missing >= 0)
            return hone__plan_argument_missing(
                plan, missing, hone__thread_error(plan->owner->ctx));
        result = plan->driver->launch(
            launch->entry.function, launch->grid[0], launch->grid[1],
            launch->grid[2], launch->block[0], launch->block[1],
            launch->block[2], launch->shared_bytes, stream, params, NULL);
        if (result)
            return launch_failed(plan, result);
    }
    return HONE_OK;
}
