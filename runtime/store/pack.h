/* SPDX-License-Identifier: Apache-2.0 */
/* A pack in memory: mapped from a file, or where the program has it. Nothing
 * in it is believed: whatever its numbers are, no byte outside of it is read.
 */
#ifndef HONE_RUNTIME_PACK_H
#define HONE_RUNTIME_PACK_H

#include "runtime/base/text.h"
#include "runtime/store/pack_format.h"

typedef struct hone_pack {
    const char *name; /* as sentences have it; borrowed */
    const unsigned char *bytes;
    size_t size_bytes;
    hone_pack_header header; /* once it was checked; parts that an older
                                version has not are empty */
    void *map;               /* to be unmapped; NULL */
    hone_text copy;          /* of a file that must not change any more */
} hone_pack;

/* Map a file; with `sha256` it is copied instead, for who can write to the
 * file could change what was compared. HONE_ERR_NOT_FOUND, HONE_ERR_IO,
 * HONE_ERR_DATABASE, HONE_ERR_NO_MEMORY; closed then, as after close. */
hone_status hone__pack_open_file(const char *path, const char *sha256,
                                 hone_pack *out, hone_error *err);
/* Use bytes that stay where they are, at a multiple of 8. `name` as above. */
hone_status hone__pack_open_memory(const char *name, const void *bytes,
                                   size_t size_bytes, const char *sha256,
                                   hone_pack *out, hone_error *err);
void hone__pack_close(hone_pack *pack);

/* The records of a part. */
const void *hone__pack_records(const hone_pack *pack, hone_pack_part part,
                               size_t *out_n);
/* One record, NULL: there are not so many. */
const void *hone__pack_record(const hone_pack *pack, hone_pack_part part,
                              uint64_t i);
/* NULL: there is none at this place. */
const char *hone__pack_text(const hone_pack *pack, uint32_t offset);

/* Is the blob there, and as it was written? HONE_ERR_DATABASE, and `err`
 * completes "X is damaged: ". */
hone_status hone__pack_check_blob(const hone_pack *pack, uint32_t blob,
                                  hone_error *err);
/* Append its content. */
hone_status hone__pack_read_blob(const hone_pack *pack, uint32_t blob,
                                 hone_text *out, hone_error *err);

#endif
