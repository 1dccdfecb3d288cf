/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a device: the driver of runtime/driver/host_driver.c, and helper
 * kernels that are C functions. */
#include "tuner/cpu/cpu_device.h"

#include "tuner/cpu/cpu_kernels.h"

#include <stdio.h>
#include <string.h>

static hone_status identify(hone_device *device, int ordinal, hone_error *err)
{
    (void)err;
    device->driver = hone__host_driver();
    device->ordinal = ordinal;
    hone__host_name(device->name, sizeof device->name);
    hone__properties_of_host(&device->properties);
    return HONE_OK;
}

static void describe(const hone_device *device, hone_device_report *out)
{
    (void)device;
    (void)snprintf(out->arch, sizeof out->arch, "cpu");
    (void)snprintf(out->id, sizeof out->id, "cpu");
}

static hone_cu_function find_kernel(const char *name)
{
    static hone_host_function functions[HONE_N_CPU_KERNELS];

    for (int i = 0; i < HONE_N_CPU_KERNELS; ++i) {
        functions[i].run = hone__cpu_kernels[i].run;
        if (strcmp(hone__cpu_kernels[i].name, name) == 0)
            return hone__host_kernel(&functions[i]);
    }
    return NULL;
}

static hone_status begin(hone_device *device, const void *code, hone_error *err)
{
    (void)code;
    (void)err;
#define FIND_KERNEL(field, symbol) device->kernel.field = find_kernel(symbol);
    HONE_DEVICE_KERNEL_MAP(FIND_KERNEL)
#undef FIND_KERNEL
    return HONE_OK;
}

const hone_device_kind hone__cpu_device = {
    .name = "cpu",
    .is_shared = 1,
    .timing = HONE_TIMING_EVENT,
    .trial_s = 0.5,
    .race_s = 5, /* slow variants: fewer rounds */
    .guard_bytes = 256,
    .gate = hone__gate_host,
    .identify = identify,
    .describe = describe,
    .begin = begin,
};
