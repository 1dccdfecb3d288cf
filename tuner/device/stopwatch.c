/* SPDX-License-Identifier: Apache-2.0 */
/* See stopwatch.h. */
#include "tuner/device/stopwatch.h"

/* How long the stream is held: the host needs some 10 us to queue a graph or
 * the first launch, several times that if it is busy compiling. */
static const uint64_t hold_ns = 20000;

hone_status hone__stopwatch_open(hone_device *device, hone_stopwatch *out,
                                 hone_error *err)
{
    const hone_driver *driver = device->driver;

    *out = (hone_stopwatch){device, NULL, NULL};
    HONE_TRY(hone__driver_check(
        driver, driver->event_create(&out->start, HONE_CU_EVENT_DEFAULT),
        "making an event", err));
    return hone__driver_check(
        driver, driver->event_create(&out->stop, HONE_CU_EVENT_DEFAULT),
        "making an event", err);
}

void hone__stopwatch_close(hone_stopwatch *watch)
{
    if (watch->start)
        (void)watch->device->driver->event_destroy(watch->start);
    if (watch->stop)
        (void)watch->device->driver->event_destroy(watch->stop);
    watch->start = watch->stop = NULL;
}

static hone_status record(hone_device *device, hone_cu_event event,
                          hone_error *err)
{
    return hone__driver_check(
        device->driver, device->driver->event_record(event, device->stream),
        "recording an event", err);
}

hone_status hone__stopwatch_start(hone_stopwatch *watch, hone_error *err)
{
    hone_device *device = watch->device;
    uint64_t ns = hold_ns;
    void *params[] = {&ns};

    if (device->kernel.hold)
        HONE_TRY(hone__driver_check(
            device->driver,
            device->driver->launch(device->kernel.hold, 1, 1, 1, 1, 1, 1, 0,
                                   device->stream, params, NULL),
            "holding the stream", err));
    return record(device, watch->start, err);
}

hone_status hone__stopwatch_stop(hone_stopwatch *watch, double *out_ns,
                                 hone_error *err)
{
    const hone_driver *driver = watch->device->driver;
    float ms = 0;

    HONE_TRY(record(watch->device, watch->stop, err));
    HONE_TRY(hone__driver_check(driver, driver->event_synchronize(watch->stop),
                                "running the kernel", err));
    HONE_TRY(hone__driver_check(
        driver, driver->event_elapsed(&ms, watch->start, watch->stop),
        "reading the time", err));
    *out_ns = 1e6 * (double)ms;
    return HONE_OK;
}
