/* SPDX-License-Identifier: Apache-2.0 */
/* Making and running special plans on a GPU: see plan_special.h. */
#include "runtime/plan_special.h"

#include <stdio.h>

int hone__special_needed(const hone_resolved *resolved)
{
    int needed = resolved->n_constants != 0 || resolved->n_maps != 0;

    for (size_t i = 0; i < resolved->n_workspaces; ++i)
        needed |= resolved->workspaces[i].zero == HONE_ZERO_EACH &&
                  resolved->workspaces[i].size_bytes;
    for (size_t i = 0; i < resolved->n_launches; ++i)
        needed |= hone__launch_is_special(&resolved->launches[i]);
    return needed;
}

/* ---- making -------------------------------------------------------------
 */

/* Bytes that the module has for it; *out_found 0: it has none. */
static hone_status measure_constant(const hone_plan *plan, const char *name,
                                    size_t *out_bytes, int *out_found,
                                    hone_error *err)
{
    const hone_module *module = plan->owner->module;
    unsigned long host_bytes = 0;
    hone_cu_ptr ignored = 0;
    hone_cu_result result;

    if (!plan->driver) {
        *out_found = module->host.constant &&
                     module->host.constant(name, &host_bytes) != NULL;
        *out_bytes = host_bytes;
        return HONE_OK;
    }
    result =
        plan->driver->module_global(&ignored, out_bytes, module->handle, name);
    *out_found = result != HONE_CU_NOT_FOUND;
    return hone__driver_check(plan->driver, *out_found ? result : 0,
                              "finding constant memory (cuModuleGetGlobal)",
                              err);
}

static hone_status check_constant(const hone_plan *plan,
                                  const hone_resolved_constant *constant,
                                  hone_error *err)
{
    size_t size_bytes = 0;
    int found = 0;

    HONE_TRY(measure_constant(plan, constant->name, &size_bytes, &found, err));
    if (!found)
        return hone__fail(err, HONE_ERR_INPUT,
                          "the compiled code of %s has no constant '%s'; is "
                          "it declared __constant__ at file scope, and used?",
                          plan->op, constant->name);
    if ((size_t)constant->size_bytes <= size_bytes)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_INPUT,
                      "the constant '%s' of %s holds %zu bytes, and %lld are "
                      "to be kept in it",
                      constant->name, plan->op, size_bytes,
                      (long long)constant->size_bytes);
}

static hone_status add_constants(const hone_plan *plan,
                                 const hone_resolved *resolved,
                                 hone_special *special, hone_error *err)
{
    for (size_t i = 0; i < resolved->n_constants; ++i) {
        const hone_resolved_constant *from = &resolved->constants[i];
        hone_plan_constant *to = &special->constants[i];

        HONE_TRY(check_constant(plan, from, err));
        (void)snprintf(to->name, sizeof to->name, "%s", from->name);
        to->arg = from->arg;
        to->size_bytes = (size_t)from->size_bytes;
        ++special->n_constants;
    }
    return HONE_OK;
}

/* A copy that outlives what it was resolved from. */
static hone_status keep_launches(const hone_plan *plan,
                                 const hone_resolved *resolved,
                                 hone_special *special, hone_error *err)
{
    special->n_launches = (unsigned)resolved->n_launches;
    special->launches =
        hone__alloc(resolved->n_launches * sizeof *special->launches);
    if (!special->launches)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a plan");
    for (size_t i = 0; i < resolved->n_launches; ++i) {
        hone_resolved_launch *to = &special->launches[i];

        *to = resolved->launches[i];
        special->shapes[i] = hone__launch_shape(to);
        to->kernel = hone__strdup(to->kernel);
        if (!to->kernel)
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of memory for a plan");
        if (!plan->driver && hone__launch_is_special(to))
            return hone__fail(err, HONE_ERR_UNSUPPORTED,
                              "kernel '%s' of %s is launched %s, which the "
                              "cpu device does not have",
                              to->kernel, plan->op,
                              to->cooperative ? "cooperatively"
                                              : "in clusters");
    }
    return HONE_OK;
}

static hone_status add_maps(const hone_plan *plan,
                            const hone_resolved *resolved,
                            hone_special *special, hone_error *err)
{
    if (plan->driver)
        return hone__map_cache_create(resolved, plan->driver, &special->maps,
                                      err);
    if (!resolved->n_maps)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "%s uses tensor maps, which the cpu device does not "
                      "have",
                      plan->op);
}

hone_status hone__special_create(hone_plan *plan, const hone_resolved *resolved,
                                 const hone_store_row *row, hone_special **out,
                                 hone_error *err)
{
    hone_special *special = hone__alloc(sizeof *special);

    *out = special;
    if (!special)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a plan");
    special->device = plan->owner->device;
    HONE_TRY(keep_launches(plan, resolved, special, err));
    HONE_TRY(add_constants(plan, resolved, special, err));
    HONE_TRY(add_maps(plan, resolved, special, err));
    if (special->n_constants && plan->driver)
        return hone__store_cubin(plan->owner->ctx->store, row, &special->code,
                                 err);
    return HONE_OK;
}

void hone__special_free(hone_special *special)
{
    if (!special)
        return;
    for (unsigned i = 0; special->launches && i < special->n_launches; ++i)
        hone__free((void *)(uintptr_t)special->launches[i].kernel);
    hone__free(special->launches);
    hone__map_cache_free(special->maps);
    hone__text_free(&special->code);
    hone__free(special);
}

/* ---- running ------------------------------------------------------------
 */

static hone_status fail(const hone_plan *plan, hone_cu_result result,
                        const char *doing)
{
    char what[160];

    (void)snprintf(what, sizeof what, "%s %.80s", doing, plan->op);
    return hone__driver_check(plan->driver, result, what,
                              hone__thread_error(plan->owner->ctx));
}

static hone_status zero_parts(const hone_plan *plan, const hone_slot *slot,
                              hone_stream stream)
{
    const hone_workspaces *workspaces = plan->workspaces;

    for (size_t i = 0; i < workspaces->n_parts; ++i) {
        hone_cu_result result = 0;

        if (workspaces->parts[i].zero == HONE_ZERO_EACH &&
            workspaces->parts[i].size_bytes)
            result = plan->driver->fill8_async(
                slot->parts[i], 0, workspaces->parts[i].size_bytes, stream);
        if (result)
            return fail(plan, result,
                        "zeroing a workspace (cuMemsetD8Async) of");
    }
    return HONE_OK;
}

static hone_status fill_constants(const hone_plan *plan, hone_bank *bank,
                                  void *const *args, hone_stream stream)
{
    const hone_special *special = plan->owner->special;
    hone_cu_result result;
    int capture_status = HONE_CU_CAPTURE_NONE;
    uint64_t capture = 0;
    unsigned stale;

    for (unsigned i = 0; i < special->n_constants; ++i) {
        if (!args[special->constants[i].arg])
            return hone__plan_argument_missing(
                plan, special->constants[i].arg,
                hone__thread_error(plan->owner->ctx));
    }
    result = plan->driver->capture_info(stream, &capture_status, &capture);
    if (result)
        return fail(plan, result,
                    "asking whether a stream is captured, for a run of");
    if (capture_status == HONE_CU_CAPTURE_NONE)
        capture = 0;
    stale = hone__plan_bank_stale(plan, bank, args, capture);
    for (unsigned i = 0; stale >> i; ++i) {
        if (stale >> i & 1)
            result = plan->driver->copy_async(bank->to[i], bank->from[i],
                                              special->constants[i].size_bytes,
                                              stream);
        if (result) {
            hone__plan_bank_forget(bank);
            return fail(plan, result,
                        "filling constant memory (cuMemcpyDtoDAsync) of");
        }
    }
    return HONE_OK;
}

/* hone__plan_params() leaves out tensor maps. */
static void put_maps(const hone_plan_launch *launch, hone_cu_tensor_map *maps,
                     void **params)
{
    for (unsigned p = 0; p < launch->n_params; ++p) {
        if (launch->params[p].kind == HONE_PASS_MAP)
            params[p] = &maps[launch->params[p].of.index];
    }
}

static hone_status launch_all(const hone_plan *plan, hone_slot *slot,
                              void *const *args, hone_stream stream)
{
    static hone_cu_ptr no_parts[HONE_MAX_WORKSPACES]; /* all empty */
    const hone_special *special = plan->owner->special;
    hone_cu_ptr *parts = slot ? slot->parts : no_parts;
    hone_cu_tensor_map maps[HONE_MAX_MAPS];

    if (special->maps)
        HONE_TRY(hone__map_cache_get(special->maps, args, parts, maps,
                                     hone__thread_error(plan->owner->ctx)));
    for (size_t i = 0; i < plan->n_launches; ++i) {
        const hone_plan_launch *launch = &plan->launches[i];
        const hone_cu_function function = slot && slot->bank
                                              ? slot->bank->functions[i]
                                              : launch->entry.function;
        void *params[HONE_MAX_PASSED];
        const int missing = hone__plan_params(launch, args, parts, params);
        hone_cu_result result;

        if (missing >= 0)
            return hone__plan_argument_missing(
                plan, missing, hone__thread_error(plan->owner->ctx));
        if (special->maps)
            put_maps(launch, maps, params);
        result = hone__driver_launch(plan->driver, function,
                                     &special->shapes[i], stream, params);
        if (result)
            return fail(plan, result, "launching (cuLaunchKernelEx)");
    }
    return HONE_OK;
}

hone_status hone__special_run(hone_plan *plan, void *const *args,
                              hone_stream stream)
{
    hone_status status = HONE_OK;
    hone_slot *slot = NULL;

    if (plan->workspaces)
        HONE_TRY(hone__plan_slot(plan, stream, &slot));
    if (slot && slot->bank)
        (void)pthread_mutex_lock(&slot->bank->lock);
    if (slot)
        status = zero_parts(plan, slot, stream);
    if (status == HONE_OK && slot && slot->bank)
        status = fill_constants(plan, slot->bank, args, stream);
    if (status == HONE_OK)
        status = launch_all(plan, slot, args, stream);
    if (slot && slot->bank)
        (void)pthread_mutex_unlock(&slot->bank->lock);
    return status;
}

hone_status hone_plan_refresh(hone_plan *plan)
{
    if (!plan)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_plan_refresh: plan is NULL");
    if (plan->is_special)
        (void)atomic_fetch_add_explicit(&plan->owner->special->n_refreshed, 1,
                                        memory_order_release);
    return HONE_OK;
}

hone_status hone_refresh(hone_ctx *ctx)
{
    if (!ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_refresh: ctx is NULL");
    (void)atomic_fetch_add_explicit(&ctx->n_refreshed, 1, memory_order_release);
    return HONE_OK;
}
