/* SPDX-License-Identifier: Apache-2.0 */
/* NVML by dlopen: see cuda_device.h. The symbols are those of driver 450 and
 * newer; the declarations follow its ABI. */
#define _GNU_SOURCE /* dladdr */
#include "tuner/cuda/cuda_device.h"

#include "runtime/base/alloc.h"
#include "runtime/driver/library.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef int nvml_result; /* nvmlReturn_t; 0 is success */
typedef struct nvmlDevice_st *nvml_device;

enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, SENSOR_GPU = 0 };

/* X(field, symbol, optional, return type, parameters). The reasons have an
 * old and a new name; a driver has one or both. */
#define NVML_MAP(X)                                                            \
    X(init, nvmlInit_v2, 0, nvml_result, (void))                               \
    X(shutdown, nvmlShutdown, 0, nvml_result, (void))                          \
    X(error_string, nvmlErrorString, 0, const char *, (nvml_result r))         \
    X(by_uuid, nvmlDeviceGetHandleByUUID, 0, nvml_result,                      \
      (const char *uuid, nvml_device *out))                                    \
    X(by_pci, nvmlDeviceGetHandleByPciBusId_v2, 0, nvml_result,                \
      (const char *bus_id, nvml_device *out))                                  \
    X(clock, nvmlDeviceGetClockInfo, 0, nvml_result,                           \
      (nvml_device d, int domain, unsigned *out_mhz))                          \
    X(power, nvmlDeviceGetPowerUsage, 0, nvml_result,                          \
      (nvml_device d, unsigned *out_mw))                                       \
    X(energy, nvmlDeviceGetTotalEnergyConsumption, 1, nvml_result,             \
      (nvml_device d, unsigned long long *out_mj))                             \
    X(temperature, nvmlDeviceGetTemperature, 1, nvml_result,                   \
      (nvml_device d, int sensor, unsigned *out_c))                            \
    X(event_reasons, nvmlDeviceGetCurrentClocksEventReasons, 1, nvml_result,   \
      (nvml_device d, unsigned long long *out))                                \
    X(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons, 1,          \
      nvml_result, (nvml_device d, unsigned long long *out))

typedef struct nvml_table {
#define NVML_FIELD(field, symbol, optional, type, parameters)                  \
    type(*field) parameters;
    NVML_MAP(NVML_FIELD)
#undef NVML_FIELD
} nvml_table;

struct hone_nvml {
    nvml_table api;
    void *library;
    int initialised;
    nvml_device device; /* NULL: no values */
    char reason[1024];
};

static const char *const names[] = {"libnvidia-ml.so.1", NULL};
static const hone_library_search search = {
    "NVML", "HONE_NVML_LIBRARY", names, 0,
    "It comes with the NVIDIA driver; in a container, ask for the driver "
    "capability 'utility'."};
#define NAME_0(symbol) HONE_LIBRARY_NAME(symbol)
#define NAME_1(symbol) HONE_LIBRARY_OPTIONAL_NAME(symbol)
#define NAME(field, symbol, optional, type, parameters) NAME_##optional(symbol)
static const char symbols[] = NVML_MAP(NAME);
#undef NAME
#undef NAME_0
#undef NAME_1

/* NVML writes a UUID as GPU-8-4-4-4-12 digits, or MIG- for a slice. */
static void uuid_text(const char *prefix, const unsigned char uuid[16],
                      char out[48])
{
    int at = snprintf(out, 48, "%s-", prefix);

    for (int i = 0; i < 16; i++)
        at +=
            snprintf(out + at, 48 - (size_t)at, "%s%02x",
                     i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static nvml_device find_by_uuid(const hone_nvml *nvml,
                                const unsigned char uuid[16])
{
    static const char *const prefixes[] = {"GPU", "MIG"};
    nvml_device device = NULL;
    char text[48];

    for (int i = 0; i < 2; i++) {
        uuid_text(prefixes[i], uuid, text);
        if (!nvml->api.by_uuid(text, &device) && device)
            return device;
    }
    return NULL;
}

static nvml_device find_by_pci(const hone_nvml *nvml, const hone_driver *driver,
                               hone_cu_device cuda_device)
{
    nvml_device device = NULL;
    char text[32];

    if (!hone__cuda_pci_text(driver, cuda_device, text))
        return NULL;
    return nvml->api.by_pci(text, &device) ? NULL : device;
}

/* What NVML does not know: its UUID, else its place. */
static void say_unknown(hone_nvml *nvml, const hone_driver *driver,
                        hone_cu_device device, const unsigned char uuid[16],
                        int has_uuid)
{
    char text[48] = "";

    if (has_uuid)
        uuid_text("GPU", uuid, text);
    else if (!hone__cuda_pci_text(driver, device, text))
        (void)snprintf(text, sizeof text, "cuda:%d", device);
    (void)snprintf(nvml->reason, sizeof nvml->reason,
                   "NVML does not know the device %s, neither by its UUID nor "
                   "by its PCI address",
                   text);
}

/* Load and initialise; the reason says what is missing. */
static int start(hone_nvml *nvml)
{
    hone_error cause = {0};
    nvml_result result;

    if (hone__library_open(&search, &nvml->library, &cause) != HONE_OK ||
        hone__library_bind(nvml->library, search.what, symbols, &nvml->api,
                           &cause) != HONE_OK) {
        (void)snprintf(nvml->reason, sizeof nvml->reason, "%s", cause.text);
        return 0;
    }
    result = nvml->api.init();
    if (result) {
        (void)snprintf(nvml->reason, sizeof nvml->reason,
                       "NVML does not start: %s (code %d)",
                       nvml->api.error_string(result), result);
        return 0;
    }
    nvml->initialised = 1;
    return 1;
}

/* Back to before the start. */
static void end(hone_nvml *nvml)
{
    if (nvml->initialised)
        (void)nvml->api.shutdown();
    if (nvml->library)
        (void)dlclose(nvml->library);
}

hone_status hone__nvml_look(char out_path[static 1024], hone_error *err)
{
    hone_nvml nvml = {.initialised = 0};
    hone_status status = HONE_OK;
    void *address = NULL;
    Dl_info info;

    if (!start(&nvml))
        status = hone__fail(err, HONE_ERR_UNSUPPORTED, "%s", nvml.reason);
    memcpy(&address, &nvml.api.init, sizeof address);
    if (address && dladdr(address, &info) && info.dli_fname)
        (void)snprintf(out_path, 1024, "%s", info.dli_fname);
    else
        (void)snprintf(out_path, 1024, "%s", names[0]);
    end(&nvml);
    return status;
}

hone_status hone__nvml_open(const hone_driver *driver, hone_cu_device device,
                            hone_nvml **out, hone_error *err)
{
    unsigned char uuid[16] = {0};
    const int has_uuid = driver->device_uuid(uuid, device) == 0;
    hone_nvml *nvml;

    *out = NULL;
    nvml = hone__alloc(sizeof *nvml);
    if (!nvml)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    *out = nvml;
    if (!start(nvml))
        return HONE_OK;
    nvml->device = has_uuid ? find_by_uuid(nvml, uuid) : NULL;
    if (!nvml->device)
        nvml->device = find_by_pci(nvml, driver, device);
    if (!nvml->device)
        say_unknown(nvml, driver, device, uuid, has_uuid);
    return HONE_OK;
}

void hone__nvml_close(hone_nvml *nvml)
{
    if (!nvml)
        return;
    end(nvml);
    hone__free(nvml);
}

const char *hone__nvml_reason(const hone_nvml *nvml)
{
    return nvml ? nvml->reason : "NVML was not opened";
}

/* A value as NVML gave it, or -1. */
static int value_of(nvml_result result, unsigned value)
{
    return result || value > INT32_MAX ? -1 : (int)value;
}

static int64_t read_reasons(const hone_nvml *nvml)
{
    unsigned long long bits = 0;

    if (nvml->api.event_reasons &&
        !nvml->api.event_reasons(nvml->device, &bits))
        return (int64_t)(bits & INT64_MAX);
    if (nvml->api.throttle_reasons &&
        !nvml->api.throttle_reasons(nvml->device, &bits))
        return (int64_t)(bits & INT64_MAX);
    return -1;
}

void hone__nvml_sample(hone_nvml *nvml, hone_clocks *out)
{
    nvml_result result;
    unsigned value = 0;

    *out = (hone_clocks){0, -1, -1, -1, -1, -1};
    if (!nvml || !nvml->device)
        return;
    result = nvml->api.clock(nvml->device, CLOCK_SM, &value);
    out->sm_clock_mhz = value_of(result, value);
    result = nvml->api.clock(nvml->device, CLOCK_MEMORY, &value);
    out->memory_clock_mhz = value_of(result, value);
    result = nvml->api.power(nvml->device, &value);
    out->power_mw = value_of(result, value);
    if (nvml->api.temperature) {
        result = nvml->api.temperature(nvml->device, SENSOR_GPU, &value);
        out->temperature_c = value_of(result, value);
    }
    out->clock_reasons = read_reasons(nvml);
    out->available = out->sm_clock_mhz >= 0 || out->memory_clock_mhz >= 0 ||
                     out->power_mw >= 0 || out->temperature_c >= 0 ||
                     out->clock_reasons >= 0;
}

int64_t hone__nvml_slowdown(hone_nvml *nvml)
{
    return nvml && nvml->device ? hone__clock_discard_bits(read_reasons(nvml))
                                : 0;
}

int hone__nvml_is_lost(hone_nvml *nvml)
{
    /* As nvml.h numbers them. */
    enum { GPU_IS_LOST = 15, RESET_REQUIRED = 16, LIB_MISMATCH = 18 };
    unsigned value = 0;
    nvml_result result;

    if (!nvml || !nvml->device)
        return 0;
    result = nvml->api.power(nvml->device, &value);
    return result == GPU_IS_LOST || result == RESET_REQUIRED ||
           result == LIB_MISMATCH;
}

int hone__nvml_energy(hone_nvml *nvml, int64_t *out_mj)
{
    unsigned long long mj = 0;

    if (!nvml || !nvml->device || !nvml->api.energy ||
        nvml->api.energy(nvml->device, &mj) || mj > INT64_MAX)
        return 0;
    *out_mj = (int64_t)mj;
    return 1;
}
