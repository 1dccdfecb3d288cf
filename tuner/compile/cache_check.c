/* SPDX-License-Identifier: Apache-2.0 */
/* Are all entries of a cubin cache whole? See cubin_cache.h. */
#include "tuner/compile/cubin_cache.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = HONE_SHA256_HEX - 1 };

static int is_hex(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

static hone_status check_entry(const char *folder, const char *shard,
                               const char *key, hone_cache_checked *out,
                               hone_error *err)
{
    hone_compile_output output;
    hone_error why = {0};
    const hone_status status = hone__cache_load(folder, key, &output, &why);

    if (status == HONE_OK)
        hone__compile_output_free(&output);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__out_of_memory(err, "");
    ++out->n;
    if ((status != HONE_OK || strncmp(key, shard, 2) != 0) && !out->n_damaged++)
        (void)snprintf(out->first, sizeof out->first, "%s/%s", shard, key);
    return HONE_OK;
}

static hone_status check_shard(const char *folder, const char *shard,
                               hone_cache_checked *out, hone_error *err)
{
    hone_text path = {0};
    hone_status status = HONE_OK;
    const struct dirent *entry;
    DIR *entries = NULL;

    hone__text_printf(&path, "%s/%s", folder, shard);
    HONE_TRY(hone__text_check(&path, err));
    entries = opendir(path.data);
    while (entries && status == HONE_OK && (entry = readdir(entries)))
        if (is_hex(entry->d_name, KEY_BYTES))
            status = check_entry(folder, shard, entry->d_name, out, err);
    if (entries)
        (void)closedir(entries);
    else if (errno != ENOENT) /* somebody may be deleting the cache */
        status = hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                   "cannot read the folder '%s': %s", path.data,
                                   strerror(errno));
    hone__text_free(&path);
    return status;
}

hone_status hone__cache_check(const char *folder, hone_cache_checked *out,
                              hone_error *err)
{
    hone_status status = HONE_OK;
    const struct dirent *entry;
    DIR *shards = opendir(folder);

    *out = (hone_cache_checked){.n = 0};
    if (!shards)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot read the folder '%s': %s", folder,
                                 strerror(errno));
    while (status == HONE_OK && (entry = readdir(shards))) {
        out->is_cache |= strcmp(entry->d_name, "CACHEDIR.TAG") == 0;
        if (is_hex(entry->d_name, 2))
            status = check_shard(folder, entry->d_name, out, err);
    }
    (void)closedir(shards);
    if (status == HONE_OK && !out->is_cache)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "the folder '%s' is no cubin cache: it has no "
                            "CACHEDIR.TAG; name one, a database or a pack",
                            folder);
    return status;
}
