/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at many blocks of device memory at once: were the guard bands
 * written, did the contents change? One launch, about the time it takes to
 * read the blocks. */
#ifndef HONE_TUNER_AUDIT_H
#define HONE_TUNER_AUDIT_H

#include "tuner/device/device.h"

/* A block and what was found: as in device_code.cu. */
typedef struct hone_audit_row {
    hone_cu_ptr base;
    hone_cu_ptr data;
    int64_t size_bytes;
    int64_t first_chunk; /* of audit.c */
    uint64_t hash;       /* of the contents, in any order of reading */
    uint64_t n_before;   /* bytes of the guards that were written */
    uint64_t n_behind;
} hone_audit_row;

/* A row for a block. */
hone_audit_row hone__audit_row_of(const hone_block *block);

/* Fills hash, n_before and n_behind of every row. Waits for the stream. */
hone_status hone__audit(hone_device *device, hone_audit_row *rows, size_t n,
                        hone_error *err);

#endif
