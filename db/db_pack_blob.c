/* SPDX-License-Identifier: Apache-2.0 */
/* The blobs of a pack: compressed one by one, so that a launch reads what it
 * needs, with a dictionary of each kind, since one tuner's kernels are much
 * alike. */
#include "db/db_pack_parts.h"

#include <string.h>
#include <zdict.h>
#include <zstd.h>

enum {
    LEVEL = 19, /* a pack is made once and read often */
    DICTIONARY_BYTES = 112 << 10,
    /* zstd learns nothing of fewer, and a dictionary has to be worth itself. */
    LEAST_SAMPLES = 16
};

hone_status hone__pack_blobs_begin(pack_blobs *blobs, hone_error *err)
{
    *blobs = (pack_blobs){.dictionaries = {HONE_PACK_NONE, HONE_PACK_NONE}};
    blobs->compressor = ZSTD_createCCtx();
    return blobs->compressor ? HONE_OK : hone__pack_no_memory(err);
}

void hone__pack_blobs_free(pack_blobs *blobs)
{
    for (size_t i = 0; i < HONE_PACK_N_DICTIONARIES; ++i)
        (void)ZSTD_freeCDict(blobs->prepared[i]);
    (void)ZSTD_freeCCtx(blobs->compressor);
    hone__text_free(&blobs->records);
    hone__text_free(&blobs->bytes);
}

/* Append bytes as they are. */
static hone_status append(pack_blobs *blobs, const void *bytes,
                          size_t stored_bytes, size_t size_bytes,
                          uint32_t dictionary, uint32_t *out, hone_error *err)
{
    const hone_pack_blob record = {.offset = blobs->bytes.length,
                                   .stored_bytes = stored_bytes,
                                   .size_bytes = size_bytes,
                                   .hash = hone__hash64(bytes, stored_bytes),
                                   .dictionary = dictionary};

    *out = (uint32_t)(blobs->records.length / sizeof record);
    hone__text_append(&blobs->records, (const void *)&record, sizeof record);
    hone__text_append(&blobs->bytes, bytes, stored_bytes);
    HONE_TRY(hone__text_check(&blobs->records, err));
    return hone__text_check(&blobs->bytes, err);
}

hone_status hone__pack_blobs_train(pack_blobs *blobs, hone_pack_dictionary kind,
                                   const hone_text *samples,
                                   const size_t *sample_bytes, size_t n,
                                   hone_error *err)
{
    /* Not a tenth of what it is made of: it would not pay for itself. */
    const size_t most = samples->length / 10 < DICTIONARY_BYTES
                            ? samples->length / 10
                            : DICTIONARY_BYTES;
    hone_status status = HONE_OK;
    char *bytes;
    size_t size_bytes;

    if (n < LEAST_SAMPLES)
        return HONE_OK;
    bytes = hone__alloc(most);
    if (!bytes)
        return hone__pack_no_memory(err);
    size_bytes = ZDICT_trainFromBuffer(bytes, most, samples->data, sample_bytes,
                                       (unsigned)n);
    if (!ZDICT_isError(size_bytes)) {
        blobs->prepared[kind] = ZSTD_createCDict(bytes, size_bytes, LEVEL);
        status = blobs->prepared[kind]
                     ? append(blobs, bytes, size_bytes, size_bytes,
                              HONE_PACK_NONE, &blobs->dictionaries[kind], err)
                     : hone__pack_no_memory(err);
    }
    hone__free(bytes);
    return status;
}

hone_status hone__pack_blobs_add(pack_blobs *blobs, hone_pack_dictionary kind,
                                 const void *bytes, size_t size_bytes,
                                 uint32_t *out, hone_error *err)
{
    const size_t bound = ZSTD_compressBound(size_bytes);
    char *stored = hone__alloc(bound);
    hone_status status;
    size_t n;

    *out = HONE_PACK_NONE;
    if (!stored)
        return hone__pack_no_memory(err);
    n = blobs->prepared[kind]
            ? ZSTD_compress_usingCDict(blobs->compressor, stored, bound, bytes,
                                       size_bytes, blobs->prepared[kind])
            : ZSTD_compressCCtx(blobs->compressor, stored, bound, bytes,
                                size_bytes, LEVEL);
    if (ZSTD_isError(n))
        status = hone__fail(err, HONE_ERR_NO_MEMORY,
                            "cannot compress a part of a pack: %s",
                            ZSTD_getErrorName(n));
    else if (n >= size_bytes) /* stored_bytes == size_bytes: as it is */
        status = append(blobs, bytes, size_bytes, size_bytes, HONE_PACK_NONE,
                        out, err);
    else
        status = append(blobs, stored, n, size_bytes,
                        blobs->prepared[kind] ? (uint32_t)kind : HONE_PACK_NONE,
                        out, err);
    hone__free(stored);
    return status;
}
