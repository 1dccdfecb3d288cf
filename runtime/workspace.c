/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces of a plan: one block of device memory per stream, found without
 * a lock. See plan.h; those of the cpu device are filled by host_plan.c. */
#include "runtime/plan_special.h"

#include <stdio.h>

enum {
    ALIGN_BYTES = HONE_WORKSPACE_ALIGN_BYTES,
    STREAM_PER_THREAD = 2 /* CU_STREAM_PER_THREAD: one handle, many streams */
};

hone_status hone__workspaces_create(const hone_resolved *resolved,
                                    hone_workspaces **out, hone_error *err)
{
    hone_workspaces *workspaces;
    size_t total = 0;

    *out = NULL;
    for (size_t i = 0; i < resolved->n_workspaces; ++i) {
        const int64_t size = resolved->workspaces[i].size_bytes;

        if (size > INT64_MAX - ALIGN_BYTES - (int64_t)total)
            return hone__fail(err, HONE_ERR_OVERFLOW,
                              "the workspaces do not fit into 2^63 bytes");
        total += ((size_t)size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    }
    if (!total && !resolved->n_constants)
        return HONE_OK;
    workspaces = hone__alloc(sizeof *workspaces);
    if (!workspaces || pthread_mutex_init(&workspaces->lock, NULL)) {
        hone__free(workspaces);
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory for a plan");
    }
    workspaces->n_parts = resolved->n_workspaces;
    workspaces->size_bytes = total;
    total = 0;
    for (size_t i = 0; i < workspaces->n_parts; ++i) {
        const size_t size = (size_t)resolved->workspaces[i].size_bytes;

        workspaces->parts[i].offset_bytes = total;
        workspaces->parts[i].size_bytes = size;
        workspaces->parts[i].zero = resolved->workspaces[i].zero;
        total += (size + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    }
    *out = workspaces;
    return HONE_OK;
}

void hone__workspaces_free(hone_workspaces *workspaces,
                           const hone_device *device)
{
    if (!workspaces)
        return;
    for (size_t i = 0; i < HONE_MAX_SLOTS; ++i) {
        const hone_cu_ptr base = workspaces->slots[i].base;

        hone__plan_bank_free(workspaces->slots[i].bank, device);
        if (!device)
            continue;
        if (base && device->driver)
            (void)device->driver->memory_free(base);
        else if (base)
            hone__free((void *)(uintptr_t)base);
    }
    (void)pthread_mutex_destroy(&workspaces->lock);
    hone__free(workspaces);
}

/* Never 0. Handles are NULL, 1 or the address of a driver's object; the
 * per-thread stream is told apart by an address of the calling thread, which
 * is even where the others are odd. */
static uintptr_t key_of(hone_stream stream)
{
    static _Thread_local uint64_t of_thread;

    if ((uintptr_t)stream == STREAM_PER_THREAD)
        return (uintptr_t)&of_thread;
    return (uintptr_t)stream + 1;
}

/* The slot of a key, or the free one where it belongs; NULL: none left. */
static hone_slot *probe(hone_workspaces *workspaces, uintptr_t key,
                        uintptr_t *out_found)
{
    const size_t start =
        (size_t)((uint64_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 58);

    for (size_t i = 0; i < HONE_MAX_SLOTS; ++i) {
        hone_slot *slot = &workspaces->slots[(start + i) % HONE_MAX_SLOTS];

        *out_found = atomic_load_explicit(&slot->key, memory_order_acquire);
        if (*out_found == key || !*out_found)
            return slot;
    }
    return NULL;
}

hone_slot *hone__workspaces_find(hone_workspaces *workspaces,
                                 hone_stream stream)
{
    uintptr_t found = 0;
    hone_slot *slot = probe(workspaces, key_of(stream), &found);

    return found ? slot : NULL;
}

/* Zero on a stream of our own and wait for it: the caller may capture on one
 * stream and launch the graph on another, and must not wait for what it has
 * queued before. */
static hone_status zero_parts(const hone_workspaces *workspaces,
                              const hone_driver *driver, const hone_slot *slot,
                              hone_error *err)
{
    hone_stream own = NULL;
    hone_status status = HONE_OK;
    int n_zero = 0;

    for (size_t i = 0; i < workspaces->n_parts; ++i)
        n_zero += workspaces->parts[i].zero == HONE_ZERO_ONCE &&
                  workspaces->parts[i].size_bytes;
    if (!n_zero)
        return HONE_OK;
    HONE_TRY(hone__driver_check(
        driver, driver->stream_create(&own, HONE_CU_STREAM_NON_BLOCKING),
        "zeroing a workspace (cuStreamCreate)", err));
    for (size_t i = 0; status == HONE_OK && i < workspaces->n_parts; ++i) {
        if (workspaces->parts[i].zero == HONE_ZERO_ONCE &&
            workspaces->parts[i].size_bytes)
            status = hone__driver_check(
                driver,
                driver->fill8_async(slot->parts[i], 0,
                                    workspaces->parts[i].size_bytes, own),
                "zeroing a workspace (cuMemsetD8Async)", err);
    }
    if (status == HONE_OK)
        status = hone__driver_check(driver, driver->stream_synchronize(own),
                                    "zeroing a workspace (cuStreamSynchronize)",
                                    err);
    (void)driver->stream_destroy(own);
    return status;
}

static hone_status allocate(const hone_workspaces *workspaces,
                            const hone_driver *driver, hone_slot *slot,
                            hone_error *err)
{
    char what[160];

    if (!workspaces->size_bytes)
        return HONE_OK;
    (void)snprintf(what, sizeof what,
                   "allocating a workspace of %zu bytes (cuMemAlloc; while a "
                   "stream is captured, call hone_plan_prepare() before)",
                   workspaces->size_bytes);
    HONE_TRY(hone__driver_check(
        driver, driver->memory_alloc(&slot->base, workspaces->size_bytes), what,
        err));
    for (size_t i = 0; i < workspaces->n_parts; ++i)
        slot->parts[i] = slot->base + workspaces->parts[i].offset_bytes;
    return zero_parts(workspaces, driver, slot, err);
}

static hone_status fill_slot(const hone_workspaces *workspaces,
                             const hone_driver *driver, hone_slot *slot,
                             hone_error *err)
{
    hone_status status = allocate(workspaces, driver, slot, err);

    if (status == HONE_OK)
        status = hone__plan_bank_create(workspaces->special, &slot->bank, err);
    if (status != HONE_OK && slot->base) {
        (void)driver->memory_free(slot->base);
        slot->base = 0;
    }
    return status;
}

hone_status hone__workspaces_get(hone_workspaces *workspaces,
                                 const hone_driver *driver, hone_stream stream,
                                 hone_slot **out, hone_error *err)
{
    const uintptr_t key = key_of(stream);
    hone_status status = HONE_OK;
    uintptr_t found = 0;
    hone_slot *slot;

    (void)pthread_mutex_lock(&workspaces->lock);
    slot = probe(workspaces, key, &found);
    if (!slot) {
        status = hone__fail(err, HONE_ERR_NO_MEMORY,
                            "a plan keeps workspaces for at most %d streams; "
                            "use fewer streams, or another plan",
                            HONE_MAX_SLOTS);
    } else if (!found) {
        status = fill_slot(workspaces, driver, slot, err);
        if (status == HONE_OK)
            atomic_store_explicit(&slot->key, key, memory_order_release);
    }
    (void)pthread_mutex_unlock(&workspaces->lock);
    *out = status == HONE_OK ? slot : NULL;
    return status;
}
