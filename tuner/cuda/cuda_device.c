/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU in a worker process: see device.h. */
#include "tuner/cuda/cuda_device.h"

#include "tuner/judge/statistics.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

/* CUdevice_attribute values of the memory's speed, and of a device's place on
 * the PCI bus. */
enum { ATTR_MEMORY_CLOCK_KHZ = 36, ATTR_BUS_BITS = 37 };
enum { ATTR_PCI_BUS = 33, ATTR_PCI_DEVICE = 34, ATTR_PCI_DOMAIN = 50 };

/* What a driver call for this device gave. */
static hone_status check(const hone_device *device, hone_cu_result result,
                         const char *what, hone_error *err)
{
    return hone__driver_check(device->driver, result, what, err);
}

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

    HONE_TRY(hone__cuda_get(&device->driver, err));
    HONE_TRY(check(device, device->driver->device_count(&n),
                   "counting CUDA devices", err));
    device->n_devices = n;
    if (ordinal < 0 || ordinal >= n)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "there is no CUDA device %d: the driver shows %d; "
                          "choose one with --device cuda:N",
                          ordinal, n);
    HONE_TRY(check(device,
                   device->driver->device_get(&device->ordinal, ordinal),
                   "opening the CUDA device", err));
    HONE_TRY(check(device,
                   device->driver->device_name(
                       device->name, (int)sizeof device->name, device->ordinal),
                   "reading the device's name", err));
    HONE_TRY(check(device,
                   device->driver->driver_version(&device->driver_version),
                   "reading the driver's version", err));
    device->clock_khz = attribute(device, HONE_CU_ATTR_CLOCK_RATE_KHZ);
    device->memory_clock_khz = attribute(device, ATTR_MEMORY_CLOCK_KHZ);
    device->bus_bits = attribute(device, ATTR_BUS_BITS);
    return hone__driver_properties(device->driver, device->ordinal,
                                   &device->properties, err);
}

/* The context alone takes some 500 MiB. */
static hone_status make_context(hone_device *device, hone_error *err)
{
    const hone_cu_result result =
        device->driver->primary_retain(&device->context, device->ordinal);

    if (result != HONE_CU_OUT_OF_MEMORY)
        return check(device, result, "making a CUDA context", err);
    return hone__fail_native(
        err, HONE_ERR_NO_MEMORY, HONE_DOMAIN_CUDA, result,
        "the memory of CUDA device %d is full: not even a CUDA context fits. "
        "End other processes on it (nvidia-smi shows them) or choose another "
        "GPU with --device cuda:N",
        device->ordinal);
}

int hone__cuda_pci_text(const hone_driver *driver, hone_cu_device device,
                        char out[32])
{
    int domain = 0, bus = 0, slot = 0;

    if (driver->device_attribute(&domain, ATTR_PCI_DOMAIN, device) ||
        driver->device_attribute(&bus, ATTR_PCI_BUS, device) ||
        driver->device_attribute(&slot, ATTR_PCI_DEVICE, device))
        return 0;
    (void)snprintf(out, 32, "%08x:%02x:%02x.0", (unsigned)domain, (unsigned)bus,
                   (unsigned)slot);
    return 1;
}

/* The card's UUID; for a driver that does not tell, its place on the bus, which
 * CUDA_VISIBLE_DEVICES does not change as it does its number. */
static void describe(const hone_device *device, hone_device_report *out)
{
    unsigned char uuid[16] = {0};
    char place[32];

    (void)snprintf(out->arch, sizeof out->arch, "sm_%d",
                   (int)device->properties.value[HONE_PROPERTY_sm]);
    if (device->driver->device_uuid(uuid, device->ordinal)) {
        if (hone__cuda_pci_text(device->driver, device->ordinal, place))
            (void)snprintf(out->id, sizeof out->id, "pci-%s", place);
        else
            (void)snprintf(out->id, sizeof out->id, "gpu-%d", device->ordinal);
        return;
    }
    for (int i = 0; i < 16; ++i)
        (void)snprintf(out->id + 2 * i, 3, "%02x", uuid[i]);
}

static hone_status begin(hone_device *device, const void *code, hone_error *err)
{
    HONE_TRY(make_context(device, err));
    HONE_TRY(check(device, device->driver->context_set(device->context),
                   "making the CUDA context current", err));
    /* A blocking stream: copies from the host go through the legacy stream
     * and must be over before our kernels run. */
    HONE_TRY(check(device, device->driver->stream_create(&device->stream, 0),
                   "making a CUDA stream", err));
    HONE_TRY(
        hone__nvml_open(device->driver, device->ordinal, &device->nvml, err));
    return code ? hone__device_load(device, code, err) : HONE_OK;
}

/* ---- warming up ----------------------------------------------------------
 * The clock is counted by the load itself, on the card: NVML reports it late
 * and rounded, and may not be there. */

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
    const unsigned n_blocks =
        BLOCKS_SM * (unsigned)device->properties.value[HONE_PROPERTY_sm_count];
    uint64_t ns = (uint64_t)(1e9 * window_s);
    uint64_t passed[2] = {0, 0}; /* cycles, nanoseconds */
    void *params[] = {&ns, &device->scratch};
    hone_clocks sample;

    HONE_TRY(
        check(device,
              device->driver->launch(device->kernel.load, n_blocks, 1, 1, BLOCK,
                                     1, 1, 0, device->stream, params, NULL),
              "warming up", err));
    HONE_TRY(hone__device_synchronize(device, "warming up", err));
    HONE_TRY(check(
        device,
        device->driver->copy_to_host(passed, device->scratch, sizeof passed),
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

/* Keep the card busy until its clock has settled: at least 60 ms, at most a
 * second, half a second if nothing tells the clock. Then measure the floor:
 * device->event_floor_ns. */
static hone_status warm_up(hone_device *device, hone_warm_up *out,
                           hone_error *err)
{
    const double start_s = hone__now_s();
    double mhz[MAX_WINDOWS];
    int n = 0;

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

/* ---- the row ------------------------------------------------------------- */

static void end(hone_device *device)
{
    hone__nvml_close(device->nvml);
}

static void read_clocks(hone_device *device, hone_clocks *out)
{
    hone__nvml_sample(device->nvml, out);
}

static int read_energy(hone_device *device, int64_t *out_mj)
{
    return hone__nvml_energy(device->nvml, out_mj);
}

static int is_lost(hone_device *device)
{
    return hone__nvml_is_lost(device->nvml);
}

static int64_t slowed(hone_device *device)
{
    return hone__nvml_slowdown(device->nvml);
}

const hone_device_kind hone__cuda_device = {
    .name = "cuda",
    .driver = "CUDA driver",
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
    .warm_up = warm_up,
    .read_clocks = read_clocks,
    .read_energy = read_energy,
    .slowed = slowed,
    .is_lost = is_lost,
};
