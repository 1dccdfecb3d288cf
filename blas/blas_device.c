/* SPDX-License-Identifier: Apache-2.0 */
#include "blas/blas_device.h"

#include "blas/mode.h"
#include "runtime/store/store.h"

#include <stdatomic.h>
#include <stdio.h>

/* Asking CUDA's driver whether it is this process's costs a system call. */
static _Atomic(const hone_driver *) known;

const hone_driver *hone__blas_driver(void)
{
    const hone_driver *driver =
        atomic_load_explicit(&known, memory_order_acquire);
    hone_error ignored = {0};

    if (driver)
        return driver;
    if (hone__blas_settings()->is_host)
        driver = hone__host_driver();
    else if (hone__cuda_get(&driver, &ignored) != HONE_OK ||
             hone__cuda_check_process(&ignored) != HONE_OK)
        return NULL;
    atomic_store_explicit(&known, driver, memory_order_release);
    return driver;
}

void hone__blas_device_forget(void)
{
    atomic_store(&known, NULL);
}

int hone__blas_device(void)
{
    const hone_driver *driver = hone__blas_driver();
    hone_cu_device device = -1;

    if (!driver || driver->context_device(&device))
        return -1;
    return device;
}

int hone__blas_is_captured(hone_stream stream)
{
    const hone_driver *driver = hone__blas_driver();
    uint64_t id;
    int status = HONE_CU_CAPTURE_NONE;

    return !driver || driver->capture_info(stream, &status, &id) != 0 ||
           status != HONE_CU_CAPTURE_NONE;
}

void hone__blas_relax(int *saved)
{
    const hone_driver *driver = hone__blas_driver();

    *saved = HONE_CU_CAPTURE_RELAXED;
    if (driver && driver->capture_mode && driver->capture_mode(saved))
        *saved = HONE_CU_CAPTURE_RELAXED;
}

void hone__blas_unrelax(int *saved)
{
    const hone_driver *driver = hone__blas_driver();

    if (driver && driver->capture_mode)
        (void)driver->capture_mode(saved);
}

int hone__blas_about(int device, hone_about_device *out)
{
    const hone_driver *driver = hone__blas_driver();
    hone_properties properties = {{0}};
    hone_error ignored = {0};

    *out = (hone_about_device){.name = "unknown", .arch = "unknown"};
    if (!driver || device < 0)
        return 0;
    if (driver->kind) {
        hone__properties_of_host(&properties);
        if (hone__host_name(out->name, sizeof out->name, &ignored) != HONE_OK)
            return 0;
        (void)snprintf(out->arch, sizeof out->arch, "%s", HONE_ARCH_CPU);
    } else {
        if (driver->device_name(out->name, (int)sizeof out->name, device) ||
            hone__driver_properties(driver, device, &properties, &ignored) !=
                HONE_OK)
            return 0;
        (void)snprintf(out->arch, sizeof out->arch, "sm_%d",
                       (int)properties.value[HONE_PROPERTY_sm]);
    }
    out->sm_count = properties.value[HONE_PROPERTY_sm_count];
    return 1;
}
