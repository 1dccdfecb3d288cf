/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU in a worker process: see device.h. */
#include "tuner/cuda/cuda_device.h"

#include "tuner/cuda/nvml.h"

#include <stdio.h>
#include <string.h>

/* CUdevice_attribute values of the memory's speed. */
enum { ATTR_MEMORY_CLOCK_KHZ = 36, ATTR_BUS_BITS = 37 };

static int64_t attribute(const hone_device *device, int which)
{
    int value = 0;

    return device->driver->device_attribute(&value, which, device->ordinal)
               ? 0
               : value;
}

static hone_status identify(hone_device *device, int ordinal, hone_error *err)
{
    int n = 0;
    const hone_driver *driver;

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

/* The context alone takes some 500 MiB. */
static hone_status make_context(hone_device *device, hone_error *err)
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

/* The card's UUID; its ordinal for a driver that does not tell. */
static void describe(const hone_device *device, hone_device_report *out)
{
    unsigned char uuid[16] = {0};

    (void)snprintf(out->arch, sizeof out->arch, "sm_%d",
                   (int)device->properties.value[HONE_PROPERTY_sm]);
    if (device->driver->device_uuid(uuid, device->ordinal)) {
        (void)snprintf(out->id, sizeof out->id, "gpu-%d", device->ordinal);
        return;
    }
    for (int i = 0; i < 16; ++i)
        (void)snprintf(out->id + 2 * i, 3, "%02x", uuid[i]);
}

static hone_status begin(hone_device *device, const void *code, hone_error *err)
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
    HONE_TRY(hone__nvml_open(driver, device->ordinal, &device->nvml, err));
    return code ? hone__device_load(device, code, err) : HONE_OK;
}

static void end(hone_device *device)
{
    hone__nvml_close(device->nvml);
}

static void read_clocks(hone_device *device, hone_clocks *out)
{
    hone__nvml_sample(device->nvml, out);
}

static int64_t slowed(hone_device *device)
{
    return hone__nvml_slowdown(device->nvml);
}

const hone_device_kind hone__cuda_device = {
    .name = "cuda",
    .has_ordinals = 1,
    .has_vendors = 1,
    .needs_code = 1,
    .has_limits = 1,
    .has_caches = 1,
    .rests = 1,
    .trial_s = 1.0,
    .guard_bytes = HONE_GUARD_BYTES,
    .gate = hone__gate_launch,
    .identify = identify,
    .describe = describe,
    .begin = begin,
    .end = end,
    .warm_up = hone__cuda_warm_up,
    .read_clocks = read_clocks,
    .slowed = slowed,
};
