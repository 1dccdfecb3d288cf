/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes and guard bands of many blocks: see audit.h. */
#include "tuner/device/audit.h"

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
    const hone_driver *driver = device->driver;
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
    HONE_TRY(hone__driver_check(
        driver, driver->copy_to_device(device->audit.data, rows, size_bytes),
        "preparing to check memory", err));
    HONE_TRY(hone__device_run(device, device->kernel.audit, 256 * n_chunks,
                              params, "checking memory", err));
    HONE_TRY(hone__device_synchronize(device, "checking memory", err));
    return hone__driver_check(
        driver, driver->copy_to_host(rows, device->audit.data, size_bytes),
        "reading what memory holds", err);
}
