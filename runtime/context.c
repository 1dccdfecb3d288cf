/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA contexts and the cpu device as a hone_ctx knows them, cubins and
 * objects loaded into them, and the error record of each thread: see
 * context.h. */
#include "runtime/context.h"

#include "runtime/base/log.h"
#include "runtime/store/code_arch.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The last failure of this thread, and the serial of the hone_ctx it was
 * on; 0: none, or there was no memory for one. */
static _Thread_local struct {
    uint64_t serial;
    hone_error error;
} last_failure;

hone_error *hone__thread_error(const hone_ctx *ctx)
{
    const uint64_t serial = ctx ? ctx->serial : 0;

    if (last_failure.serial != serial) {
        last_failure.serial = serial;
        hone__error_clear(&last_failure.error);
    }
    return &last_failure.error;
}

hone_status hone__ctx_driver(const hone_ctx *ctx, const hone_driver **out,
                             hone_error *err)
{
    if (!ctx->is_host)
        return hone__cuda_get(out, err);
    *out = hone__host_driver();
    return HONE_OK;
}

static hone_status fill_target(const hone_driver *driver, hone_target *out,
                               hone_error *err)
{
    hone_cu_device device = 0;
    int version = 0;

    if (driver->kind) {
        out->is_host = 1;
        hone__properties_of_host(&out->properties);
        return hone__host_name(out->name, sizeof out->name, err);
    }
    HONE_TRY(hone__driver_check(driver, driver->context_device(&device),
                                "cuCtxGetDevice", err));
    HONE_TRY(hone__driver_properties(driver, device, &out->properties, err));
    HONE_TRY(hone__driver_check(
        driver, driver->device_name(out->name, (int)sizeof out->name, device),
        "cuDeviceGetName", err));
    HONE_TRY(hone__driver_check(driver, driver->driver_version(&version),
                                "cuDriverGetVersion", err));
    (void)snprintf(out->driver_version, sizeof out->driver_version, "%d",
                   version);
    return HONE_OK;
}

static hone_status add_context(hone_ctx *ctx, const hone_driver *driver,
                               hone_cu_context handle, unsigned long long id,
                               hone_context **out, hone_error *err)
{
    hone_context *context = hone__alloc(sizeof *context);
    hone_status status;

    if (!context)
        return hone__out_of_memory(err, " for a context");
    context->ctx = ctx;
    context->driver = driver;
    context->handle = handle;
    context->context_id = id;
    status = fill_target(driver, &context->target, err);
    if (status != HONE_OK) {
        hone__free(context);
        return status;
    }
    context->next = ctx->contexts;
    ctx->contexts = context;
    *out = context;
    return HONE_OK;
}

hone_status hone__context_current(hone_ctx *ctx, hone_context **out,
                                  hone_error *err)
{
    const hone_driver *driver = NULL;
    hone_cu_context handle = NULL;
    unsigned long long id = 0;

    *out = NULL;
    HONE_TRY(hone__ctx_driver(ctx, &driver, err));
    if (!driver->kind)
        HONE_TRY(hone__cuda_check_process(err));
    HONE_TRY(hone__driver_check(driver, driver->context_get(&handle),
                                "cuCtxGetCurrent", err));
    if (!handle)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "this thread has no current CUDA context; make one "
                          "by cudaSetDevice() and cudaMalloc(), or "
                          "cuCtxSetCurrent()");
    HONE_TRY(hone__driver_check(driver, driver->context_id(handle, &id),
                                "cuCtxGetId", err));
    for (hone_context *d = ctx->contexts; d; d = d->next) {
        if (d->context_id == id) {
            *out = d;
            return HONE_OK;
        }
    }
    return add_context(ctx, driver, handle, id, out, err);
}

int hone__context_enter(const hone_context *context)
{
    unsigned long long id = 0;

    return !context->driver->context_id(context->handle, &id) &&
           id == context->context_id &&
           !context->driver->context_push(context->handle);
}

/* ---- modules ------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* PTX is compiled as it is loaded. */
static hone_status load_code(const hone_driver *driver,
                             const hone_store_row *row, const hone_text *code,
                             hone_module *module, hone_error *err)
{
    const int is_ptx = hone__code_form(row->compile_arch) == HONE_CODE_PTX;
    const int64_t start_ns = now_ns();

    HONE_TRY(hone__driver_load(driver, hone__text_str(code), code->length,
                               row->config, &module->handle, err));
    if (is_ptx)
        module->compile_ns = now_ns() - start_ns;
    hone__log(HONE_LOG_INFO, "%s %zu bytes of %s: %s %s",
              is_ptx ? "compiled" : "loaded", code->length,
              is_ptx ? "PTX" : "code", row->implementation, row->config);
    return HONE_OK;
}

hone_status hone__module_load(hone_context *context, const hone_store_row *row,
                              const hone_text *code, hone_module **out,
                              hone_error *err)
{
    hone_module *module = hone__alloc(sizeof *module);
    hone_status status;

    *out = NULL;
    if (!module)
        return hone__out_of_memory(err, " for a module");
    status = load_code(context->driver, row, code, module, err);
    if (status != HONE_OK) {
        hone__free(module);
        return status;
    }
    (void)snprintf(module->cubin_sha256, sizeof module->cubin_sha256, "%s",
                   row->cubin_sha256);
    (void)snprintf(module->config, sizeof module->config, "%s", row->config);
    module->code_bytes = code->length;
    module->context = context;
    *out = module;
    return HONE_OK;
}

void hone__module_add(hone_context *context, hone_module *module)
{
    context->ctx->made.code_bytes += module->code_bytes;
    module->next = context->modules;
    context->modules = module;
}

void hone__module_free(hone_module *module)
{
    (void)module->context->driver->module_unload(module->handle);
    hone__text_free(&module->code);
    hone__free(module);
}

hone_module *hone__module_find(const hone_context *context,
                               const char *cubin_sha256)
{
    hone_module *module = context->modules;

    while (module && strcmp(module->cubin_sha256, cubin_sha256) != 0)
        module = module->next;
    return module;
}

static hone_status add_module(hone_context *context, const hone_answer *answer,
                              hone_module **out, hone_error *err)
{
    hone_text code = {0};
    hone_status status =
        hone__store_cubin(answer->store, answer->row, &code, err);

    if (status == HONE_OK)
        status = hone__module_load(context, answer->row, &code, out, err);
    if (status == HONE_OK)
        hone__module_add(context, *out);
    hone__text_free(&code);
    return status;
}

hone_status hone__module_get(hone_context *context, const hone_answer *answer,
                             int with_code, hone_module **out, hone_error *err)
{
    const hone_store_row *row = answer->row;
    hone_module *module = hone__module_find(context, row->cubin_sha256);

    *out = NULL;
    if (!module)
        HONE_TRY(add_module(context, answer, &module, err));
    if (with_code && !module->code.length) {
        const hone_status status =
            hone__store_cubin(answer->store, row, &module->code, err);

        if (status != HONE_OK) {
            hone__text_free(&module->code);
            return status;
        }
    }
    *out = module;
    return HONE_OK;
}

void hone__modules_unload(hone_context *context, int alive)
{
    while (context->modules) {
        hone_module *next = context->modules->next;

        if (alive)
            (void)context->driver->module_unload(context->modules->handle);
        hone__text_free(&context->modules->code);
        hone__free(context->modules);
        context->modules = next;
    }
}
