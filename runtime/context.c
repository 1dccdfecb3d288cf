/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA contexts and the cpu device as a hone_ctx knows them, and the error
 * record of each thread: see context.h. */
#include "runtime/context.h"

#include <stdio.h>

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
        hone__host_name(out->name, sizeof out->name);
        return HONE_OK;
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

static hone_status add_device(hone_ctx *ctx, const hone_driver *driver,
                              hone_cu_context context, unsigned long long id,
                              hone_device **out, hone_error *err)
{
    hone_device *device = hone__alloc(sizeof *device);
    hone_status status;

    if (!device)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a device");
    device->ctx = ctx;
    device->driver = driver;
    device->context = context;
    device->context_id = id;
    status = fill_target(driver, &device->target, err);
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

    *out = NULL;
    HONE_TRY(hone__ctx_driver(ctx, &driver, err));
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

    return !device->driver->context_id(device->context, &id) &&
           id == device->context_id &&
           !device->driver->context_push(device->context);
}

void hone__device_leave(const hone_device *device)
{
    hone_cu_context popped = NULL;

    (void)device->driver->context_pop(&popped);
}
