/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for every kind of device: see device.h. */
#include "tuner/device/device.h"

#include "runtime/base/alloc.h"

#include <string.h>

/* What a driver call for this device gave. */
static hone_status check(const hone_device *device, hone_cu_result result,
                         const char *what, hone_error *err)
{
    return hone__driver_check(device->driver, result, what, err);
}

hone_status hone__device_open(const hone_device_kind *kind, int ordinal,
                              const void *code, hone_device *out,
                              hone_error *err)
{
    memset(out, 0, sizeof *out);
    out->kind = kind;
    out->guard_bytes = kind->guard_bytes;
    HONE_TRY(kind->identify(out, ordinal, err));
    return hone__device_begin(out, code, err);
}

hone_status hone__device_begin(hone_device *device, const void *code,
                               hone_error *err)
{
    HONE_TRY(device->kind->begin(device, code, err));
    return check(
        device,
        device->driver->memory_alloc(&device->scratch, HONE_SCRATCH_BYTES),
        "allocating device memory", err);
}

void hone__device_close(hone_device *device)
{
    if (!device->driver)
        return;
    hone__vendors_free(device->vendors, 1);
    if (device->code)
        (void)device->driver->module_unload(device->code);
    hone__block_free(device, &device->audit);
    if (device->scratch)
        (void)device->driver->memory_free(device->scratch);
    if (device->stream)
        (void)device->driver->stream_destroy(device->stream);
    if (device->context)
        (void)device->driver->primary_release(device->ordinal);
    if (device->kind->end)
        device->kind->end(device);
    memset(device, 0, sizeof *device);
}

hone_status hone__device_vendors(hone_device *device, hone_vendors **out,
                                 hone_error *err)
{
    *out = NULL;
    if (!device->vendors)
        HONE_TRY(hone__vendors_create(device->driver, &device->vendors, err));
    *out = device->vendors;
    return HONE_OK;
}

hone_status hone__device_warm_up(hone_device *device, hone_warm_up *out,
                                 hone_error *err)
{
    *out = (hone_warm_up){0, 0, 0};
    return device->kind->warm_up ? device->kind->warm_up(device, out, err)
                                 : HONE_OK;
}

void hone__device_clocks(hone_device *device, hone_clocks *out)
{
    *out = (hone_clocks){0, -1, -1, -1, -1, -1};
    if (device->kind->read_clocks)
        device->kind->read_clocks(device, out);
}

int hone__device_energy(hone_device *device, int64_t *out_mj)
{
    return device->kind->read_energy &&
           device->kind->read_energy(device, out_mj);
}

int hone__device_is_lost(hone_device *device)
{
    return device->kind->is_lost && device->kind->is_lost(device);
}

/* All that a block may have: no multiprocessor holds two of such blocks. */
static unsigned shared_bytes(const hone_device *device)
{
    return (unsigned)device->properties.value[HONE_PROPERTY_smem_optin];
}

hone_status hone__device_load(hone_device *device, const void *code,
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

    HONE_TRY(check(device, device->driver->module_load(&device->code, code),
                   "loading the helper kernels", err));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i) {
        const int is_poison = kernels[i].function == &device->kernel.poison;

        HONE_TRY(hone__driver_kernel(
            device->driver, device->code, kernels[i].symbol,
            is_poison ? shared_bytes(device) : 0, kernels[i].function, err));
    }
    return HONE_OK;
}

hone_status hone__device_run(hone_device *device, hone_cu_function kernel,
                             int64_t n, void **params, const char *what,
                             hone_error *err)
{
    enum { BLOCK = 256, MAX_BLOCKS = 132 * 16 };
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    const unsigned grid = blocks < 1            ? 1
                          : blocks > MAX_BLOCKS ? MAX_BLOCKS
                                                : (unsigned)blocks;

    return check(device,
                 device->driver->launch(kernel, grid, 1, 1, BLOCK, 1, 1, 0,
                                        device->stream, params, NULL),
                 what, err);
}

hone_status hone__device_synchronize(hone_device *device, const char *what,
                                     hone_error *err)
{
    return check(device, device->driver->stream_synchronize(device->stream),
                 what, err);
}

hone_status hone__device_poison(hone_device *device, uint32_t word,
                                hone_error *err)
{
    enum { BLOCK = 256 };
    const unsigned n_blocks =
        (unsigned)device->properties.value[HONE_PROPERTY_sm_count];
    const unsigned n_bytes = shared_bytes(device);
    int n_words = (int)(n_bytes / sizeof word);
    void *params[] = {&word, &n_words};

    if (!device->kernel.poison)
        return HONE_OK;
    return check(device,
                 device->driver->launch(device->kernel.poison, n_blocks, 1, 1,
                                        BLOCK, 1, 1, n_bytes, device->stream,
                                        params, NULL),
                 "filling shared memory", err);
}

/* ---- memory -------------------------------------------------------------- */

static hone_status no_room(hone_device *device, size_t size_bytes,
                           hone_error *err)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    if (device->driver->kind)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for an array of %zu bytes",
                          size_bytes);
    (void)device->driver->memory_info(&free_bytes, &total_bytes);
    return hone__fail_native(
        err, HONE_ERR_NO_MEMORY, HONE_DOMAIN_CUDA, HONE_CU_OUT_OF_MEMORY,
        "no room for %.1f MiB of device memory: %.1f of "
        "%.1f MiB are free",
        (double)size_bytes / (1 << 20), (double)free_bytes / (1 << 20),
        (double)total_bytes / (1 << 20));
}

static hone_cu_result alloc_host(hone_device *device, size_t room,
                                 hone_block *out)
{
    void *memory = NULL;
    const hone_cu_result result =
        device->driver->host_alloc(&memory, room, HONE_CU_HOST_SHARED);

    out->base = (hone_cu_ptr)(uintptr_t)memory;
    out->is_host = 1;
    return result;
}

static hone_status alloc_pageable(size_t room, hone_block *out, hone_error *err)
{
    out->pageable = hone__alloc(room);
    return out->pageable
               ? HONE_OK
               : hone__fail(err, HONE_ERR_NO_MEMORY,
                            "out of host memory for an array of %zu bytes",
                            room);
}

hone_status hone__block_alloc_in(hone_device *device, hone_block_kind kind,
                                 size_t size_bytes, hone_block *out,
                                 hone_error *err)
{
    /* Whole guards behind the last byte, whatever the size. */
    const size_t room = 2 * device->guard_bytes + size_bytes;
    /* A driver of our own has one kind of memory. */
    const int is_host = kind != HONE_BLOCK_DEVICE && !device->driver->kind;
    hone_cu_result result;

    *out = (hone_block){0};
    result = is_host ? alloc_host(device, room, out)
                     : device->driver->memory_alloc(&out->base, room);
    if (result == HONE_CU_OUT_OF_MEMORY) {
        *out = (hone_block){0};
        return no_room(device, room, err);
    }
    HONE_TRY(check(device, result, "allocating memory", err));
    out->data = out->base + device->guard_bytes;
    out->size_bytes = size_bytes;
    if (is_host && kind == HONE_BLOCK_PAGEABLE)
        HONE_TRY(alloc_pageable(room, out, err));
    HONE_TRY(check(
        device,
        device->driver->fill8_async(out->base, 0xff, room, device->stream),
        "filling memory", err));
    return hone__block_lend(device, out, err);
}

hone_status hone__block_alloc(hone_device *device, size_t size_bytes,
                              hone_block *out, hone_error *err)
{
    return hone__block_alloc_in(device, HONE_BLOCK_DEVICE, size_bytes, out,
                                err);
}

void hone__block_free(hone_device *device, hone_block *block)
{
    if (block->base && block->is_host)
        (void)device->driver->host_free((void *)(uintptr_t)block->base);
    else if (block->base)
        (void)device->driver->memory_free(block->base);
    hone__free(block->pageable);
    *block = (hone_block){0};
}

hone_cu_ptr hone__block_address(const hone_block *block)
{
    return block->pageable ? (hone_cu_ptr)(uintptr_t)block->pageable +
                                 (block->data - block->base)
                           : block->data;
}

static size_t room_of(const hone_block *block)
{
    return 2 * (size_t)(block->data - block->base) + block->size_bytes;
}

hone_status hone__block_lend(hone_device *device, const hone_block *block,
                             hone_error *err)
{
    if (!block->pageable)
        return HONE_OK;
    HONE_TRY(hone__device_synchronize(device, "preparing a host array", err));
    memcpy(block->pageable, (const void *)(uintptr_t)block->base,
           room_of(block));
    return HONE_OK;
}

hone_status hone__block_return(hone_device *device, const hone_block *block,
                               hone_error *err)
{
    if (!block->pageable)
        return HONE_OK;
    HONE_TRY(hone__device_synchronize(device, "reading a host array", err));
    memcpy((void *)(uintptr_t)block->base, block->pageable, room_of(block));
    return HONE_OK;
}

hone_status hone__block_guard(hone_device *device, const hone_block *block,
                              hone_error *err)
{
    const hone_cu_ptr guards[] = {block->base, block->data + block->size_bytes};

    for (int i = 0; i < 2 && device->guard_bytes; ++i)
        HONE_TRY(check(device,
                       device->driver->fill8_async(guards[i], 0xff,
                                                   device->guard_bytes,
                                                   device->stream),
                       "writing guard bands", err));
    return HONE_OK;
}

hone_status hone__block_fill(hone_device *device, const hone_block *block,
                             unsigned char value, hone_error *err)
{
    return check(device,
                 device->driver->fill8_async(block->data, value,
                                             block->size_bytes, device->stream),
                 "filling an array", err);
}

hone_status hone__block_copy(hone_device *device, const hone_block *from,
                             const hone_block *to, hone_error *err)
{
    return check(device,
                 device->driver->copy_async(to->data, from->data,
                                            to->size_bytes, device->stream),
                 "copying an array", err);
}

hone_status hone__block_upload(hone_device *device, const void *from,
                               size_t size_bytes, hone_block *out,
                               hone_error *err)
{
    HONE_TRY(hone__block_alloc(device, size_bytes, out, err));
    /* The copy below is on another stream than the fill of the guards. */
    HONE_TRY(hone__device_synchronize(device, "allocating", err));
    return check(device,
                 device->driver->copy_to_device(out->data, from, size_bytes),
                 "copying to the device", err);
}

/* ---- looking at memory --------------------------------------------------- */

/* As in device_code.cu: what one block of threads reads at a time. */
enum { CHUNK_BYTES = 1 << 16 };

hone_audit_row hone__audit_row_of(const hone_block *block)
{
    return (hone_audit_row){.base = block->base,
                            .data = block->data,
                            .size_bytes = (int64_t)block->size_bytes};
}

/* The rows in device memory, in room that grows and stays. */
static hone_status make_room(hone_device *device, size_t size_bytes,
                             hone_error *err)
{
    if (device->audit.size_bytes >= size_bytes)
        return HONE_OK;
    hone__block_free(device, &device->audit);
    return hone__block_alloc(device, 2 * size_bytes, &device->audit, err);
}

hone_status hone__audit(hone_device *device, hone_audit_row *rows, size_t n,
                        hone_error *err)
{
    const size_t size_bytes = n * sizeof *rows;
    int64_t n_chunks = 0;
    int n_rows = (int)n;
    void *params[] = {&device->audit.data, &n_rows, &n_chunks};

    if (!n)
        return HONE_OK;
    for (size_t i = 0; i < n; ++i) {
        const int64_t chunks =
            (rows[i].size_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;

        rows[i].first_chunk = n_chunks;
        rows[i].hash = rows[i].n_before = rows[i].n_behind = 0;
        n_chunks += chunks > 0 ? chunks : 1; /* for the guards */
    }
    HONE_TRY(make_room(device, size_bytes, err));
    HONE_TRY(check(
        device,
        device->driver->copy_to_device(device->audit.data, rows, size_bytes),
        "preparing to check memory", err));
    HONE_TRY(hone__device_run(device, device->kernel.audit, 256 * n_chunks,
                              params, "checking memory", err));
    HONE_TRY(hone__device_synchronize(device, "checking memory", err));
    return check(
        device,
        device->driver->copy_to_host(rows, device->audit.data, size_bytes),
        "reading what memory holds", err);
}

/* ---- time ---------------------------------------------------------------- */

/* How long the stream is held: the host needs some 10 us to queue a graph or
 * the first launch, several times that if it is busy compiling. */
static const uint64_t hold_ns = 20000;

hone_status hone__stopwatch_open(hone_device *device, hone_stopwatch *out,
                                 hone_error *err)
{
    hone_cu_event *const events[] = {&out->start, &out->stop};

    *out = (hone_stopwatch){device, NULL, NULL};
    for (int i = 0; i < 2; ++i)
        HONE_TRY(check(
            device,
            device->driver->event_create(events[i], HONE_CU_EVENT_DEFAULT),
            "making an event", err));
    return HONE_OK;
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
    return check(device, device->driver->event_record(event, device->stream),
                 "recording an event", err);
}

hone_status hone__stopwatch_start(hone_stopwatch *watch, hone_error *err)
{
    hone_device *device = watch->device;
    uint64_t ns = hold_ns;
    void *params[] = {&ns};

    if (device->kernel.hold)
        HONE_TRY(
            check(device,
                  device->driver->launch(device->kernel.hold, 1, 1, 1, 1, 1, 1,
                                         0, device->stream, params, NULL),
                  "holding the stream", err));
    return record(device, watch->start, err);
}

hone_status hone__stopwatch_stop(hone_stopwatch *watch, double *out_ns,
                                 hone_error *err)
{
    hone_device *device = watch->device;
    float ms = 0;

    HONE_TRY(record(device, watch->stop, err));
    HONE_TRY(check(device, device->driver->event_synchronize(watch->stop),
                   "running the kernel", err));
    HONE_TRY(check(
        device, device->driver->event_elapsed(&ms, watch->start, watch->stop),
        "reading the time", err));
    *out_ns = 1e6 * (double)ms;
    return HONE_OK;
}
