/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of NVML that says yes to every device and
 * reports thermal slowdowns for a while: from $HOT_NVML_FROM to
 * $HOT_NVML_UNTIL, seconds after a process starts it, in the second half of
 * every $HOT_NVML_PERIOD seconds (0: all the time). Otherwise nothing holds
 * the clocks back. To be named by $HONE_NVML_LIBRARY. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { HARDWARE_THERMAL_SLOWDOWN = 0x40 };

#define DECLARE(type, name, parameters)                                        \
    __attribute__((visibility("default"))) type name parameters;               \
    __attribute__((visibility("default"))) type name parameters

typedef struct device {
    int unused;
} device;

static device only;
static double started_s;

static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds(const char *variable)
{
    const char *const text = getenv(variable);

    return text ? strtod(text, NULL) : 0;
}

DECLARE(int, nvmlInit_v2, (void))
{
    started_s = now_s();
    return 0;
}

DECLARE(int, nvmlShutdown, (void))
{
    return 0;
}

DECLARE(const char *, nvmlErrorString, (int code))
{
    (void)code;
    return "Unknown Error";
}

DECLARE(int, nvmlDeviceGetHandleByUUID, (const char *uuid, device **out))
{
    (void)uuid;
    *out = &only;
    return 0;
}

DECLARE(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *id, device **out))
{
    (void)id;
    *out = &only;
    return 0;
}

DECLARE(int, nvmlDeviceGetClockInfo, (device * d, int domain, unsigned *out))
{
    (void)d;
    *out = domain == 1 ? 1980 : 3201;
    return 0;
}

DECLARE(int, nvmlDeviceGetPowerUsage, (device * d, unsigned *out))
{
    (void)d;
    *out = 400000;
    return 0;
}

DECLARE(int, nvmlDeviceGetTemperature, (device * d, int sensor, unsigned *out))
{
    (void)d;
    *out = sensor == 0 ? 87 : 0;
    return 0;
}

DECLARE(int, nvmlDeviceGetCurrentClocksThrottleReasons,
        (device * d, unsigned long long *out))
{
    const double at_s = now_s() - started_s;
    const double period_s = seconds("HOT_NVML_PERIOD");
    int is_hot =
        at_s >= seconds("HOT_NVML_FROM") && at_s < seconds("HOT_NVML_UNTIL");

    (void)d;
    if (is_hot && period_s > 0)
        is_hot = fmod(at_s, period_s) >= period_s / 2;
    *out = is_hot ? HARDWARE_THERMAL_SLOWDOWN : 0;
    return 0;
}
