/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer on the pack reader: bytes with their checksums made right, for
 * those stop all accidents, are opened and asked for exact shapes, neighbours
 * and defaults. Whatever the answer is, nothing outside of the bytes is read.
 */
#include "runtime/base/hash.h"
#include "runtime/store/pack_format.h"
#include "runtime/store/store.h"

#include <stddef.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* What the reader would refuse at once. */
static void repair(uint8_t *bytes, size_t size_bytes)
{
    hone_pack_header header;

    memcpy(&header, bytes, sizeof header);
    memcpy(header.magic, HONE_PACK_MAGIC, sizeof header.magic);
    header.version = HONE_PACK_VERSION;
    header.header_bytes = sizeof header;
    header.file_bytes = size_bytes;
    if (header.index_bytes < sizeof header || header.index_bytes > size_bytes)
        header.index_bytes = size_bytes;
    for (uint64_t i = 0; i < header.parts[HONE_PACK_BLOBS].n && i < 64; ++i) {
        const uint64_t at =
            header.parts[HONE_PACK_BLOBS].offset + i * sizeof(hone_pack_blob);
        hone_pack_blob blob;

        if (at > size_bytes || size_bytes - at < sizeof blob)
            break;
        memcpy(&blob, bytes + at, sizeof blob);
        if (blob.offset > size_bytes ||
            blob.stored_bytes > size_bytes - blob.offset)
            continue;
        blob.hash = hone__hash64(bytes + blob.offset, blob.stored_bytes);
        memcpy(bytes + at, &blob, sizeof blob);
    }
    header.index_hash =
        hone__hash64(bytes + sizeof header, header.index_bytes - sizeof header);
    header.header_hash =
        hone__hash64(&header, offsetof(hone_pack_header, header_hash));
    memcpy(bytes, &header, sizeof header);
}

/* `config` NULL: the best there is. */
static void ask(hone_store *store, const hone_target *target, const char *op,
                const int64_t *dims, size_t n_dims, const char *config)
{
    hone_text cubin = {0};
    hone_error err = {0};
    hone_answer answer;

    if (hone__match_find(&(hone_query){.stores = &store,
                                       .n_stores = 1,
                                       .target = target,
                                       .op = op,
                                       .dims = dims,
                                       .n_dims = n_dims,
                                       .config = config},
                         &answer, &err) == HONE_OK)
        (void)hone__store_cubin(answer.store, answer.row, &cubin, &err);
    hone__text_free(&cubin);
}

static hone_status see_name(void *user, const char *name, hone_error *err)
{
    hone__text_puts(user, name);
    return hone__text_check(user, err);
}

static void ask_all(hone_store *store)
{
    static const int64_t dims[][4] = {{64, 64, 64, HONE_TYPE_F32},
                                      {192, 64, 64, HONE_TYPE_F32},
                                      {1000003, 1, 1, HONE_TYPE_F32},
                                      {0, 64, 64, HONE_TYPE_F32}};
    hone_target target = {.name = "Fake H200", .driver_version = "13000"};
    hone_store_op *op = NULL;
    hone_text ops = {0};

    for (int i = 0; i < HONE_N_PROPERTIES; ++i)
        target.properties.value[i] = 1 << 16;
    target.properties.value[HONE_PROPERTY_sm] = 90;
    target.properties.value[HONE_PROPERTY_sm_count] = 132;
    (void)hone__store_list_ops(store, &ops, NULL);
    if (hone__store_op(store, "gemm", &op, NULL) == HONE_OK)
        (void)hone__store_visit_implementations(
            store, op, &(hone_name_visitor){see_name, &ops}, NULL);
    hone__text_free(&ops);
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; ++i) {
        ask(store, &target, "gemm", dims[i], 4, NULL);
        ask(store, &target, "gemm", dims[i], 4, "SPLIT=4,BM=64");
        ask(store, &target, "axpy", dims[i], 1, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    hone_store_source source = {.pack_bytes = size_bytes};
    hone_store *store = NULL;
    hone_error err = {0};
    uint8_t *bytes;

    if (size_bytes < sizeof(hone_pack_header))
        return 0;
    bytes = hone__alloc(size_bytes); /* aligned, and with an end */
    if (!bytes)
        return 0;
    memcpy(bytes, data, size_bytes);
    repair(bytes, size_bytes);
    source.pack = bytes;
    if (hone__store_open_source(&source, &store, &err) == HONE_OK)
        ask_all(store);
    hone__store_close(store);
    hone__free(bytes);
    return 0;
}
