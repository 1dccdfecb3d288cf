/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA contexts, the cpu device and the modules loaded into them: see
 * context.h. */
#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

static hone_status fill_target(const hone_driver *driver, hone_target *out,
                               hone_error *err)
{
    hone_cu_device device = 0;
    int version = 0;

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

static hone_status fill_host_target(hone_target *out)
{
    out->is_host = 1;
    hone__properties_of_host(&out->properties);
    hone__host_name(out->name, sizeof out->name);
    return HONE_OK;
}

static hone_status add_device(hone_ctx *ctx, const hone_driver *driver,
                              hone_cu_context context, unsigned long long id,
                              hone_device **out, hone_error *err)
{
    hone_device *device = hone__alloc(sizeof *device);
    hone_status status;

    if (!device)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a device");
    device->driver = driver;
    device->context = context;
    device->context_id = id;
    status = driver ? fill_target(driver, &device->target, err)
                    : fill_host_target(&device->target);
    if (status != HONE_OK) {
        hone__free(device);
        return status;
    }
    device->next = ctx->devices;
    ctx->devices = device;
    *out = device;
    return HONE_OK;
}

hone_status hone__device_current(hone_ctx *ctx, hone_device **out,
                                 hone_error *err)
{
    const hone_driver *driver = NULL;
    hone_cu_context context = NULL;
    unsigned long long id = 0;

    *out = ctx->devices;
    if (ctx->is_host) /* one at most */
        return *out ? HONE_OK : add_device(ctx, NULL, NULL, 0, out, err);
    *out = NULL;
    HONE_TRY(hone__cuda_get(&driver, err));
    HONE_TRY(hone__driver_check(driver, driver->context_get(&context),
                                "cuCtxGetCurrent", err));
    if (!context)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "the calling thread has no current CUDA context; "
                          "make one first, e.g. with cudaSetDevice() and "
                          "cudaMalloc(), or cuCtxSetCurrent()");
    HONE_TRY(hone__driver_check(driver, driver->context_id(context, &id),
                                "cuCtxGetId", err));
    for (hone_device *d = ctx->devices; d; d = d->next) {
        if (d->context_id == id) {
            *out = d;
            return HONE_OK;
        }
    }
    return add_device(ctx, driver, context, id, out, err);
}

int hone__device_enter(const hone_device *device)
{
    unsigned long long id = 0;

    if (!device->driver)
        return 1;
    return !device->driver->context_id(device->context, &id) &&
           id == device->context_id &&
           !device->driver->context_push(device->context);
}

void hone__device_leave(const hone_device *device)
{
    hone_cu_context popped = NULL;

    if (device->driver)
        (void)device->driver->context_pop(&popped);
}

static hone_status load_cubin(const hone_driver *driver, const char *cubin,
                              const hone_store_row *row, hone_cu_module *out,
                              hone_error *err)
{
    const hone_cu_result result = driver->module_load(out, cubin);

    if (result == HONE_CU_NO_BINARY_FOR_GPU)
        return hone__fail_native(
            err, HONE_ERR_CUDA, HONE_DOMAIN_CUDA, result,
            "the driver does not take the cubin of %s, compiled for "
            "%s; tune again on this machine",
            row->config, row->compile_arch);
    return hone__driver_check(driver, result,
                              "loading the kernel (cuModuleLoadData)", err);
}

static hone_status load(hone_ctx *ctx, const hone_device *device,
                        const hone_store_row *row, hone_module *out,
                        hone_error *err)
{
    hone_text code = {0};
    hone_status status = hone__store_cubin(ctx->store, row, &code, err);

    if (status == HONE_OK && device->driver)
        status = load_cubin(device->driver, code.data, row, &out->handle, err);
    else if (status == HONE_OK)
        status = hone__host_load(code.data, code.length, row->config,
                                 &out->host, err);
    hone__text_free(&code);
    return status;
}

hone_status hone__module_acquire(hone_ctx *ctx, hone_device *device,
                                 const hone_store_row *row, int alone,
                                 hone_module **out, hone_error *err)
{
    hone_module *module;
    hone_status status;

    *out = NULL;
    for (module = device->modules; module; module = module->next) {
        if (!alone && strcmp(module->cubin_sha256, row->cubin_sha256) == 0) {
            ++module->n_users;
            *out = module;
            return HONE_OK;
        }
    }
    module = hone__alloc(sizeof *module);
    if (!module)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a module");
    status = load(ctx, device, row, module, err);
    if (status != HONE_OK) {
        hone__free(module);
        return status;
    }
    (void)snprintf(module->cubin_sha256, sizeof module->cubin_sha256, "%s",
                   alone ? "" : row->cubin_sha256);
    module->device = device;
    module->n_users = 1;
    module->next = device->modules;
    device->modules = module;
    *out = module;
    return HONE_OK;
}

void hone__module_release(hone_module *module)
{
    hone_module **link;
    hone_device *device;

    if (!module || --module->n_users)
        return;
    device = module->device;
    for (link = &device->modules; *link != module; link = &(*link)->next)
        ;
    *link = module->next;
    hone__host_unload(&module->host);
    if (device->driver && hone__device_enter(device)) {
        (void)device->driver->module_unload(module->handle);
        hone__device_leave(device);
    }
    hone__free(module);
}
