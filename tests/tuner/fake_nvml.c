/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of NVML. $FAKE_NVML_UUID and $FAKE_NVML_PCI are
 * the one device it knows, $FAKE_NVML_INIT the code that nvmlInit returns,
 * $FAKE_NVML_REASONS the clock reasons (with $FAKE_NVML_SLOW_READS=n only of
 * the next n readings: it is counted down), $FAKE_NVML_MUTE=1 makes every
 * reading fail, $FAKE_NVML_LOST is the code with which they fail then,
 * $FAKE_NVML_ENERGY is the counter of energy. fake_nvml_users() counts inits
 * that were not shut down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SUPPORTED = 3, NOT_FOUND = 6 };

#define DECLARE(type, name, parameters)                                        \
    __attribute__((visibility("default"))) type name parameters;               \
    __attribute__((visibility("default"))) type name parameters

typedef struct device {
    int unused;
} device;

static device only;
static int users;

static int is(const char *variable, const char *value)
{
    const char *const text = getenv(variable);

    return text && !strcmp(text, value);
}

DECLARE(int, fake_nvml_users, (void))
{
    return users;
}

DECLARE(int, nvmlInit_v2, (void))
{
    const char *const code = getenv("FAKE_NVML_INIT");

    if (code)
        return atoi(code);
    users++;
    return 0;
}

DECLARE(int, nvmlShutdown, (void))
{
    users--;
    return 0;
}

DECLARE(const char *, nvmlErrorString, (int r))
{
    return r == 9 ? "Driver Not Loaded" : "Unknown Error";
}

DECLARE(int, nvmlDeviceGetHandleByUUID, (const char *uuid, device **out))
{
    if (!is("FAKE_NVML_UUID", uuid))
        return NOT_FOUND;
    *out = &only;
    return 0;
}

DECLARE(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *id, device **out))
{
    if (!is("FAKE_NVML_PCI", id))
        return NOT_FOUND;
    *out = &only;
    return 0;
}

static int read_value(const device *d, unsigned value, unsigned *out)
{
    if (d != &only || is("FAKE_NVML_MUTE", "1"))
        return getenv("FAKE_NVML_LOST") ? atoi(getenv("FAKE_NVML_LOST"))
                                        : NOT_SUPPORTED;
    *out = value;
    return 0;
}

DECLARE(int, nvmlDeviceGetClockInfo, (device * d, int domain, unsigned *out))
{
    return read_value(d, domain == 1 ? 1980 : domain == 2 ? 3201 : 0, out);
}

DECLARE(int, nvmlDeviceGetPowerUsage, (device * d, unsigned *out))
{
    return read_value(d, 654321, out);
}

DECLARE(int, nvmlDeviceGetTemperature, (device * d, int sensor, unsigned *out))
{
    return read_value(d, sensor == 0 ? 61 : 0, out);
}

/* $FAKE_NVML_ENERGY in millijoules; without it there is no counter. */
DECLARE(int, nvmlDeviceGetTotalEnergyConsumption,
        (device * d, unsigned long long *out))
{
    const char *const energy = getenv("FAKE_NVML_ENERGY");
    unsigned value = 0;
    const int result = energy ? read_value(d, 1, &value) : NOT_SUPPORTED;

    *out = energy ? strtoull(energy, NULL, 0) : 0;
    return result;
}

/* 1 as long as $FAKE_NVML_SLOW_READS is not counted down to 0. */
static int is_slow(void)
{
    const char *const text = getenv("FAKE_NVML_SLOW_READS");
    const int left = text ? atoi(text) : 1;
    char next[16];

    if (text && left > 0) {
        (void)snprintf(next, sizeof next, "%d", left - 1);
        (void)setenv("FAKE_NVML_SLOW_READS", next, 1);
    }
    return left > 0;
}

DECLARE(int, nvmlDeviceGetCurrentClocksThrottleReasons,
        (device * d, unsigned long long *out))
{
    const char *const reasons = getenv("FAKE_NVML_REASONS");
    unsigned value = 0;
    const int result = read_value(
        d, reasons && is_slow() ? (unsigned)strtoul(reasons, NULL, 0) : 0,
        &value);

    *out = value;
    return result;
}
