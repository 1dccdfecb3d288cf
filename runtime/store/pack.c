/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping a pack, looking whether it is whole, and reading blobs of it: see
 * pack.h. */
#include "runtime/store/pack.h"

#include "runtime/base/alloc.h"
#include "runtime/base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* ---- is it whole? -------------------------------------------------------- */

static hone_status damaged(const hone_pack *pack, hone_error *err,
                           const char *why, uint64_t from, uint64_t to)
{
    return hone__fail(err, HONE_ERR_DATABASE,
                      "pack '%s' is damaged: %s (bytes %llu to %llu of %zu); "
                      "get a good copy, or make it again with `hone pack`",
                      pack->name, why, (unsigned long long)from,
                      (unsigned long long)to, pack->size_bytes);
}

/* A header of version 1 has fewer parts, and is shorter for it. */
static size_t header_bytes_of(uint32_t version)
{
    const size_t missing = HONE_PACK_N_PARTS - HONE_PACK_N_PARTS_1;

    return sizeof(hone_pack_header) -
           (version == 1 ? missing * sizeof(hone_pack_extent) : 0);
}

/* A copy of what is in the file; its hashes lie behind the parts that it has.
 */
static void copy_header(const hone_pack *pack, size_t size_bytes,
                        hone_pack_header *out)
{
    const size_t hashes_bytes =
        sizeof *out - offsetof(hone_pack_header, index_hash);
    const size_t before = size_bytes - hashes_bytes;

    memset(out, 0, sizeof *out);
    memcpy(out, pack->bytes, before);
    memcpy(&out->index_hash, pack->bytes + before, hashes_bytes);
    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i)
        if (before <=
            offsetof(hone_pack_header, parts) + i * sizeof *out->parts)
            out->parts[i].offset = size_bytes;
}

/* Of this hone, for this machine, and as long as it was. */
static hone_status check_header(hone_pack *pack, hone_error *err)
{
    const hone_pack_header *header = (const void *)pack->bytes;
    const uint16_t one = 1;
    size_t size_bytes;

    if (!*(const unsigned char *)&one)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "pack '%s' is little-endian and this machine is not",
                          pack->name);
    if ((uintptr_t)pack->bytes % HONE_PACK_ALIGN_BYTES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "pack '%s' does not lie at a multiple of %d bytes; "
                          "give the array an alignment",
                          pack->name, HONE_PACK_ALIGN_BYTES);
    if (memcmp(pack->bytes, HONE_PACK_MAGIC,
               pack->size_bytes < sizeof header->magic
                   ? pack->size_bytes
                   : sizeof header->magic) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "'%s' is not a pack of hone; name another one",
                          pack->name);
    if (pack->size_bytes < offsetof(hone_pack_header, header_bytes))
        return damaged(pack, err, "it breaks off in its header", 0,
                       pack->size_bytes);
    if (header->version > HONE_PACK_VERSION)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "pack '%s' has format %u and this hone reads up to "
                          "%d; use a newer hone, or make the pack with this "
                          "one",
                          pack->name, header->version, HONE_PACK_VERSION);
    size_bytes = header_bytes_of(header->version);
    if (pack->size_bytes < size_bytes)
        return damaged(pack, err, "it breaks off in its header", 0,
                       pack->size_bytes);
    copy_header(pack, size_bytes, &pack->header);
    if (header->version < 1 || header->header_bytes != size_bytes ||
        pack->header.header_hash !=
            hone__hash64(header, size_bytes - sizeof header->header_hash))
        return damaged(pack, err, "the checksum of its header is wrong", 0,
                       size_bytes);
    if (header->file_bytes != pack->size_bytes)
        return damaged(
            pack, err,
            header->file_bytes > pack->size_bytes
                ? "it breaks off"
                : "there is more than was written",
            header->file_bytes < pack->size_bytes ? header->file_bytes
                                                  : pack->size_bytes,
            header->file_bytes < pack->size_bytes ? pack->size_bytes
                                                  : header->file_bytes);
    return HONE_OK;
}

/* Every part lies in the index, and the last text ends there. */
static hone_status check_parts(const hone_pack *pack, hone_error *err)
{
    const hone_pack_header *header = &pack->header;
    const uint64_t end = header->index_bytes;
    const uint64_t start = header->header_bytes;
    const hone_pack_extent *texts = &header->parts[HONE_PACK_TEXTS];

    if (end < start || end > header->file_bytes)
        return damaged(pack, err, "its index is not in it", 0, start);
    if (header->index_hash != hone__hash64(pack->bytes + start, end - start))
        return damaged(pack, err, "the checksum of its index is wrong", start,
                       end);
    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i) {
        const hone_pack_extent *part = &header->parts[i];

        if (part->offset % HONE_PACK_ALIGN_BYTES || part->offset < start ||
            part->offset > end ||
            part->n > (end - part->offset) / hone__pack_record_bytes[i] ||
            part->n >= UINT32_MAX)
            return damaged(pack, err, "a table is not in its index", start,
                           end);
    }
    if (!texts->n || pack->bytes[texts->offset + texts->n - 1])
        return damaged(pack, err, "its texts have no end", texts->offset,
                       texts->offset + texts->n);
    return HONE_OK;
}

static hone_status check_sha256(const hone_pack *pack, const char *sha256,
                                hone_error *err)
{
    char actual[HONE_SHA256_HEX];

    if (strspn(sha256, "0123456789abcdef") != HONE_SHA256_HEX - 1 ||
        sha256[HONE_SHA256_HEX - 1])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%.80s' is no SHA-256: 64 lower-case hex digits",
                          sha256);
    hone__sha256_hex(pack->bytes, pack->size_bytes, actual);
    if (strcmp(actual, sha256) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "pack '%s' is not the one that is trusted: its "
                          "SHA-256 is %s, not %s",
                          pack->name, actual, sha256);
    return HONE_OK;
}

static hone_status check(hone_pack *pack, const char *sha256, hone_error *err)
{
    if (sha256)
        HONE_TRY(check_sha256(pack, sha256, err));
    HONE_TRY(check_header(pack, err));
    return check_parts(pack, err);
}

/* ---- opening ------------------------------------------------------------- */

static hone_status map_file(int fd, size_t size_bytes, hone_pack *out,
                            hone_error *err)
{
    /* All pages of the index are looked at, to compare its hash. */
    out->map = mmap(NULL, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (out->map == MAP_FAILED) {
        out->map = NULL;
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot map pack '%s': %s", out->name,
                                 strerror(errno));
    }
    out->bytes = out->map;
    out->size_bytes = size_bytes;
    return HONE_OK;
}

static hone_status take_file(const char *path, int copy, hone_pack *out,
                             hone_error *err)
{
    struct stat info = {0};
    hone_status status;
    int fd;

    HONE_TRY(hone__file_open(path, HONE_PACK_MOST_BYTES, &fd, err));
    if (fstat(fd, &info) || !info.st_size) {
        status =
            hone__fail(err, HONE_ERR_DATABASE,
                       "'%s' is not a pack of hone; name another one", path);
    } else if (copy) {
        status =
            hone__text_read_most(&out->copy, path, HONE_PACK_MOST_BYTES, err);
        out->bytes = (const void *)out->copy.data;
        out->size_bytes = out->copy.length;
    } else {
        status = map_file(fd, (size_t)info.st_size, out, err);
    }
    (void)close(fd);
    return status;
}

hone_status hone__pack_open_file(const char *path, const char *sha256,
                                 hone_pack *out, hone_error *err)
{
    hone_status status;

    *out = (hone_pack){.name = path};
    status = take_file(path, sha256 != NULL, out, err);
    if (status == HONE_OK)
        status = check(out, sha256, err);
    if (status != HONE_OK)
        hone__pack_close(out);
    return status;
}

hone_status hone__pack_open_memory(const char *name, const void *bytes,
                                   size_t size_bytes, const char *sha256,
                                   hone_pack *out, hone_error *err)
{
    hone_status status;

    *out = (hone_pack){.name = name, .bytes = bytes, .size_bytes = size_bytes};
    if (!bytes || !size_bytes)
        return hone__fail(err, HONE_ERR_ARGUMENT, "pack '%s' has no bytes",
                          name);
    status = check(out, sha256, err);
    if (status != HONE_OK)
        hone__pack_close(out);
    return status;
}

void hone__pack_close(hone_pack *pack)
{
    if (pack->map)
        (void)munmap(pack->map, pack->size_bytes);
    hone__text_free(&pack->copy);
    *pack = (hone_pack){.name = ""};
}

/* ---- what is in it ------------------------------------------------------- */

const void *hone__pack_records(const hone_pack *pack, hone_pack_part part,
                               size_t *out_n)
{
    const hone_pack_extent *extent = &pack->header.parts[part];

    *out_n = (size_t)extent->n;
    return pack->bytes + extent->offset;
}

const void *hone__pack_record(const hone_pack *pack, hone_pack_part part,
                              uint64_t i)
{
    const hone_pack_extent *extent = &pack->header.parts[part];

    return i < extent->n ? pack->bytes + extent->offset +
                               i * hone__pack_record_bytes[part]
                         : NULL;
}

const char *hone__pack_text(const hone_pack *pack, uint32_t offset)
{
    return hone__pack_record(pack, HONE_PACK_TEXTS, offset);
}

/* ---- blobs --------------------------------------------------------------- */

static const hone_pack_blob *find_blob(const hone_pack *pack, uint32_t i)
{
    const hone_pack_blob *blob = hone__pack_record(pack, HONE_PACK_BLOBS, i);
    const hone_pack_header *header = &pack->header;

    return blob && blob->offset >= header->index_bytes &&
                   blob->offset <= header->file_bytes &&
                   blob->stored_bytes <= header->file_bytes - blob->offset &&
                   blob->size_bytes <= HONE_PACK_MOST_BLOB_BYTES
               ? blob
               : NULL;
}

hone_status hone__pack_check_blob(const hone_pack *pack, uint32_t i,
                                  hone_error *err)
{
    const hone_pack_blob *blob = find_blob(pack, i);

    if (!blob)
        return hone__fail(err, HONE_ERR_DATABASE, "it is not in the pack");
    if (hone__hash64(pack->bytes + blob->offset, blob->stored_bytes) !=
        blob->hash)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "its checksum is wrong (bytes %llu to %llu)",
                          (unsigned long long)blob->offset,
                          (unsigned long long)blob->offset +
                              blob->stored_bytes);
    return HONE_OK;
}

/* 0: not what it should be. */
static int decompress(const hone_pack *pack, const hone_pack_blob *blob,
                      const hone_pack_blob *dictionary, ZSTD_DCtx *context,
                      char *out)
{
    return ZSTD_decompress_usingDict(
               context, out, blob->size_bytes, pack->bytes + blob->offset,
               blob->stored_bytes,
               dictionary ? pack->bytes + dictionary->offset : NULL,
               dictionary ? dictionary->stored_bytes : 0) == blob->size_bytes;
}

static hone_status unpack(const hone_pack *pack, const hone_pack_blob *blob,
                          hone_text *out, hone_error *err)
{
    const hone_pack_blob *dictionary = NULL;
    ZSTD_DCtx *context;
    char *bytes;
    int is_good;

    if (blob->dictionary < HONE_PACK_N_DICTIONARIES) {
        const uint32_t i = pack->header.dictionaries[blob->dictionary];

        HONE_TRY(hone__pack_check_blob(pack, i, err));
        dictionary = find_blob(pack, i);
    }
    /* Before memory is taken: a wrong size may be any. */
    if (ZSTD_getFrameContentSize(pack->bytes + blob->offset,
                                 blob->stored_bytes) != blob->size_bytes)
        return hone__fail(err, HONE_ERR_DATABASE, "it cannot be decompressed");
    bytes = hone__alloc(blob->size_bytes + 1);
    context = ZSTD_createDCtx();
    is_good =
        bytes && context && decompress(pack, blob, dictionary, context, bytes);
    if (is_good)
        hone__text_append(out, bytes, blob->size_bytes);
    (void)ZSTD_freeDCtx(context);
    hone__free(bytes);
    if (!bytes || !context)
        return hone__out_of_memory(err, " while reading a pack");
    return is_good ? hone__text_check(out, err)
                   : hone__fail(err, HONE_ERR_DATABASE,
                                "it cannot be decompressed");
}

hone_status hone__pack_read_blob(const hone_pack *pack, uint32_t i,
                                 hone_text *out, hone_error *err)
{
    const hone_pack_blob *blob;

    HONE_TRY(hone__pack_check_blob(pack, i, err));
    blob = find_blob(pack, i);
    if (blob->stored_bytes != blob->size_bytes)
        return unpack(pack, blob, out, err);
    hone__text_append(out, (const char *)pack->bytes + blob->offset,
                      blob->size_bytes);
    return hone__text_check(out, err);
}
