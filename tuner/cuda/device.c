/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU in a worker process: see device.h. */
#include "tuner/cuda/device.h"

#include <stdio.h>
#include <string.h>

/* CUdevice_attribute values of the memory's speed. */
enum { ATTR_MEMORY_CLOCK_KHZ = 36, ATTR_BUS_BITS = 37 };

static int64_t attribute(const hone_gpu *device, int which)
{
    int value = 0;

    return device->driver->device_attribute(&value, which, device->ordinal)
               ? 0
               : value;
}

hone_status hone__device_identify(hone_gpu *device, int ordinal,
                                  hone_error *err)
{
    int n = 0;
    const hone_driver *driver;

    memset(device, 0, sizeof *device);
    HONE_TRY(hone__cuda_get(&device->driver, err));
    driver = device->driver;
    HONE_TRY(hone__driver_check(driver, driver->device_count(&n),
                                "counting CUDA devices", err));
    if (ordinal < 0 || ordinal >= n)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "there is no CUDA device %d: the driver shows %d; "
                          "choose one with --device cuda:N",
                          ordinal, n);
    HONE_TRY(hone__driver_check(driver,
                                driver->device_get(&device->ordinal, ordinal),
                                "opening the CUDA device", err));
    HONE_TRY(hone__driver_check(driver,
                                driver->device_name(device->name,
                                                    (int)sizeof device->name,
                                                    device->ordinal),
                                "reading the device's name", err));
    HONE_TRY(hone__driver_check(driver,
                                driver->driver_version(&device->driver_version),
                                "reading the driver's version", err));
    device->clock_khz = attribute(device, HONE_CU_ATTR_CLOCK_RATE_KHZ);
    device->memory_clock_khz = attribute(device, ATTR_MEMORY_CLOCK_KHZ);
    device->bus_bits = attribute(device, ATTR_BUS_BITS);
    return hone__driver_properties(driver, device->ordinal, &device->properties,
                                   err);
}

hone_status hone__device_load(hone_gpu *device, const void *code,
                              hone_error *err)
{
    const struct {
        const char *symbol;
        hone_cu_function *function;
    } kernels[] = {
#define DEVICE_KERNEL(field, symbol) {symbol, &device->kernel.field},
        HONE_DEVICE_KERNEL_MAP(DEVICE_KERNEL)
#undef DEVICE_KERNEL
    };

    HONE_TRY(hone__driver_check(
        device->driver, device->driver->module_load(&device->code, code),
        "loading the tuner's own kernels", err));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        HONE_TRY(hone__driver_kernel(device->driver, device->code,
                                     kernels[i].symbol, 0, kernels[i].function,
                                     err));
    return HONE_OK;
}

/* The context alone takes some 500 MiB. */
static hone_status make_context(hone_gpu *device, hone_error *err)
{
    const hone_driver *driver = device->driver;
    const hone_cu_result result =
        driver->primary_retain(&device->context, device->ordinal);

    if (result != HONE_CU_OUT_OF_MEMORY)
        return hone__driver_check(driver, result, "making a CUDA context", err);
    return hone__fail_native(
        err, HONE_ERR_NO_MEMORY, HONE_DOMAIN_CUDA, result,
        "the memory of CUDA device %d is full: not even a CUDA context fits. "
        "End other processes on it (nvidia-smi shows them) or choose another "
        "GPU with --device cuda:N",
        device->ordinal);
}

hone_status hone__device_begin(hone_gpu *device, const void *code,
                               hone_error *err)
{
    const hone_driver *driver = device->driver;

    HONE_TRY(make_context(device, err));
    HONE_TRY(hone__driver_check(driver, driver->context_set(device->context),
                                "making the CUDA context current", err));
    /* A blocking stream: copies from the host go through the legacy stream
     * and must be over before our kernels run. */
    HONE_TRY(hone__driver_check(driver,
                                driver->stream_create(&device->stream, 0),
                                "making a CUDA stream", err));
    HONE_TRY(hone__driver_check(
        driver, driver->memory_alloc(&device->scratch, HONE_SCRATCH_BYTES),
        "allocating device memory", err));
    HONE_TRY(hone__nvml_open(driver, device->ordinal, &device->nvml, err));
    return code ? hone__device_load(device, code, err) : HONE_OK;
}

hone_status hone__device_open(hone_gpu *device, int ordinal, const void *code,
                              hone_error *err)
{
    HONE_TRY(hone__device_identify(device, ordinal, err));
    return hone__device_begin(device, code, err);
}

void hone__device_close(hone_gpu *device)
{
    if (!device->driver)
        return;
    if (device->code)
        (void)device->driver->module_unload(device->code);
    hone__block_free(device, &device->audit);
    if (device->scratch)
        (void)device->driver->memory_free(device->scratch);
    if (device->stream)
        (void)device->driver->stream_destroy(device->stream);
    if (device->context)
        (void)device->driver->primary_release(device->ordinal);
    hone__nvml_close(device->nvml);
    memset(device, 0, sizeof *device);
}

hone_status hone__device_run(hone_gpu *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err)
{
    enum { BLOCK = 256, MAX_BLOCKS = 132 * 16 };
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    const unsigned grid = blocks < 1            ? 1
                          : blocks > MAX_BLOCKS ? MAX_BLOCKS
                                                : (unsigned)blocks;

    return hone__driver_check(device->driver,
                              device->driver->launch(kernel, grid, 1, 1, BLOCK,
                                                     1, 1, 0, device->stream,
                                                     params, NULL),
                              what, err);
}

hone_status hone__device_synchronize(hone_gpu *device, const char *what,
                                     hone_error *err)
{
    return hone__driver_check(
        device->driver, device->driver->stream_synchronize(device->stream),
        what, err);
}

static hone_status no_room(hone_gpu *device, size_t size_bytes, hone_error *err)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    (void)device->driver->memory_info(&free_bytes, &total_bytes);
    return hone__fail_native(
        err, HONE_ERR_NO_MEMORY, HONE_DOMAIN_CUDA, HONE_CU_OUT_OF_MEMORY,
        "no room for %.1f MiB of device memory: %.1f of "
        "%.1f MiB are free",
        (double)size_bytes / (1 << 20), (double)free_bytes / (1 << 20),
        (double)total_bytes / (1 << 20));
}

hone_status hone__block_alloc(hone_gpu *device, size_t size_bytes,
                              hone_block *out, hone_error *err)
{
    const hone_driver *driver = device->driver;
    /* Whole guards behind the last byte, whatever the size. */
    const size_t room = 2 * (size_t)HONE_GUARD_BYTES + size_bytes;
    hone_cu_result result;

    *out = (hone_block){0, 0, 0};
    result = driver->memory_alloc(&out->base, room);
    if (result == HONE_CU_OUT_OF_MEMORY)
        return no_room(device, room, err);
    HONE_TRY(
        hone__driver_check(driver, result, "allocating device memory", err));
    out->data = out->base + HONE_GUARD_BYTES;
    out->size_bytes = size_bytes;
    return hone__driver_check(
        driver, driver->fill8_async(out->base, 0xff, room, device->stream),
        "filling device memory", err);
}

void hone__block_free(hone_gpu *device, hone_block *block)
{
    if (block->base)
        (void)device->driver->memory_free(block->base);
    *block = (hone_block){0, 0, 0};
}

hone_status hone__block_guard(hone_gpu *device, const hone_block *block,
                              hone_error *err)
{
    const hone_driver *driver = device->driver;
    const hone_cu_ptr guards[] = {block->base, block->data + block->size_bytes};

    for (int i = 0; i < 2; ++i)
        HONE_TRY(hone__driver_check(driver,
                                    driver->fill8_async(guards[i], 0xff,
                                                        HONE_GUARD_BYTES,
                                                        device->stream),
                                    "writing guard bands", err));
    return HONE_OK;
}
