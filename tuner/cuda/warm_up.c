/* SPDX-License-Identifier: Apache-2.0 */
/* Warming up: see cuda_device.h. The clock is counted by the load itself, on
 * the card: NVML reports it late and rounded, and may not be there. */
#include "tuner/cuda/cuda_device.h"

#include "tuner/cuda/nvml.h"
#include "tuner/device/stopwatch.h"
#include "tuner/judge/statistics.h"
#include "tuner/process/worker.h"

static const double window_s = 0.015;
static const double least_s = 0.06;
static const double most_s = 1.0;
static const double blind_s = 0.5; /* nothing tells the clock */

enum { N_AGREE = 4, MAX_WINDOWS = 128, N_EMPTY = 21 };

int hone__clock_settled(const double *mhz, int n)
{
    double low, high;

    if (n < N_AGREE)
        return 0;
    low = high = mhz[n - 1];
    for (int i = n - N_AGREE; i < n; ++i) {
        low = mhz[i] < low ? mhz[i] : low;
        high = mhz[i] > high ? mhz[i] : high;
    }
    return low > 0 && high <= 1.01 * low;
}

double hone__clock_mhz(uint64_t cycles, uint64_t ns)
{
    const double mhz = ns ? 1e3 * (double)cycles / (double)ns : 0;

    return mhz >= 50 && mhz <= 10000 ? mhz : 0;
}

/* One window of load on every multiprocessor. `out_mhz` 0: unknown. */
static hone_status load(hone_device *device, double *out_mhz, hone_error *err)
{
    enum { BLOCK = 256, BLOCKS_SM = 4 };
    const hone_driver *driver = device->driver;
    const unsigned n_blocks =
        BLOCKS_SM * (unsigned)device->properties.value[HONE_PROPERTY_sm_count];
    uint64_t ns = (uint64_t)(1e9 * window_s);
    uint64_t passed[2] = {0, 0}; /* cycles, nanoseconds */
    void *params[] = {&ns, &device->scratch};
    hone_clocks sample;

    HONE_TRY(hone__driver_check(driver,
                                driver->launch(device->kernel.load, n_blocks, 1,
                                               1, BLOCK, 1, 1, 0,
                                               device->stream, params, NULL),
                                "warming up", err));
    HONE_TRY(hone__device_synchronize(device, "warming up", err));
    HONE_TRY(hone__driver_check(
        driver, driver->copy_to_host(passed, device->scratch, sizeof passed),
        "reading the clock", err));
    *out_mhz = hone__clock_mhz(passed[0], passed[1]);
    if (*out_mhz <= 0) {
        hone__nvml_sample(device->nvml, &sample);
        *out_mhz = sample.sm_clock_mhz > 0 ? sample.sm_clock_mhz : 0;
    }
    return HONE_OK;
}

/* The median of some empty samples, taken as samples are. */
static hone_status measure_floor(hone_device *device, hone_error *err)
{
    double totals_ns[N_EMPTY];
    hone_stopwatch watch;
    hone_status status = hone__stopwatch_open(device, &watch, err);

    for (int i = 0; status == HONE_OK && i < N_EMPTY; ++i) {
        status = hone__stopwatch_start(&watch, err);
        if (status == HONE_OK)
            status = hone__stopwatch_stop(&watch, &totals_ns[i], err);
    }
    hone__stopwatch_close(&watch);
    if (status == HONE_OK)
        device->event_floor_ns = hone__median(totals_ns, N_EMPTY);
    return status;
}

hone_status hone__cuda_warm_up(hone_device *device, hone_warm_up *out,
                               hone_error *err)
{
    const double start_s = hone__now_s();
    double mhz[MAX_WINDOWS];
    int n = 0;

    *out = (hone_warm_up){0, 0, 0};
    while (n < MAX_WINDOWS) {
        HONE_TRY(load(device, &mhz[n++], err));
        out->seconds = hone__now_s() - start_s;
        out->clock_mhz = mhz[n - 1];
        out->settled = hone__clock_settled(mhz, n);
        if ((out->settled && out->seconds >= least_s) ||
            out->seconds >= (out->clock_mhz > 0 ? most_s : blind_s))
            break;
    }
    return measure_floor(device, err);
}
