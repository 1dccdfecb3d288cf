/* SPDX-License-Identifier: Apache-2.0 */
/* Packs and cubin caches: see check.h. */
#include "tools/database/check.h"

#include "runtime/base/hash.h"
#include "runtime/store/launch_hash.h"
#include "runtime/store/pack.h"
#include "tuner/compile/cubin_cache.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int hone__check_is_pack(const char *path)
{
    char begin[sizeof HONE_PACK_MAGIC - 1];
    int file;
    int is;

    if (hone__file_open(path, INT64_MAX, &file, NULL) != HONE_OK)
        return 0;
    is = read(file, begin, sizeof begin) == (ssize_t)sizeof begin &&
         memcmp(begin, HONE_PACK_MAGIC, sizeof begin) == 0;
    (void)close(file);
    return is;
}

static const char *const mend =
    "get a good copy, or make it again with 'hone pack'";

static void find(hone_db_checked *found, size_t i, const char *what,
                 const char *why)
{
    if (!found->n_damaged++)
        (void)snprintf(found->first, sizeof found->first, "%s %zu: %.300s",
                       what, i, why);
}

static hone_status check_blobs(const hone_pack *pack, hone_db_checked *found)
{
    size_t n;

    (void)hone__pack_records(pack, HONE_PACK_BLOBS, &n);
    for (size_t i = 0; i < n; ++i) {
        hone_error why = {0};

        if (hone__pack_check_blob(pack, (uint32_t)i, &why) != HONE_OK)
            find(found, i, "blob", why.text);
    }
    found->n = (int64_t)n;
    return HONE_OK;
}

/* ---- variants ------------------------------------------------------------ */

static const char *text_of(const hone_pack *pack, uint32_t offset)
{
    const char *text =
        offset == HONE_PACK_NONE ? NULL : hone__pack_text(pack, offset);

    return text ? text : "";
}

/* HONE_ERR_DATABASE: `err` says what is wrong with it. */
static hone_status check_variant(const hone_pack *pack,
                                 const hone_pack_variant *variant,
                                 hone_text *plan, hone_text *cubin,
                                 hone_error *err)
{
    const hone_launch_parts parts = {text_of(pack, variant->config),
                                     text_of(pack, variant->types),
                                     text_of(pack, variant->compile_arch),
                                     text_of(pack, variant->cubin_sha256), ""};
    hone_launch_parts with_plan = parts;
    char hash[HONE_SHA256_HEX];

    HONE_TRY(hone__pack_read_blob(pack, variant->plan, plan, err));
    with_plan.launch_plan = hone__text_str(plan);
    HONE_TRY(hone__launch_hash(&with_plan, hash, err));
    if (variant->launch_sha256 != HONE_PACK_NONE &&
        strcmp(hash, text_of(pack, variant->launch_sha256)) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "what it is launched with is not what was stored");
    if (variant->cubin == HONE_PACK_NONE)
        return HONE_OK;
    HONE_TRY(hone__pack_read_blob(pack, variant->cubin, cubin, err));
    hone__sha256_hex(hone__text_str(cubin), cubin->length, hash);
    if (strcmp(hash, parts.cubin_sha256) != 0)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "its kernel does not match its SHA-256");
    return HONE_OK;
}

static hone_status check_variants(const hone_pack *pack, hone_db_checked *found,
                                  hone_error *err)
{
    const hone_pack_variant *variants;
    size_t n;

    variants = hone__pack_records(pack, HONE_PACK_VARIANTS, &n);
    for (size_t i = 0; i < n; ++i) {
        hone_text plan = {0}, cubin = {0};
        hone_error why = {0};
        const hone_status status =
            check_variant(pack, &variants[i], &plan, &cubin, &why);

        hone__text_free(&plan);
        hone__text_free(&cubin);
        if (status == HONE_ERR_NO_MEMORY)
            return hone__out_of_memory(err, "");
        if (status != HONE_OK)
            find(found, i, "variant", why.text);
    }
    found->n = (int64_t)n;
    return HONE_OK;
}

/* ---- files --------------------------------------------------------------- */

hone_status hone__check_pack(const char *path, hone_db_check_fn each,
                             void *user, hone_error *err)
{
    hone_db_checked index = {.name = "index", .advice = mend, .n = 1};
    hone_db_checked blobs = {.name = "blobs", .advice = mend};
    hone_db_checked variants = {.name = "variants", .advice = mend};
    hone_pack pack = {0};
    hone_error why = {0};
    hone_status status = hone__pack_open_file(path, NULL, &pack, &why);

    if (status == HONE_ERR_DATABASE) {
        index.n_damaged = 1;
        (void)snprintf(index.first, sizeof index.first, "%.500s", why.text);
        return each(user, &index, err);
    }
    if (status != HONE_OK) {
        if (err)
            *err = why;
        return status;
    }
    status = each(user, &index, err);
    if (status == HONE_OK)
        status = check_blobs(&pack, &blobs);
    if (status == HONE_OK)
        status = each(user, &blobs, err);
    if (status == HONE_OK)
        status = check_variants(&pack, &variants, err);
    if (status == HONE_OK)
        status = each(user, &variants, err);
    hone__pack_close(&pack);
    return status;
}

hone_status hone__check_cache(const char *folder, hone_db_check_fn each,
                              void *user, hone_error *err)
{
    hone_db_checked found = {.name = "entries",
                             .advice = "it counts as none and is compiled "
                                       "again; delete it, or all of the cache"};
    hone_cache_checked entries;

    HONE_TRY(hone__cache_check(folder, &entries, err));
    found.n = entries.n;
    found.n_damaged = entries.n_damaged;
    (void)snprintf(found.first, sizeof found.first,
                   "the content of '%s' does not match its SHA-256",
                   entries.first);
    return each(user, &found, err);
}
